"""Anthropic's client: messages, whole and streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import stainless
from .call import Settings
from .content import field, items, text_of, texts_within
from .usage import Usage
from .wire import Answer, Key, Piece, ToolCall, Wire

_DELTAS: tuple[tuple[str, Any], ...] = (
    ("text", "text"),
    ("partial_json", "tool"),
    ("thinking", "other"),
)


class Messages:
    """Messages, whole and streamed."""

    system = "anthropic"
    operation = "chat"

    def read(self, response: Any) -> Answer:
        """What a whole message says."""
        answer = Answer()
        _note(response, answer)
        for block in items(response, "content"):
            kind = field(block, "type")
            if kind == "text":
                answer.texts.append(str(field(block, "text") or ""))
            elif kind == "tool_use":
                name = str(field(block, "name") or "")
                arguments = text_of(field(block, "input"))
                answer.tools.append(ToolCall(name, arguments, field(block, "id")))
            else:
                answer.others += texts_within(block)
        return answer

    def observe(self, chunk: Any, answer: Answer) -> None:
        """Takes from an event what is no text; the last one has the final counts."""
        kind = field(chunk, "type")
        if kind == "message_start":
            _note(field(chunk, "message"), answer)
        elif kind == "message_delta":
            answer.finished(field(chunk, "delta", "stop_reason"))
            _count(field(chunk, "usage"), answer)

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """The texts of an event."""
        kind = field(chunk, "type")
        index = field(chunk, "index")
        if kind == "content_block_delta":
            yield from _delta(field(chunk, "delta"), index)
        elif kind == "content_block_start":
            yield from _start(field(chunk, "content_block"), index)
        elif kind == "message_start":
            for at, block in enumerate(items(chunk, "message", "content")):
                yield from _start(block, at)

    def closed(self, chunk: Any) -> Iterable[Key]:
        """A block ends by an event of its own."""
        if field(chunk, "type") == "content_block_stop":
            yield (field(chunk, "index"),)


def _delta(delta: Any, index: Any) -> Iterator[Piece]:
    for member, kind in _DELTAS:
        text = field(delta, member)
        if isinstance(text, str):
            yield Piece((index, member), text, kind, put=_put_text if member == "text" else None)
            return
    # Of another kind, such as a citation: what it says comes at once.
    for at, text in enumerate(texts_within(delta)):
        yield Piece((index, "other", at), text, "other", whole=True)


def _put_text(chunk: Any, text: str) -> None:
    chunk.delta.text = text


def _start(block: Any, index: Any) -> Iterator[Piece]:
    kind = field(block, "type")
    if kind == "text":
        yield Piece((index, "text"), str(field(block, "text") or ""))
    elif kind == "tool_use":
        given = field(block, "input")
        text = text_of(given) if given else ""
        name = str(field(block, "name") or "")
        yield Piece((index, "partial_json"), text, "tool", name=name, id=field(block, "id"))
    else:
        for at, text in enumerate(texts_within(block)):
            yield Piece((index, "start", at), text, "other", whole=True)


def _note(message: Any, answer: Answer) -> None:
    answer.id = field(message, "id") or answer.id
    answer.model = field(message, "model") or answer.model
    answer.finished(field(message, "stop_reason"))
    _count(field(message, "usage"), answer)


def _count(usage: Any, answer: Answer) -> None:
    """Anthropic counts cached tokens apart, and in a stream says only what has changed."""
    if usage is None:
        return
    known = answer.usage or Usage()
    fresh = field(usage, "input_tokens")
    read = field(usage, "cache_read_input_tokens")
    written = field(usage, "cache_creation_input_tokens")
    if fresh is None:
        fresh = known.input - known.cached - known.cache_write
    cached = known.cached if read is None else read
    cache_write = known.cache_write if written is None else written
    output = field(usage, "output_tokens")
    answer.usage = Usage(
        input=fresh + cached + cache_write,
        output=known.output if output is None else output,
        cached=cached,
        cache_write=cache_write,
    )


WIRE = Messages()


def _wire_of(path: str) -> Wire | None:
    return WIRE if path == "/v1/messages" else None


def wrap(client: Any, settings: Settings) -> Any:
    """A client of the same class, sync or async, whose requests to models are observed."""
    return stainless.wrap(client, settings, _wire_of)
