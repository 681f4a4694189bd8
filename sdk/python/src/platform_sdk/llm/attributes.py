"""What stands in the span of a call: known before it, and known after it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..agent import current_agent
from . import telemetry
from .content import Segment
from .telemetry import Value
from .wire import Answer, Wire

_CONTENT_CHARACTERS_MAX = 65536


def model_of(request: Mapping[str, Any]) -> str:
    """The model that a request names, or the agent that stands for one."""
    for name in ("model", "agent_id"):
        if isinstance(request.get(name), str):
            return str(request[name]).removeprefix("models/")
    return "unknown"


def before(provider: str, wire: Wire, model: str) -> dict[str, Value]:
    """What is known of a call when it begins: of whom, and by whom."""
    found: dict[str, Value] = {
        telemetry.SYSTEM: wire.system,
        telemetry.PROVIDER: provider,
        telemetry.OPERATION: wire.operation,
        telemetry.REQUEST_MODEL: model,
    }
    agent = current_agent()
    known = {
        telemetry.AGENT_NAME: os.environ.get("PLATFORM_AGENT_NAME"),
        telemetry.TENANT: os.environ.get("PLATFORM_TENANT"),
        telemetry.ROLE: os.environ.get("PLATFORM_ROLE"),
    }
    if agent is not None:
        given = (agent.agent_name, agent.tenant, agent.role)
        known = dict(zip(known, given, strict=True))
    found.update({name: value for name, value in known.items() if value})
    domain = os.environ.get("PLATFORM_TRUST_DOMAIN")
    if domain and agent is not None:
        path = f"agent/{agent.tenant}/{agent.agent_name}/{agent.role}"
        found[telemetry.SPIFFE_ID] = f"spiffe://{domain}/{path}"
    return found


def after(answer: Answer, model: str) -> dict[str, Value]:
    """What is known of a call when it is over; nothing of its text."""
    found: dict[str, Value | None] = {
        telemetry.RESPONSE_MODEL: answer.model,
        telemetry.RESPONSE_ID: answer.id,
        telemetry.FINISH_REASONS: answer.finish_reasons or None,
    }
    usage = answer.usage
    if usage is not None:
        found[telemetry.INPUT_TOKENS] = usage.input
        found[telemetry.OUTPUT_TOKENS] = usage.output
        total = usage.input + usage.output if usage.total is None else usage.total
        found[telemetry.TOTAL_TOKENS] = total
        found[telemetry.COST] = usage.cost(answer.model, model)
    return {name: value for name, value in found.items() if value is not None}


def content(segments: Iterable[Segment], answer: Answer) -> dict[str, Value]:
    """Prompt and response, for spans of development."""
    said = [(segment.role, segment.text) for segment in segments]
    return {
        telemetry.INPUT_MESSAGES: _messages(said),
        telemetry.OUTPUT_MESSAGES: _messages([("assistant", text) for text in answer.texts]),
    }


def _messages(said: list[tuple[str, str]]) -> str:
    """OpenTelemetry's form of messages; the end of a long one is what is kept."""
    found: list[dict[str, Any]] = []
    left = _CONTENT_CHARACTERS_MAX
    for role, text in reversed(said):
        if left <= 0:
            break
        kept = text[-left:]
        left -= len(kept)
        found.append({"role": role, "parts": [{"type": "text", "content": kept}]})
    return json.dumps(found[::-1], ensure_ascii=False)
