"""One call of a model from its prompt to the end of its response: span, guard, policy, metrics."""

from __future__ import annotations

import contextlib
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..agent import current_agent
from . import attributes, guarding, telemetry
from .content import Segment, prompt_segments, unescaped
from .guarding import Scan
from .stream import Gate
from .telemetry import Span
from .verdict import demand
from .wire import Answer, ToolCall, Wire


@dataclass(frozen=True)
class Settings:
    """What `platform_llm` was asked for."""

    provider: str
    capture_content: bool = False
    on_tool_call: Callable[[ToolCall], Any] | None = None


class Call:
    """One call. Whatever becomes of it, `end` is called, and only the first time counts."""

    def __init__(self, settings: Settings, wire: Wire, request: Mapping[str, Any]):
        from ..guard import is_enabled

        self.wire = wire
        self.answer = Answer()
        self.is_guarded = is_enabled()
        self._settings = settings
        self._model = attributes.model_of(request)
        self._started = time.perf_counter()
        self._is_over = False
        self._was_blocked = False
        self._segments: list[Segment] = []
        if self.is_guarded or settings.capture_content:
            self._segments = prompt_segments(request)
        self._prompt = "\n".join(s.text for s in self._segments) if self.is_guarded else ""
        known = attributes.before(settings.provider, wire, self._model)
        self._span = Span(telemetry.SPAN_CHAT, known, client=True)
        self._scan: Scan | None = None

    @property
    def judges(self) -> bool:
        """Whether a response is looked at before it is released."""
        return self.is_guarded or self._settings.on_tool_call is not None

    @property
    def is_recorded(self) -> bool:
        """Whether anybody will see what the call used."""
        return telemetry.is_available()

    @contextlib.contextmanager
    def sending(self) -> Iterator[None]:
        """The time until the response, or its stream, is there: the span is the current one."""
        try:
            with self._span.current():
                yield
        except BaseException as error:
            self.fail(error)
            raise

    def check_prompt(self) -> None:
        """Scans the prompt; raises GuardrailError before anything is sent."""
        if not self.is_guarded:
            return
        scan = Scan("input", self._span)
        try:
            scan.prompt(self._segments)
        finally:
            scan.end()
        self._judge(scan, output=False)

    async def check_prompt_async(self) -> None:
        """As `check_prompt`, a long prompt off the event loop."""
        await guarding.off_loop(len(self._prompt), self.check_prompt)

    def receive(self, response: Any) -> Any:
        """A whole response, scanned and its tool calls allowed; the call is over."""
        self.answer = self.wire.read(response)
        self._check_answer()
        self._ask(self._calls())
        self.end()
        return response

    async def receive_async(self, response: Any) -> Any:
        """As `receive`, a long response off the event loop."""
        self.answer = self.wire.read(response)
        texts = [*self.answer.texts, *self.answer.others, *(c.arguments for c in self.answer.tools)]
        await guarding.off_loop(sum(map(len, texts)), self._check_answer)
        await self._ask_async(self._calls())
        self.end()
        return response

    def _check_answer(self) -> None:
        if not self.is_guarded:
            return
        scan = Scan("output", self._span)
        try:
            scan.output(["\n".join(self.answer.texts)], self._prompt)
            scan.output(self.answer.others, "", "other")
            given = [call.arguments for call in self.answer.tools]
            meant = [text for arguments in given for text in unescaped(arguments)]
            scan.output([*given, *meant], "", "tool")
        finally:
            scan.end()
        self._judge(scan, output=True)

    def stream(
        self, chunks: Iterator[Any], is_extra: Callable[[Any], bool] | None = None
    ) -> Iterator[Any]:
        """The chunks of a response as they are released, but those that only we asked for."""
        gate = self._gate()
        try:
            for chunk in chunks:
                if self._is_ours(chunk, is_extra):
                    continue
                if gate is None:
                    yield chunk
                    continue
                gate.push(chunk, list(self.wire.pieces(chunk)))
                self._ask(self._complete(gate))
                yield from gate.take()
                self._judge(self._scan, output=True)
            if gate is not None:
                gate.finish()
                self._ask(self._complete(gate))
                yield from gate.take()
                self._judge(self._scan, output=True)
        except Exception as error:
            self.fail(error)
            raise
        finally:
            self._close(gate)
            close = getattr(chunks, "close", None)
            if close is not None:
                close()

    async def stream_async(
        self, chunks: AsyncIterator[Any], is_extra: Callable[[Any], bool] | None = None
    ) -> AsyncGenerator[Any, None]:
        """As `stream`, for an asynchronous client."""
        gate = self._gate()
        try:
            async for chunk in chunks:
                if self._is_ours(chunk, is_extra):
                    continue
                if gate is None:
                    yield chunk
                    continue
                pieces = list(self.wire.pieces(chunk))
                size = sum(len(piece.text) for piece in pieces)
                await guarding.off_loop(size, gate.push, chunk, pieces)
                await self._ask_async(self._complete(gate))
                for free in gate.take():
                    yield free
                self._judge(self._scan, output=True)
            if gate is not None:
                gate.finish()
                await self._ask_async(self._complete(gate))
                for free in gate.take():
                    yield free
                self._judge(self._scan, output=True)
        except Exception as error:
            self.fail(error)
            raise
        finally:
            self._close(gate)
            close = getattr(chunks, "aclose", None)
            if close is not None:
                await close()

    def _gate(self) -> Gate | None:
        """What chunks pass through; None where nobody looks at their text."""
        if not self.judges and not self._settings.capture_content:
            return None
        if self.is_guarded:
            self._scan = Scan("output", self._span)
        asks = self._settings.on_tool_call is not None
        return Gate(self.wire, self._scan, asks, self._prompt)

    def _is_ours(self, chunk: Any, is_extra: Callable[[Any], bool] | None) -> bool:
        """Takes from a chunk what the span says; whether only we asked for it."""
        self.wire.observe(chunk, self.answer)
        return is_extra is not None and is_extra(chunk)

    def _close(self, gate: Gate | None) -> None:
        if gate is not None:
            self.answer.texts = gate.texts()
        self.end()

    def _complete(self, gate: Gate) -> list[ToolCall]:
        """Tool calls to show to policy; none when the guard found something, which ends it all."""
        if self._scan is not None and self._scan.found and guarding.blocks():
            return []
        model = self.answer.model or self._model
        return gate.calls(self.wire.system, model)

    def _judge(self, scan: Scan | None, output: bool) -> None:
        if scan is None or not scan.found or not guarding.blocks():
            return
        self._was_blocked = True
        found = guarding.names(scan.found)
        if output:
            self._span.set({telemetry.OUTPUT_BLOCKED: True, telemetry.OUTPUT_SCANNERS: found})
        else:
            self._span.set({telemetry.PROMPT_BLOCKED: True, telemetry.PROMPT_SCANNERS: found})
        self._span.fail(telemetry.OUTPUT_BLOCKED_BY_GUARD if output else telemetry.BLOCKED_BY_GUARD)
        raise guarding.error(scan.found, output)

    def _calls(self) -> list[ToolCall]:
        model = self.answer.model or self._model
        return [replace(c, provider=self.wire.system, model=model) for c in self.answer.tools]

    def _ask(self, calls: list[ToolCall]) -> None:
        ask = self._settings.on_tool_call
        for call in calls if ask is not None else ():
            demand(call, ask(call))  # type: ignore[misc]

    async def _ask_async(self, calls: list[ToolCall]) -> None:
        ask = self._settings.on_tool_call
        for call in calls if ask is not None else ():
            verdict = ask(call)  # type: ignore[misc]
            demand(call, await verdict if inspect.isawaitable(verdict) else verdict)

    def fail(self, error: BaseException) -> None:
        """The call failed: the span says so by the error's name, since messages may hold data."""
        if self._is_over:
            return
        name = type(error).__name__
        if not self._was_blocked:
            self._span.fail(name)
        self._span.set({telemetry.ERROR_TYPE: name})
        telemetry.count(telemetry.CALL_ERRORS, {**self._labels(), "error_type": name})
        self.end()

    def end(self) -> None:
        """Writes what is known into the span, ends it and counts; only the first time."""
        if self._is_over:
            return
        self._is_over = True
        if self._scan is not None:
            self._scan.end()
        seconds = time.perf_counter() - self._started
        self._span.set(attributes.after(self.answer, self._model))
        if self._settings.capture_content and not self._was_blocked:
            self._span.set(attributes.content(self._segments, self.answer))
        self._span.set({telemetry.DURATION: round(seconds * 1000, 3)})
        self._span.end()
        labels = self._labels()
        telemetry.count(telemetry.CALLS, labels)
        telemetry.record(telemetry.CALL_DURATION, seconds, labels)
        usage = self.answer.usage
        if usage is not None:
            agent = getattr(current_agent(), "agent_name", "") or ""
            labels = {**labels, "agent": agent}
            telemetry.count(telemetry.CALL_INPUT_TOKENS, labels, usage.input)
            telemetry.count(telemetry.CALL_OUTPUT_TOKENS, labels, usage.output)

    def _labels(self) -> dict[str, str]:
        return {"model": self._model, "provider": self.wire.system}
