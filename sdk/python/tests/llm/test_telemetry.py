"""The span and the metrics of a call: what stands in them, and that every span ends."""

import asyncio
import gc
import json
import subprocess
import sys

import pytest

from platform_sdk import ConfigurationError, platform_agent, platform_llm
from platform_sdk.llm.usage import Usage

from .drivers import DRIVERS, Anthropic, Google, Mistral, OpenAIChat, name

every = pytest.mark.parametrize("driver", DRIVERS, ids=name)
PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "gcp.gemini",
    "mistral": "mistral_ai",
}


def labels(**given):
    return frozenset(given.items())


@every
@pytest.mark.parametrize("how", ["whole", "stream", "async", "async stream"])
def test_what_a_span_says(server, telemetry, driver, how, monkeypatch):
    monkeypatch.setenv("PLATFORM_TRUST_DOMAIN", "platform.local")
    server.reply("gpt-4o-mini", text="It rains.", usage={"input": 1000, "output": 500})

    @platform_agent(name="weather", tenant="acme")
    def run():
        if how == "whole":
            driver.ask(platform_llm(driver.client(server.url)), "gpt-4o-mini", "hi")
        elif how == "stream":
            driver.read(platform_llm(driver.client(server.url)), "gpt-4o-mini")
        elif how == "async":
            client = platform_llm(driver.async_client(server.url))
            asyncio.run(driver.ask_async(client, "gpt-4o-mini", "hi"))
        else:
            driver.read_async(platform_llm(driver.async_client(server.url)), "gpt-4o-mini")

    run()
    span = telemetry.span()
    found = dict(span.attributes)
    assert found.pop("duration_ms") > 0
    assert found.pop("gen_ai.response.id")
    assert found.pop("gen_ai.response.finish_reasons")[0].lower() in (
        "stop",
        "end_turn",
        "completed",
    )
    assert found == {
        "gen_ai.system": driver.system,
        "gen_ai.provider.name": PROVIDERS[driver.system],
        "gen_ai.operation.name": "generate_content" if driver.system == "google" else "chat",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.model": "gpt-4o-mini",
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 500,
        "gen_ai.usage.total_tokens": 1500,
        "platform.llm.cost_usd": pytest.approx(0.00045),
        "agent_name": "weather",
        "tenant": "acme",
        "role": "main",
        "spiffe_id": "spiffe://platform.local/agent/acme/weather/main",
    }
    assert span.status.status_code.name == "UNSET" and span.kind.name == "CLIENT"
    known = {"model": "gpt-4o-mini", "provider": driver.system}
    assert telemetry.metrics("platform.llm.calls") == {labels(**known): 1}
    assert telemetry.metrics("platform.llm.call.duration") == {labels(**known): 1}
    agent = labels(**known, agent="weather")
    assert telemetry.metrics("platform.llm.input_tokens") == {agent: 1000}
    assert telemetry.metrics("platform.llm.output_tokens") == {agent: 500}
    assert telemetry.metrics("platform.llm.call_errors") == {}


@every
def test_errors(server, telemetry, driver):
    server.reply("broken", status=400)
    client = platform_llm(driver.client(server.url))
    with pytest.raises(Exception) as caught:
        driver.ask(client, "broken", "hi")
    kind = type(caught.value).__name__
    assert telemetry.span().status.description == kind
    assert telemetry.span().attributes["error.type"] == kind
    known = labels(model="broken", provider=driver.system, error_type=kind)
    assert telemetry.metrics("platform.llm.call_errors") == {known: 1}
    assert sum(telemetry.metrics("platform.llm.calls").values()) == 1


@every
def test_the_span_of_a_stream_that_nobody_finishes(server, telemetry, driver):
    server.reply("long", text="It rains in Berne. " * 20, delay_ms=1)
    client = platform_llm(driver.client(server.url))
    for chunk in driver.stream(client, "long", "hi"):
        assert chunk
        break
    gc.collect()
    assert len(telemetry.spans()) == 1
    stream = driver.stream(client, "long", "hi")
    next(iter(stream))
    assert len(telemetry.spans()) == 1
    stream.close()
    del stream
    gc.collect()
    assert len(telemetry.spans()) == 2


def test_leaving_the_context_of_a_stream(server, telemetry):
    client = platform_llm(OpenAIChat().client(server.url))
    with client.chat.completions.stream(model="m", messages=[]) as stream:
        next(iter(stream))
    assert len(telemetry.spans()) == 1
    other = platform_llm(Anthropic().client(server.url))
    with other.messages.stream(model="m", max_tokens=9, messages=[]) as stream:
        next(iter(stream))
    assert len(telemetry.spans()) == 2
    third = platform_llm(Mistral().client(server.url))
    with Mistral().stream(third, "m", "hi") as stream:
        next(stream)
    assert len(telemetry.spans()) == 3

    async def use():
        fourth = platform_llm(Anthropic().async_client(server.url))
        async with fourth.messages.stream(model="m", max_tokens=9, messages=[]) as stream:
            async for _ in stream:
                break

    asyncio.run(use())
    assert len(telemetry.spans()) == 4


@every
def test_a_consumer_that_fails(server, telemetry, driver):
    client = platform_llm(driver.client(server.url))
    with pytest.raises(ZeroDivisionError):
        for _ in driver.stream(client, "m", "hi"):
            1 / 0  # noqa: B018
    gc.collect()
    assert len(telemetry.spans()) == 1


