"""The providers' real packages against a local server that speaks their wires."""

import importlib.util
import json
import os
import subprocess
import urllib.request
from pathlib import Path

import pytest

if importlib.util.find_spec("openai") is None:
    # requirements.txt is not installed: python.test.ts runs what needs no package,
    # llm.test.ts all of this.
    collect_ignore_glob = ["test_*.py"]

SERVER = Path(__file__).resolve().parents[3] / "testing" / "llm-server.ts"


class Server:
    """A client of the server's own paths."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def reply(self, model, **reply):
        """What a model says from now on."""
        self._ask("PUT", f"/replies/{model}", reply)

    def requests(self):
        """What was sent to models since the test began."""
        return self._ask("GET", "/requests")

    def forget(self):
        self._ask("DELETE", "/requests")

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)


@pytest.fixture(scope="session")
def _server():
    node = os.environ.get("PLATFORM_NODE", "node")
    command = [node, str(SERVER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Server(json.loads(process.stdout.readline())["port"])
        process.stdin.close()


@pytest.fixture
def server(_server):
    _server.forget()
    return _server


class Telemetry:
    """What was recorded since the test began."""

    def __init__(self):
        from opentelemetry import metrics, trace
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._spans = InMemorySpanExporter()
        tracing = TracerProvider()
        tracing.add_span_processor(SimpleSpanProcessor(self._spans))
        trace.set_tracer_provider(tracing)
        self._reader = InMemoryMetricReader()
        metrics.set_meter_provider(MeterProvider(metric_readers=[self._reader]))
        self._before = {}

    def spans(self, name="platform.llm.chat"):
        return [span for span in self._spans.get_finished_spans() if span.name == name]

    def span(self):
        (only,) = self.spans()
        return only

    def clear(self):
        self._spans.clear()
        self._before = self._totals()

    def metrics(self, name):
        """By labels: how much was added, or for histograms how often something was recorded."""
        now = self._totals()
        changed = {k: now[k] - self._before.get(k, 0) for k in now if k[0] == name}
        return {k[1]: value for k, value in changed.items() if value}

    def _totals(self):
        data = self._reader.get_metrics_data()
        found = {}
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    for point in metric.data.data_points:
                        value = getattr(point, "value", None)
                        labels = frozenset(point.attributes.items())
                        found[metric.name, labels] = point.count if value is None else value
        return found


@pytest.fixture(scope="session")
def _telemetry():
    return Telemetry()


@pytest.fixture
def telemetry(_telemetry):
    _telemetry.clear()
    return _telemetry


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("PLATFORM_")]:
        if name not in ("PLATFORM_NODE", "PLATFORM_MODULES_DIR"):
            monkeypatch.delenv(name)
    for name in ("BLOCK_ON_DETECTION", "PII_DETECTION_THRESHOLD"):
        monkeypatch.delenv(name, raising=False)
    # The agent that an earlier test declared.
    monkeypatch.setattr("platform_sdk.agent._declared", None)


@pytest.fixture
def guard(monkeypatch):
    """The guard is on."""
    monkeypatch.setenv("PLATFORM_LLM_GUARD_ENABLED", "true")
