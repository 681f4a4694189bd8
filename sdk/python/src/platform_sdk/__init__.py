"""The Python SDK of the platform: the core loads at once, every other module on first access."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .agent import AgentContext, current_agent, platform_agent, set_agent_context
from .errors import (
    AuthenticationError,
    BuildError,
    BundleError,
    ConfigurationError,
    CredentialError,
    DeploymentError,
    FrameworkError,
    GuardrailError,
    InputError,
    PlatformError,
    ProcessContextError,
)

if TYPE_CHECKING:
    from . import arguments, bundles, decisions, gateway, guard, llm, record, redact, scope, vault
    from .decisions import Decider, Decision
    from .gateway import (
        GatewayClient,
        SearchResult,
        Tool,
        ToolParameter,
        ToolResult,
        ToolType,
        discover_tools,
        mcp_tool,
    )
    from .llm import platform_llm
    from .vault import VaultClient, secret, secrets_batch

__version__ = "0.1.0"

_LAZY_MODULES = frozenset(
    [
        "arguments",
        "bundles",
        "decisions",
        "gateway",
        "guard",
        "llm",
        "record",
        "redact",
        "scope",
        "vault",
    ]
)
_LAZY_NAMES = {
    "Decider": "decisions",
    "Decision": "decisions",
    "GatewayClient": "gateway",
    "SearchResult": "gateway",
    "Tool": "gateway",
    "ToolParameter": "gateway",
    "ToolResult": "gateway",
    "ToolType": "gateway",
    "VaultClient": "vault",
    "discover_tools": "gateway",
    "mcp_tool": "gateway",
    "platform_llm": "llm",
    "secret": "vault",
    "secrets_batch": "vault",
}

__all__ = [
    "AgentContext",
    "AuthenticationError",
    "BuildError",
    "BundleError",
    "ConfigurationError",
    "CredentialError",
    "Decider",
    "Decision",
    "DeploymentError",
    "FrameworkError",
    "GatewayClient",
    "GuardrailError",
    "InputError",
    "PlatformError",
    "ProcessContextError",
    "SearchResult",
    "Tool",
    "ToolParameter",
    "ToolResult",
    "ToolType",
    "VaultClient",
    "arguments",
    "bundles",
    "current_agent",
    "decisions",
    "discover_tools",
    "gateway",
    "guard",
    "llm",
    "mcp_tool",
    "platform_agent",
    "platform_llm",
    "record",
    "redact",
    "scope",
    "secret",
    "secrets_batch",
    "set_agent_context",
    "vault",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY_MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
