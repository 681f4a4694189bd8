"""Finds top-level members in canonical JSON bytes."""

from __future__ import annotations

import json
from collections.abc import Collection

_read = json.JSONDecoder().raw_decode

#: The name of a member, and where its value begins and ends, in bytes.
Member = tuple[str, int, int]


def find_members(canonical: bytes, names: Collection[str] | None = None) -> list[Member]:
    """The members of a canonical JSON object (RFC 8785: no white space, keys sorted) that have one
    of these names, or all; none for any other value. The bytes must come from the `record`
    module."""
    if not canonical.startswith(b"{") or canonical == b"{}":
        return []
    text = canonical.decode()
    found: list[Member] = []
    at, counted, size = 1, 0, 0
    while at < len(text) and (names is None or len(found) < len(names)):
        name, end = _read(text, at)
        _, after = _read(text, end + 1)
        if names is None or name in names:
            # What lies between is counted once, and only where somebody asks for it.
            start = size + _bytes(text, counted, end + 1)
            size = start + _bytes(text, end + 1, after)
            counted = after
            found.append((name, start, size))
        at = after + 1
    return found


def _bytes(text: str, start: int, end: int) -> int:
    """How many bytes of UTF-8 a part of a text is."""
    return end - start if text.isascii() else len(text[start:end].encode())
