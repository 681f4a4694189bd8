"""Clients that Stainless generates (OpenAI, Anthropic): every request passes one method."""

from __future__ import annotations

import copy
import functools
import json
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import ConfigurationError
from .call import Call, Settings
from .content import plain
from .proxy import Wrapped, like
from .wire import Wire


class _Plan:
    """How a client's requests are observed; shared by all clients made from a wrapped one."""

    def __init__(
        self,
        settings: Settings,
        wire_of: Callable[[str], Wire | None],
        prepare: Callable[[Wire, Mapping[str, Any]], Mapping[str, Any] | None] | None,
        is_extra: Callable[[Any], bool] | None,
    ):
        self.settings = settings
        self._wire_of = wire_of
        self._prepare = prepare
        self._is_extra = is_extra

    def call(self, options: Any) -> tuple[Call, Any, bool] | None:
        """The call that a request is, with its options, and whether we asked for more; None for
        requests to other paths."""
        path = str(options.url).partition("?")[0]
        wire = self._wire_of(path) if options.method.lower() == "post" else None
        if wire is None:
            return None
        options = copy.copy(options)
        given = options.json_data
        if isinstance(given, Mapping):
            # Iterators can be read once: by us and by the client.
            options.json_data = given = {name: _listed(value) for name, value in given.items()}
        request = {**(given or {}), **(getattr(options, "extra_json", None) or {})}
        call = Call(self.settings, wire, request)
        if not request and call.judges:
            error = ConfigurationError("the guard reads requests of models as JSON only")
            call.fail(error)
            raise error
        more = None
        if self._prepare is not None and not _is_raw(options) and call.is_recorded:
            more = self._prepare(wire, request)
        if more:
            options.json_data = {**(given or {}), **more}
        return call, options, bool(more)

    def attach(self, call: Call, stream: Any, extra: bool, is_async: bool) -> Any:
        """Puts the released chunks in the place of those that come in; the stream stays itself."""
        follow: Any = call.stream_async if is_async else call.stream
        released = follow(stream._iterator, self._is_extra if extra else None)
        stream._iterator = released
        weakref.finalize(stream, call.end)
        # Helpers close the response, not the stream.
        if is_async:
            _on_close_async(stream, "close", call, released)
            _on_close_async(stream.response, "aclose", call, released)
        else:
            _on_close(stream, "close", call, released)
            _on_close(stream.response, "close", call, released)
        return stream


class Sync(Wrapped):
    """What a wrapped synchronous client does otherwise."""

    _llm_plan: _Plan

    def request(self, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        """Sends one request; those to models are observed."""
        send = super().request  # type: ignore[misc]
        planned = self._llm_plan.call(options)
        if planned is None:
            return send(cast_to, options, *args, **kwargs)
        call, options, extra = planned
        with call.sending():
            call.check_prompt()
            result = send(cast_to, options, *args, **kwargs)
            if hasattr(result, "_iterator"):
                return self._llm_plan.attach(call, result, extra, is_async=False)
            if not hasattr(result, "http_response"):
                call.receive(_body(result, call))
                return result
            if call.judges:
                result.http_response.read()
            if not result.http_response.is_closed:
                call.end()
                return result
            whole = result._parse()
            if not hasattr(whole, "_iterator"):
                call.receive(_body(whole, call))
            else:
                for _ in call.stream(whole._iterator):
                    pass
            return result


class Async(Wrapped):
    """What a wrapped asynchronous client does otherwise."""

    _llm_plan: _Plan

    async def request(self, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        """Sends one request; those to models are observed."""
        send = super().request  # type: ignore[misc]
        planned = self._llm_plan.call(options)
        if planned is None:
            return await send(cast_to, options, *args, **kwargs)
        call, options, extra = planned
        with call.sending():
            await call.check_prompt_async()
            result = await send(cast_to, options, *args, **kwargs)
            if hasattr(result, "_iterator"):
                return self._llm_plan.attach(call, result, extra, is_async=True)
            if not hasattr(result, "http_response"):
                await call.receive_async(_body(result, call))
                return result
            if call.judges:
                await result.http_response.aread()
            if not result.http_response.is_closed:
                call.end()
                return result
            whole = result._parse()
            if not hasattr(whole, "_iterator"):
                await call.receive_async(_body(whole, call))
            else:
                async for _ in call.stream_async(whole._iterator):
                    pass
            return result


def wrap(
    client: Any,
    settings: Settings,
    wire_of: Callable[[str], Wire | None],
    prepare: Callable[[Wire, Mapping[str, Any]], Mapping[str, Any] | None] | None = None,
    is_extra: Callable[[Any], bool] | None = None,
) -> Any:
    """A copy of the client that shares its connections and is of a class made from its own."""
    mixin = Async if hasattr(client, "__aenter__") else Sync
    base = type(client)

    def keeps(name: str) -> bool:
        # The groups of methods that the client keeps are bound to it: the copy makes its own.
        return not isinstance(getattr(base, name, None), functools.cached_property)

    plan = _Plan(settings, wire_of, prepare, is_extra)
    return like(client, (mixin,), {"_llm_plan": plan}, keeps)


def _body(result: Any, call: Call) -> Any:
    """What a response says, where the caller asked for its text or the HTTP response itself."""
    try:
        if isinstance(result, (str, bytes)):
            return json.loads(result)
        return result.json() if hasattr(result, "iter_bytes") else result
    except ValueError as cause:
        if call.judges:
            raise ConfigurationError("the guard reads responses of models as JSON only") from cause
        return result


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _listed(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_listed(member) for member in value]
    return plain(value) if isinstance(value, Iterator) else value


def _is_raw(options: Any) -> bool:
    headers = options.headers if isinstance(options.headers, Mapping) else {}
    return any(str(name).lower().endswith("raw-response") for name in headers)


def _on_close(closable: Any, name: str, call: Call, released: Any) -> None:
    """Ends the call when somebody else than the reading of the response closes it."""
    close = getattr(closable, name)

    def closing() -> Any:
        result = close()
        if not released.gi_running:
            call.end()
        return result

    setattr(closable, name, closing)


def _on_close_async(closable: Any, name: str, call: Call, released: Any) -> None:
    """As `_on_close`, for an asynchronous client."""
    close = getattr(closable, name)

    async def closing() -> Any:
        result = await close()
        if not released.ag_running:
            call.end()
        return result

    setattr(closable, name, closing)
