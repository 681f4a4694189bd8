"""Puts copies of the built decision modules into the package, with the digests that every load
checks."""

import hashlib
import json
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

NAMES = ("record", "scope", "arguments", "guard", "tokens-cl100k", "tokens-o200k")
HERE = Path(__file__).resolve().parent
PRICES = HERE.parent / "prices.json"
BUILT = HERE.parent.parent / "wasm" / "build"


class BuildWithModules(build_py):
    """Copies `wasm/build` of the repository; a source distribution has the copies already."""

    def run(self):
        super().run()
        target = Path(self.build_lib) / "platform_sdk" / "modules"
        target.mkdir(parents=True, exist_ok=True)
        packed = HERE / "src" / "platform_sdk" / "modules"
        source = BUILT if BUILT.is_dir() else packed
        digests = {}
        for name in NAMES:
            data = (source / f"{name}.wasm").read_bytes()
            (target / f"{name}.wasm").write_bytes(data)
            digests[name] = f"sha256:{hashlib.sha256(data).hexdigest()}"
        (target / "digests.json").write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")
        prices = PRICES if PRICES.is_file() else packed / "prices.json"
        (target / "prices.json").write_bytes(prices.read_bytes())
        shutil.copystat(source, target)


setup(cmdclass={"build_py": BuildWithModules})
