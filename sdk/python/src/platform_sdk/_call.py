"""Calls exports of Wasm modules quickly: wasmtime's own call looks up all types anew each time, which
costs several times what the module does."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from typing import Any

import wasmtime


def _internals() -> Any:
    """Not part of wasmtime's interface: without them calls are slower, not wrong."""
    try:
        return importlib.import_module("wasmtime._ffi")
    except ImportError:
        return None


_ffi = _internals()

#: A function of numbers of 32 bits that returns one, or None.
Call = Callable[..., Any]


def caller(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    """The export as a function. What it does not return from raises as in wasmtime: Trap or
    WasmtimeError. Not for modules that call functions of Python."""
    types = function.type(store)
    kinds = [str(kind) for kind in (*types.params, *types.results)]
    if any(kind != "i32" for kind in kinds) or len(types.results) > 1:
        return _plain(store, function)
    try:
        return _quick(store, function, len(types.params), len(types.results) == 1)
    except AttributeError:
        return _plain(store, function)


def _plain(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    return lambda *arguments: function(store, *arguments)


def _quick(store: wasmtime.Store, function: wasmtime.Func, count: int, returns: bool) -> Call:
    call = _ffi.wasmtime_func_call_unchecked
    failed, trapped = wasmtime.WasmtimeError._from_ptr, wasmtime.Trap._from_ptr
    slots = max(count, 1)
    raw = (_ffi.wasmtime_val_raw_t * slots)()
    stride = ctypes.sizeof(_ffi.wasmtime_val_raw_t) // ctypes.sizeof(ctypes.c_int32)
    words = (ctypes.c_int32 * (slots * stride)).from_buffer(raw)
    trap = ctypes.POINTER(_ffi.wasm_trap_t)()
    context, this, where = store._context(), ctypes.byref(function._func), ctypes.byref(trap)

    def invoke(*arguments: int) -> int | None:
        nonlocal trap, where
        if len(arguments) != count:
            raise TypeError(f"{count} arguments, not {len(arguments)}")
        at = 0
        for argument in arguments:
            words[at] = argument
            at += stride
        error = call(context, this, raw, slots, where)
        if error:
            raise failed(error)
        if trap:
            ended, trap = trap, ctypes.POINTER(_ffi.wasm_trap_t)()
            where = ctypes.byref(trap)
            raise trapped(ended)
        return words[0] if returns else None

    # The store must not go before what points into it.
    invoke.__dict__["store"] = store
    return invoke
