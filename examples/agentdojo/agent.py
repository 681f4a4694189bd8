"""An agent as an attacker would like it: it does whatever its model says next, and its model is a
script."""

import http.client
import json
import sys

from platform_sdk import platform_agent
from platform_sdk.gateway import GatewayClient


@platform_agent(
    name="agentdojo", tenant="agentdojo", resources=["workspace", "travel", "banking", "slack"]
)
def run(model_port):
    """Calls what the model says through the gateway and tells it what came back, until it says
    stop."""
    gateway = GatewayClient()
    model = http.client.HTTPConnection("127.0.0.1", model_port)
    event = {"kind": "ready"}
    while True:
        model.request("POST", "/next", json.dumps(event), {"content-type": "application/json"})
        step = json.loads(model.getresponse().read())
        if "stop" in step:
            return
        call = step["call"]
        result = gateway.call_tool(
            call["tool"], call["arguments"], wait=0, approval=step.get("approval")
        )
        if result.approval is not None:
            event = {
                "kind": "parked",
                "approval": result.approval["id"],
                "request_id": result.request_id,
            }
        else:
            value = result.result if result.success else result.error
            event = {
                "kind": "result",
                "success": result.success,
                "result": value,
                "request_id": result.request_id,
            }


if __name__ == "__main__":
    run(int(sys.argv[1]))
