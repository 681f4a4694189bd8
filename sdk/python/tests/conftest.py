"""A real HTTP server on a Unix socket, in place of the agent's proxy, and signed bundles."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer

import pytest
from hypothesis import HealthCheck, settings

# How fast the machine is says nothing of the package.
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("tests", database=None, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("tests")

TOOL = {
    "name": "mail_send",
    "description": "Sends a mail",
    "service": "mail",
    "action": "write",
    "source": "openapi",
    "tool_type": "function",
    "tags": ["mail"],
    "parameters": [{"name": "to", "type": "string", "required": True, "description": "whom"}],
    "schema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
}


class Handler(BaseHTTPRequestHandler):
    """Answers as the gateway's wire says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def address_string(self):
        return "unix"

    def _answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.server.seen.append(self.path)
        if self.path.startswith("/api/v1/tools/search"):
            self._answer(200, {"results": [{"tool": TOOL, "score": 0.5}]})
        elif self.path == "/api/v1/tools/mail_send":
            self._answer(200, TOOL)
        elif self.path.startswith("/api/v1/tools?") or self.path == "/api/v1/tools":
            self._answer(200, {"tools": [TOOL]})
        else:
            self._answer(404, {"code": "tool_unknown", "detail": "no such tool"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, body, dict(self.headers)))
        if self.path == "/api/v1/tools/register":
            return self._answer(201, {"tools": ["x_a"], "rejected": []})
        to = body["arguments"].get("to")
        if to == "nobody":
            problem = {"code": "denied", "detail": "no rule allows this", "decision_id": "ab" * 32}
            return self._answer(403, problem)
        if to == 7:
            return self._answer(
                422,
                {"code": "arguments_invalid", "detail": "no", "violations": [{"pointer": "/to"}]},
            )
        if to == "boss" and "x-platform-approval" not in self.headers:
            return self._answer(
                202,
                {"approval": {"id": "a1", "question": "?", "expires_at": "x"}, "request_id": "r"},
            )
        return self._answer(
            200,
            {
                "success": True,
                "result": {"to": to},
                "error": None,
                "request_id": "r",
                "decisions": {},
            },
        )


class Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True


@pytest.fixture
def proxy(tmp_path, monkeypatch):
    path = Path(tmp_path) / "s"
    server = Server(str(path), Handler)
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PLATFORM_GATEWAY_URL", f"unix:{path}")
    yield server
    server.shutdown()
    server.server_close()


class Pairs:
    """Two pairs of signed bundles with the same policies and other data, and the key that signed
    them; python.test.ts makes them."""

    def __init__(self, folder):
        self.one, self.two = folder / "one", folder / "two"
        self.keys = folder / "bundle.jwk.pub"
        self.key = json.loads((folder / "bundle.jwk").read_text())


@pytest.fixture(scope="session")
def pairs():
    if "TEST_BUNDLES" not in os.environ:
        pytest.skip("python.test.ts makes the bundles")
    return Pairs(Path(os.environ["TEST_BUNDLES"]))
