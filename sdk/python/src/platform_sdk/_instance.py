"""One instance of a Wasm module: its exports as functions of numbers, and its memory."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import wasmtime

from ._call import Call, caller
from .errors import ModuleError

_MODULES_KEPT = 16

_lock = threading.Lock()
_engine: wasmtime.Engine | None = None
_modules: OrderedDict[bytes, wasmtime.Module] = OrderedDict()

#: What a call of a module raises when it ends without returning.
TRAPS = (wasmtime.Trap, wasmtime.WasmtimeError)


def engine() -> wasmtime.Engine:
    """The one engine of the process."""
    global _engine
    with _lock:
        if _engine is None:
            _engine = wasmtime.Engine()
        return _engine


def compiled(data: bytes, what: str) -> wasmtime.Module:
    """The module of these bytes, compiled once while it is among the latest; raises
    `module_missing` when they are none."""
    digest = hashlib.sha256(data).digest()
    with _lock:
        module = _modules.get(digest)
        if module is not None:
            _modules.move_to_end(digest)
            return module
    try:
        module = wasmtime.Module(engine(), data)
    except wasmtime.WasmtimeError as cause:
        raise ModuleError(f"{what} is not a WebAssembly module", code="module_missing") from cause
    with _lock:
        _modules[digest] = module
        if len(_modules) > _MODULES_KEPT:
            _modules.popitem(last=False)
    return module


class Instance:
    """Raises one of TRAPS when the module cannot be instantiated. Belongs to one thread at a
    time."""

    def __init__(
        self,
        module: wasmtime.Module,
        imports: Sequence[Any] = (),
        store: wasmtime.Store | None = None,
    ) -> None:
        self.store = wasmtime.Store(engine()) if store is None else store
        exports = wasmtime.Instance(self.store, module, imports).exports(self.store)
        self.exports: dict[str, Any] = dict(exports)
        self._memory = next((one for one in imports if isinstance(one, wasmtime.Memory)), None)
        self._calls: dict[str, Call] = {}
        self._plain = bool(imports)

    @property
    def memory(self) -> wasmtime.Memory:
        """Its memory, whether exported or imported; raises `module_missing` when it has none."""
        if self._memory is None:
            exported = self.exports.get("memory")
            if not isinstance(exported, wasmtime.Memory):
                raise ModuleError("the module has no memory", code="module_missing")
            self._memory = exported
        return self._memory

    def call(self, name: str, *arguments: int) -> Any:
        """Calls an export; raises one of TRAPS."""
        known = self._calls.get(name)
        if known is None:
            known = self._calls[name] = self._bind(name)
        return known(*arguments)

    def number(self, name: str) -> int | None:
        """The value of a global that is exported; None when there is none."""
        found = self.exports.get(name)
        if not isinstance(found, wasmtime.Global):
            return None
        value = found.value(self.store)
        return value if isinstance(value, int) else None

    def set_number(self, name: str, value: int) -> None:
        """Sets a global that is exported."""
        self.exports[name].set_value(self.store, value)

    def write(self, data: bytes, at: int) -> None:
        """Copies the bytes to a place that the module named."""
        self._check(at, len(data))
        ctypes.memmove(self._address() + at, data, len(data))

    def read(self, at: int, length: int) -> bytes:
        """A copy of so many bytes of memory."""
        self._check(at, length)
        return ctypes.string_at(self._address() + at, length)

    def word(self, at: int) -> int:
        """The 32-bit number at a place in memory."""
        return int.from_bytes(self.read(at, 4), "little")

    def _bind(self, name: str) -> Call:
        function = self.exports.get(name)
        if not isinstance(function, wasmtime.Func):
            raise ModuleError(f"the module does not export {name}", code="module_missing")
        if self._plain:
            return lambda *arguments: function(self.store, *arguments)
        return caller(self.store, function)

    def _address(self) -> int:
        return ctypes.addressof(self.memory.data_ptr(self.store).contents)

    def _check(self, at: int, length: int) -> None:
        if at < 0 or at + length > self.memory.data_len(self.store):
            raise ModuleError("a module points outside its memory", code="module_output_invalid")


def trap_code(instance: Instance) -> str:
    """Why a module trapped, by the counters that its build put into it (runtime/metering)."""
    steps = instance.number("platform_steps")
    if steps is not None and steps < 0:
        return "steps_exhausted"
    limit = instance.number("platform_limit") or 0
    return {1: "memory_exhausted", 2: "depth_exhausted"}.get(limit, "module_trapped")
