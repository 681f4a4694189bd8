"""Plants the fault of PLATFORM_PARITY_FAULT into this process of Python, then is a host of parity."""

import importlib.util
import json
import os
import sys

import wasmtime

fault = json.loads(os.environ["PLATFORM_PARITY_FAULT"])


def plant_memory(text):
    """Flips the lowest bit of the last byte of a text in what fills the memory of every module: its
    data segments, when the digest of the module has been checked and it is about to be compiled."""
    compile_module = wasmtime.Module.__init__
    needles = [(text.encode(code), width) for code, width in (("utf-8", 1), ("utf-16-le", 2))]

    def planted(self, engine, wasm):
        data = bytearray(wasm)
        for needle, width in needles:
            at = data.find(needle)
            while at >= 0:
                data[at + len(needle) - width] ^= 1
                at = data.find(needle, at + 1)
        compile_module(self, engine, bytes(data))

    wasmtime.Module.__init__ = planted


def plant_glue(change):
    """Loads one module of the SDK from a source that was changed."""
    name = change["file"].removesuffix(".py").replace("/", ".")
    spec = importlib.util.find_spec(name)
    with open(spec.origin, encoding="utf-8") as file:
        source = file.read()
    if change["from"] not in source:
        raise SystemExit(f"{change['file']} has no {change['from']}")
    source = source.replace(change["from"], change["to"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    module.odd = odd
    exec(compile(source, spec.origin, "exec"), module.__dict__)


def odd(fields):
    """Frames fields as the SDK does, a bit of the first length flipped."""
    from platform_sdk.record import frame

    framed = frame(fields)
    return framed[:3] + bytes([framed[3] ^ 1]) + framed[4:]


if fault["kind"] == "memory":
    plant_memory(fault["text"])
else:
    plant_glue(fault["changes"]["python"])

from platform_sdk.parity import main  # noqa: E402

main()
