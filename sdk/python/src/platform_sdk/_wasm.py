"""Runs the platform's Wasm modules in process with wasmtime: input in, one call, output out."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from pathlib import Path

from ._instance import TRAPS, Instance, compiled, trap_code
from .errors import InputError, ModuleError, PlatformError

_PACKAGED = Path(__file__).parent / "modules"
_REPOSITORY = Path(__file__).resolve().parents[4] / "wasm" / "build"

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


def error_of(number: int) -> PlatformError:
    """The error that a module's error number stands for."""
    code = ERRORS.get(number)
    if code is None:
        return ModuleError(
            f"a module returned the error number {number}", code="module_output_invalid"
        )
    return InputError(code.replace("_", " "), code=code)


def module_bytes(name: str, folder: str | os.PathLike[str] | None = None) -> bytes:
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


def module_digest(data: bytes) -> str:
    """`sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise ModuleError(f"the module {name} is not there", code="module_missing") from cause


class WasmModule:
    """One compiled module and its present instance; a trap drops the instance, the next call gets a
    fresh one. `run` may be called by several threads; whoever makes several calls for one answer
    holds `lock` over them."""

    def __init__(self, name: str, data: bytes | None = None) -> None:
        self.name = name
        self._module = compiled(module_bytes(name) if data is None else data, name)
        self._begin()

    def _begin(self) -> None:
        self.generation = 0
        self.lock = threading.RLock()
        self._instance: Instance | None = None

    def instance(self) -> Instance:
        """The present instance, or a fresh one."""
        if self._instance is None:
            try:
                self._instance = Instance(self._module)
            except TRAPS as cause:
                raise ModuleError(
                    f"{self.name} cannot be instantiated", code="module_missing"
                ) from cause
            self.generation += 1
        return self._instance

    def invoke(self, operation: str, *arguments: int) -> int:
        """Calls an export and returns its number; whatever it throws is a trap."""
        instance = self._instance or self.instance()
        try:
            number: int = instance.call(operation, *arguments)
            return number
        except TRAPS as cause:
            self._instance = None
            raise ModuleError(f"{self.name} trapped", code=trap_code(instance)) from cause

    def another(self) -> WasmModule:
        """The same module with memory of its own."""
        other = object.__new__(WasmModule)
        other.name, other._module = self.name, self._module
        other._begin()
        return other

    def write(self, data: bytes, reserve: str = "reserve") -> int:
        """Writes input; returns where it is."""
        if len(data) > 0x7FFFFFFF:
            raise error_of(1)
        pointer = self.invoke(reserve, len(data)) & 0xFFFFFFFF
        if pointer == 0:
            raise error_of(1)
        self.instance().write(data, pointer)
        return pointer

    def output(self) -> bytes:
        """A copy of the last output."""
        pointer = self.invoke("output") & 0xFFFFFFFF
        return self.instance().read(pointer, self.invoke("outputLength") & 0xFFFFFFFF)

    def run(self, operation: str, data: bytes) -> bytes:
        """Writes the bytes, calls one operation on them and returns its output."""
        with self.lock:
            number = self.invoke(operation, self.write(data), len(data))
            if number != 0:
                raise error_of(number)
            return self.output()
