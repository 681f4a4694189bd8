"""Times decisions of the Python SDK for bench/python.ts: one line asks for one batch, one line answers
with the microseconds a call took."""

import base64
import json
import sys
import time

from platform_sdk import Decider

folder, keys, modules = sys.argv[1:]
decider = Decider(folder, keys, modules=modules)
requests = [json.loads(line) for line in iter(sys.stdin.readline, "\n")]
for request in requests:
    for name in ("input", "schema"):
        request[name] = base64.b64decode(request[name]) if name in request else None
    request["salt"] = bytes.fromhex(request["salt"])


def whole(request):
    """One decision: checked, committed, evaluated, named."""
    return decider.decide(
        request["boundary"],
        request["module"],
        request["input"],
        salt=request["salt"],
        schema=request["schema"],
    )


def bare(request):
    """What runs in WebAssembly of it: canonical JSON, and the module's answer."""
    canonical = decider._modules.record.canonicalize(request["input"])
    return decider._fixed.executor.execute(
        request["boundary"], request["module"], canonical, request["schema"]
    )


kinds = {"whole": whole, "bare": bare}
print(json.dumps([{"id": one.id, "allow": one.allow} for one in map(whole, requests)]), flush=True)
for line in sys.stdin:
    order = json.loads(line)
    call, first, batch = kinds[order["kind"]], order["first"], order["batch"]
    started = time.perf_counter_ns()
    for at in range(first, first + batch):
        call(requests[at % len(requests)])
    print((time.perf_counter_ns() - started) / batch / 1000, flush=True)
