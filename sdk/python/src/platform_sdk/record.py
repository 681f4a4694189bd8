"""Canonical JSON (RFC 8785), SHA-256 and decision ids, computed by the `record` module."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from ._wasm import WasmModule
from .errors import InputError


class Record:
    """The record module in process; may be shared between threads."""

    def __init__(self, data: bytes | None = None) -> None:
        self._module = WasmModule("record", data)

    def canonicalize(self, json_bytes: bytes) -> bytes:
        """The canonical form of UTF-8 JSON. Raises InputError with a code for each rule broken."""
        return self._module.run("canonicalize", bytes(json_bytes))

    def sha256(self, data: bytes) -> bytes:
        """SHA-256 of the bytes: 32 bytes."""
        return self._module.run("sha256", bytes(data))

    def decision_id(self, fields: Iterable[str | bytes]) -> bytes:
        """SHA-256 over the seven framed fields of a decision; `input_invalid` for any other
        framing."""
        return self._module.run("decisionId", frame(fields))


def frame(fields: Iterable[str | bytes]) -> bytes:
    """Each field as a 32-bit big-endian length and its bytes; text is UTF-8."""
    parts: list[bytes] = []
    for field in fields:
        try:
            data = field.encode() if isinstance(field, str) else bytes(field)
        except UnicodeEncodeError as cause:
            raise InputError(
                "a field holds half of a surrogate pair", code="input_lone_surrogate"
            ) from cause
        parts.append(len(data).to_bytes(4, "big"))
        parts.append(data)
    return b"".join(parts)


@functools.lru_cache(maxsize=1)
def default() -> Record:
    """The process's record module."""
    return Record()
