"""The agent decorator, and that nothing loads before it is used."""

import asyncio
import json
import subprocess
import sys

import pytest

from platform_sdk import ConfigurationError, current_agent, platform_agent


def test_an_agent_knows_who_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PLATFORM_CONTEXT_DIR", str(tmp_path))
    monkeypatch.setenv("PLATFORM_TENANT", "acme")

    @platform_agent(name="my-bot", tenant="other", resources=["mail:read"])
    def run(value):
        return value, current_agent()

    value, context = run(3)
    assert value == 3 and context.tenant == "acme" and context.resources == ("mail:read",)
    marker = json.loads((tmp_path / "my-bot-main.json").read_text())
    assert marker["agent_name"] == "my-bot" and marker["container_pid"] > 0


def test_async_functions_and_classes():
    @platform_agent(name="a", tenant="t")
    async def run():
        return current_agent().agent_name

    @platform_agent(name="b", tenant="t")
    class Crew:
        def run(self):
            return current_agent().agent_name

    assert asyncio.run(run()) == "a"
    assert Crew().run() == "b"


@pytest.mark.parametrize("name", ["My_Bot", "", "a--b", "a/b", "-a", "a\n"])
def test_names_that_cannot_be(name):
    with pytest.raises(ConfigurationError):
        platform_agent(name=name, tenant="t")


def test_only_the_core_loads_at_import():
    code = "import sys, platform_sdk; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "wasmtime" not in loaded
    own = {name for name in loaded if name.startswith("platform_sdk.")}
    assert own == {"platform_sdk.agent", "platform_sdk.errors"}
