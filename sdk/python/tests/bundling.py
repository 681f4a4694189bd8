"""Makes bundles, good and bad, as an attacker with a key of their own would."""

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path

import jwt
import pytest
from jwt.algorithms import OKPAlgorithm

from platform_sdk import BundleError
from platform_sdk.bundles import Files, read_bundle
from platform_sdk.bundles._pair import revision_of

SIGNATURES = ".signatures.json"


def claims_of(files: Files, kind: str) -> dict:
    signed = {name: content for name, content in files.items() if name != SIGNATURES}
    return {
        "files": [
            {"name": name, "hash": hashlib.sha256(content).hexdigest(), "algorithm": "SHA-256"}
            for name, content in signed.items()
        ],
        "scope": f"platform/{kind}",
    }


def sign(files: Files, kind: str, key: dict, /, **changes) -> Files:
    """The files with a signature over what they are now; `changes` are of its claims."""
    claims = {**claims_of(files, kind), **changes}
    token = jwt.PyJWS().encode(
        json.dumps(claims).encode(),
        OKPAlgorithm.from_jwk(key),
        algorithm="EdDSA",
        headers={"kid": key["kid"]},
    )
    return {**files, SIGNATURES: json.dumps({"signatures": [token]}).encode()}


def rewritten(files: Files, kind: str, key: dict, changes: dict) -> Files:
    """The files with other contents (None takes one away), named and signed anew."""
    changed = {**files, **changes}
    changed = {name: content for name, content in changed.items() if content is not None}
    manifest = json.loads(changed[".manifest"])
    manifest["revision"] = revision_of(changed)
    changed[".manifest"] = json.dumps(manifest).encode()
    return sign(changed, kind, key)


def pack(files: Files) -> bytes:
    """The files as a .tar.gz."""
    return gzipped([(tarfile.TarInfo(name), content) for name, content in sorted(files.items())])


def gzipped(entries, form=tarfile.USTAR_FORMAT) -> bytes:
    """A .tar.gz of any entries."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as tar:
        for info, content in entries:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(buffer.getvalue())


def write(files: Files, folder: Path) -> None:
    """Writes the files below a folder."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def replace(folder: Path, kind: str, files: Files) -> None:
    """Swaps an archive as a deployment does: written beside, then renamed."""
    beside = folder / f".{kind}.new"
    beside.write_bytes(pack(files))
    beside.rename(folder / f"{kind}.tar.gz")


def read(folder: Path) -> tuple[Files, Files]:
    """The files of a pair."""
    return read_bundle(folder / "policy"), read_bundle(folder / "data")


def code_of(act) -> str:
    """The code of the BundleError that this raises."""
    with pytest.raises(BundleError) as caught:
        act()
    return caught.value.code
