"""What a provider's file tells of its responses, and how it tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .usage import Usage

Key = tuple[Any, ...]


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asks for. `arguments` is the JSON text as the model wrote it."""

    name: str
    arguments: str
    id: str | None = None
    provider: str = ""
    model: str = ""


@dataclass
class Answer:
    """What is known of a response: whole, or of a stream so far."""

    id: str | None = None
    model: str | None = None
    finish_reasons: list[str] = field(default_factory=list)
    usage: Usage | None = None
    # The text that is shown; reasoning and refusals are `others`, scanned all the same.
    texts: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    tools: list[ToolCall] = field(default_factory=list)

    def finished(self, reason: Any) -> None:
        """Notes why a choice ended: the provider's word, or the value of its enumeration."""
        if reason:
            self.finish_reasons.append(str(getattr(reason, "value", reason)))


@dataclass
class Piece:
    """A part of one field of a streamed response.

    `kind` is `text` for text that is shown, `other` for text that is not, `tool` for a tool call's
    arguments. `whole` says that this is all of a field, which may have come in parts before.
    """

    key: Key
    text: str
    kind: Literal["text", "other", "tool"] = "text"
    whole: bool = False
    name: str | None = None
    id: str | None = None
    # Puts another text in its place, where a chunk can be cut in two.
    put: Callable[[Any, str], None] | None = None


class Wire(Protocol):
    """One kind of request of one provider."""

    system: str
    operation: str

    def read(self, response: Any) -> Answer:
        """What a whole response says."""
        ...

    def observe(self, chunk: Any, answer: Answer) -> None:
        """Takes from a chunk what is no text: id, model, reasons, usage."""

    def pieces(self, chunk: Any) -> Iterable[Piece]:
        """The texts of a chunk."""
        ...

    def closed(self, chunk: Any) -> Iterable[Key]:
        """The beginnings of the keys of the fields that end with this chunk."""
        ...
