"""Verifies bundles in OPA's format: `.signatures.json` with one EdDSA JWS over the files' hashes."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from ..errors import BundleError
from ._files import Files
from ._keys import Key

SIGNATURES = ".signatures.json"
MANIFEST = ".manifest"
_SHA256_HEX = re.compile("[0-9A-Fa-f]{64}")

#: The scope of a signature holds a policy bundle apart from a data bundle.
Kind = Literal["policy", "data"]


def verify(files: Files, kind: Kind, keys: Iterable[Key]) -> None:
    """Returns when one of the keys signed exactly these files as this kind of bundle.

    https://www.openpolicyagent.org/docs/management-bundles#signature-format
    Raises BundleError: `bundle_signature_missing`, `bundle_signature_invalid`, or
    `bundle_truncated` when a file that was signed is not there.
    """
    if SIGNATURES not in files:
        raise BundleError(f"the {kind} bundle is not signed", code="bundle_signature_missing")
    claims = _claims(files, list(keys))
    if claims.get("scope") != f"platform/{kind}":
        raise _invalid(f"the signature is not one of a {kind} bundle")
    signed = _hashes(claims)
    for name, content in files.items():
        if name == SIGNATURES:
            continue
        expected = signed.pop(name, None)
        if expected is None:
            raise _invalid(f"{name} is not covered by the signature")
        if not _is_hash_of(expected, name, content):
            raise _invalid(f"{name} is not the file that was signed")
    for absent in signed:
        raise BundleError(f"the bundle lacks {absent}, which was signed", code="bundle_truncated")


def read_json(files: Files, name: str) -> dict[str, Any]:
    """A JSON object of the bundle; raises `bundle_truncated` when it is missing or not whole."""
    content = files.get(name)
    if content is None:
        raise BundleError(f"the bundle has no {name}", code="bundle_truncated")
    value = _parse(name, content)
    if not isinstance(value, dict):
        raise BundleError(f"{name} in the bundle is not an object", code="bundle_manifest_invalid")
    return value


def _claims(files: Files, keys: list[Key]) -> dict[str, Any]:
    # Not at the top: whoever does not verify needs no cryptography.
    import jwt
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from jwt.algorithms import OKPAlgorithm

    tokens = read_json(files, SIGNATURES).get("signatures")
    if not isinstance(tokens, list) or len(tokens) != 1 or not isinstance(tokens[0], str):
        raise _invalid("there must be exactly one signature")
    try:
        header = jwt.get_unverified_header(tokens[0])
        kid = header.get("kid")
        key = next((key for key in keys if kid is not None and key.get("kid") == kid), None)
        # No extension is understood here (RFC 7515, section 4.1.11).
        if key is None or "crit" in header:
            raise _invalid(f"the signing key {kid!r} is not trusted")
        public = OKPAlgorithm.from_jwk({name: key[name] for name in ("kty", "crv", "x")})
        if not isinstance(public, Ed25519PublicKey):
            raise _invalid(f"the signing key {kid!r} is not public")
        payload = jwt.PyJWS().decode(tokens[0], public, algorithms=["EdDSA"])
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as cause:
        raise _invalid("the signature does not verify") from cause
    claims = _parse(SIGNATURES, payload)
    if not isinstance(claims, dict):
        raise _invalid("the signature has no claims")
    return claims


def _hashes(claims: dict[str, Any]) -> dict[str, bytes]:
    signed: dict[str, bytes] = {}
    found = claims.get("files")
    for file in found if isinstance(found, list) else []:
        name, digest = (file.get("name"), file.get("hash")) if isinstance(file, dict) else (0, 0)
        is_known = isinstance(file, dict) and file.get("algorithm") == "SHA-256"
        is_whole = isinstance(name, str) and isinstance(digest, str)
        if not is_known or not is_whole or not _SHA256_HEX.fullmatch(str(digest)):
            raise _invalid("a signed file has no name, or no SHA-256 hash")
        signed[str(name)] = bytes.fromhex(str(digest))
    return signed


def _is_hash_of(expected: bytes, name: str, content: bytes) -> bool:
    if hmac.compare_digest(expected, hashlib.sha256(content).digest()):
        return True
    if name.rsplit("/", 1)[-1] not in ("data.json", MANIFEST):
        return False
    # OPA hashes these two by their value, so that white space and the order of keys do not matter.
    value = _parse(name, content, number=_NumberText)
    return hmac.compare_digest(expected, hashlib.sha256(_encode(value).encode()).digest())


class _NumberText(str):
    """A number with the text it has in the file: OPA hashes that text, not the value."""


def _parse(name: str, content: bytes, number: type[_NumberText] | None = None) -> Any:
    try:
        return json.loads(
            content.decode(), parse_int=number, parse_float=number, parse_constant=_refuse
        )
    except (ValueError, RecursionError) as cause:
        raise BundleError(
            f"{name} in the bundle is not whole JSON", code="bundle_truncated"
        ) from cause


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _encode(value: Any) -> str:
    """As v1/bundle/hash.go of OPA writes a value: keys in the order of their UTF-8, no white
    space."""
    if isinstance(value, _NumberText):
        return str.__str__(value)
    if isinstance(value, list):
        return f"[{','.join(map(_encode, value))}]"
    if isinstance(value, dict):
        members = (f"{_encode(name)}:{_encode(value[name])}" for name in sorted(value))
        return f"{{{','.join(members)}}}"
    if isinstance(value, str):
        # Go reads half of a surrogate pair as the replacement character.
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = json.dumps(whole, ensure_ascii=False)
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return json.dumps(value)


def _invalid(message: str) -> BundleError:
    return BundleError(message, code="bundle_signature_invalid")
