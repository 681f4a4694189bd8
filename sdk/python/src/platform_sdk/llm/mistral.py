"""Mistral's client: chat, agents and fill-in-the-middle, whole and streamed."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .call import Call, Settings
from .content import field
from .openai import Chat
from .proxy import Wrapped, like
from .wire import Answer, Key, Piece


class Completions(Chat):
    """OpenAI's wire, but for what a stream's events are wrapped in."""

    def observe(self, chunk: Any, answer: Answer) -> None:
        """Takes from an event what is no text."""
        super().observe(_data(chunk), answer)

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """The texts of an event."""
        for piece in super().pieces(_data(chunk)):
            if piece.put is not None:
                piece.put = _put_content
            yield piece

    def closed(self, chunk: Any) -> Iterable[Key]:
        """A choice ends with its reason."""
        return super().closed(_data(chunk))


def _data(chunk: Any) -> Any:
    return field(chunk, "data") or chunk


def _put_content(chunk: Any, text: str) -> None:
    chunk.data.choices[0].delta.content = text


WIRE = Completions(system="mistral")


class Group:
    """What `chat`, `agents` and `fim` of a wrapped client do otherwise; `parse` goes through these."""

    _llm_settings: Settings

    def complete(self, **request: Any) -> Any:
        """As the client's own."""
        send = super().complete  # type: ignore[misc]
        call = Call(self._llm_settings, WIRE, request)
        with call.sending():
            call.check_prompt()
            return call.receive(send(**request))

    def stream(self, **request: Any) -> Any:
        """As the client's own."""
        send = super().stream  # type: ignore[misc]
        call = Call(self._llm_settings, WIRE, request)
        with call.sending():
            call.check_prompt()
            return _attach(call, send(**request), call.stream, _closing)

    async def complete_async(self, **request: Any) -> Any:
        """As the client's own."""
        send = super().complete_async  # type: ignore[misc]
        call = Call(self._llm_settings, WIRE, request)
        with call.sending():
            await call.check_prompt_async()
            return await call.receive_async(await send(**request))

    async def stream_async(self, **request: Any) -> Any:
        """As the client's own."""
        send = super().stream_async  # type: ignore[misc]
        call = Call(self._llm_settings, WIRE, request)
        with call.sending():
            await call.check_prompt_async()
            return _attach(call, await send(**request), call.stream_async, _closing_async)


def _attach(call: Call, stream: Any, follow: Any, closing: Callable[[Call, Any], Any]) -> Any:
    """Puts the released events in the place of those that come in; the stream stays itself."""
    stream.generator = follow(stream.generator)
    if hasattr(stream, "close"):
        stream.close = closing(call, stream.close)
    weakref.finalize(stream, call.end)
    return stream


def _closing(call: Call, close: Callable[[], Any]) -> Callable[[], Any]:
    def closing() -> None:
        close()
        call.end()

    return closing


def _closing_async(call: Call, close: Callable[[], Any]) -> Callable[[], Any]:
    async def closing() -> None:
        await close()
        call.end()

    return closing


def wrap(client: Any, settings: Settings) -> Any:
    """A client of the same class whose chat, agents and fim are observed."""
    wrapped = like(client, (Wrapped,), {})
    # When the client given goes, it closes the connections that both use.
    wrapped._platform_original = client
    for name in ("chat", "agents", "fim"):
        group = getattr(client, name, None)
        if group is not None:
            setattr(wrapped, name, like(group, (Group,), {"_llm_settings": settings}))
    return wrapped
