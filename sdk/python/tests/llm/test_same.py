"""A wrapped client behaves as the one it was made from."""

import asyncio
import gc

import anthropic
import openai
import pytest

from platform_sdk import ConfigurationError, platform_llm

from .drivers import DRIVERS, Anthropic, Google, Mistral, OpenAIChat, name

TOOLS = [{"name": "lookup", "arguments": {"word": "x"}}]
every = pytest.mark.parametrize("driver", DRIVERS, ids=name)
guarded = pytest.mark.parametrize("is_guarded", [False, True], ids=["plain", "guarded"])


@pytest.fixture(autouse=True)
def _on(request, monkeypatch):
    if request.node.callspec.params.get("is_guarded") if hasattr(request.node, "callspec") else 0:
        monkeypatch.setenv("PLATFORM_LLM_GUARD_ENABLED", "true")


def shape(value):
    """Everything that a response holds but for its number and what is of the connection."""
    skipped = {"id", "item_id", "response_id", "sdk_http_response", "created_at"}
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items() if k not in skipped and v is not None}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return value


def dumped(value):
    return type(value).__name__, shape(value.model_dump(warnings=False))


@every
@guarded
def test_the_same_response(server, driver, is_guarded):
    server.reply("m", text="It rains in Berne.", tools=TOOLS)
    original = driver.client(server.url)
    wrapped = platform_llm(original)
    assert isinstance(wrapped, type(original)) and type(wrapped).__name__ == type(original).__name__
    expected = driver.ask(original, "m", "hi")
    found = driver.ask(wrapped, "m", "hi")
    assert dumped(found) == dumped(expected) and type(found) is type(expected)
    assert driver.text(found) == "It rains in Berne."
    async_wrapped = platform_llm(driver.async_client(server.url))
    assert dumped(asyncio.run(driver.ask_async(async_wrapped, "m", "hi"))) == dumped(expected)


@every
@guarded
def test_the_same_stream(server, driver, is_guarded):
    server.reply("m", text="It rains in Berne, as it often does.", tools=TOOLS, reasoning="hm")
    original = driver.client(server.url)
    wrapped = platform_llm(original)
    expected = list(driver.stream(original, "m", "hi"))
    stream = driver.stream(wrapped, "m", "hi")
    assert type(stream) is type(driver.stream(original, "m", "hi"))
    found = list(stream)
    assert {type(chunk) for chunk in found} == {type(chunk) for chunk in expected}
    if not is_guarded:
        # `usage` is absent or null where nobody asked for it.
        assert [dumped(chunk) for chunk in found] == [dumped(chunk) for chunk in expected]
    assert "".join(driver.chunk(c) or "" for c in found) == "It rains in Berne, as it often does."
    assert dumped(found[-1]) == dumped(expected[-1])
    text, error = driver.read_async(platform_llm(driver.async_client(server.url)), "m")
    assert (text, error) == ("It rains in Berne, as it often does.", None)


@every
@guarded
@pytest.mark.parametrize("status", [400, 429, 500])
def test_the_same_errors(server, driver, is_guarded, status):
    server.reply("broken", status=status)
    original = driver.client(server.url)
    for ask in (driver.ask, lambda *args: list(driver.stream(*args))):
        with pytest.raises(Exception) as expected:
            ask(original, "broken", "hi")
        with pytest.raises(type(expected.value)) as found:
            ask(platform_llm(original), "broken", "hi")
        assert str(found.value) == str(expected.value)


@every
@guarded
def test_the_same_error_amid_a_stream(server, driver, is_guarded):
    server.reply("broken", text="It rains in Berne.", fail_after={"events": 5, "how": "event"})
    original = driver.client(server.url)
    expected, wrong = driver.read(original, "broken")
    found, error = driver.read(platform_llm(original), "broken")
    assert type(error) is type(wrong)
    assert expected.startswith(found)


@pytest.mark.parametrize("driver", [OpenAIChat(), Anthropic()], ids=name)
def test_a_stream_that_is_cut(server, driver):
    server.reply("cut", text="It rains in Berne.", fail_after={"events": 5, "how": "cut"})
    original = driver.client(server.url)
    _, wrong = driver.read(original, "cut")
    _, error = driver.read(platform_llm(original), "cut")
    assert wrong is not None and type(error) is type(wrong)


def test_embeddings_pass_untouched(server, telemetry, guard):
    client = platform_llm(OpenAIChat().client(server.url))
    assert client.embeddings.create(model="e", input="ann@example.com").data[0].embedding
    assert telemetry.spans() == []


def test_the_client_given_stays_as_it_was(server, telemetry):
    for driver in DRIVERS:
        original = driver.client(server.url)
        platform_llm(original)
        driver.ask(original, "m", "hi")
    assert telemetry.spans() == []


