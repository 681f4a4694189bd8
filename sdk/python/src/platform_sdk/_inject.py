"""Decorators that give a function secrets as parameters."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from .errors import ConfigurationError

_Result = TypeVar("_Result")


def secret(
    key: str, parameter: str | None = None
) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """Decorates a function, sync or async: each call reads the secret and passes it as `parameter`.

    By default the parameter is named as the key, with `_` for what no name can hold (`db-password`
    is `db_password`). Callers neither pass nor see it: it is not part of the signature.
    """
    return secrets_batch({parameter or _parameter(key): key})


def secrets_batch(
    keys: Iterable[str] | Mapping[str, str],
) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """As `secret`, for several keys (or parameters mapped to keys), read with one request.

    Nothing is kept between calls, so that a new version counts at once. When one cannot be read,
    the function does not run. Raises ConfigurationError for a function without such a parameter.
    """
    named = _named(keys)

    def decorate(function: Callable[..., _Result]) -> Callable[..., _Result]:
        given: Any = function
        if isinstance(given, (staticmethod, classmethod)) or not callable(given):
            raise ConfigurationError("decorate the function itself, below any other decorator")
        signature = inspect.signature(function)
        rest = _without(signature, named)

        # What a call gets stands in no local variable here, so that a report of an exception with
        # the variables of its frames shows no value.
        if inspect.iscoroutinefunction(function):

            async def call_async(*args: Any, **kwargs: Any) -> Any:
                bound = rest.bind(*args, **kwargs)
                return await _inject(
                    given, signature, bound, await asyncio.to_thread(_values, named)
                )

            call: Any = call_async
        else:

            def call_now(*args: Any, **kwargs: Any) -> Any:
                return _inject(given, signature, rest.bind(*args, **kwargs), _values(named))

            call = call_now
        wrapped: Any = functools.wraps(function)(call)
        wrapped.__signature__ = rest
        hints = getattr(function, "__annotations__", {})
        wrapped.__annotations__ = {name: hint for name, hint in hints.items() if name not in named}
        return cast("Callable[..., _Result]", wrapped)

    return decorate


def _named(keys: Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    if isinstance(keys, Mapping):
        return dict(keys)
    if isinstance(keys, str):
        raise ConfigurationError("secrets_batch takes a list of keys; use secret for one")
    listed = [*keys]
    named = {_parameter(key): key for key in listed}
    if len(named) != len(listed):
        raise ConfigurationError("two keys have the same parameter: map parameters to keys")
    return named


class _Values(dict[str, Any]):
    """Values by parameter; shows the names only."""

    def __repr__(self) -> str:
        return f"<secrets for {', '.join(self)}>"


class _Arguments(inspect.BoundArguments):
    """All arguments of a call; shows none of them."""

    def __repr__(self) -> str:
        return "<arguments>"


def _values(named: Mapping[str, str]) -> _Values:
    # Not at the top: the vault module offers these decorators as its own.
    from . import vault

    found = _Values(vault.default().get_batch(named.values()))
    return _Values((parameter, found[key]) for parameter, key in named.items())


def _inject(
    function: Callable[..., Any],
    signature: inspect.Signature,
    bound: inspect.BoundArguments,
    values: _Values,
) -> Any:
    given = _Values({**bound.arguments, **values})
    ordered = _Values((name, given[name]) for name in signature.parameters if name in given)
    arguments = _Arguments(signature, ordered)
    return function(*arguments.args, **arguments.kwargs)


def _without(signature: inspect.Signature, named: Mapping[str, str]) -> inspect.Signature:
    """The signature without the injected parameters."""
    for name in named:
        parameter = signature.parameters.get(name)
        if parameter is None or parameter.kind in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        ):
            raise ConfigurationError(f"the function has no parameter {name!r} for the secret")
    kept = [each for each in signature.parameters.values() if each.name not in named]
    return signature.replace(parameters=kept)


def _parameter(key: str) -> str:
    name = re.sub(r"\W", "_", key)
    return f"_{name}" if name[:1].isdigit() else name
