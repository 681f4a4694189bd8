"""SPIFFE IDs and whether a scope covers one, decided by the `scope` module."""

from __future__ import annotations

import functools
import json
from typing import Any

from ._wasm import WasmModule
from .errors import InputError


class Scope:
    """The scope module in process."""

    def __init__(self, data: bytes | None = None) -> None:
        self._module = WasmModule("scope", data)

    def decide_bytes(self, data: bytes) -> bytes:
        """From the JSON bytes `{"scope","spiffe_id"}` to the canonical JSON of the answer."""
        return self._module.run("decide", bytes(data))

    def decide(self, scope: str, spiffe_id: str) -> dict[str, Any]:
        """`{"allow": bool, "reason": {"code", "message"}}`."""
        request = json.dumps({"scope": scope, "spiffe_id": spiffe_id})
        answer: dict[str, Any] = json.loads(self.decide_bytes(_utf8(request)))
        return answer

    def parse(self, spiffe_id: str) -> dict[str, Any]:
        """`{"trust_domain", "path": [segments]}`; InputError with a code of its own for each rule
        broken."""
        parts: dict[str, Any] = json.loads(self._module.run("parse", _utf8(spiffe_id)))
        return parts


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as cause:
        raise InputError("half of a surrogate pair", code="input_lone_surrogate") from cause


@functools.lru_cache(maxsize=1)
def default() -> Scope:
    """The process's scope module."""
    return Scope()


def covers(scope: str, spiffe_id: str) -> bool:
    """True when the scope covers the identity."""
    return default().decide(scope, spiffe_id)["allow"] is True


def parse(spiffe_id: str) -> dict[str, Any]:
    """Takes a SPIFFE ID apart."""
    return default().parse(spiffe_id)
