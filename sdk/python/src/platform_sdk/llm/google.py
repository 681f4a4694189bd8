"""Google's client (google-genai): generate_content and its stream, of `models`, `chats` and
`aio`."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from ..errors import ConfigurationError
from .call import Call, Settings
from .content import field, items, text_of, texts_within
from .proxy import Wrapped, like
from .usage import Usage
from .wire import Answer, Key, Piece, ToolCall


class Content:
    """generateContent, whole and streamed."""

    system = "google"
    operation = "generate_content"

    def read(self, response: Any) -> Answer:
        """What a whole response says."""
        answer = Answer()
        self.observe(response, answer)
        for candidate in items(response, "candidates"):
            shown = ""
            for part in items(candidate, "content", "parts"):
                call = _call(part)
                if call is not None:
                    answer.tools.append(call)
                elif field(part, "text") and not field(part, "thought"):
                    shown += field(part, "text")
                else:
                    answer.others += texts_within(part)
            if shown:
                answer.texts.append(shown)
        # What the client hands out instead, when it is asked for the HTTP response.
        body = field(response, "sdk_http_response", "body")
        if isinstance(body, str) and body:
            answer.others.append(body)
        return answer

    def observe(self, chunk: Any, answer: Answer) -> None:
        """Takes from a chunk what is no text; every chunk has the counts so far."""
        answer.id = field(chunk, "response_id") or answer.id
        answer.model = field(chunk, "model_version") or answer.model
        for candidate in items(chunk, "candidates"):
            answer.finished(field(candidate, "finish_reason"))
        usage = field(chunk, "usage_metadata")
        if usage is not None:
            count = {name: field(usage, f"{name}_token_count") or 0 for name in _COUNTS}
            answer.usage = Usage(
                input=count["prompt"] + count["tool_use_prompt"],
                output=count["candidates"] + count["thoughts"],
                cached=count["cached_content"],
                total=field(usage, "total_token_count"),
            )

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """The texts of a chunk: text comes in parts, anything else whole."""
        candidates = items(chunk, "candidates")
        for at, candidate in enumerate(candidates):
            index = field(candidate, "index") or at
            parts = items(candidate, "content", "parts")
            alone = len(candidates) == len(parts) == 1 and not field(candidate, "finish_reason")
            for order, part in enumerate(parts):
                text = field(part, "text")
                call = _call(part)
                if call is not None:
                    key = (index, "call", call.name, call.arguments, call.id)
                    yield Piece(key, call.arguments, "tool", True, call.name, call.id)
                elif text and not field(part, "thought"):
                    yield Piece((index, "text"), text, put=_put_text if alone else None)
                elif text:
                    yield Piece((index, "thought"), text, "other")
                else:
                    for number, other in enumerate(texts_within(part)):
                        yield Piece((index, "other", order, number), other, "other", whole=True)

    def closed(self, chunk: Any) -> Iterable[Key]:
        """A candidate ends with its reason."""
        for at, candidate in enumerate(items(chunk, "candidates")):
            if field(candidate, "finish_reason"):
                yield (field(candidate, "index") or at,)


_COUNTS = ("prompt", "tool_use_prompt", "candidates", "thoughts", "cached_content")


def _call(part: Any) -> ToolCall | None:
    call = field(part, "function_call")
    if call is None:
        return None
    return ToolCall(str(field(call, "name") or ""), text_of(field(call, "args")), field(call, "id"))


def _put_text(chunk: Any, text: str) -> None:
    chunk.candidates[0].content.parts[0].text = text


WIRE = Content()


def _request(model: Any, contents: Any, config: Any) -> dict[str, Any]:
    return {"model": model, "contents": contents, "config": config}


def _sync(models: Any, settings: Settings) -> dict[str, Any]:
    """What `models` of a wrapped client does otherwise. Below the loop that calls functions by
    itself, so that each of its requests is a call and what a function gave is scanned; above that
    which resumes broken streams, so that it does not take a block for one."""
    whole, streamed = _names(models)
    send, send_stream = getattr(type(models), whole), getattr(type(models), streamed)

    def generate(self: Any, *, model: Any, contents: Any, config: Any = None) -> Any:
        call = Call(settings, WIRE, _request(model, contents, config))
        with call.sending():
            call.check_prompt()
            return call.receive(send(self, model=model, contents=contents, config=config))

    def stream(self: Any, *, model: Any, contents: Any, config: Any = None) -> Iterator[Any]:
        call = Call(settings, WIRE, _request(model, contents, config))
        with call.sending():
            call.check_prompt()
        yield from call.stream(send_stream(self, model=model, contents=contents, config=config))

    return {whole: generate, streamed: stream}


def _async(models: Any, settings: Settings) -> dict[str, Any]:
    """As `_sync`, for `aio.models`."""
    whole, streamed = _names(models)
    send, send_stream = getattr(type(models), whole), getattr(type(models), streamed)

    async def generate(self: Any, *, model: Any, contents: Any, config: Any = None) -> Any:
        call = Call(settings, WIRE, _request(model, contents, config))
        with call.sending():
            await call.check_prompt_async()
            response = await send(self, model=model, contents=contents, config=config)
            return await call.receive_async(response)

    async def stream(
        self: Any, *, model: Any, contents: Any, config: Any = None
    ) -> AsyncIterator[Any]:
        call = Call(settings, WIRE, _request(model, contents, config))
        with call.sending():
            await call.check_prompt_async()
        chunks = send_stream(self, model=model, contents=contents, config=config)
        if inspect.isawaitable(chunks):
            chunks = await chunks
        async with contextlib.aclosing(call.stream_async(chunks)) as released:
            async for chunk in released:
                yield chunk

    async def begun(self: Any, **request: Any) -> AsyncIterator[Any]:
        return stream(self, **request)

    # Without continuations, the client awaits the beginning of a stream.
    is_awaited = inspect.iscoroutinefunction(send_stream)
    return {whole: generate, streamed: begun if is_awaited else stream}


def _names(models: Any) -> tuple[str, str]:
    """The methods that make one call: those that follow continuations, or older versions' own."""
    for suffix in ("_with_continuation", ""):
        found = (f"_generate_content{suffix}", f"_generate_content_stream{suffix}")
        if all(hasattr(models, name) for name in found):
            return found
    raise ConfigurationError("this version of google-genai is not known")


class _Shared(Wrapped):
    """The client given owns the connections and closes them when it goes: not the copy."""

    def __del__(self) -> None:
        pass


def wrap(client: Any, settings: Settings) -> Any:
    """A client of the same class whose `models` are observed, those of `aio` and `chats` too."""
    wrapped = like(client, (_Shared,), {})
    wrapped._platform_original = client
    if hasattr(client, "_aio"):
        wrapped._models = like(client.models, (), _sync(client.models, settings))
        wrapped._aio = wrap(client.aio, settings)
    else:
        wrapped._models = like(client.models, (), _async(client.models, settings))
    return wrapped
