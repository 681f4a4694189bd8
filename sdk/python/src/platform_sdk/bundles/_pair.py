"""A pair of bundles: nothing of it is used before every signature and digest is right."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import record
from .._wasm import module_bytes, module_digest
from ..errors import BundleError, PlatformError
from ._files import Files, read_bundle
from ._keys import Key, keys_of
from ._signature import MANIFEST, SIGNATURES, Kind, read_json, verify

MODULES = ("record", "scope", "arguments", "guard")
_TAG = b"platform/bundle/v1"
_ROOTS = {
    "policy": {"platform"},
    "data": {"agents", "limits", "operators", "scopes", "services", "tenants", "tools"},
}


@dataclass(frozen=True)
class PolicyBundle:
    """`wasm` is OPA's form of the policies; `decisions`, the platform's own form, is what is run
    where it is there, as is `guard`, the guard with rules of the policies' authors."""

    revision: str
    wasm: bytes = field(repr=False)
    decisions: bytes | None = field(default=None, repr=False)
    guard: bytes | None = field(default=None, repr=False)
    entrypoints: tuple[str, ...] = field(default=(), repr=False)
    #: `sha256:…` of what is run, by the module's name.
    modules: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class DataBundle:
    """`json` is the text of `data.json`."""

    revision: str
    json: bytes = field(repr=False)


@dataclass(frozen=True)
class Pair:
    """One policy bundle and one data bundle that decide together; `verified` says whether their
    signatures and digests were looked at."""

    policy: PolicyBundle
    data: DataBundle
    verified: bool = True


def load_pair(
    folder: str | os.PathLike[str],
    keys: str | os.PathLike[str] | Iterable[Key],
    modules: str | os.PathLike[str] | None = None,
) -> Pair:
    """Loads `<folder>/policy` and `<folder>/data`, each a folder or a `.tar.gz`, and verifies them
    with `keys`, the path of a file with a JWK or a JWK set, or the keys themselves. `modules` is a
    folder with the Wasm modules that this process runs, by default the package's own.

    Raises BundleError with the code of the first thing that is wrong.
    """
    trusted = keys_of(keys)
    place = Path(folder)
    files = read_bundle(place / "policy"), read_bundle(place / "data")
    return pair_of(*files, trusted, digests_of(modules))


def digests_of(modules: str | os.PathLike[str] | None = None) -> dict[str, str]:
    """The digests of the modules that this process runs, by their names."""
    return {name: module_digest(module_bytes(name, modules)) for name in MODULES}


def pair_of(
    policy: Files, data: Files, keys: Iterable[Key] | None, running: Mapping[str, str]
) -> Pair:
    """The pair of two bundles' files, verified with `keys`; with None they are taken as they are.
    `running` has the digests of the modules that this process runs."""
    if keys is None:
        return Pair(_policy_of(policy), _data_of(data), verified=False)
    trusted = list(keys)
    _verify(policy, "policy", trusted)
    _verify(data, "data", trusted)
    loaded = _policy_of(policy)
    _check_modules(policy, loaded, running)
    found = _data_of(data)
    _check_top(found.json)
    return Pair(loaded, found)


def revision_of(files: Files) -> str:
    """`sha256:…` over all files but the signatures, in the order of their names, each name and
    content as a 32-bit length and its bytes, after a tag; the manifest is taken as canonical JSON
    with an empty revision."""
    digest = hashlib.sha256(_framed(_TAG))
    for name in sorted(files, key=lambda name: name.encode("utf-16-be")):
        if name == SIGNATURES:
            continue
        content = files[name]
        if name == MANIFEST:
            manifest = {**read_json(files, MANIFEST), "revision": ""}
            content = record.default().canonicalize(json.dumps(manifest).encode())
        digest.update(_framed(name.encode()) + len(content).to_bytes(4, "big"))
        digest.update(content)
    return f"sha256:{digest.hexdigest()}"


def _verify(files: Files, kind: Kind, keys: list[Key]) -> None:
    verify(files, kind, keys)
    manifest = read_json(files, MANIFEST)
    roots = _strings(manifest.get("roots"))
    known = _ROOTS[kind]
    # Data of an earlier time lacks the roots that came later.
    if not roots or not known.issuperset(roots):
        raise BundleError(
            f"the roots must be of {', '.join(sorted(known))}", code="bundle_manifest_invalid"
        )
    try:
        revision = revision_of(files)
    except BundleError:
        raise
    except PlatformError as cause:
        raise BundleError(
            "the manifest has no canonical form", code="bundle_manifest_invalid"
        ) from cause
    if manifest.get("revision") != revision:
        raise BundleError(
            f"the manifest says revision {manifest.get('revision')}, its files are {revision}",
            code="bundle_revision_mismatch",
        )


def _policy_of(files: Files) -> PolicyBundle:
    wasm = files.get("policy.wasm")
    if wasm is None:
        raise BundleError("the bundle has no policy.wasm", code="bundle_truncated")
    decisions, guard = files.get("decisions.wasm"), files.get("guard.wasm")
    listed = read_json(files, "modules.json") if "modules.json" in files else {}
    modules = listed.get("modules")
    return PolicyBundle(
        revision=_revision(files),
        wasm=wasm,
        decisions=decisions,
        guard=guard,
        entrypoints=tuple(_strings(listed.get("entrypoints"))),
        modules={
            name: core
            for name, forms in (modules if isinstance(modules, dict) else {}).items()
            if isinstance(core := _form(forms, "core"), str)
        },
    )


def _data_of(files: Files) -> DataBundle:
    content = files.get("data.json")
    if content is None:
        raise BundleError("the bundle has no data.json", code="bundle_truncated")
    return DataBundle(_revision(files), content)


def _check_modules(files: Files, policy: PolicyBundle, running: Mapping[str, str]) -> None:
    """What is run, and every form of the policies in the bundle, is what `modules.json` lists."""
    modules = read_json(files, "modules.json").get("modules")
    if not isinstance(modules, dict) or set(modules) != set(policy.modules):
        raise BundleError("modules.json lists no modules", code="bundle_manifest_invalid")
    own = modules.get("authorization")
    expected = {**running, "authorization": module_digest(policy.decisions or policy.wasm)}
    if policy.guard is not None:
        expected["guard"] = module_digest(policy.guard)
    for name, digest in expected.items():
        _check_digest(name, policy.modules.get(name), digest)
    if policy.decisions is not None:
        _check_digest("policy.wasm", _form(own, "opa"), module_digest(policy.wasm))
    merged = files.get("filter.wasm")
    found = None if merged is None else module_digest(merged)
    _check_digest("filter.wasm", _form(own, "filter"), found)


def _check_digest(name: str, listed: object, actual: str | None) -> None:
    if listed != actual:
        raise BundleError(
            f"{name} has the digest {actual or 'none'}, the bundle lists {listed or 'none'}",
            code="bundle_module_digest_mismatch",
        )


def _check_top(content: bytes) -> None:
    """What is at the top of the data; whether the rest is good, the policies' module says."""
    known = _ROOTS["data"]
    for name in read_json({"data.json": content}, "data.json"):
        if name not in known:
            raise BundleError(
                f"data.json may hold {', '.join(sorted(known))}, not {name!a}",
                code="bundle_manifest_invalid",
            )


def _revision(files: Files) -> str:
    revision = read_json(files, MANIFEST).get("revision")
    if not isinstance(revision, str):
        raise BundleError("the manifest has no revision", code="bundle_manifest_invalid")
    return revision


def _form(forms: object, name: str) -> Any:
    return forms.get(name) if isinstance(forms, dict) else None


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
