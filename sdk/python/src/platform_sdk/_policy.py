"""Hosts `decisions.wasm`, the policies compiled to the platform's own engine, in wasmtime."""

from __future__ import annotations

import threading
from typing import Protocol

from ._instance import TRAPS, Instance, compiled, trap_code
from ._wasm import error_of
from .errors import InputError, ModuleError

INPUT_BYTES_MAX = 1 << 20
# Offsets of wasm/engine/value.ts.
_LENGTH = 8
_TEXT = 12
_ELEMENTS = 16
_EXHAUSTED = ("steps_exhausted", "memory_exhausted", "depth_exhausted")
_SPARE_PAGES = 512
_ANSWERS_KEPT = 32
# The numbers of wasm/engine/failure.ts that have a code of their own.
_FAILURES = {3: "policy_conflict", 4: "memory_exhausted", 5: "depth_exhausted"}


class PolicyHost(Protocol):
    """The compiled policies with one data bundle; may be asked by several threads."""

    def entrypoints(self) -> list[str]:
        """Names such as `platform/tool/decision`."""
        ...

    def evaluate(self, entrypoint: str, data: bytes) -> bytes:
        """The JSON of the entrypoint's value for canonical input; raises `module_output_invalid`
        when undefined, and the code of what ended an evaluation without an answer."""
        ...


class CompiledPolicy:
    """A `PolicyHost`. A trap costs the instance, the next call loads it afresh."""

    def __init__(self, wasm: bytes, data: bytes) -> None:
        self._module = compiled(wasm, "the policy")
        self._data = data
        self._lock = threading.Lock()
        self._instance: Instance | None = None
        self._entrypoints: dict[str, int] = {}
        self._answers: dict[int, tuple[int, bytes]] = {}
        self._start()

    def entrypoints(self) -> list[str]:
        return list(self._entrypoints)

    def evaluate(self, entrypoint: str, data: bytes) -> bytes:
        with self._lock:
            return self._evaluate(entrypoint, data)

    def _evaluate(self, entrypoint: str, data: bytes) -> bytes:
        instance = self._instance or self._start()
        number = self._entrypoints.get(entrypoint)
        if number is None:
            raise ModuleError(
                f"the policy has no rule {entrypoint}", code="bundle_entrypoint_missing"
            )
        if len(data) > INPUT_BYTES_MAX:
            raise InputError("the input is larger than 1 MiB", code="input_too_large")
        try:
            return self._decide(instance, number, data)
        except ModuleError as error:
            if error.code not in _EXHAUSTED:
                raise
        # What a used instance has left depends on its past: only a fresh one, with all that there
        # is, says.
        fresh = self._start(spared=False)
        answer = self._decide(fresh, number, data)
        _spare(fresh)
        return answer

    def _decide(self, instance: Instance, number: int, data: bytes) -> bytes:
        try:
            root = instance.call("parse", _place(instance, data), len(data))
            if root == 0:
                raise error_of(instance.call("jsonError"))
            answer = instance.call("evaluate", number, root)
            if answer < 0:
                raise ModuleError(
                    "the policy has no answer to this input", code="module_output_invalid"
                )
            return self._text_of(instance, answer)
        except TRAPS as cause:
            self._instance = None
            failure = instance.call("failureOf")
            raise ModuleError(
                "the evaluation of the policy ended without an answer",
                code=_FAILURES.get(failure) or trap_code(instance),
            ) from cause

    def _text_of(self, instance: Instance, answer: int) -> bytes:
        """The text of an answer; the module gives no number to two of them."""
        known = self._answers.get(answer % _ANSWERS_KEPT)
        if known is not None and known[0] == answer:
            return known[1]
        text = _text(instance, instance.call("answerText", answer))
        self._answers[answer % _ANSWERS_KEPT] = (answer, text)
        return text

    def _start(self, spared: bool = True) -> Instance:
        """Makes an instance; one that did not take all of the data is never asked."""
        self._instance = None
        self._answers.clear()
        try:
            instance = self._load()
            if spared:
                _spare(instance)
        except TRAPS as cause:
            raise ModuleError("the policy does not start", code="module_trapped") from cause
        self._instance = instance
        return instance

    def _load(self) -> Instance:
        instance = Instance(self._module)
        instance.call("start")
        state = instance.call("loadData", _place(instance, self._data), len(self._data))
        if state != 0:
            raise error_of(state)
        names = instance.call("entrypoints")
        elements = instance.word(names + _ELEMENTS)
        self._entrypoints = {
            _text(instance, instance.word(elements + 4 * number)).decode(): number
            for number in range(instance.word(names + _LENGTH))
        }
        return instance


def _spare(instance: Instance) -> None:
    """As `spare` of runtime/metering/exhausted.ts."""
    budget, pages = instance.number("platform_budget"), instance.number("platform_pages")
    if budget is not None and pages is not None:
        instance.set_number("platform_budget", budget >> 1)
        instance.set_number("platform_pages", pages - _SPARE_PAGES)


def _place(instance: Instance, data: bytes) -> int:
    pointer: int = instance.call("begin", len(data)) & 0xFFFFFFFF
    if pointer == 0:
        raise error_of(1)
    instance.write(data, pointer)
    return pointer


def _text(instance: Instance, value: int) -> bytes:
    start = (value & 0xFFFFFFFF) + _TEXT
    return instance.read(start, instance.word(start - 4))
