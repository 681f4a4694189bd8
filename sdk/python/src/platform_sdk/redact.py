"""Replaces what the guard found in a text: by a name, by stars, or by tokens that `untokenize`
reverses. The answers are those of the TypeScript functions of the same names."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from .errors import InputError

#: As many for every value: their number would say how long it is.
_STARS = "*" * 8
_KEY_BYTES_MIN = 16
_TOKEN_DIGITS = 16
_KIND = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TOKEN = re.compile(r"<[a-z][a-z0-9_]{0,63}:[0-9a-f]{16}>")
_BEGINNING = re.compile(r"<(?:[a-z][a-z0-9_]{0,63}(?::[0-9a-f]{0,16})?)?\Z")
_TOKEN_LENGTH_MAX = 83


class Tokens(Protocol):
    """What has the values of tokens: a mapping, or anything with such a `get`."""

    def get(self, token: str, /) -> str | None: ...


def redact(
    text: str,
    findings: Iterable[Mapping[str, Any]],
    mode: str = "redact",
    key: str | bytes | None = None,
) -> dict[str, Any]:
    """`{"text": str, "tokens": {token: value}}`: every finding of `text` replaced.

    `mode` is `redact` (`[EMAIL_1]`, equal values of a kind have the same number), `mask` (eight
    stars) or `tokenize` (`<email:0123456789abcdef>`, an HMAC with `key`, at least 16 bytes); only
    `tokenize` fills `tokens`, and whoever has them has the values. Findings that overlap are
    replaced as one, named after the longest. Raises InputError for places that are not in the
    text or within a character, and for a key under 16 bytes."""
    try:
        data = text.encode()
    except UnicodeEncodeError as cause:
        message = "the text holds half of a surrogate pair"
        raise InputError(message, code="input_lone_surrogate") from cause
    replace = _replacement(mode, key)
    tokens: dict[str, str] = {}
    parts: list[str] = []
    done = 0
    for kind, start, end in _merge(findings, data):
        value = data[start:end].decode()
        name = replace(kind, value)
        if mode == "tokenize":
            tokens[name] = value
        parts += [data[done:start].decode(), name]
        done = end
    parts.append(data[done:].decode())
    return {"text": "".join(parts), "tokens": tokens}


def untokenize(text: str, tokens: Tokens) -> str:
    """Replaces each token that `tokens` (a mapping, or anything with `get`) has by its value."""

    def value(match: re.Match[str]) -> str:
        found = tokens.get(match[0])
        return match[0] if found is None else found

    return _TOKEN.sub(value, text)


class Untokenizer:
    """As `untokenize` for a text that comes in pieces, whose tokens may be split anywhere: what
    the pieces give, joined, is what the whole text gives."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._waiting = ""

    def push(self, piece: str, last: bool = False) -> str:
        """What is certain after the next piece; with `last` all that is left."""
        text = self._waiting + piece
        tail = text[-_TOKEN_LENGTH_MAX:]
        beginning = None if last else _BEGINNING.search(tail)
        certain = len(text) - len(tail) + beginning.start() if beginning else len(text)
        self._waiting = text[certain:]
        return untokenize(text[:certain], self._tokens)


def _merge(findings: Iterable[Mapping[str, Any]], data: bytes) -> list[tuple[str, int, int]]:
    """The findings as `(kind, start, end)` in order, those that overlap joined."""
    checked = [_checked(f["kind"], f["start"], f["end"], data) for f in findings]
    spans: list[tuple[str, int, int, int]] = []
    for kind, start, end in sorted(checked, key=lambda f: (f[1], -f[2], f[0])):
        if not spans or start >= spans[-1][2]:
            spans.append((kind, start, end, end - start))
            continue
        name, first, last, longest = spans[-1]
        if end - start > longest:
            name, longest = kind, end - start
        spans[-1] = (name, first, max(last, end), longest)
    return [span[:3] for span in spans]


def _checked(kind: str, start: Any, end: Any, data: bytes) -> tuple[str, int, int]:
    is_place = type(start) is int and type(end) is int and 0 <= start < end <= len(data)
    if (
        not is_place
        or not _KIND.fullmatch(kind)
        or not _is_boundary(data, start)
        or not _is_boundary(data, end)
    ):
        raise InputError(f"a finding names no place in the text: {kind} {start} {end}")
    return kind, start, end


def _is_boundary(data: bytes, offset: int) -> bool:
    return offset == len(data) or data[offset] & 0xC0 != 0x80


def _replacement(mode: str, key: str | bytes | None) -> Callable[[str, str], str]:
    if mode == "mask":
        return lambda _kind, _value: _STARS
    if mode == "tokenize":
        secret = key.encode() if isinstance(key, str) else key
        if secret is None or len(secret) < _KEY_BYTES_MIN:
            raise InputError("tokens need a key of at least 16 bytes")
        return lambda kind, value: f"<{kind}:{_digest(secret, kind, value)}>"
    if mode != "redact":
        raise InputError(f"there is no mode {mode!r}")
    numbers: dict[str, dict[str, int]] = {}

    def name(kind: str, value: str) -> str:
        known = numbers.setdefault(kind, {})
        return f"[{kind.upper()}_{known.setdefault(value, len(known) + 1)}]"

    return name


def _digest(key: bytes, kind: str, value: str) -> str:
    digest = hmac.new(key, f"{kind}\0{value}".encode(), hashlib.sha256)
    return digest.hexdigest()[:_TOKEN_DIGITS]
