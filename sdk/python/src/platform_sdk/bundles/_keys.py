"""The public keys that may sign bundles: Ed25519, from files with a JWK (RFC 7517, RFC 8037)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import BundleError

#: A JWK as a mapping.
Key = Mapping[str, Any]
_FILE_BYTES_MAX = 1 << 20


def read_keys(path: str | os.PathLike[str]) -> list[Key]:
    """The Ed25519 keys of a file with one JWK or a JWK set.

    Raises BundleError `bundle_signature_invalid` when it holds none with a `kid`.
    """
    try:
        with Path(path).open("rb") as file:
            document = json.loads(file.read(_FILE_BYTES_MAX).decode())
    except (OSError, ValueError, RecursionError) as cause:
        raise BundleError(
            f"cannot read the key file {os.fspath(path)}", code="bundle_signature_invalid"
        ) from cause
    found = document.get("keys", [document]) if isinstance(document, dict) else []
    keys = [key for key in found if _is_bundle_key(key)] if isinstance(found, list) else []
    if not keys:
        raise BundleError(
            f"{os.fspath(path)} holds no Ed25519 key with a kid", code="bundle_signature_invalid"
        )
    return keys


def keys_of(keys: str | os.PathLike[str] | Iterable[Key]) -> list[Key]:
    """Keys as they are given: the path of a file, or JWKs."""
    if isinstance(keys, (str, os.PathLike)):
        return read_keys(keys)
    given = list(keys)
    if not given or not all(_is_bundle_key(key) for key in given):
        raise BundleError(
            "bundles are verified with Ed25519 keys that have a kid",
            code="bundle_signature_invalid",
        )
    return given


def _is_bundle_key(key: object) -> bool:
    return (
        isinstance(key, Mapping)
        and key.get("kty") == "OKP"
        and key.get("crv") == "Ed25519"
        and isinstance(key.get("kid"), str)
    )
