"""The tool gateway: list, search, call and register tools under the caller's own identity."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode

from ._http import JsonClient, detail_of, error_of
from ._tool import SearchResult, Tool, ToolParameter, ToolResult, ToolType, tool_of
from .agent import current_agent
from .errors import (
    AuthenticationError,
    ConfigurationError,
)

__all__ = [
    "GatewayClient",
    "SearchResult",
    "Tool",
    "ToolParameter",
    "ToolResult",
    "ToolType",
    "call_tool",
    "default",
    "discover_tools",
    "list_tools",
    "mcp_tool",
]

DEFAULT_TIMEOUT = 60.0
# Between the end of a parked call's wait and the client's own timeout: time for the answer.
_ANSWER_SECONDS = 5.0

_Class = TypeVar("_Class")


class GatewayClient:
    """A client of one gateway; safe to share between threads. The default address is the agent's
    own proxy."""

    def __init__(
        self,
        base_url: str | None = None,
        tenant: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        address = base_url or os.environ.get("PLATFORM_GATEWAY_URL")
        if not address:
            raise ConfigurationError(
                "no gateway: set PLATFORM_GATEWAY_URL or run under the platform"
            )
        self.tenant: str | None = (
            tenant or os.environ.get("PLATFORM_TENANT") or getattr(current_agent(), "tenant", None)
        )
        self._timeout = timeout
        self._http = JsonClient(address, timeout)
        self._listed: dict[tuple[str, ...], list[Tool]] = {}
        self._lock = threading.Lock()

    def list_tools(
        self, tags: Iterable[str] | None = None, force_refresh: bool = False
    ) -> list[Tool]:
        """The tools that the caller may see, cached; only those with every one of `tags`."""
        key = tuple(sorted(tags or ()))
        with self._lock:
            if not force_refresh and key in self._listed:
                return list(self._listed[key])
        query = f"?{urlencode([('tag', tag) for tag in key])}" if key else ""
        tools = [tool_of(entry) for entry in self._ask("GET", f"/api/v1/tools{query}")["tools"]]
        with self._lock:
            self._listed[key] = tools
        return list(tools)

    def get_tool(self, name: str) -> Tool:
        """One tool. Raises PlatformError `tool_unknown`, CredentialError when policy hides it."""
        return tool_of(self._ask("GET", f"/api/v1/tools/{quote(name, safe='')}"))

    def search_tools(self, query: str) -> list[SearchResult]:
        """The tools that fit the words, best first."""
        found = self._ask("GET", f"/api/v1/tools/search?{urlencode({'q': query})}")
        return [SearchResult(tool_of(entry["tool"]), entry["score"]) for entry in found["results"]]

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        wait: float | None = None,
        approval: str | None = None,
    ) -> ToolResult:
        """Calls a tool. A denial, bad arguments, a failing tool: a ToolResult with `success` false.

        `wait` says how many seconds a call that a person must allow may stay parked, by default as
        long as the client's timeout allows; when nobody has answered by then, the error's code is
        `approval_required` and `approval` names it for a retry.
        """
        if wait is None:
            wait = max(0, self._timeout - _ANSWER_SECONDS)
        headers = {"prefer": f"wait={int(wait)}"}
        if approval is not None:
            headers["x-platform-approval"] = approval
        path = f"/api/v1/tools/{quote(name, safe='')}/execute"
        timeout = max(self._timeout, wait + _ANSWER_SECONDS)
        status, body = self._http.request(
            "POST", path, {"arguments": dict(arguments or {})}, headers, timeout=timeout
        )
        body = body if isinstance(body, dict) else {}
        if status == 200:
            return ToolResult(
                success=body.get("success") is True,
                result=body.get("result"),
                error=body.get("error"),
                request_id=body.get("request_id", ""),
                decisions=body.get("decisions") or {},
            )
        if status == 401:
            raise AuthenticationError(detail_of(body), code=body.get("code"), data=body)
        error = {
            **body,
            "status": status,
            "code": body.get("code", "failed"),
            "message": detail_of(body),
        }
        if status == 202:
            error.update(code="approval_required", message="a person has not answered yet")
        return ToolResult(
            success=False,
            error=error,
            request_id=body.get("request_id", ""),
            approval=body.get("approval"),
        )

    def call_tool_mcp(
        self, name: str, arguments: Mapping[str, Any] | None = None, request_id: int | str = 1
    ) -> dict[str, Any]:
        """Calls a tool and answers in MCP's JSON-RPC 2.0 shape."""
        import json

        result = self.call_tool(name, arguments)
        value = result.result if result.success else result.error
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        content = [{"type": "text", "text": text}]
        return {
            "jsonrpc": "2.0",
            "id": request_id,
            "result": {"content": content, "isError": not result.success},
        }

    def register_openapi(
        self,
        spec: Mapping[str, Any],
        base_url: str,
        prefix: str,
        service: str | None = None,
        credential: str | None = None,
    ) -> list[str]:
        """Registers the operations of an OpenAPI 3.0 or 3.1 document; returns the tools' names."""
        body: dict[str, Any] = {"spec": spec, "base_url": base_url, "prefix": prefix}
        if service is not None:
            body["service"] = service
        if credential is not None:
            body["credential"] = credential
        names: list[str] = self._ask("POST", "/api/v1/tools/register", body)["tools"]
        with self._lock:
            self._listed.clear()
        return names

    def close(self) -> None:
        """Closes this thread's connection."""
        self._http.close()

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        status, answer = self._http.request(method, path, body)
        if 200 <= status < 300 and isinstance(answer, dict):
            return answer
        raise error_of(status, answer if isinstance(answer, dict) else {})


@functools.lru_cache(maxsize=1)
def default() -> GatewayClient:
    """The client of the process's own proxy."""
    return GatewayClient()


def list_tools(tags: Iterable[str] | None = None, force_refresh: bool = False) -> list[Tool]:
    """As `GatewayClient.list_tools`, with the process's own client."""
    return default().list_tools(tags, force_refresh)


def call_tool(name: str, arguments: Mapping[str, Any] | None = None, **options: Any) -> ToolResult:
    """As `GatewayClient.call_tool`, with the process's own client."""
    return default().call_tool(name, arguments, **options)


def mcp_tool(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a stub: calling it calls the tool with its keyword arguments and returns the
    result."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(**arguments: Any) -> Any:
            return call_tool(name, arguments).raise_for_error().result

        cast("Any", call).tool_name = name
        return call

    return decorate


def discover_tools(prefix: str) -> Callable[[type[_Class]], type[_Class]]:
    """Decorates a class: every tool whose name begins with `prefix` becomes a method, found on
    first use."""

    def decorate(cls: type[_Class]) -> type[_Class]:
        original = cls.__dict__.get("__getattr__")

        def lookup(self: _Class, attribute: str) -> Any:
            name = f"{prefix}{attribute}"
            if any(tool.name == name for tool in list_tools()):
                return lambda **arguments: call_tool(name, arguments).raise_for_error().result
            if original is not None:
                return original(self, attribute)
            raise AttributeError(f"there is no tool {name!r}")

        cast("Any", cls).__getattr__ = lookup
        return cls

    return decorate
