"""Scans what goes to a model and what comes from it with the guard module, counted and timed."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from .. import guard as guard_module
from ..errors import ConfigurationError, GuardrailError
from ..guard import Guard, GuardStream
from . import telemetry
from .content import Segment
from .telemetry import Span

Found = dict[str, dict[str, Any]]

# A text of this many characters takes the guard about a millisecond: longer than an event loop
# should wait for.
_THREAD_CHARACTERS = 8192
_PROMPT_CHARACTERS_MAX = 65536
_OFF = ("0", "false", "no", "off")
_DEFAULT_THRESHOLDS = {"PromptInjection": 0.5, "PII": 0.85, "Toxicity": 0.7, "Relevance": 0.5}
_OF_ANSWERS = ("Relevance", "TopicBoundary")
# Who writes the system's prompt gives the model orders, as "do not reveal this": that is what it is for.
_DEVELOPER = ("system", "developer")
_OF_STRANGERS = ("PromptInjection",)
_local = threading.local()


def blocks() -> bool:
    """Whether a finding blocks (`BLOCK_ON_DETECTION`, the default) or is only reported."""
    return os.environ.get("BLOCK_ON_DETECTION", "").strip().lower() not in (*_OFF, "warn")


def thresholds() -> dict[str, int]:
    """Thresholds that the environment sets, in thousandths."""
    given = os.environ.get("PII_DETECTION_THRESHOLD", "").strip()
    if not given:
        return {}
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ConfigurationError("PII_DETECTION_THRESHOLD must be between 0 and 1")
    # The guard's thresholds begin at 1 of 1000: a score of 0 is no finding.
    return {"PII": max(1, round(value * 1000))}


def _options() -> dict[str, Any]:
    given = thresholds()
    return {"thresholds": given} if given else {}


def _output(prompt: str, kind: str) -> tuple[list[str], dict[str, Any]]:
    """The scanners of a response and their options. What answers the prompt is its text alone."""
    scanners: list[str] = list(guard_module.OUTPUT_SCANNERS)
    if kind == "text":
        return scanners, {"prompt": prompt[-_PROMPT_CHARACTERS_MAX:]} if prompt else {}
    return [name for name in scanners if name not in _OF_ANSWERS], {}


def _guard() -> Guard:
    """This thread's instance: a store belongs to one thread at a time. The code is shared."""
    if not hasattr(_local, "guard"):
        _local.guard = guard_module.default().another()
    found: Guard = _local.guard
    return found


def report(found: Found, answer: Mapping[str, Any], **more: Any) -> None:
    """Adds the findings of one answer to what was found: by scanner, places and no text."""
    set_here = thresholds()
    for finding in answer["findings"]:
        name = finding["scanner"]
        default = _DEFAULT_THRESHOLDS.get(name)
        threshold = set_here[name] / 1000 if name in set_here else default
        entry = found.setdefault(name, {"score": 0.0, "threshold": threshold, "matches": []})
        entry["score"] = max(entry["score"], finding.get("score", 1000) / 1000)
        place = {key: finding[key] for key in ("kind", "start", "end")}
        entry["matches"].append({**place, **more})


def error(found: Found, output: bool = False) -> GuardrailError:
    """What a block raises."""
    code = "guard_output_blocked" if output else "guard_blocked"
    return GuardrailError(f"blocked by {names(found)}", scanners=found, code=code)


def names(found: Found) -> str:
    """The scanners, as the attributes of a span name them."""
    return ", ".join(sorted(found))


class Scan:
    """One scan in its span: a prompt, a response, or a response that comes in parts."""

    def __init__(self, direction: str, parent: Span | None = None):
        self.direction = direction
        self.found: Found = {}
        kind = "prompt" if direction == "input" else "output"
        self._span = Span(telemetry.SPAN_SCAN, {telemetry.SCAN_TYPE: kind}, parent)
        self._seconds = 0.0
        self._is_over = False

    def prompt(self, segments: Iterable[Segment]) -> None:
        """Scans the texts of a prompt, those of one source together."""
        texts: dict[tuple[str, bool], list[str]] = {}
        for segment in segments:
            by_developer = segment.role in _DEVELOPER and segment.source == "user"
            texts.setdefault((segment.source, by_developer), []).append(segment.text)
        for (source, by_developer), found in texts.items():
            scanners = [
                name
                for name in guard_module.INPUT_SCANNERS
                if not by_developer or name not in _OF_STRANGERS
            ]
            self._text(scanners, "\n".join(found), {"source": source})

    def output(self, texts: Iterable[str], prompt: str, kind: str = "text") -> None:
        """Scans texts of a response; `kind` as of a Piece."""
        scanners, options = _output(prompt, kind)
        for text in texts:
            if text:
                self._text(scanners, text, options)

    def _text(self, scanners: Iterable[str], text: str, options: Mapping[str, Any]) -> None:
        started = time.perf_counter()
        answer = _guard().scan(self.direction, scanners, text, **options, **_options())
        self._seconds += time.perf_counter() - started
        where = {"source": options["source"]} if "source" in options else {}
        report(self.found, answer, **where)

    def stream(self, prompt: str, kind: str) -> GuardStream:
        """Begins to scan one field of a response that comes in parts."""
        scanners, options = _output(prompt, kind)
        stream: GuardStream = _guard().stream("output", scanners, **options, **_options())
        return stream

    def push(self, stream: GuardStream, text: str, last: bool) -> int:
        """Scans the next part of a field; how many more characters of it may be shown."""
        started = time.perf_counter()
        shown, answer = stream.push(text, last)
        self._seconds += time.perf_counter() - started
        report(self.found, answer)
        return len(shown)

    def end(self) -> None:
        """Ends the span and counts, once."""
        if self._is_over:
            return
        self._is_over = True
        self._span.set({telemetry.IS_VALID: not self.found})
        self._span.end()
        labels = {"direction": self.direction}
        telemetry.count(telemetry.GUARD_SCANS, labels)
        telemetry.record(telemetry.GUARD_DURATION, self._seconds, labels)
        for scanner in self.found:
            telemetry.count(telemetry.GUARD_BLOCKS, {**labels, "scanner": scanner})


async def off_loop(characters: int, work: Any, *arguments: Any) -> Any:
    """Runs short work here and long work in a thread, so that the event loop goes on."""
    if characters <= _THREAD_CHARACTERS:
        return work(*arguments)
    return await asyncio.to_thread(work, *arguments)
