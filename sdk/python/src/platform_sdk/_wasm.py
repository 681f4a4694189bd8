"""Runs the platform's Wasm modules in process with wasmtime: input in, one call, output out."""

import hashlib
import json
import os
from pathlib import Path

import wasmtime

from .errors import InputError, ModuleError

_PACKAGED = Path(__file__).parent / "modules"
_REPOSITORY = Path(__file__).resolve().parents[4] / "wasm" / "build"
_engine = None

# The numbers of wasm/common/errors.ts, the same in every module.
ERRORS = {
    1: "input_too_large",
    2: "input_not_utf8",
    3: "input_lone_surrogate",
    4: "input_not_json",
    5: "input_duplicate_key",
    6: "input_number_not_portable",
    7: "input_too_deep",
    8: "input_key_too_long",
    9: "input_invalid",
    32: "spiffe_id_empty",
    33: "spiffe_id_too_long",
    34: "spiffe_scheme_wrong",
    35: "spiffe_trust_domain_missing",
    36: "spiffe_trust_domain_too_long",
    37: "spiffe_trust_domain_character",
    38: "spiffe_user_info",
    39: "spiffe_port",
    40: "spiffe_query",
    41: "spiffe_fragment",
    42: "spiffe_percent_encoding",
    43: "spiffe_wildcard",
    44: "spiffe_path_character",
    45: "spiffe_path_empty_segment",
    46: "spiffe_path_dot_segment",
    47: "spiffe_path_trailing_slash",
}


def engine():
    """The one engine of the process."""
    global _engine
    if _engine is None:
        _engine = wasmtime.Engine()
    return _engine


def compiled(data, what):
    """The module of these bytes; raises `module_missing` when they are none."""
    try:
        return wasmtime.Module(engine(), data)
    except wasmtime.WasmtimeError as cause:
        raise ModuleError(f"{what} is not a WebAssembly module", code="module_missing") from cause


def error_of(number):
    """The error that a module's error number stands for."""
    code = ERRORS.get(number)
    if code is None:
        return ModuleError(
            f"a module returned the error number {number}", code="module_output_invalid"
        )
    return InputError(code.replace("_", " "), code=code)


def trap_code(exports, store):
    """Why a module trapped, by the counters that its build put into it (runtime/metering)."""
    names = set(exports.keys())
    if "platform_steps" in names and exports["platform_steps"].value(store) < 0:
        return "steps_exhausted"
    limit = exports["platform_limit"].value(store) if "platform_limit" in names else 0
    return {1: "memory_exhausted", 2: "depth_exhausted"}.get(limit, "module_trapped")


def module_bytes(name, folder=None):
    """The bytes of a module: from `folder`, else the package's own copy (its digest is checked),
    else the repository's build."""
    given = folder or os.environ.get("PLATFORM_MODULES_DIR")
    if given:
        return _read(Path(given) / f"{name}.wasm", name)
    if (_PACKAGED / "digests.json").is_file():
        data = _read(_PACKAGED / f"{name}.wasm", name)
        expected = json.loads((_PACKAGED / "digests.json").read_text()).get(name)
        if module_digest(data) != expected:
            raise ModuleError(
                f"the packaged module {name} is damaged", code="module_digest_mismatch"
            )
        return data
    return _read(_REPOSITORY / f"{name}.wasm", name)


def module_digest(data):
    """`sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _read(path, name):
    try:
        return path.read_bytes()
    except OSError as cause:
        raise ModuleError(f"the module {name} is not there", code="module_missing") from cause


class WasmModule:
    """One compiled module and its present instance; a trap drops the instance, the next call gets a
    fresh one."""

    def __init__(self, name, data=None):
        self.name = name
        self._module = compiled(module_bytes(name) if data is None else data, name)
        self.generation = 0
        self._exports = None
        self._store = None

    def _instance(self):
        if self._exports is None:
            self._store = wasmtime.Store(engine())
            self._exports = wasmtime.Instance(self._store, self._module, []).exports(self._store)
            self.generation += 1
        return self._exports

    def invoke(self, operation, *arguments):
        """Calls an export and returns its number; whatever it throws is a trap."""
        exports = self._instance()
        try:
            return exports[operation](self._store, *arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as cause:
            code = trap_code(exports, self._store)
            self._exports = self._store = None
            raise ModuleError(f"{self.name} trapped", code=code) from cause

    def another(self):
        """The same module with memory of its own."""
        other = object.__new__(WasmModule)
        other.name, other._module = self.name, self._module
        other.generation, other._exports, other._store = 0, None, None
        return other

    def write(self, data, reserve="reserve"):
        """Writes input; returns where it is."""
        if len(data) > 0x7FFFFFFF:
            raise error_of(1)
        pointer = self.invoke(reserve, len(data)) & 0xFFFFFFFF
        if pointer == 0:
            raise error_of(1)
        self._exports["memory"].write(self._store, data, pointer)
        return pointer

    def output(self):
        """A copy of the last output."""
        pointer = self.invoke("output") & 0xFFFFFFFF
        length = self.invoke("outputLength") & 0xFFFFFFFF
        memory = self._exports["memory"]
        if pointer + length > memory.data_len(self._store):
            raise ModuleError(
                f"{self.name} points outside its memory", code="module_output_invalid"
            )
        return bytes(memory.read(self._store, pointer, pointer + length))

    def run(self, operation, data):
        """Writes the bytes, calls one operation on them and returns its output."""
        number = self.invoke(operation, self.write(data), len(data))
        if number != 0:
            raise error_of(number)
        return self.output()
