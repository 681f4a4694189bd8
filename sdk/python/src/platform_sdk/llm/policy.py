"""Asks the platform's own policies, in process, whether a tool call of a response may be made."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from ..arguments import Arguments
from ..decisions import HONOURED, Decider
from ..errors import ConfigurationError
from ..gateway import Tool
from .wire import ToolCall

_ONE = {"minute": 1, "hour": 1, "day": 1}


class ToolPolicy:
    """`on_tool_call` for `platform_llm`: the boundary `tool`, judged by `decider`.

    `tools` are the gateway's (`list_tools()`); a call of any other tool is denied, as are arguments
    that do not fit the tool's schema. `spiffe_id` is who calls. What only the gateway counts, rates
    and spending, is judged there: here each call is the first. A call that a person must allow is
    let through, because the gateway is where the person is asked.
    """

    def __init__(self, decider: Decider, spiffe_id: str, tools: Iterable[Tool]):
        domain, _, path = spiffe_id.removeprefix("spiffe://").partition("/")
        names = path.split("/")
        if len(names) != 4 or names[0] != "agent" or not spiffe_id.startswith("spiffe://"):
            raise ConfigurationError(f"{spiffe_id!r} is no agent's SPIFFE ID")
        self._identity = {
            "spiffe_id": spiffe_id,
            "trust_domain": domain,
            "tenant": names[1],
            "agent": names[2],
            "role": names[3],
        }
        self._tools = {tool.name: tool for tool in tools}
        self._decider = decider
        self._arguments = Arguments()

    def __call__(self, call: ToolCall) -> dict[str, Any]:
        """`{"allow", "id", "reasons": [{"code"}…]}`; `id` recomputes from the same bundles."""
        tool = self._tools.get(call.name)
        try:
            arguments = json.loads(call.arguments or "{}")
        except ValueError:
            arguments = None
        if tool is None:
            return _denied("tool_unknown")
        if not isinstance(arguments, dict) or not self._fits(tool, arguments):
            return _denied("arguments_invalid")
        data = json.dumps(self._input(tool, arguments), ensure_ascii=False).encode()
        decision = self._decider.decide("tool", "authorization", data, honours=HONOURED["tool"])
        output = decision.output
        reasons = output.get("reasons") or [output.get("reason") or {}]
        waits = all(reason.get("code") == "approval_required" for reason in reasons)
        return {"allow": decision.allow or waits, "id": decision.id, "reasons": reasons}

    def _fits(self, tool: Tool, arguments: dict[str, Any]) -> bool:
        return not tool.schema or self._arguments.validate(tool.schema, arguments)["allow"] is True

    def _input(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        now = datetime.fromtimestamp(time.time(), timezone.utc)
        return {
            "action": "call",
            "identity": self._identity,
            "resource": {
                "kind": "tool",
                "name": tool.name,
                "service": tool.service,
                "action": tool.action,
                "source": tool.source,
                "tags": list(tool.tags),
            },
            "arguments": arguments,
            "provenance": {},
            "session": None,
            "approval": None,
            "counters": {
                "agent_minute": 1,
                "tenant_minute": 1,
                "calls": {"agent": _ONE, "tenant": _ONE},
                "spend": {"agent": 0, "tenant": 0},
            },
            "context": {
                "time": f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z",
                "request_id": os.urandom(8).hex(),
            },
        }


def _denied(code: str) -> dict[str, Any]:
    return {"allow": False, "id": None, "reasons": [{"code": code}]}