@every
def test_content_is_recorded_only_when_asked_for(server, telemetry, driver):
    server.reply("m", text="It rains.")
    plain = platform_llm(driver.client(server.url))
    driver.ask(plain, "m", "the weather?")
    driver.read(plain, "m", "the weather?")
    assert "weather" not in repr([dict(span.attributes) for span in telemetry.spans()])
    telemetry.clear()
    client = platform_llm(driver.client(server.url), capture_content=True)
    driver.ask(client, "m", "the weather?")
    driver.read(client, "m", "the weather?")
    for span in telemetry.spans():
        (said,) = json.loads(span.attributes["gen_ai.input.messages"])
        assert said == {
            "role": "user",
            "parts": [{"type": "text", "content": "the weather?"}],
        }
        (answered,) = json.loads(span.attributes["gen_ai.output.messages"])
        assert answered["parts"][0]["content"] == "It rains."
    assert len(telemetry.spans()) == 2


def test_what_was_blocked_is_not_recorded(server, telemetry, guard):
    address = "ann.smith@" + "example.com"
    server.reply("leak", text=f"It is {address}.")
    client = platform_llm(OpenAIChat().client(server.url), True)
    for model, prompt in (("m", address), ("leak", "hi")):
        with pytest.raises(Exception, match="blocked"):
            OpenAIChat().ask(client, model, prompt)
    assert OpenAIChat().read(client, "leak")[1] is not None
    assert "ann.smith" not in repr([span.to_json() for span in telemetry.spans()])


def test_usage_of_a_stream_is_asked_for_and_kept_from_the_caller(server, telemetry):
    client = platform_llm(OpenAIChat().client(server.url))
    chunks = list(OpenAIChat().stream(client, "m", "hi"))
    assert all(chunk.choices for chunk in chunks)
    assert server.requests()[-1]["body"]["stream_options"] == {"include_usage": True}
    assert telemetry.span().attributes["gen_ai.usage.input_tokens"] == 11
    given = {"stream_options": {"include_usage": True}}
    chunks = list(OpenAIChat().stream(client, "m", "hi", **given))
    assert chunks[-1].usage.total_tokens == 18 and chunks[-1].choices == []
    given = {"stream_options": {"include_usage": False}}
    chunks = list(OpenAIChat().stream(client, "m", "hi", **given))
    assert server.requests()[-1]["body"]["stream_options"] == {"include_usage": False}


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("gpt-4o", Usage(1_000_000, 1_000_000), 12.5),
        ("gpt-4o-2024-08-06", Usage(1_000_000, 0), 2.5),
        ("gpt-4o-2024-05-13", Usage(1_000_000, 0), 5),
        ("gpt-4o", Usage(1_000_000, 0, cached=400_000), 2.0),
        ("claude-sonnet-4-20250514", Usage(1_000_000, 0, cache_write=1_000_000), 3.75),
        ("models/gemini-2.5-pro", Usage(200_000, 0), 0.25),
        ("gemini-2.5-pro", Usage(400_000, 0), 1.0),
        ("mistral-small-latest", Usage(0, 1_000_000), 0.6),
        ("of my own", Usage(5, 5), None),
        ("", Usage(5, 5), None),
    ],
)
def test_costs(model, usage, dollars):
    cost = usage.cost(model)
    assert cost is None if dollars is None else cost == pytest.approx(dollars)


def test_prices_of_ones_own(server, telemetry, monkeypatch, tmp_path):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"tokens": 1, "models": {"m": {"input": 2, "output": 3}}}))
    monkeypatch.setenv("PLATFORM_LLM_PRICES", str(path))
    client = platform_llm(OpenAIChat().client(server.url))
    OpenAIChat().ask(client, "m", "hi")
    assert telemetry.span().attributes["platform.llm.cost_usd"] == 11 * 2 + 7 * 3
    path = tmp_path / "broken.json"
    path.write_text('{"models": {"m": {}}}')
    monkeypatch.setenv("PLATFORM_LLM_PRICES", str(path))
    with pytest.raises(ConfigurationError):
        OpenAIChat().ask(platform_llm(OpenAIChat().client(server.url)), "m", "hi")


def test_cached_tokens(server, telemetry):
    for driver in (OpenAIChat(), Anthropic(), Google()):
        server.reply("m", usage={"input": 100, "output": 5, "cached": 60})
        driver.ask(platform_llm(driver.client(server.url)), "m", "hi")
        driver.read(platform_llm(driver.client(server.url)), "m")
    found = [span.attributes["gen_ai.usage.input_tokens"] for span in telemetry.spans()]
    assert found == [100] * 6


def test_without_opentelemetry(server):
    program = f"""
import sys
sys.modules["opentelemetry"] = None
sys.path[:0] = {sys.path!r}
import openai
from platform_sdk import platform_llm
client = platform_llm(openai.OpenAI(base_url="{server.url}/openai/v1", api_key="none"))
chunks = client.chat.completions.create(model="m", messages=[], stream=True)
print("".join(chunk.choices[0].delta.content or "" for chunk in chunks))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.strip() == "Hello from m.", run.stderr
    assert "stream_options" not in server.requests()[-1]["body"]
