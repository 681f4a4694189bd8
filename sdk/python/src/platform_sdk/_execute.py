"""Runs one decision module on one canonical input, under one pair of bundles."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from ._members import find_members
from ._opa import OpaPolicy
from ._policy import CompiledPolicy, PolicyHost
from ._wasm import module_bytes, module_digest
from .arguments import Arguments
from .bundles._pair import Pair
from .errors import BundleError, InputError, ModuleError, PlatformError
from .guard import Guard
from .record import Record, frame
from .scope import Scope

TAG = "platform/decision/v1"
# As runtime/decide/boundary.ts.
BOUNDARIES = (
    "tool",
    "registration",
    "credential",
    "exchange",
    "console",
    "mesh",
    "secret",
    "message",
    "sandbox",
    "browse",
    "deploy",
    "scan",
)
MODULES = ("authorization", "arguments", "guard", "scope")
_OUTPUTS_KEPT = 256


class Modules:
    """The modules of one process, which all pairs share."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        data = {name: module_bytes(name, folder) for name in ("record", "scope", "guard")}
        data["arguments"] = module_bytes("arguments", folder)
        self.digests = {name: module_digest(wasm) for name, wasm in data.items()}
        self.record = Record(data["record"])
        self.scope = Scope(data["scope"])
        self.guard = Guard(data["guard"])
        self.arguments = Arguments(data["arguments"])


class Executor:
    """Raises BundleError when the data does not fit into the policies' module, and where a verified
    bundle lacks the rule of a boundary."""

    def __init__(self, pair: Pair, modules: Modules) -> None:
        self.pair = pair
        self._modules = modules
        own = pair.policy.guard
        self._guard = modules.guard if own is None else Guard(own)
        self._policy = _host_of(pair)
        self._canonical: dict[bytes, bytes] = {}
        if pair.verified:
            _check_entrypoints(pair, self._policy)

    def execute(self, boundary: str, module: str, canonical: bytes, schema: bytes | None) -> bytes:
        """Canonical JSON of the module's output; raises a PlatformError, which is a deny."""
        if module == "authorization":
            return self._authorize(f"platform/{boundary}/decision", canonical)
        if module == "scope":
            return self._modules.scope.decide_bytes(canonical)
        if module == "guard":
            return self._guard.scan_bytes(canonical)
        return self._validate(canonical, schema)

    def _authorize(self, entrypoint: str, canonical: bytes) -> bytes:
        output = self._policy.evaluate(entrypoint, canonical)
        known = self._canonical.get(output)
        if known is None:
            known = self._modules.record.canonicalize(output)
            if len(self._canonical) >= _OUTPUTS_KEPT:
                self._canonical.clear()
            self._canonical[output] = known
        return known

    def _validate(self, canonical: bytes, schema: bytes | None) -> bytes:
        members = {name: canonical[start:end] for name, start, end in find_members(canonical)}
        if set(members) != {"arguments", "schema"}:
            raise PlatformError(
                'the input takes "arguments" and "schema", no more', code="input_invalid"
            )
        if schema is None:
            raise PlatformError("no schema was given", code="module_missing")
        if members["schema"] != b'"%b"' % module_digest(schema).encode():
            raise PlatformError(
                "the schema is not the one the input names", code="module_digest_mismatch"
            )
        return self._modules.arguments.validate_bytes(schema, members["arguments"])


class Identifier:
    """Decision ids under one pair of revisions: what comes first is hashed once."""

    def __init__(self, pair: Pair | None) -> None:
        self.policy_revision = "" if pair is None else pair.policy.revision
        self.data_revision = "" if pair is None else pair.data.revision
        self._begun: dict[tuple[str, str], Any] = {}

    def id_of(self, boundary: str, module: str, committed: bytes, output: bytes) -> str:
        """64 hex digits: SHA-256 over the seven framed fields of a decision."""
        begun = self._begun.get((boundary, module))
        if begun is None:
            first = [TAG, boundary, module, self.policy_revision, self.data_revision]
            begun = self._begun[boundary, module] = hashlib.sha256(frame(first))
        digest = begun.copy()
        digest.update(frame((committed, output)))
        identifier: str = digest.hexdigest()
        return identifier


def failure(code: str) -> bytes:
    """The output of a decision that could not be made; the code is all it says."""
    return b'{"allow":false,"reason":{"code":"%b"}}' % code.encode()


def _host_of(pair: Pair) -> PolicyHost:
    policy, data = pair.policy, pair.data.json
    # OPA's form is what is left where the platform's compiler does not take a policy.
    try:
        if policy.decisions is None:
            return OpaPolicy(policy.wasm, data)
        return CompiledPolicy(policy.decisions, data)
    except InputError as cause:
        if cause.code != "input_too_large":
            raise BundleError(
                f"data.json cannot be read: {cause}", code="bundle_truncated"
            ) from cause
        raise _too_large() from cause
    except ModuleError as cause:
        if cause.code == "module_missing":
            raise BundleError(
                f"the policies are no module: {cause}", code="bundle_truncated"
            ) from cause
        raise _too_large() from cause


def _too_large() -> BundleError:
    return BundleError("the data does not fit into the policy module", code="bundle_too_large")


def _check_entrypoints(pair: Pair, host: PolicyHost) -> None:
    listed, exported = pair.policy.entrypoints, host.entrypoints()
    for entrypoint in (*(f"platform/{name}/decision" for name in BOUNDARIES), *listed):
        if entrypoint not in listed or entrypoint not in exported:
            raise BundleError(
                f"the policy has no rule {entrypoint}", code="bundle_entrypoint_missing"
            )
