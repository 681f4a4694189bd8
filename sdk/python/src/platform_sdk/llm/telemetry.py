"""The span and the metrics of a model call through OpenTelemetry's API, where it is installed."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Value = str | bool | int | float | Sequence[str]

SPAN_CHAT = "platform.llm.chat"
SPAN_SCAN = "platform.guard.scan"

SYSTEM = "gen_ai.system"
PROVIDER = "gen_ai.provider.name"
OPERATION = "gen_ai.operation.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_ID = "gen_ai.response.id"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOTAL_TOKENS = "gen_ai.usage.total_tokens"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
ERROR_TYPE = "error.type"
AGENT_NAME = "agent_name"
TENANT = "tenant"
ROLE = "role"
SPIFFE_ID = "spiffe_id"
COST = "platform.llm.cost_usd"
DURATION = "duration_ms"
SCAN_TYPE = "scan_type"
IS_VALID = "is_valid"
PROMPT_BLOCKED = "platform.guard.prompt_blocked"
PROMPT_SCANNERS = "platform.guard.scanners"
OUTPUT_BLOCKED = "platform.guard.output_blocked"
OUTPUT_SCANNERS = "platform.guard.output_scanners"

CALLS = "platform.llm.calls"
CALL_ERRORS = "platform.llm.call_errors"
CALL_DURATION = "platform.llm.call.duration"
CALL_INPUT_TOKENS = "platform.llm.input_tokens"
CALL_OUTPUT_TOKENS = "platform.llm.output_tokens"
GUARD_SCANS = "platform_guard_scans_total"
GUARD_BLOCKS = "platform_guard_blocks_total"
GUARD_DURATION = "platform_guard_scan_duration_seconds"

BLOCKED_BY_GUARD = "Blocked by LLM Guard"
OUTPUT_BLOCKED_BY_GUARD = "Output blocked by LLM Guard"

_SECONDS = (CALL_DURATION, GUARD_DURATION)


@functools.lru_cache(maxsize=1)
def _api() -> Any:
    """OpenTelemetry's API, or None where it is not installed: the SDK does not depend on it."""
    try:
        trace = importlib.import_module("opentelemetry.trace")
        metrics = importlib.import_module("opentelemetry.metrics")
    except ImportError:
        return None
    return trace, metrics


def is_available() -> bool:
    """Whether anything is recorded at all."""
    return _api() is not None


class Span:
    """One span; does nothing where OpenTelemetry is not."""

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, Value],
        parent: Span | None = None,
        client: bool = False,
    ):
        self._span = None
        api = _api()
        if api is None:
            return
        trace = api[0]
        context = None
        if parent is not None and parent._span is not None:
            context = trace.set_span_in_context(parent._span)
        kind = trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL
        self._span = trace.get_tracer("platform").start_span(
            name, context, kind=kind, attributes=dict(attributes)
        )

    def set(self, attributes: Mapping[str, Value]) -> None:
        """Sets attributes."""
        if self._span is not None:
            self._span.set_attributes(dict(attributes))

    def fail(self, description: str) -> None:
        """Marks the span as failed."""
        if self._span is not None:
            trace = _api()[0]
            self._span.set_status(trace.Status(trace.StatusCode.ERROR, description))

    def end(self) -> None:
        """Ends the span; what is set afterwards is lost."""
        if self._span is not None:
            self._span.end()

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Within, what others start is a child of this span."""
        if self._span is None:
            yield
            return
        with _api()[0].use_span(
            self._span, end_on_exit=False, record_exception=False, set_status_on_exception=False
        ):
            yield


def count(name: str, labels: Mapping[str, str], amount: int = 1) -> None:
    """Adds to a counter."""
    if _api() is not None:
        _instrument(name, _meter_provider()).add(amount, dict(labels))


def record(name: str, seconds: float, labels: Mapping[str, str]) -> None:
    """Records a duration in a histogram."""
    if _api() is not None:
        _instrument(name, _meter_provider()).record(seconds, dict(labels))


def _meter_provider() -> Any:
    return _api()[1].get_meter_provider()


@functools.lru_cache(maxsize=64)
def _instrument(name: str, provider: Any) -> Any:
    # By provider, so that one that is set after the first call gets instruments of its own.
    meter = provider.get_meter("platform")
    if name in _SECONDS:
        return meter.create_histogram(name, unit="s")
    return meter.create_counter(name)
