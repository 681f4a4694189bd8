"""Declares an agent: its name, tenant and what it may use, around a function or a class."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from .errors import ConfigurationError

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_MARKER_FOLDER = "/tmp/platform-context"


@dataclass(frozen=True)
class AgentContext:
    """Which agent the code runs as. The identity itself comes from the platform, not from here."""

    agent_name: str
    tenant: str
    framework: str = "pure_python"
    role: str = "main"
    resources: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


#: What is decorated: a function, a coroutine function or a class.
Target = TypeVar("Target", bound=Callable[..., Any])

_context: ContextVar[AgentContext | None] = ContextVar("platform_agent", default=None)
_declared: AgentContext | None = None


def current_agent() -> AgentContext | None:
    """The context of the agent that is running, or None."""
    return _context.get() or _declared


def set_agent_context(
    agent_name: str,
    tenant: str,
    framework: str | None = None,
    resources: Iterable[str] | None = None,
) -> AgentContext:
    """Sets the process's agent; the environment's `PLATFORM_…` values win over the arguments."""
    global _declared
    _declared = AgentContext(
        agent_name=os.environ.get("PLATFORM_AGENT_NAME", agent_name),
        tenant=os.environ.get("PLATFORM_TENANT", tenant),
        framework=os.environ.get("PLATFORM_FRAMEWORK", framework or "pure_python"),
        role=os.environ.get("PLATFORM_ROLE", "main"),
        resources=tuple(resources or ()),
    )
    return _declared


def platform_agent(
    name: str,
    tenant: str,
    resources: Iterable[str] | None = None,
    subprocess_support: bool = False,
    regions: Mapping[str, Any] | None = None,
    a2a: bool = False,
    skills: Iterable[Any] | None = None,
    description: str | None = None,
    version: str | None = None,
    framework: str | None = None,
) -> Callable[[Target], Target]:
    """Decorates a function (sync or async) or a class as an agent.

    `name` is kebab-case; `resources` lists `service` or `service:action`, everything else is denied
    by policy. Raises ConfigurationError for a name or a resource that could not be one. A class
    gets its `__call__` and `run` wrapped.
    """
    named: tuple[tuple[str, object], ...] = (("name", name), ("tenant", tenant))
    for label, value in named:
        if not isinstance(value, str) or not _NAME.match(value):
            raise ConfigurationError(f"the agent's {label} must be kebab-case, not {value!r}")
    listed: list[Any] = list(resources or ())
    for resource in listed:
        if not isinstance(resource, str) or not re.match(r"[A-Za-z0-9_-]+(?::[a-z]+)?\Z", resource):
            raise ConfigurationError(
                f"a resource is 'service' or 'service:action', not {resource!r}"
            )
    if a2a:
        raise ConfigurationError("a2a is not built yet", code="not_implemented")
    options = {
        "subprocess_support": subprocess_support,
        "regions": regions or {},
        "skills": skills or [],
        "description": description,
        "version": version,
    }

    def decorate(target: Target) -> Target:
        context = set_agent_context(name, tenant, framework, listed)
        context.options.update(options)
        _write_marker(context)
        decorated: Any = target
        if inspect.isclass(target):
            for method in ("run", "__call__"):
                if method in vars(target):
                    setattr(target, method, _wrap(vars(target)[method], context))
        else:
            decorated = _wrap(target, context)
        decorated.platform_context = context
        return cast("Target", decorated)

    return decorate


def _wrap(function: Target, context: AgentContext) -> Target:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def invoke_async(*args: Any, **kwargs: Any) -> Any:
            token = _context.set(context)
            try:
                return await function(*args, **kwargs)
            finally:
                _context.reset(token)

        return cast("Target", invoke_async)

    @functools.wraps(function)
    def invoke(*args: Any, **kwargs: Any) -> Any:
        token = _context.set(context)
        try:
            return function(*args, **kwargs)
        finally:
            _context.reset(token)

    return cast("Target", invoke)


def _write_marker(context: AgentContext) -> None:
    """Writes the marker that the pid-mapper reads, where that folder is mounted; nowhere else."""
    folder = Path(os.environ.get("PLATFORM_CONTEXT_DIR", _MARKER_FOLDER))
    if not folder.is_dir():
        return
    marker = {
        "agent_name": context.agent_name,
        "tenant": context.tenant,
        "process_role": context.role,
        "container_pid": os.getpid(),
    }
    path = folder / f"{context.agent_name}-{context.role}.json"
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        temporary.write_text(json.dumps(marker))
        temporary.replace(path)
    except OSError:
        # The marker helps the platform to find the process; an agent without it runs all the same.
        temporary.unlink(missing_ok=True)
