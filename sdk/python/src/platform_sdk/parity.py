"""`python -m platform_sdk.parity --bundles DIR --modules DIR`: decision requests in, decision ids
out, one JSON a line."""

import argparse
import base64
import json
import sys

from .decisions import Decider


def main(argv=None):
    """Reads requests, one a line, and writes `{id, allow}` for each, in order.

    A request has `boundary`, `module`, `input` (base64) and `salt` (hex), and may have `schema`
    (base64), `policyRevision` and `dataRevision`.
    """
    parser = argparse.ArgumentParser(prog="platform_sdk.parity")
    parser.add_argument("--bundles", help="folder with policy and data, each a folder or .tar.gz")
    parser.add_argument(
        "--modules", help="folder with the Wasm modules; the package's own by default"
    )
    options = parser.parse_args(argv)
    decider = Decider(bundles=options.bundles, modules=options.modules)
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        request = json.loads(line)
        schema = request.get("schema")
        decision = decider.decide(
            request["boundary"],
            request["module"],
            base64.b64decode(request["input"]),
            bytes.fromhex(request["salt"]),
            schema=None if schema is None else base64.b64decode(schema),
            policy_revision=request.get("policyRevision"),
            data_revision=request.get("dataRevision"),
        )
        sys.stdout.write(json.dumps({"id": decision["id"], "allow": decision["allow"]}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
