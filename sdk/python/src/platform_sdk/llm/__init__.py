"""Wraps a client of a language model: every call is a span, is scanned, and its tool calls are
shown to policy.

    client = platform_llm(OpenAI())                       # or AsyncOpenAI, Anthropic, genai.Client, Mistral …
    client.chat.completions.create(model="…", messages=[…])

The rules, the same in the TypeScript SDK (`platformLlm`):

What is covered. OpenAI: chat/completions, responses and completions; Anthropic: v1/messages; Google:
generate_content and generate_content_stream of `models`, `chats` and `aio`; Mistral: chat, agents, fim. By
request, so that helpers (`stream()`, `parse()`, `with_raw_response`, `with_options()`, automatic function
calling) are covered too. Everything else, embeddings for example, passes untouched. The client given stays as
it was; what is returned is of the same class.

On or off. `PLATFORM_LLM_GUARD_ENABLED`: 1, true, yes, on; 0, false, no, off; other words count as on. Unset or
empty: on exactly when the process runs under the platform (`PLATFORM_GATEWAY_URL` or `PLATFORM_LLM_GUARD_URL` is
set). `BLOCK_ON_DETECTION=false` only reports: span attributes and metrics, no error.
`PII_DETECTION_THRESHOLD` (0 to 1) is the threshold of PII.

Order of one call: start the span; scan the prompt (all roles; the texts of one source together, joined by a
line feed; results of tools with source `tool`, attached documents with source `document`, the rest `user`; what the roles
system and developer say, by itself and not for PromptInjection); send;
scan the response (text, refusal, reasoning, arguments of tool calls); show each tool call to `on_tool_call`;
release. A block raises GuardrailError with `.scanners`: nothing was sent, or nothing was released.

Streams. Each field of a response (the text of choice 0, the arguments of its tool call 1 …) goes through a
GuardStream of its own. Chunks leave in the order in which they came, each when all its text is released; a chunk
that is text only is cut in two where the released part ends. On a finding nothing more is released, the
connection is closed and the iterator raises. With `on_tool_call` no part of a tool call, nor anything after it,
leaves before the call is complete and allowed. Raw access to a streamed response (`with_raw_response`,
`with_streaming_response`) reads and scans the whole stream before any byte is handed out.

Tool calls. `on_tool_call(call)`, a function or with an asynchronous client also a coroutine function, gets a ToolCall (`id`, `name`, `arguments` as JSON text, `provider`, `model`);
what it raises is raised; returning False, or an object or dict whose `allow` is False, raises CredentialError
with the code `tool_call_denied`, the `decision_id` and the `reasons` if there are any; None and True allow.
`policy.ToolPolicy` asks the platform's policies in process.

Span `platform.llm.chat` (kind client): gen_ai.system (openai, anthropic, google, mistral), gen_ai.provider.name
(openai, anthropic, gcp.gemini or gcp.vertex_ai, mistral_ai), gen_ai.operation.name (chat, or generate_content for
Google, or text_completion), gen_ai.request.model, gen_ai.response.model, gen_ai.response.id,
gen_ai.response.finish_reasons (list), gen_ai.usage.input_tokens (cached ones included), gen_ai.usage.output_tokens
(reasoning included), gen_ai.usage.total_tokens, agent_name, tenant, role, spiffe_id, platform.llm.cost_usd,
duration_ms. Blocked: platform.guard.prompt_blocked, platform.guard.scanners (names joined by a comma),
platform.guard.output_blocked, platform.guard.output_scanners; status ERROR `Blocked by LLM Guard` or `Output
blocked by LLM Guard`. Any other error: status ERROR with the error's class name, attribute error.type. With
`capture_content`: gen_ai.input.messages and gen_ai.output.messages, JSON, never for what was blocked.
`stream_options.include_usage` is asked for where the caller says nothing of stream_options, and the chunk that
only carries it is kept from the caller.

Metrics: platform.llm.calls, platform.llm.call.duration (s), platform.llm.call_errors with error_type; labels
model, provider (the gen_ai.system). platform.llm.input_tokens, platform.llm.output_tokens with agent besides.

Cost: sdk/prices.json, US dollars for a million tokens, by model; `PLATFORM_LLM_PRICES` names a file of the same
form that replaces it. A model is looked up as the response names it, then without a trailing date or `-latest`;
an unknown one has no cost.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import ConfigurationError
from .call import Settings
from .proxy import Wrapped
from .usage import prices
from .wire import ToolCall

__all__ = ["ToolCall", "platform_llm"]

Client = TypeVar("Client")

# The package of a client's class, and the file here that knows it.
_PACKAGES = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google.genai": "google",
    "mistralai": "mistral",
}
# What a client has, and the other objects of its package have not.
_MEMBERS = {
    "openai": "with_options",
    "anthropic": "with_options",
    "google": "models",
    "mistral": "chat",
}
_HOSTED = {
    "Azure": "azure.ai.openai",
    "Bedrock": "aws.bedrock",
    "Vertex": "gcp.vertex_ai",
}
_NAMES = {"google": "gcp.gemini", "mistral": "mistral_ai"}


def platform_llm(
    client: Client,
    capture_content: bool = False,
    *,
    on_tool_call: Callable[[ToolCall], Any] | None = None,
) -> Client:
    """Returns a client like the one given, of the same class, whose calls of models are traced,
    scanned and shown to policy; this module's text says how.

    `capture_content` writes prompts and responses into spans: for development only. Raises
    ConfigurationError: `llm_client_unknown` for what is no client of OpenAI, Anthropic, Google
    (google-genai) or Mistral, `llm_client_wrapped` for what this function returned before.
    """
    # A table of prices that is none is said now, not after a call that was paid for.
    prices()
    if isinstance(client, Wrapped):
        raise ConfigurationError("the client is wrapped already", code="llm_client_wrapped")
    for base in type(client).__mro__:
        for package, name in _PACKAGES.items():
            known = f"{base.__module__}.".startswith(f"{package}.")
            if known and hasattr(client, _MEMBERS[name]):
                provider = importlib.import_module(f".{name}", __name__)
                settings = Settings(_provider(client, name), capture_content, on_tool_call)
                return provider.wrap(client, settings)  # type: ignore[no-any-return]
    raise ConfigurationError(
        f"{type(client).__module__}.{type(client).__qualname__} is no client of a language model"
        " that platform_llm knows",
        code="llm_client_unknown",
    )


def _provider(client: Any, name: str) -> str:
    """The provider as OpenTelemetry names it: who serves the model."""
    if name == "google" and getattr(client, "vertexai", False):
        return "gcp.vertex_ai"
    kind = type(client).__name__
    hosted = next((found for word, found in _HOSTED.items() if word in kind), None)
    return hosted or _NAMES.get(name, name)
