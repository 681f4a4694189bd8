"""Holds one suite's world: serves its tools, and the scripted model that the agent asks what to do.

Commands come as lines of JSON on standard input, events leave as lines of JSON on standard output.
"""

import json
import queue
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agentdojo.functions_runtime import FunctionCall
from play import Play
from pydantic_core import to_jsonable_python
from world import SUITES, TEXT_ONLY, World

# A tool that changes nothing but what it is asked to find is a read; get_webpage leaves a request
# behind.
_READ = re.compile(r"(get|search|read|list|check)_")


class Stage:
    """The play in progress and what the agent is waiting for."""

    def __init__(self, world):
        self.world = world
        self.play = None
        self.pending = None
        self.plays = queue.Queue()
        self.verdicts = queue.Queue()
        self.requests = []
        self.asked = []
        self.told = threading.Event()

    def step(self, event):
        """Takes what the agent got and returns what it is to do: call a tool, call it again with an
        approval, or stop."""
        kind = event["kind"]
        if kind == "parked":
            who, call = self.pending
            self.requests.append([who, event["request_id"]])
            self.asked.append(who)
            emit({"event": "parked", "approval": event["approval"], "who": who})
            if self.verdicts.get() == "allow":
                return {"call": _step(self.world, call), "approval": event["approval"]}
            self.play.saw(who, call, False, None)
        elif kind == "result":
            who, call = self.pending
            self.requests.append([who, event["request_id"]])
            self.play.saw(who, call, event["success"], event["result"])
        return self._next()

    def _next(self):
        while True:
            if self.play is not None:
                step = self.play.next()
                if step is not None:
                    self.pending = step
                    return {"call": _step(self.world, step[1])}
                report = self.play.report()
                self.play = None
                emit({"event": "done", "asked": self.asked, "requests": self.requests, **report})
            self.play = self.plays.get()
            self.requests, self.asked = [], []
            if self.play is None:
                return {"stop": True}


def _step(world, call: FunctionCall):
    return {
        "tool": f"{world.name}_{call.function}",
        "arguments": to_jsonable_python(dict(call.args)),
    }


def handler(routes, stopped):
    """An HTTP handler for POSTs of JSON: (path) -> function of the body to (status, JSON)."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, *_):
            pass

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            status, answer = routes(self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
            if isinstance(answer, dict) and "stop" in answer:
                stopped.set()

    return Handler


def serve(routes, stopped):
    """Serves on a free port of loopback; returns the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(routes, stopped))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def emit(event):
    """Writes one event."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def tools_of(world):
    """The suite's tools as the gateway registers them, with the JSON Schemas that AgentDojo gives
    to models."""
    described = []
    for tool in world.suite.tools:
        described.append(
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters.model_json_schema(),
                "action": "read" if _READ.match(tool.name) else "write",
                "http": {"method": "POST", "path": f"/tools/{tool.name}"},
            }
        )
    return described


def main():
    """Serves the suite named by the first argument until standard input ends."""
    world = World(sys.argv[1])
    stage = Stage(world)

    def tools(path, body):
        name = path.removeprefix("/tools/")
        if stage.play is None or name not in world.runtime.functions:
            return 404, {"message": "no such tool"}
        result, error = stage.play.run(name, body)
        return (200, result) if error is None else (422, {"message": error})

    ports = {
        "tools": serve(tools, stage.told),
        "model": serve(lambda _path, body: (200, stage.step(body)), stage.told),
    }
    attacks = [a for a in world.suite.injection_tasks if (world.name, a) != TEXT_ONLY]
    tasks = {task.ID: task.PROMPT for task in world.suite.user_tasks.values()}
    emit(
        {
            "event": "ready",
            "ports": ports,
            "tools": tools_of(world),
            "tasks": tasks,
            "attacks": attacks,
        }
    )
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "verdict":
            stage.verdicts.put(command["verdict"])
        elif command["do"] == "play":
            attack = command.get("attack")
            user_task = world.suite.get_user_task_by_id(command["task"])
            injection = world.suite.get_injection_task_by_id(attack) if attack else None
            stage.plays.put(Play(world, user_task, injection, command["timing"]))
        else:
            break
    stage.plays.put(None)
    # The agent is to hear that it may stop before the process, and with it the server, is gone.
    stage.told.wait(10)


if __name__ == "__main__":
    assert sys.argv[1] in SUITES
    main()
