"""SPIFFE IDs and whether a scope covers one, decided by the `scope` module."""

import functools
import json

from ._wasm import WasmModule
from .errors import InputError


class Scope:
    """The scope module in process."""

    def __init__(self, data=None):
        self._module = WasmModule("scope", data)

    def decide_bytes(self, data):
        """From the JSON bytes `{"scope","spiffe_id"}` to the canonical JSON of the answer."""
        return self._module.run("decide", bytes(data))

    def decide(self, scope, spiffe_id):
        """`{"allow": bool, "reason": {"code", "message"}}`."""
        return json.loads(
            self.decide_bytes(_utf8(json.dumps({"scope": scope, "spiffe_id": spiffe_id})))
        )

    def parse(self, spiffe_id):
        """`{"trust_domain", "path": [segments]}`; InputError with a code of its own for each rule
        broken."""
        return json.loads(self._module.run("parse", _utf8(spiffe_id)))


def _utf8(text):
    try:
        return text.encode()
    except UnicodeEncodeError as cause:
        raise InputError("half of a surrogate pair", code="input_lone_surrogate") from cause


@functools.lru_cache(maxsize=1)
def default():
    """The process's scope module."""
    return Scope()


def covers(scope, spiffe_id):
    """True when the scope covers the identity."""
    return default().decide(scope, spiffe_id)["allow"]


def parse(spiffe_id):
    """Takes a SPIFFE ID apart."""
    return default().parse(spiffe_id)
