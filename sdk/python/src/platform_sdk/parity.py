"""`python -m platform_sdk.parity --bundles DIR --modules DIR`: decision requests in, decisions out, one
JSON a line."""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Sequence

from .decisions import Decider


def main(argv: Sequence[str] | None = None) -> None:
    """Reads requests, one a line, and writes `{id, allow, rule, reason}` for each, in order.

    A request has `boundary`, `module`, `input` (base64) and `salt` (hex), and may have `schema`
    (base64).
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
    for line in sys.stdin.buffer:
        if line.strip():
            sys.stdout.write(_answer(decider, json.loads(line)) + "\n")
            # Whoever asks one at a time waits for each.
            sys.stdout.flush()


def _answer(decider: Decider, request: dict[str, str]) -> str:
    schema = request.get("schema")
    decision = decider.decide(
        request["boundary"],
        request["module"],
        base64.b64decode(request["input"]),
        salt=bytes.fromhex(request["salt"]),
        schema=None if schema is None else base64.b64decode(schema),
    )
    reason = {"code": decision.reason.code, "message": decision.reason.message}
    answer = {
        "id": decision.id,
        "allow": decision.allow,
        "rule": decision.rule,
        "reason": reason,
    }
    return json.dumps(answer, ensure_ascii=False)


if __name__ == "__main__":
    main()
