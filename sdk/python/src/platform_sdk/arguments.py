"""Whether a tool's arguments fit its JSON Schema, decided by the `arguments` module."""

from __future__ import annotations

import functools
import hashlib
import json
import threading
from typing import Any

from ._wasm import WasmModule, error_of
from .errors import InputError, ModuleError

SCHEMA_BYTES_MAX = 64 * 1024
ARGUMENTS_BYTES_MAX = 256 * 1024
_REFUSED = -1
_FULL = -2


class Arguments:
    """The arguments module in process; compiled schemas are kept by the digest of their bytes. May
    be shared between threads."""

    def __init__(self, data: bytes | None = None) -> None:
        self._data = data
        self._module = WasmModule("arguments", data)
        self._handles: dict[bytes, int] = {}
        self._lock = threading.Lock()
        self._generation = 0

    def validate_bytes(self, schema: bytes, arguments: bytes) -> bytes:
        """Canonical JSON of the answer: `{"allow":true}`, or with at most 32 `violations`."""
        if len(arguments) > ARGUMENTS_BYTES_MAX:
            raise InputError("the arguments are larger than 256 KiB", code="input_too_large")
        with self._lock:
            handle = self._handle(schema)
            pointer = self._module.write(arguments)
            number = self._module.invoke("validate", handle, pointer, len(arguments))
            if number != 0:
                raise error_of(number)
            return self._module.output()

    def validate(self, schema: Any, arguments: Any) -> dict[str, Any]:
        """`{"allow": bool, "violations": [{"keyword","message","pointer"}…]}` for a schema and
        arguments as values."""
        answer = json.loads(self.validate_bytes(_json(schema), _json(arguments)))
        return {"violations": [], **answer}

    def _handle(self, schema: bytes) -> int:
        if len(schema) > SCHEMA_BYTES_MAX:
            raise InputError("the schema is larger than 64 KiB", code="schema_too_large")
        self._module.instance()
        if self._module.generation != self._generation:
            self._handles.clear()
            self._generation = self._module.generation
        digest = hashlib.sha256(schema).digest()
        if digest not in self._handles:
            self._handles[digest] = self._compile(schema)
        return self._handles[digest]

    def _compile(self, schema: bytes) -> int:
        handle = self._register(schema)
        if handle == _FULL:
            self._module = WasmModule("arguments", self._data)
            self._handles.clear()
            handle = self._register(schema)
            self._generation = self._module.generation
        if handle == _REFUSED:
            refusal = json.loads(self._module.output())
            raise InputError(refusal["message"], code=refusal["code"], data=refusal)
        if handle < 1:
            raise ModuleError(
                f"arguments returned the handle {handle}", code="module_output_invalid"
            )
        return handle

    def _register(self, schema: bytes) -> int:
        return self._module.invoke("register", self._module.write(schema), len(schema))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@functools.lru_cache(maxsize=1)
def default() -> Arguments:
    """The process's arguments module."""
    return Arguments()


def validate(schema: Any, arguments: Any) -> dict[str, Any]:
    """As `Arguments.validate`."""
    return default().validate(schema, arguments)
