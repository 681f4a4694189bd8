"""Scans prompts and responses in process, before they leave it."""

from __future__ import annotations

import asyncio
import functools
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._wasm import WasmModule, error_of
from .errors import InputError, ModuleError

# What is asked of every text; the other scanners need topics or a limit. As sdk/typescript/scan.ts.
INPUT_SCANNERS = ("InvisibleText", "PII", "PromptInjection", "Secrets")
OUTPUT_SCANNERS = ("PII", "Secrets", "Toxicity")


class Guard:
    """The guard module in process; may be shared between threads, which then wait for each other."""

    def __init__(self, data: bytes | None = None) -> None:
        self._module = WasmModule("guard", data)

    def scan_bytes(self, data: bytes) -> bytes:
        """From the JSON bytes of a request to the canonical JSON of the result."""
        return self._module.run("scan", bytes(data))

    def scan(
        self, direction: str, scanners: Iterable[str], text: str, **options: Any
    ) -> dict[str, Any]:
        """`{"allow": bool, "findings": [{"scanner","kind","score","start","end"}…], "scores":
        {scanner: score}, "truncated": bool}`; offsets in UTF-8 bytes, scores in thousandths. The
        options are those of the module's request: `prompt`, `source`, `thresholds`, `canaries`,
        `topics`, `tokens_max`, `observed`."""
        request = {"direction": direction, "scanners": list(scanners), "text": text, **options}
        data = self.scan_bytes(_utf8(json.dumps(request, ensure_ascii=False)))
        answer: dict[str, Any] = json.loads(data)
        return answer

    def another(self) -> Guard:
        """The same module with memory of its own, so that two threads need not wait for each other."""
        other = object.__new__(Guard)
        other._module = self._module.another()
        return other

    def stream(self, direction: str, scanners: Iterable[str], **options: Any) -> GuardStream:
        """Begins to scan a text that comes in pieces, in memory of its own."""
        request = {"direction": direction, "scanners": list(scanners), **options}
        data = _utf8(json.dumps(request, ensure_ascii=False))
        return GuardStream(self._module.another(), data)


class GuardStream:
    """One text that comes in pieces: whatever the pieces, the findings are those of the whole
    text."""

    def __init__(self, module: WasmModule, request: bytes) -> None:
        self._module = module
        pointer = module.write(request, reserve="streamReserve")
        number = module.invoke("streamOpen", pointer, len(request))
        if number != 0:
            raise error_of(number)
        self._generation = module.generation
        self._is_open = True
        self._held = b""
        self._released = 0

    def push(self, piece: str, last: bool = False) -> tuple[str, dict[str, Any]]:
        """Takes the next piece of the text; returns the text that may be shown now, and the answer
        of `Guard.scan` with the findings that became certain, and `released`, the bytes that may be
        shown in all. Nothing is released once something was found. Raises InputError and
        ModuleError, after which nothing more may be shown."""
        if not self._is_open:
            raise ModuleError("the stream has ended", code="module_trapped")
        self._is_open = False
        data = _utf8(piece)
        pointer = self._module.write(data)
        # A fresh instance knows nothing of what came before.
        if self._module.generation != self._generation:
            raise ModuleError("the guard trapped within a stream", code="module_trapped")
        number = self._module.invoke("streamPush", pointer, len(data), 1 if last else 0)
        if number != 0:
            raise error_of(number)
        answer: dict[str, Any] = json.loads(self._module.output())
        self._is_open = not last
        self._held += data
        free: int = answer["released"] - self._released
        # Half of a character is shown with its other half.
        while 0 < free < len(self._held) and self._held[free] & 0xC0 == 0x80:
            free -= 1
        shown, self._held = self._held[:free], self._held[free:]
        self._released += free
        return shown.decode(), answer


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as cause:
        raise InputError("half of a surrogate pair", code="input_lone_surrogate") from cause


@functools.lru_cache(maxsize=1)
def default() -> Guard:
    """The process's guard module."""
    return Guard()


def is_enabled() -> bool:
    """Whether `platform_llm` scans: as `PLATFORM_LLM_GUARD_ENABLED` says (every word but 0, false, no
    and off is yes); unset, exactly when the process runs under the platform, which sets
    `PLATFORM_GATEWAY_URL` or `PLATFORM_LLM_GUARD_URL`."""
    given = os.environ.get("PLATFORM_LLM_GUARD_ENABLED", "").strip().lower()
    if given:
        return given not in ("0", "false", "no", "off")
    return any(os.environ.get(f"PLATFORM_{name}_URL") for name in ("GATEWAY", "LLM_GUARD"))


def scan_prompt(text: str, *, block: bool = False) -> dict[str, Any]:
    """Scans what goes to a model: `{"is_valid": bool, "scanners": {name: {"score", "threshold",
    "matches"}}}`, where nothing that is clean stands and matches are places, never text.

    With `block`, a finding raises GuardrailError (`guard_blocked`). `PII_DETECTION_THRESHOLD` counts.
    """
    return _result("input", text, "", block)


def scan_output(prompt_text: str, output_text: str, *, block: bool = False) -> dict[str, Any]:
    """As `scan_prompt`, for what came from a model in answer to a prompt (`guard_output_blocked`)."""
    return _result("output", output_text, prompt_text, block)


async def scan_prompt_async(text: str, *, block: bool = False) -> dict[str, Any]:
    """As `scan_prompt`, off the event loop."""
    return await asyncio.to_thread(_result, "input", text, "", block)


async def scan_output_async(
    prompt_text: str, output_text: str, *, block: bool = False
) -> dict[str, Any]:
    """As `scan_output`, off the event loop."""
    return await asyncio.to_thread(_result, "output", output_text, prompt_text, block)


def extract_prompt_text(kwargs: Mapping[str, Any]) -> str:
    """The text of a model call's keyword arguments, of every role, joined by line feeds: of OpenAI,
    Anthropic, Google and Mistral, as dicts or as objects of their packages."""
    from .llm.content import extract_prompt_text as extract

    return extract(kwargs)


def extract_response_text(response: Any, provider: str | None = None) -> str:
    """The text of a model's response, as a dict or as an object of its package, every choice of it,
    without reasoning and tool calls. `provider` is openai, anthropic, google or mistral, and is
    seen from the response when absent."""
    from .llm.content import extract_response_text as extract

    return extract(response, provider)


def _result(direction: str, text: str, prompt: str, block: bool) -> dict[str, Any]:
    # Here, because what it imports imports this module.
    from .llm.content import Segment
    from .llm.guarding import Scan, error

    scan = Scan(direction)
    try:
        if direction == "input":
            scan.prompt([Segment("user", "user", text)])
        else:
            scan.output([text], prompt)
    finally:
        scan.end()
    if block and scan.found:
        raise error(scan.found, direction == "output")
    return {"is_valid": not scan.found, "scanners": scan.found}
