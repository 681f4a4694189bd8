"""OpenAI's client: chat completions and completions; `responses.py` has the Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import stainless
from .call import Settings
from .content import field, items, text_of
from .responses import RESPONSES
from .usage import Usage
from .wire import Answer, Key, Piece, ToolCall, Wire

__all__ = ["CHAT", "RESPONSES", "wrap"]


class Chat:
    """Chat completions, and the older completions, whose choices hold the text themselves.
    Mistral's wire differs in little."""

    def __init__(self, operation: str = "chat", system: str = "openai"):
        self.operation = operation
        self.system = system

    def read(self, response: Any) -> Answer:
        """What a whole response says."""
        answer = Answer()
        self.observe(response, answer)
        for choice in items(response, "choices"):
            message = field(choice, "message")
            _add(answer.texts, parts_text(field(message, "content")), field(choice, "text"))
            _add(answer.texts, field(message, "refusal"), field(message, "audio", "transcript"))
            _add(answer.others, field(message, "reasoning_content"), field(message, "reasoning"))
            _add(answer.others, *thoughts(field(message, "content")))
            for call in [*items(message, "tool_calls"), field(message, "function_call")]:
                if call is not None:
                    name, arguments = _called(call)
                    answer.tools.append(ToolCall(name or "", arguments, field(call, "id")))
        return answer

    def observe(self, chunk: Any, answer: Answer) -> None:
        """Takes from a chunk what is no text."""
        answer.id = field(chunk, "id") or answer.id
        answer.model = field(chunk, "model") or answer.model
        for choice in items(chunk, "choices"):
            answer.finished(field(choice, "finish_reason"))
        usage = field(chunk, "usage")
        if usage is not None:
            answer.usage = Usage(
                input=field(usage, "prompt_tokens") or 0,
                output=field(usage, "completion_tokens") or 0,
                cached=field(usage, "prompt_tokens_details", "cached_tokens") or 0,
                cache_write=field(usage, "prompt_tokens_details", "cache_write_tokens") or 0,
                total=field(usage, "total_tokens"),
            )

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """The texts of a chunk."""
        choices = items(chunk, "choices")
        for choice in choices:
            index = field(choice, "index") or 0
            delta = field(choice, "delta")
            plain = len(choices) == 1 and not field(choice, "finish_reason")
            put = _put_content if plain and not field(choice, "logprobs") else None
            content = field(delta, "content")
            if content:
                alone = put if isinstance(content, str) else None
                yield Piece((index, "text"), parts_text(content), put=alone)
                for thought in thoughts(content):
                    yield Piece((index, "thought"), thought, "other")
            for name, kind in _TEXTS:
                text = field(delta, name) if name != "text" else field(choice, "text")
                if isinstance(text, str) and text:
                    yield Piece((index, name), text, kind)
            for order, call in enumerate(items(delta, "tool_calls")):
                yield _tool(call, (index, "tool", _order(call, order)))
            if field(delta, "function_call") is not None:
                yield _tool(field(delta, "function_call"), (index, "function"))

    def closed(self, chunk: Any) -> Iterable[Key]:
        """A choice ends with its reason."""
        for choice in items(chunk, "choices"):
            if field(choice, "finish_reason"):
                yield (field(choice, "index") or 0,)


_TEXTS: tuple[tuple[str, Any], ...] = (
    ("text", "text"),
    ("refusal", "text"),
    ("reasoning_content", "other"),
    ("reasoning", "other"),
)


def _put_content(chunk: Any, text: str) -> None:
    chunk.choices[0].delta.content = text


def _tool(call: Any, key: Key) -> Piece:
    name, arguments = _called(call)
    return Piece(key, arguments, "tool", name=name, id=field(call, "id"))


def _called(call: Any) -> tuple[str | None, str]:
    """Name and arguments of a call: of a function, of a custom tool, or of the old form."""
    inner = field(call, "function") or field(call, "custom") or call
    arguments = field(inner, "arguments")
    return field(inner, "name"), text_of(field(inner, "input") if arguments is None else arguments)


def _order(call: Any, order: int) -> int:
    index = field(call, "index")
    return index if isinstance(index, int) else order


def parts_text(content: Any) -> str:
    """The text of a message's content: a string, or parts of which some are text."""
    if isinstance(content, (list, tuple)):
        return "".join(str(field(part, "text") or field(part, "refusal") or "") for part in content)
    return content if isinstance(content, str) else ""


def thoughts(content: Any) -> list[str]:
    """What a model thought, where its content has parts for that (Mistral)."""
    if not isinstance(content, (list, tuple)):
        return []
    return [parts_text(field(part, "thinking")) for part in content if field(part, "thinking")]


def _add(texts: list[str], *candidates: Any) -> None:
    texts.extend(text for text in candidates if isinstance(text, str) and text)


CHAT = Chat()
_WIRES: tuple[tuple[str, Wire], ...] = (
    ("/chat/completions", CHAT),
    ("/responses", RESPONSES),
    ("/completions", Chat("text_completion")),
)


def _wire_of(path: str) -> Wire | None:
    return next((wire for ending, wire in _WIRES if path == ending), None)


def _prepare(wire: Wire, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Asks for the usage of a stream, which the server leaves out otherwise."""
    if isinstance(wire, Chat) and request.get("stream") and "stream_options" not in request:
        return {"stream_options": {"include_usage": True}}
    return None


def _is_extra(chunk: Any) -> bool:
    return not items(chunk, "choices") and field(chunk, "usage") is not None


def wrap(client: Any, settings: Settings) -> Any:
    """A client of the same class, sync or async, whose requests to models are observed."""
    return stainless.wrap(client, settings, _wire_of, _prepare, _is_extra)
