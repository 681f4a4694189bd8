"""Reads the text of requests and responses, whatever the provider: dicts, and objects of its
package."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError

# What of a call's arguments is shown to the model as text.
_PROMPT_KEYS = (
    "system",
    "instructions",
    "system_instruction",
    "prompt",
    "suffix",
    "input",
    "messages",
    "contents",
    "prediction",
)
# Below these, everything that is a string is text; but for these, which no model reads as such.
# Listed is what is left out, so that a kind of content that is new is scanned.
_NOT_TEXT = frozenset(
    (
        *("type", "role", "name", "status", "detail", "format", "index", "model", "logprobs"),
        *("id", "call_id", "tool_call_id", "tool_use_id", "item_id", "file_id", "container_id"),
        *("url", "uri", "file_uri", "image_url", "file_data", "inline_data", "annotations"),
        *("media_type", "mime_type", "cache_control"),
        *("encrypted_content", "signature", "thought_signature"),
    )
)
# What a tool takes and gives has members of its own, of any name: all of it is text.
_FREE = frozenset(("input", "args", "arguments", "response", "output", "action", "result"))
_TOOL_TYPES = ("_output", "_result", "_response")
_DOCUMENT_TYPES = ("document", "search_result", "file_search_call")
_BINARY_TYPES = ("base64", "redacted_thinking", "image", "audio")
_DEPTH_MAX = 32


@dataclass(frozen=True)
class Segment:
    """One text of a prompt, by whom it was said, and whom it comes from (`user`, `tool`,
    `document`)."""

    role: str
    source: str
    text: str


def field(value: Any, *names: str) -> Any:
    """A member of a dict or an object, through several levels; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        # Mistral's objects hold an Unset where the wire held nothing.
        if value is None or type(value).__name__ == "Unset":
            return None
    return value


def items(value: Any, *names: str) -> list[Any]:
    """As `field`, of a list; an empty one where there is none."""
    found = field(value, *names)
    return list(found) if isinstance(found, (list, tuple)) else []


def text_of(value: Any) -> str:
    """A string as it is, anything else as JSON; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(plain(value), ensure_ascii=False, default=str)


def plain(value: Any) -> Any:
    """Dicts, lists and scalars for what a package has as objects; one-shot iterators are read."""
    if isinstance(value, (str, int, float, bool, bytes)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, (list, tuple, Iterator)):
        return [plain(member) for member in value]
    return value


def unescaped(arguments: str) -> list[str]:
    """The arguments of a tool as whoever reads them gets them, where they hold an escaped
    character, which no usual encoder writes for a letter; nothing otherwise."""
    if "\\u" not in arguments:
        return []
    try:
        return [json.dumps(json.loads(arguments), ensure_ascii=False)]
    except ValueError:
        return []


def prompt_segments(request: Mapping[str, Any]) -> list[Segment]:
    """The texts of a call's arguments in their order. Images and other bytes have none."""
    found: list[Segment] = []
    for key in _PROMPT_KEYS:
        role = "system" if key in ("system", "instructions", "system_instruction") else "user"
        walk(plain(request.get(key)), role, "user", found, 0)
    config = plain(request.get("config"))
    walk(field(config, "system_instruction"), "system", "user", found, 0)
    return found


def extract_prompt_text(request: Mapping[str, Any]) -> str:
    """The text of a call's keyword arguments, of every role, joined by line feeds."""
    return "\n".join(segment.text for segment in prompt_segments(request))


def walk(value: Any, role: str, source: str, found: list[Segment], depth: int) -> None:
    """Adds the texts within a plain value to `found`, deeper ones with what encloses them."""
    if depth > _DEPTH_MAX:
        raise InputError("the messages are nested too deep", code="input_too_deep")
    if isinstance(value, str):
        if value:
            found.append(Segment(role, source, value))
    elif isinstance(value, (list, tuple)):
        for item in value:
            walk(plain(item), role, source, found, depth + 1)
    elif isinstance(value, Mapping):
        role = str(value.get("role") or role)
        source = _source(value, role, source)
        for key, member in value.items():
            inner = plain(member)
            if key in _NOT_TEXT or (key == "data" and _is_binary(value)):
                continue
            if key in ("function_response", "functionResponse"):
                walk(inner, "tool", "tool", found, depth + 1)
            elif key in _FREE and isinstance(inner, Mapping):
                found.append(Segment(role, source, text_of(inner)))
            else:
                walk(inner, role, source, found, depth + 1)


def texts_within(value: Any) -> list[str]:
    """All that is text in a part of a response of any kind, such as the results of a search."""
    found: list[Segment] = []
    walk(plain(value), "assistant", "user", found, 0)
    return [segment.text for segment in found]


def _source(value: Mapping[str, Any], role: str, inherited: str) -> str:
    kind = str(value.get("type") or "")
    if role in ("tool", "function") or kind.endswith(_TOOL_TYPES):
        return "tool"
    if kind in _DOCUMENT_TYPES:
        return "tool" if inherited == "tool" else "document"
    return inherited


def _is_binary(value: Mapping[str, Any]) -> bool:
    media = str(value.get("media_type") or value.get("mime_type") or "text/plain")
    kind = str(value.get("type") or "")
    return kind in _BINARY_TYPES or "format" in value or not media.startswith("text/")


def extract_response_text(response: Any, provider: str | None = None) -> str:
    """The text of a response, of every choice, joined by line feeds; without reasoning and tool
    calls. `provider` (openai, anthropic, google, mistral) is seen from the response when absent."""
    from . import anthropic, google, openai

    if isinstance(response, str):
        return response
    if provider == "google" or field(response, "candidates") is not None:
        answer = google.WIRE.read(response)
    elif provider == "anthropic" or items(response, "content"):
        answer = anthropic.WIRE.read(response)
    elif field(response, "output") is not None:
        answer = openai.RESPONSES.read(response)
    else:
        answer = openai.CHAT.read(response)
    if not answer.texts and isinstance(field(response, "text"), str):
        return str(field(response, "text"))
    return "\n".join(answer.texts)
