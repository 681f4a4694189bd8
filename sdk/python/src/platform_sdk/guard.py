"""Scans prompts and responses in process, before they leave it."""

import asyncio
import functools
import json
import os

from ._wasm import WasmModule
from .errors import GuardrailError, InputError

INPUT_SCANNERS = ("InvisibleText", "PII", "Secrets")
OUTPUT_SCANNERS = ("InvisibleText", "PII", "Secrets")


class Guard:
    """The guard module in process."""

    def __init__(self, data=None):
        self._module = WasmModule("guard", data)

    def scan_bytes(self, data):
        """From the JSON bytes of a request to the canonical JSON of the result."""
        return self._module.run("scan", bytes(data))

    def scan(self, direction, scanners, text):
        """`{"allow": bool, "findings": [{"scanner","kind","start","end"}…]}`; offsets in UTF-8
        bytes."""
        request = {"direction": direction, "scanners": list(scanners), "text": text}
        try:
            data = json.dumps(request, ensure_ascii=False).encode()
        except UnicodeEncodeError as cause:
            raise InputError("half of a surrogate pair", code="input_lone_surrogate") from cause
        return json.loads(self.scan_bytes(data))


@functools.lru_cache(maxsize=1)
def default():
    """The process's guard module."""
    return Guard()


def is_enabled():
    """Whether `platform_llm` scans by itself: `PLATFORM_LLM_GUARD_ENABLED`, by default not."""
    return os.environ.get("PLATFORM_LLM_GUARD_ENABLED", "").lower() in ("1", "true", "yes")


def scan_prompt(text, *, block=False):
    """Scans what goes to a model: `{"is_valid": bool, "scanners": {name: {"score","matches"}}}`.

    With `block`, a finding raises GuardrailError.
    """
    return _result("input", INPUT_SCANNERS, text, block)


def scan_output(prompt_text, output_text, *, block=False):
    """Scans what came from a model; what the prompt held is not looked at yet."""
    del prompt_text
    return _result("output", OUTPUT_SCANNERS, output_text, block)


async def scan_prompt_async(text, *, block=False):
    """As `scan_prompt`, off the event loop."""
    return await asyncio.to_thread(_in_thread, "input", INPUT_SCANNERS, text, block)


async def scan_output_async(prompt_text, output_text, *, block=False):
    """As `scan_output`, off the event loop."""
    del prompt_text
    return await asyncio.to_thread(_in_thread, "output", OUTPUT_SCANNERS, output_text, block)


def extract_prompt_text(kwargs):
    """The text of a model call's keyword arguments: `messages`, `prompt`, `input` or `system`."""
    parts = []
    for key in ("system", "prompt", "input", "messages", "contents"):
        _texts(kwargs.get(key), parts)
    return "\n".join(parts)


def extract_response_text(response, provider=None):
    """The text of a model's response, as a dict or as a client's object."""
    del provider
    parts = []
    data = response.model_dump() if hasattr(response, "model_dump") else response
    for key in ("choices", "content", "output", "candidates", "text"):
        _texts(data.get(key) if isinstance(data, dict) else getattr(data, key, None), parts)
    return "\n".join(parts)


def _in_thread(direction, scanners, text, block):
    # A wasmtime store belongs to one thread at a time, so a thread gets an instance of its own.
    return _result(direction, scanners, text, block, Guard())


def _result(direction, scanners, text, block, guard=None):
    answer = (guard or default()).scan(direction, scanners, text)
    found = {}
    for finding in answer["findings"]:
        entry = found.setdefault(
            finding["scanner"], {"score": 1.0, "threshold": None, "matches": []}
        )
        entry["matches"].append({k: finding[k] for k in ("kind", "start", "end")})
    if block and not answer["allow"]:
        raise GuardrailError(f"blocked by {', '.join(sorted(found))}", scanners=found)
    return {"is_valid": answer["allow"], "scanners": found}


def _texts(value, parts, depth=0):
    if depth > 16 or value is None:
        return
    if isinstance(value, str):
        parts.append(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _texts(item, parts, depth + 1)
    elif isinstance(value, dict):
        for key in ("content", "text", "message", "parts"):
            _texts(value.get(key), parts, depth + 1)
