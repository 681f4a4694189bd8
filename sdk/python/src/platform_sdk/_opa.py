"""Hosts OPA's policy module (Wasm ABI 1.2 and later) in wasmtime, as every other host of the
platform does."""

from __future__ import annotations

import json
import threading
from typing import Any

import wasmtime

from ._instance import TRAPS, Instance, compiled, engine, trap_code
from ._policy import INPUT_BYTES_MAX
from .errors import InputError, ModuleError

_PAGE = 65536
_INITIAL_PAGES = 8
_PAGES_MAX = 1024
_PREFIX = b'[{"result":'
_SUFFIX = b"}]"


class OpaPolicy:
    """A `PolicyHost` of OPA's own module, for policies that the platform's compiler does not take.
    A trap costs the instance, the next call loads it afresh."""

    def __init__(self, wasm: bytes, data: bytes) -> None:
        self._module = compiled(wasm, "the policy")
        self._data = data
        self._lock = threading.Lock()
        self._instance: Instance | None = None
        self._value = self._heap = 0
        instance = self._start()
        supplied = _dump(instance, instance.call("builtins"))
        if supplied:
            raise ModuleError(
                f"the policy needs built-ins from its host: {', '.join(supplied)}",
                code="module_missing",
            )
        self._entrypoints: dict[str, int] = _dump(instance, instance.call("entrypoints"))

    def entrypoints(self) -> list[str]:
        return list(self._entrypoints)

    def evaluate(self, entrypoint: str, data: bytes) -> bytes:
        number = self._entrypoints.get(entrypoint)
        if number is None:
            raise ModuleError(
                f"the policy has no rule {entrypoint}", code="bundle_entrypoint_missing"
            )
        if len(data) > INPUT_BYTES_MAX:
            raise InputError("the input is larger than 1 MiB", code="input_too_large")
        with self._lock:
            instance = self._instance or self._start()
            try:
                text = self._evaluate(instance, number, data)
            except TRAPS as cause:
                self._instance = None
                raise ModuleError("the policy module trapped", code=trap_code(instance)) from cause
        if not (text.startswith(_PREFIX) and text.endswith(_SUFFIX)):
            raise ModuleError(
                "the policy has no answer to this input", code="module_output_invalid"
            )
        return text[len(_PREFIX) : -len(_SUFFIX)]

    def _evaluate(self, instance: Instance, number: int, data: bytes) -> bytes:
        end = self._heap + len(data)
        missing = end - instance.memory.data_len(instance.store)
        if missing > 0:
            instance.memory.grow(instance.store, -(-missing // _PAGE))
        instance.write(data, self._heap)
        where = (self._value, self._heap, len(data), end)
        return _text(instance, instance.call("opa_eval", 0, number, *where, 0))

    def _start(self) -> Instance:
        self._instance = None
        try:
            instance = self._instantiate()
            pointer = instance.call("opa_malloc", len(self._data))
            instance.write(self._data, pointer)
            self._value = instance.call("opa_json_parse", pointer, len(self._data))
            self._heap = instance.call("opa_heap_ptr_get")
        except TRAPS as cause:
            raise ModuleError("the policy does not start", code="module_trapped") from cause
        if self._value == 0:
            raise ModuleError("the data bundle is not JSON", code="module_trapped")
        self._instance = instance
        return instance

    def _instantiate(self) -> Instance:
        store = wasmtime.Store(engine())
        limits = wasmtime.Limits(_INITIAL_PAGES, _PAGES_MAX)
        memory = wasmtime.Memory(store, wasmtime.MemoryType(limits))
        imports: list[Any] = []
        for imported in self._module.imports:
            kind = imported.type
            if isinstance(kind, wasmtime.FuncType):
                imports.append(wasmtime.Func(store, kind, _refuse))
            else:
                imports.append(memory)
        return Instance(self._module, imports, store)


def _refuse(*_arguments: object) -> None:
    raise wasmtime.WasmtimeError("the policy called its host")


def _dump(instance: Instance, value: int) -> Any:
    return json.loads(_text(instance, instance.call("opa_json_dump", value)))


def _text(instance: Instance, pointer: int) -> bytes:
    size = instance.memory.data_len(instance.store)
    parts: list[bytes] = []
    while pointer < size:
        part = instance.read(pointer, min(4096, size - pointer))
        end = part.find(0)
        if end >= 0:
            return b"".join([*parts, part[:end]])
        parts.append(part)
        pointer += len(part)
    raise ModuleError("the policy points outside its memory", code="module_output_invalid")
