"""Copies of a provider's objects that do some things otherwise and share all that they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Wrapped:
    """What every wrapped client is besides what it was: marks it."""


def like(
    original: Any,
    before: tuple[type, ...],
    members: Mapping[str, Any],
    keeps: Callable[[str], bool] | None = None,
) -> Any:
    """A copy of `original` of a class made from its own, whose methods `before` come first.

    `keeps` says which of its attributes the copy has; by default all.
    """
    base = type(original)
    described = {"__module__": base.__module__, "__qualname__": base.__qualname__}
    copied: Any = object.__new__(type(base.__name__, (*before, base), {**described, **members}))
    for name, value in vars(original).items():
        if keeps is None or keeps(name):
            copied.__dict__[name] = value
    return copied
