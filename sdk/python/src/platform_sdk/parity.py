"""`python -m platform_sdk.parity --bundles DIR --modules DIR`: decision requests in, decisions out, one
JSON a line."""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from .decisions import Decider
from .errors import InputError

_SALT = re.compile("[0-9A-Fa-f]{64}")


def main(argv: Sequence[str] | None = None) -> None:
    """Reads requests, one a line, and writes `{id, allow, rule, reason}` for each, in order.

    A request has `boundary`, `module`, `input` (base64) and `salt` (64 hex digits), and may have
    `schema` (base64). Ends with 1 at a line that is none, as `platform decide` does.
    """
    parser = argparse.ArgumentParser(prog="platform_sdk.parity")
    parser.add_argument("--bundles", help="folder with policy and data, each a folder or .tar.gz")
    parser.add_argument(
        "--modules", help="folder with the Wasm modules; the package's own by default"
    )
    parser.add_argument(
        "--keys", help="JWK or JWK set that verifies the bundles; without it they are not verified"
    )
    options = parser.parse_args(argv)
    decider = Decider(
        options.bundles, options.keys, modules=options.modules, verify=options.keys is not None
    )
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            answer = _answer(decider, json.loads(line))
        except (ValueError, RecursionError, InputError) as error:
            sys.exit(f"line {number}: {error}")
        sys.stdout.write(answer + "\n")
        # Whoever asks one at a time waits for each.
        sys.stdout.flush()


def _answer(decider: Decider, request: Any) -> str:
    if not isinstance(request, dict):
        raise InputError("not a JSON object")
    salt, schema = request.get("salt"), request.get("schema")
    if not isinstance(salt, str) or _SALT.fullmatch(salt) is None:
        raise InputError("salt is 64 hex digits")
    decision = decider.decide(
        request.get("boundary", ""),
        request.get("module", ""),
        _bytes_of("input", request.get("input")),
        salt=bytes.fromhex(salt),
        schema=_bytes_of("schema", schema) if isinstance(schema, str) else None,
    )
    reason = {"code": decision.reason.code, "message": decision.reason.message}
    answer = {
        "id": decision.id,
        "allow": decision.allow,
        "rule": decision.rule,
        "reason": reason,
    }
    return json.dumps(answer, ensure_ascii=False)


def _bytes_of(name: str, text: object) -> bytes:
    """Base64 (RFC 4648, section 4); only the one text that stands for its bytes."""
    if isinstance(text, str) and text.isascii():
        data = base64.b64decode(text)
        if base64.b64encode(data) == text.encode():
            return data
    raise InputError(f"{name} is base64 text")


if __name__ == "__main__":
    main()