@every
def test_the_client_given_may_go(server, driver):
    wrapped = platform_llm(driver.make(server.url))
    gc.collect()
    assert driver.text(driver.ask(wrapped, "m", "hi")) == "Hello from m."
    original = driver.make(server.url)
    platform_llm(original)
    gc.collect()
    assert driver.text(driver.ask(original, "m", "hi")) == "Hello from m."


def test_clients_made_from_it_are_wrapped(server, telemetry):
    client = platform_llm(OpenAIChat().client(server.url))
    for made in (client.with_options(timeout=9), client.copy().with_options(max_retries=1)):
        made.chat.completions.create(model="m", messages=[])
    other = platform_llm(Anthropic().client(server.url)).with_options(timeout=9)
    other.messages.create(model="m", max_tokens=9, messages=[])
    assert len(telemetry.spans()) == 3


def test_it_is_a_context_manager(server):
    with platform_llm(OpenAIChat().make(server.url)) as client:
        assert client.chat.completions.create(model="m", messages=[]).choices
    with platform_llm(Mistral().make(server.url)) as client:
        assert Mistral().ask(client, "m", "hi").choices

    async def use():
        async with platform_llm(Anthropic().async_client(server.url)) as client:
            return await client.messages.create(model="m", max_tokens=9, messages=[])

    assert asyncio.run(use()).content


@guarded
def test_helpers_of_openai(server, telemetry, is_guarded):
    server.reply("m", text="It rains.", tools=TOOLS)
    client = platform_llm(OpenAIChat().client(server.url))
    with client.chat.completions.stream(model="m", messages=[]) as stream:
        assert stream.until_done() is stream
        assert stream.get_final_completion().choices[0].message.content == "It rains."
    with client.responses.stream(model="m", input="hi") as stream:
        assert stream.get_final_response().output_text == "It rains."
    assert client.chat.completions.parse(model="m", messages=[]).choices[0].message.content
    raw = client.chat.completions.with_raw_response.create(model="m", messages=[])
    assert raw.status_code == 200 and raw.parse().choices[0].message.content == "It rains."
    streaming = client.chat.completions.with_streaming_response
    with streaming.create(model="m", messages=[]) as response:
        assert b"It rains." in b"".join(response.iter_bytes())
    with streaming.create(model="m", messages=[], stream=True) as response:
        assert len(response.parse().__class__.__name__) and any(response.iter_lines())
    assert len(telemetry.spans()) == 6


@guarded
def test_helpers_of_anthropic(server, telemetry, is_guarded):
    server.reply("m", text="It rains.", tools=TOOLS, reasoning="let me see")
    client = platform_llm(Anthropic().client(server.url))
    given = {"model": "m", "max_tokens": 9, "messages": []}
    with client.messages.stream(**given) as stream:
        assert "".join(stream.text_stream) == "It rains."
        assert [block.type for block in stream.get_final_message().content] == [
            "thinking",
            "text",
            "tool_use",
        ]
    with client.messages.stream(**given) as stream:
        assert stream.get_final_text() == "It rains."
    with client.messages.stream(**given) as stream:
        stream.until_done()
        assert stream.current_message_snapshot.content[2].input == {"word": "x"}

    async def use():
        async with platform_llm(Anthropic().async_client(server.url)).messages.stream(
            **given
        ) as stream:
            return await stream.get_final_text()

    assert asyncio.run(use()) == "It rains."
    assert client.beta.messages.create(**given).content[1].text == "It rains."
    assert len(telemetry.spans()) == 5


@guarded
def test_helpers_of_google(server, telemetry, is_guarded):
    client = platform_llm(Google().client(server.url))
    chat = client.chats.create(model="m")
    assert chat.send_message("hi").text == "Hello from m."
    assert "".join(c.text for c in chat.send_message_stream("again")) == "Hello from m."
    assert [entry.role for entry in chat.get_history()][:3] == ["user", "model", "user"]
    assert len(telemetry.spans()) == 2


@guarded
def test_helpers_of_mistral(server, telemetry, is_guarded):
    client = platform_llm(Mistral().client(server.url))
    assert client.agents.complete(
        agent_id="m", messages=[{"role": "user", "content": "hi"}]
    ).choices
    assert client.fim.complete(model="m", prompt="def f(").choices
    with client.chat.stream(model="m", messages=[{"role": "user", "content": "hi"}]) as stream:
        assert sum(1 for _ in stream) > 2
    assert len(telemetry.spans()) == 3


def test_what_it_does_not_know():
    for stranger in (object(), openai, "client", anthropic.Stream, openai.Timeout(1)):
        with pytest.raises(ConfigurationError) as caught:
            platform_llm(stranger)
        assert caught.value.code == "llm_client_unknown"


@every
def test_what_is_wrapped_already(server, driver):
    client = platform_llm(driver.client(server.url))
    with pytest.raises(ConfigurationError) as caught:
        platform_llm(client)
    assert caught.value.code == "llm_client_wrapped"
