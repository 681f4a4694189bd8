"""Reads the input of a decision: checks that it is JSON that every host reads alike, and commits its
secrets."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from ._members import find_members
from .errors import PlatformError
from .record import Record, frame

# As runtime/decide/boundary.ts: of `authorization` by boundary, of the others the same at every one.
_COMMITTED: dict[str, tuple[str, ...]] = {"tool": ("arguments", "provenance")}
_COMMITTED_BY: dict[str, tuple[str, ...]] = {
    "arguments": ("arguments",),
    "guard": ("text", "prompt", "canaries", "topics"),
}
_SALT = frame(["platform/salt/v1"])
_COMMITMENT = frame(["platform/commitment/v1"])
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Opening:
    """The secret half of a commitment: the committed field (empty when the whole input could not be
    read), the field's own salt in 64 hex digits, and its canonical JSON."""

    field: str
    salt: str = dataclasses.field(repr=False)
    value: bytes = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Read:
    """An input as evidence may hold it, and what opens the rest. `canonical` is what the module is
    asked; None when the input was `refused` with a code."""

    committed: bytes
    openings: tuple[Opening, ...] = ()
    canonical: bytes | None = None
    refused: str = ""


def read_input(record: Record, boundary: str, module: str, value: Any, salt: bytes) -> Read:
    """Canonicalizes and commits; an unreadable input becomes one commitment over its raw bytes."""
    refused, canonical = "", b""
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
    else:
        raw, refused = _text_of(value)
    if not refused:
        try:
            canonical = record.canonicalize(raw)
        except PlatformError as error:
            refused = error.code
    if refused:
        committed, opening = _commit(salt, "", raw)
        return Read(committed, (opening,), refused=refused)
    own = _COMMITTED.get(boundary, ())
    fields = own if module == "authorization" else _COMMITTED_BY.get(module, ())
    members = find_members(canonical, fields) if fields else []
    if not members:
        return Read(canonical, canonical=canonical)
    parts: list[bytes] = []
    openings: list[Opening] = []
    at = 0
    for name, start, end in members:
        committed, opening = _commit(salt, name, canonical[start:end])
        parts += (canonical[at:start], committed)
        openings.append(opening)
        at = end
    parts.append(canonical[at:])
    return Read(b"".join(parts), tuple(openings), canonical)


def _commit(salt: bytes, field: str, value: bytes) -> tuple[bytes, Opening]:
    """As runtime/decide/commitment.ts: each field has a salt of its own, so that opening one says
    nothing of the others."""
    field_salt = hashlib.sha256(_SALT + frame((salt, field))).digest()
    digest = hashlib.sha256(_COMMITMENT + frame((field_salt, field, value))).hexdigest()
    opening = Opening(field, field_salt.hex(), value)
    return b'{"$commitment":"sha256:%b"}' % digest.encode(), opening


def _text_of(value: Any) -> tuple[bytes, str]:
    """JSON of a value, and the code of what JSON cannot say."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        return b"", "input_too_deep"
    except ValueError:
        return b"", "input_number_not_portable"
    except TypeError:
        return b"", "input_invalid"
    # Half of a surrogate pair has no UTF-8; spelt out, it is refused by its own code.
    return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode(), ""
