"""Recomputes decisions in process: the same modules, the same commitments, the same decision id as
every other host."""

import io
import json
import tarfile
from pathlib import Path

from ._opa import Policy
from ._policy import CompiledPolicy
from ._wasm import module_bytes
from .arguments import Arguments
from .errors import ModuleError, PlatformError
from .guard import Guard
from .record import Record, frame
from .scope import Scope

TAG = "platform/decision/v1"
# As runtime/decide/boundary.ts: of `authorization` by boundary, of the others the same at every one.
_COMMITTED = {"tool": ("arguments", "provenance")}
_COMMITTED_BY = {"arguments": ("arguments",), "guard": ("text", "prompt", "canaries", "topics")}


class Decider:
    """The decision modules of one process under one pair of bundles."""

    def __init__(self, bundles=None, modules=None, policy_revision="", data_revision=""):
        """`bundles` is a folder with `policy` and `data` (folders or `.tar.gz`), `modules` one with
        the Wasm files."""

        def load(name):
            return module_bytes(name, modules)

        self.record = Record(load("record"))
        self._scope = Scope(load("scope"))
        self._guard = Guard(load("guard"))
        self._arguments = Arguments(load("arguments"))
        self._policy = None
        self.policy_revision = policy_revision
        self.data_revision = data_revision
        if bundles is not None:
            policy, data = _read_bundle(bundles, "policy"), _read_bundle(bundles, "data")
            # OPA's form is what is left where the platform's compiler does not take a policy.
            compiled = policy.get("decisions.wasm")
            # With rules of its users, the guard comes with the policies.
            if "guard.wasm" in policy:
                self._guard = Guard(policy["guard.wasm"])
            self._policy = (
                Policy(policy["policy.wasm"], data["data.json"])
                if compiled is None
                else CompiledPolicy(compiled, data["data.json"])
            )
            self.policy_revision = policy_revision or json.loads(policy[".manifest"])["revision"]
            self.data_revision = data_revision or json.loads(data[".manifest"])["revision"]

    def decide(
        self, boundary, module, data, salt, schema=None, policy_revision=None, data_revision=None
    ):
        """Decides one input given as UTF-8 JSON bytes; never raises for what the input holds.

        Returns `{"id", "output", "committed_input", "allow"}`, bytes where the wire has bytes.
        """
        committed, canonical, refused = self._read(boundary, module, data, salt)
        if refused is None:
            try:
                output = self._execute(boundary, module, canonical, schema)
            except PlatformError as error:
                output = _failure(error.code)
        else:
            output = _failure(refused)
        identifier = self.record.decision_id(
            [
                TAG,
                boundary,
                module,
                self.policy_revision if policy_revision is None else policy_revision,
                self.data_revision if data_revision is None else data_revision,
                committed,
                output,
            ]
        )
        return {
            "id": identifier.hex(),
            "output": output,
            "committed_input": committed,
            "allow": json.loads(output).get("allow") is True,
        }

    def _read(self, boundary, module, data, salt):
        try:
            canonical = self.record.canonicalize(data)
        except PlatformError as error:
            return self._commit(salt, "", bytes(data)), None, error.code
        own = _COMMITTED.get(boundary, ())
        fields = own if module == "authorization" else _COMMITTED_BY.get(module, ())
        members = _members(canonical) if fields else []
        if not any(name in fields for name, _, _ in members):
            return canonical, canonical, None
        parts, at = [], 0
        for name, start, end in members:
            if name in fields:
                parts += [canonical[at:start], self._commit(salt, name, canonical[start:end])]
                at = end
        return b"".join([*parts, canonical[at:]]), canonical, None

    def _commit(self, salt, field, value):
        field_salt = self.record.sha256(frame(["platform/salt/v1", salt, field]))
        digest = self.record.sha256(frame(["platform/commitment/v1", field_salt, field, value]))
        return b'{"$commitment":"sha256:' + digest.hex().encode() + b'"}'

    def _execute(self, boundary, module, canonical, schema):
        if self._policy is None:
            raise ModuleError("no bundle is loaded", code="bundle_missing")
        if module == "authorization":
            return self.record.canonicalize(
                self._policy.evaluate(f"platform/{boundary}/decision", canonical)
            )
        if module == "scope":
            return self._scope.decide_bytes(canonical)
        if module == "guard":
            return self._guard.scan_bytes(canonical)
        return self._validate(canonical, schema)

    def _validate(self, canonical, schema):
        members = {name: canonical[start:end] for name, start, end in _members(canonical)}
        if set(members) != {"arguments", "schema"}:
            raise PlatformError(
                'the input takes "arguments" and "schema", no more', code="input_invalid"
            )
        if schema is None:
            raise PlatformError("no schema was given", code="module_missing")
        if members["schema"] != b'"sha256:' + self.record.sha256(schema).hex().encode() + b'"':
            raise PlatformError(
                "the schema is not the one the input names", code="module_digest_mismatch"
            )
        return self._arguments.validate_bytes(schema, members["arguments"])


def _failure(code):
    return b'{"allow":false,"reason":{"code":"' + code.encode() + b'"}}'


def _members(canonical):
    """(name, start, end) of each top-level member's value in canonical JSON, in bytes."""
    if not canonical.startswith(b"{") or canonical == b"{}":
        return []
    found, at = [], 1
    while at < len(canonical):
        key_end = _end_of_string(canonical, at)
        name = json.loads(canonical[at:key_end])
        end = _end_of_value(canonical, key_end + 1)
        found.append((name, key_end + 1, end))
        at = end + 1
    return found


def _end_of_string(data, start):
    at = start + 1
    while True:
        quote = data.index(b'"', at)
        slashes = quote
        while data[slashes - 1] == 0x5C:
            slashes -= 1
        if (quote - slashes) % 2 == 0:
            return quote + 1
        at = quote + 1


def _end_of_value(data, start):
    depth, at = 0, start
    while True:
        byte = data[at]
        if byte == 0x22:
            at = _end_of_string(data, at)
            continue
        if byte in (0x7B, 0x5B):
            depth += 1
        elif byte in (0x7D, 0x5D):
            if depth == 0:
                return at
            depth -= 1
        elif byte == 0x2C and depth == 0:
            return at
        at += 1


def _read_bundle(folder, name):
    path = Path(folder) / name
    if path.is_dir():
        return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    archive = path.with_name(f"{name}.tar.gz")
    if not archive.is_file():
        raise ModuleError(f"there is no bundle {path}", code="bundle_missing")
    files = {}
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as tar:
        for member in tar.getmembers():
            if member.isfile():
                files[member.name.removeprefix("./").lstrip("/")] = tar.extractfile(member).read()
    return files
