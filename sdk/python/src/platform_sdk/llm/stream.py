"""Holds the chunks of a streamed response back until the guard and policy have released them."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..errors import InputError
from ..guard import GuardStream
from .content import unescaped
from .guarding import Scan, blocks
from .wire import Key, Piece, ToolCall, Wire

# Each open field has an instance of the guard module.
_FIELDS_MAX = 512


class _Field:
    """One text of the response as it grows."""

    def __init__(self, stream: GuardStream | None, kind: str):
        self.stream = stream
        self.kind = kind
        self.parts: list[str] = []
        self.pushed = 0
        self.released = 0
        self.name: str | None = None
        self.id: str | None = None
        self.is_open = True
        # A tool call, as long as policy has not allowed it.
        self.is_waiting = False
        # A tool call whose arguments say something else than stands there, until they are read.
        self.is_escaped = False


class _Held:
    """A chunk, and up to where each of its fields must be released."""

    def __init__(self, chunk: Any):
        self.chunk = chunk
        self.marks: list[tuple[_Field, int]] = []
        self.piece: Piece | None = None


class Gate:
    """Takes chunks as they come and gives out those that may be shown, in their order.

    `scan` is None without the guard; with `asks` each tool call is shown to policy first. Once
    something was found, `take` gives out what came before it and nothing is pushed any more.
    """

    def __init__(self, wire: Wire, scan: Scan | None, asks: bool, prompt: str):
        self._wire = wire
        self._scan = scan
        self._holds = scan is not None and blocks()
        self._asks = asks
        self._prompt = prompt
        self._fields: dict[Key, _Field] = {}
        self._closed: set[str] = set()
        self._called: set[tuple[str | None, str | None, str]] = set()
        self._waiting: list[_Field] = []
        self._held: deque[_Held] = deque()

    def push(self, chunk: Any, pieces: list[Piece]) -> None:
        """Takes a chunk and its texts. What was found stands in the scan."""
        held = _Held(chunk)
        closed = list(self._wire.closed(chunk))
        # What repeats a field stands beside the mark that ends it: that field is judged first.
        for piece in pieces:
            if not piece.whole:
                self._take(piece, held)
        for prefix in closed:
            self._close(prefix)
        for piece in pieces:
            if piece.whole and not self._is_known(piece):
                self._take(piece, held)
                self._close(piece.key)
        if len(pieces) == 1 and pieces[0].put is not None:
            held.piece = pieces[0]
        self._held.append(held)

    def finish(self) -> None:
        """The response is over: every field is."""
        self._close(())

    def calls(self, provider: str, model: str) -> list[ToolCall]:
        """Tool calls that are complete and were not shown to policy yet; ask, then `take`."""
        found = []
        for field in self._waiting:
            field.is_waiting = False
            name, arguments = field.name or "", "".join(field.parts)
            call = (field.id, field.name, arguments)
            if call not in self._called:
                self._called.add(call)
                found.append(ToolCall(name, arguments, field.id, provider, model))
        self._waiting = []
        return found

    def take(self) -> list[Any]:
        """The chunks that may be shown now."""
        free: list[Any] = []
        while self._held:
            held = self._held[0]
            if all(_is_free(field, end) for field, end in held.marks):
                self._held.popleft()
                free.append(held.chunk)
                continue
            part = _cut(held)
            if part is not None:
                free.append(part)
            break
        return free

    def texts(self) -> list[str]:
        """The text that is shown, of each field, as far as it came."""
        shown = (field for field in self._fields.values() if field.kind == "text")
        return [text for text in ("".join(field.parts) for field in shown) if text]

    def _take(self, piece: Piece, held: _Held) -> None:
        field = self._fields.get(piece.key)
        if field is None or not field.is_open:
            field = self._fields[piece.key] = self._open(piece)
        field.name = piece.name or field.name
        field.id = piece.id or field.id
        if piece.text:
            field.parts.append(piece.text)
        field.pushed += len(piece.text)
        held.marks.append((field, field.pushed))
        if piece.whole and self._scan is not None:
            self._scan.output([piece.text], self._prompt, piece.kind)
        if piece.kind == "tool" and "\\u" in "".join(field.parts[-2:]):
            field.is_escaped = self._holds
        self._scan_part(field, piece.text, False)

    def _open(self, piece: Piece) -> _Field:
        if len(self._fields) >= _FIELDS_MAX:
            raise InputError("the response has too many parts", code="input_too_large")
        stream = None
        if self._scan is not None and not piece.whole:
            stream = self._scan.stream(self._prompt, piece.kind)
        field = _Field(stream, piece.kind)
        field.is_waiting = self._asks and piece.kind == "tool"
        return field

    def _scan_part(self, field: _Field, text: str, last: bool) -> None:
        if self._scan is not None and field.stream is not None and (text or last):
            field.released += self._scan.push(field.stream, text, last)
        # What is whole was scanned at once; of what came in parts, the guard says how much is free.
        is_clean = self._scan is None or not self._scan.found
        if not self._holds or (field.stream is None and is_clean):
            field.released = field.pushed

    def _close(self, prefix: Key) -> None:
        for key, field in self._fields.items():
            if field.is_open and key[: len(prefix)] == prefix:
                field.is_open = False
                self._scan_part(field, "", True)
                field.stream = None
                self._closed.add("".join(field.parts))
                self._unescape(field)
                if field.is_waiting:
                    self._waiting.append(field)

    def _unescape(self, field: _Field) -> None:
        if self._scan is None or field.kind != "tool":
            return
        before = len(self._scan.found)
        self._scan.output(unescaped("".join(field.parts)), "", "tool")
        if len(self._scan.found) == before:
            field.is_escaped = False

    def _is_known(self, piece: Piece) -> bool:
        """Whether a whole text is one that was scanned in parts; a tool call, if policy saw it."""
        if piece.text not in self._closed:
            return False
        call = (piece.id, piece.name, piece.text)
        seen = self._called | {(f.id, f.name, "".join(f.parts)) for f in self._waiting}
        return piece.kind != "tool" or not self._asks or call in seen


def _is_free(field: _Field, end: int) -> bool:
    return field.released >= end and not field.is_waiting and not field.is_escaped


def _cut(held: _Held) -> Any | None:
    """The released beginning of a chunk that is one text; the chunk keeps the rest."""
    if held.piece is None or held.piece.put is None or not hasattr(held.chunk, "model_copy"):
        return None
    field, end = held.marks[0]
    rest = end - field.released
    text = held.piece.text
    if field.is_waiting or field.is_escaped or rest <= 0 or rest >= len(text):
        return None
    first = held.chunk.model_copy(deep=True)
    held.piece.put(first, text[:-rest])
    held.chunk = held.chunk.model_copy(deep=True)
    held.piece.put(held.chunk, text[-rest:])
    held.piece.text = text[-rest:]
    return first
