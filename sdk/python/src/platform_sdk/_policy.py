"""Hosts `decisions.wasm`, the policies compiled to the platform's own engine, in wasmtime."""

import wasmtime

from ._wasm import compiled, engine, error_of, trap_code
from .errors import InputError, ModuleError

_INPUT_BYTES_MAX = 1 << 20
# Offsets of wasm/engine/value.ts.
_LENGTH = 8
_TEXT = 12
_ELEMENTS = 16
_EXHAUSTED = ("steps_exhausted", "memory_exhausted", "depth_exhausted")
_SPARE_PAGES = 512
# The numbers of wasm/engine/failure.ts that have a code of their own.
_FAILURES = {3: "policy_conflict", 4: "memory_exhausted", 5: "depth_exhausted"}


class CompiledPolicy:
    """The compiled policies with one data bundle; a trap costs the instance, the next call loads it
    afresh."""

    def __init__(self, wasm, data):
        self._module = compiled(wasm, "the policy")
        self._data = data
        self._exports = None
        self._start()

    def evaluate(self, entrypoint, data):
        """The JSON of the entrypoint's value for canonical input; raises `module_output_invalid`
        when undefined, and the code of what ended an evaluation without an answer."""
        if self._exports is None:
            self._start()
        number = self._entrypoints.get(entrypoint)
        if number is None:
            raise ModuleError(
                f"the policy has no rule {entrypoint}", code="bundle_entrypoint_missing"
            )
        if len(data) > _INPUT_BYTES_MAX:
            raise InputError("the input is larger than 1 MiB", code="input_too_large")
        try:
            return self._decide(number, data)
        except ModuleError as error:
            if error.code not in _EXHAUSTED:
                raise
        # What a used instance has left depends on its past: only a fresh one, with all that there is, says.
        self._start(spared=False)
        answer = self._decide(number, data)
        self._spare()
        return answer

    def _decide(self, number, data):
        try:
            root = self._call("parse", self._place(data), len(data))
            if root == 0:
                raise error_of(self._call("jsonError"))
            answer = self._call("evaluate", number, root)
            if answer < 0:
                raise ModuleError(
                    "the policy has no answer to this input", code="module_output_invalid"
                )
            return self._text(self._call("answerText", answer))
        except (wasmtime.Trap, wasmtime.WasmtimeError) as cause:
            failure = self._exports["failureOf"](self._store)
            code = _FAILURES.get(failure) or trap_code(self._exports, self._store)
            self._exports = None
            raise ModuleError(
                "the evaluation of the policy ended without an answer", code=code
            ) from cause

    def _start(self, spared=True):
        """Makes an instance; one that did not take all of the data is never asked."""
        try:
            self._load()
            if spared:
                self._spare()
        except BaseException as cause:
            self._exports = None
            if not isinstance(cause, (wasmtime.Trap, wasmtime.WasmtimeError)):
                raise
            raise ModuleError("the policy does not start", code="module_trapped") from cause

    def _load(self):
        self._store = wasmtime.Store(engine())
        self._exports = wasmtime.Instance(self._store, self._module, []).exports(self._store)
        self._memory = self._exports["memory"]
        self._call("start")
        if self._call("loadData", self._place(self._data), len(self._data)) != 0:
            raise ModuleError("the data bundle is not JSON", code="module_trapped")
        names = self._call("entrypoints")
        elements = self._word(names + _ELEMENTS)
        self._entrypoints = {
            self._text(self._word(elements + 4 * number)).decode(): number
            for number in range(self._word(names + _LENGTH))
        }

    def _spare(self):
        """As `spare` of runtime/metering/exhausted.ts."""
        if "platform_budget" not in set(self._exports.keys()):
            return
        budget, pages = self._exports["platform_budget"], self._exports["platform_pages"]
        budget.set_value(self._store, budget.value(self._store) >> 1)
        pages.set_value(self._store, pages.value(self._store) - _SPARE_PAGES)

    def _place(self, data):
        pointer = self._call("begin", len(data)) & 0xFFFFFFFF
        if pointer == 0:
            raise error_of(1)
        self._memory.write(self._store, data, pointer)
        return pointer

    def _call(self, name, *arguments):
        return self._exports[name](self._store, *arguments)

    def _word(self, pointer):
        return int.from_bytes(self._memory.read(self._store, pointer, pointer + 4), "little")

    def _text(self, value):
        start = (value & 0xFFFFFFFF) + _TEXT
        return bytes(self._memory.read(self._store, start, start + self._word(start - 4)))
