"""OpenAI's Responses API: items of output, and events that repeat at the end what came in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .content import field, items, text_of
from .usage import Usage
from .wire import Answer, Key, Piece, ToolCall

# Where an item's call, as the agent would run it, has its arguments.
_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
}
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class Responses:
    """Responses, whole and streamed."""

    system = "openai"
    operation = "chat"

    def read(self, response: Any) -> Answer:
        """What a whole response says."""
        answer = Answer()
        self._note(response, answer)
        for item in items(response, "output"):
            for piece in _item(item, ()):
                if piece.kind == "tool":
                    answer.tools.append(ToolCall(piece.name or "", piece.text, piece.id))
                else:
                    (answer.texts if piece.kind == "text" else answer.others).append(piece.text)
        return answer

    def observe(self, chunk: Any, answer: Answer) -> None:
        """Takes from an event what is no text."""
        if field(chunk, "response") is not None:
            self._note(field(chunk, "response"), answer)

    def _note(self, response: Any, answer: Answer) -> None:
        answer.id = field(response, "id") or answer.id
        answer.model = field(response, "model") or answer.model
        status = field(response, "status")
        if status not in (None, "in_progress", "queued"):
            reason = field(response, "incomplete_details", "reason")
            answer.finish_reasons = [str(reason or status)]
        usage = field(response, "usage")
        if usage is not None:
            answer.usage = Usage(
                input=field(usage, "input_tokens") or 0,
                output=field(usage, "output_tokens") or 0,
                cached=field(usage, "input_tokens_details", "cached_tokens") or 0,
                cache_write=field(usage, "input_tokens_details", "cache_write_tokens") or 0,
                total=field(usage, "total_tokens"),
            )

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """The texts of an event. What `…done` repeats is whole: it is judged if it differs."""
        kind = str(field(chunk, "type") or "")
        key = _key(chunk, kind)
        if kind.endswith(".delta"):
            delta = field(chunk, "delta")
            if isinstance(delta, str) and "audio.delta" not in kind:
                yield Piece(key, delta, _kind(kind))
        elif kind == "response.output_item.added":
            item = field(chunk, "item")
            member = _CALLS.get(field(item, "type") or "")
            if member is not None:
                key = (field(chunk, "output_index"), "tool")
                yield Piece(key, "", "tool", name=_name(item), id=field(item, "call_id"))
            else:
                yield from _item(item, (field(chunk, "output_index"), "added"))
        elif kind == "response.output_item.done":
            yield from _item(field(chunk, "item"), (field(chunk, "output_index"), "item"))
        elif kind in _ENDS:
            for index, item in enumerate(items(chunk, "response", "output")):
                yield from _item(item, (index, "end"))
        elif kind.endswith((".done", ".added")):
            for member in ("text", "arguments", "refusal", "input", "code", "transcript", "part"):
                value = field(chunk, member)
                text = (
                    field(value, "text") or field(value, "refusal") if member == "part" else value
                )
                if isinstance(text, str) and text:
                    # The arguments of a call go with its item, which has the name.
                    yield Piece((*key, "done"), text, "other", whole=True)

    def closed(self, chunk: Any) -> Iterable[Key]:
        """A field ends with its `…done`, all of an item with the item's."""
        kind = str(field(chunk, "type") or "")
        if kind == "response.output_item.done":
            yield (field(chunk, "output_index"),)
        elif kind in _ENDS:
            yield ()
        elif kind.endswith(".done") and field(chunk, "output_index") is not None:
            yield _key(chunk, kind)


def _key(chunk: Any, kind: str) -> Key:
    output = field(chunk, "output_index")
    if _kind(kind) == "tool":
        return (output, "tool")
    part = field(chunk, "content_index")
    if part is None:
        part = field(chunk, "summary_index")
    return (output, kind.rsplit(".", 1)[0], part)


def _kind(event: str) -> Any:
    if "function_call_arguments" in event or "custom_tool_call_input" in event:
        return "tool"
    return "text" if "output_text" in event or "refusal" in event else "other"


def _name(item: Any) -> str:
    return str(field(item, "name") or field(item, "type") or "")


def _item(item: Any, key: Key) -> Iterator[Piece]:
    """All texts of an item of output, each whole."""
    kind = str(field(item, "type") or "")
    if kind == "message":
        for index, part in enumerate(items(item, "content")):
            text = field(part, "text") or field(part, "refusal")
            if text:
                yield Piece((*key, index), text, whole=True)
    elif kind in _CALLS:
        text = text_of(field(item, _CALLS[kind]))
        yield Piece((*key, "tool"), text, "tool", True, _name(item), field(item, "call_id"))
    else:
        texts: list[str] = []
        for member in ("summary", "content"):
            texts += [str(field(part, "text") or "") for part in items(item, member)]
        for member in ("arguments", "output", "code", "result", "results", "outputs"):
            if kind != "image_generation_call":
                texts.append(text_of(field(item, member)))
        for index, text in enumerate(texts):
            if text:
                yield Piece((*key, "other", index), text, "other", whole=True)


RESPONSES = Responses()
