"""Tools as the gateway lists them, and what calling one gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .errors import CredentialError, InputError, PlatformError


class ToolType(str, Enum):
    """How a tool is called."""

    FUNCTION = "function"


@dataclass(frozen=True)
class ToolParameter:
    """One top-level parameter of a tool."""

    name: str
    type: str
    required: bool = False
    default: Any = None
    description: str = ""


@dataclass(frozen=True)
class Tool:
    """A tool as the gateway lists it; `schema` is the JSON Schema that its arguments must fit."""

    name: str
    description: str = ""
    parameters: tuple[ToolParameter, ...] = ()
    source: str = "openapi"
    tool_type: ToolType = ToolType.FUNCTION
    tags: tuple[str, ...] = ()
    service: str = ""
    action: str = "read"
    schema: dict[str, Any] = field(default_factory=dict, hash=False)

    def to_openai_format(self) -> dict[str, Any]:
        """The tool as OpenAI's function calling takes it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self._schema(),
        }
        return {"type": "function", "function": function}

    def to_mcp_format(self) -> dict[str, Any]:
        """The tool as MCP's `tools/list` lists it."""
        return {"name": self.name, "description": self.description, "inputSchema": self._schema()}

    def _schema(self) -> dict[str, Any]:
        if self.schema:
            return self.schema
        properties = {
            p.name: {"type": p.type, "description": p.description} for p in self.parameters
        }
        required = [p.name for p in self.parameters if p.required]
        return {"type": "object", "properties": properties, "required": required}


@dataclass(frozen=True)
class SearchResult:
    """A tool and how well it fits, 0 to 1."""

    tool: Tool
    score: float


@dataclass(frozen=True)
class ToolResult:
    """What a call gave. `error` is None or `{"code", "message", …}`; a denial names its
    `decision_id`."""

    success: bool
    result: Any = None
    error: Any = None
    request_id: str = ""
    decisions: dict[str, Any] = field(default_factory=dict, hash=False)
    approval: Any = None

    def raise_for_error(self) -> ToolResult:
        """Raises what went wrong as an exception; returns itself when nothing did."""
        if self.success:
            return self
        error = self.error or {}
        kinds: dict[Any, type[PlatformError]] = {403: CredentialError, 422: InputError}
        kind = kinds.get(error.get("status"), PlatformError)
        raise kind(error.get("message", "the call failed"), code=error.get("code"), data=error)


def tool_of(entry: Mapping[str, Any]) -> Tool:
    """The tool of an entry of the gateway's wire."""
    parameters = tuple(
        ToolParameter(
            name=p["name"],
            type=p.get("type", "string"),
            required=p.get("required", False),
            default=p.get("default"),
            description=p.get("description", ""),
        )
        for p in entry.get("parameters", ())
    )
    return Tool(
        name=entry["name"],
        description=entry.get("description", ""),
        parameters=parameters,
        source=entry.get("source", "openapi"),
        tool_type=ToolType(entry.get("tool_type", "function")),
        tags=tuple(entry.get("tags", ())),
        service=entry.get("service", ""),
        action=entry.get("action", "read"),
        schema=entry.get("schema") or {},
    )
