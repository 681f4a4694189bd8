"""What policy says of a tool call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import CredentialError
from .wire import ToolCall


def demand(call: ToolCall, verdict: Any) -> None:
    """Raises CredentialError (`tool_call_denied`) unless the verdict is consent: True, None, or a
    decision whose `allow` is True."""
    if isinstance(verdict, Mapping):
        said = dict(verdict)
    elif isinstance(verdict, bool) or verdict is None:
        said = {"allow": verdict is not False}
    else:
        said = {name: getattr(verdict, name, None) for name in ("allow", "decision_id", "reasons")}
    if said.get("allow") is True:
        return
    decision = said.get("decision_id") or said.get("id")
    data = {"tool": call.name, "decision_id": decision, "reasons": said.get("reasons")}
    raise CredentialError(
        f"policy denied the tool call {call.name!r}",
        code="tool_call_denied",
        data={name: value for name, value in data.items() if value},
    )
