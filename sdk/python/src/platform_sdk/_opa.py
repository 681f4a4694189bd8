"""Hosts OPA's policy module (Wasm ABI 1.2 and later) in wasmtime, as every other host of the
platform does."""

import json

import wasmtime

from ._wasm import compiled, engine, trap_code
from .errors import InputError, ModuleError

_PAGE = 65536
_INITIAL_PAGES = 8
_PAGES_MAX = 1024
_INPUT_BYTES_MAX = 1 << 20
_PREFIX = b'[{"result":'
_SUFFIX = b"}]"


class Policy:
    """The compiled policies with one data bundle; a trap costs the instance, the next call loads it
    afresh."""

    def __init__(self, wasm, data):
        self._module = compiled(wasm, "the policy")
        self._data = data
        self._exports = None
        self._start()
        self._entrypoints = json.loads(self._dump(self._call("entrypoints")))
        self._load()

    def evaluate(self, entrypoint, data):
        """The JSON of the entrypoint's value for canonical input; raises `module_output_invalid`
        when undefined."""
        number = self._entrypoints.get(entrypoint)
        if number is None:
            raise ModuleError(
                f"the policy has no rule {entrypoint}", code="bundle_entrypoint_missing"
            )
        if len(data) > _INPUT_BYTES_MAX:
            raise InputError("the input is larger than 1 MiB", code="input_too_large")
        try:
            if self._exports is None:
                self._start()
                self._load()
            text = self._evaluate(number, data)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as cause:
            code = trap_code(self._exports, self._store)
            self._exports = None
            raise ModuleError("the policy module trapped", code=code) from cause
        if not (text.startswith(_PREFIX) and text.endswith(_SUFFIX)):
            raise ModuleError(
                "the policy has no answer to this input", code="module_output_invalid"
            )
        return text[len(_PREFIX) : -len(_SUFFIX)]

    def _evaluate(self, number, data):
        missing = self._heap + len(data) - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // _PAGE))
        self._memory.write(self._store, data, self._heap)
        end = self._heap + len(data)
        result = self._call("opa_eval", 0, number, self._value, self._heap, len(data), end, 0)
        return self._text(result)

    def _start(self):
        self._store = wasmtime.Store(engine())
        limits = wasmtime.Limits(_INITIAL_PAGES, _PAGES_MAX)
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(limits))
        imports = []
        for imported in self._module.imports:
            if imported.name == "memory":
                imports.append(self._memory)
            else:
                imports.append(wasmtime.Func(self._store, imported.type, _refuse))
        self._exports = wasmtime.Instance(self._store, self._module, imports).exports(self._store)

    def _load(self):
        pointer = self._call("opa_malloc", len(self._data))
        self._memory.write(self._store, self._data, pointer)
        self._value = self._call("opa_json_parse", pointer, len(self._data))
        if self._value == 0:
            raise ModuleError("the data bundle is not JSON", code="module_trapped")
        self._heap = self._call("opa_heap_ptr_get")

    def _call(self, name, *arguments):
        return self._exports[name](self._store, *arguments)

    def _dump(self, value):
        return self._text(self._call("opa_json_dump", value))

    def _text(self, pointer):
        size = self._memory.data_len(self._store)
        parts = []
        while pointer < size:
            part = bytes(self._memory.read(self._store, pointer, min(pointer + 4096, size)))
            end = part.find(0)
            if end >= 0:
                return b"".join([*parts, part[:end]])
            parts.append(part)
            pointer += len(part)
        raise ModuleError("the policy points outside its memory", code="module_output_invalid")


def _refuse(*_arguments):
    raise wasmtime.WasmtimeError("the policy called its host")
