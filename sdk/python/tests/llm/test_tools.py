"""Tool calls are shown to policy before the agent sees them."""

import asyncio

import pytest

from platform_sdk import CredentialError, platform_llm

from .drivers import DRIVERS, Google, OpenAIChat, OpenAIResponses, name

TOOLS = [
    {"id": "c1", "name": "mail_read", "arguments": {"box": "in"}},
    {"id": "c2", "name": "mail_send", "arguments": {"to": "boss"}},
]
DECISION = "ab" * 32
every = pytest.mark.parametrize("driver", DRIVERS, ids=name)


class Policy:
    """Denies what it is told to, and remembers what it was shown."""

    def __init__(self, *denied):
        self.shown = []
        self._denied = denied

    def __call__(self, call):
        self.shown.append((call.name, call.arguments.replace(" ", ""), call.model))
        return {"allow": call.name not in self._denied, "id": DECISION}


@every
def test_what_policy_allows(server, driver):
    server.reply("m", text="ok", tools=TOOLS)
    policy = Policy()
    client = platform_llm(driver.client(server.url), on_tool_call=policy)
    expected = [("mail_read", '{"box":"in"}', "m"), ("mail_send", '{"to":"boss"}', "m")]
    assert driver.text(driver.ask(client, "m", "hi")) == "ok"
    assert policy.shown == expected
    policy.shown.clear()
    plain = driver.client(server.url)
    original = "".join(c.model_dump_json() for c in driver.stream(plain, "m", "hi"))
    found = "".join(c.model_dump_json() for c in driver.stream(client, "m", "hi"))
    assert found.count("mail_send") == original.count("mail_send")
    assert policy.shown == expected


@every
def test_what_policy_denies(server, telemetry, driver):
    server.reply("m", text="ok", tools=TOOLS)
    policy = Policy("mail_send")
    client = platform_llm(driver.client(server.url), on_tool_call=policy)
    with pytest.raises(CredentialError) as caught:
        driver.ask(client, "m", "hi")
    assert caught.value.code == "tool_call_denied" and caught.value.decision_id == DECISION
    assert caught.value.data["tool"] == "mail_send"
    chunks = []
    with pytest.raises(CredentialError):
        for chunk in driver.stream(client, "m", "hi"):
            chunks.append(chunk.model_dump_json())
    assert "mail_send" not in "".join(chunks) and "boss" not in "".join(chunks)
    assert [span.status.description for span in telemetry.spans()] == ["CredentialError"] * 2


@every
def test_a_policy_that_waits(server, driver):
    server.reply("m", text="ok", tools=TOOLS)
    policy = Policy("mail_send")

    async def ask(call):
        await asyncio.sleep(0)
        return policy(call)

    client = platform_llm(driver.async_client(server.url), on_tool_call=ask)
    with pytest.raises(CredentialError):
        asyncio.run(driver.ask_async(client, "m", "hi"))
    other = platform_llm(driver.async_client(server.url), on_tool_call=ask)
    assert isinstance(driver.read_async(other, "m")[1], CredentialError)
    assert len(policy.shown) == 4


@pytest.mark.parametrize(
    ("verdict", "is_allowed"),
    [
        (None, True),
        (True, True),
        (False, False),
        ({"allow": True}, True),
        ({"allow": False}, False),
        ({"allow": "yes"}, False),
        ({}, False),
        (0, False),
        ("no", False),
    ],
)
def test_only_consent_allows(server, verdict, is_allowed):
    server.reply("m", tools=TOOLS)
    client = platform_llm(OpenAIChat().client(server.url), on_tool_call=lambda call: verdict)
    if is_allowed:
        OpenAIChat().ask(client, "m", "hi")
    else:
        with pytest.raises(CredentialError):
            OpenAIChat().ask(client, "m", "hi")


def test_what_policy_raises(server):
    def ask(call):
        raise PermissionError(call.name)

    server.reply("m", tools=TOOLS)
    client = platform_llm(OpenAIResponses().client(server.url), on_tool_call=ask)
    with pytest.raises(PermissionError, match="mail_read"):
        OpenAIResponses().ask(client, "m", "hi")
    assert isinstance(OpenAIResponses().read(client, "m")[1], PermissionError)


def test_google_calls_nothing_that_is_denied(server):
    called = []

    def lookup(word: str) -> str:
        called.append(word)
        return "rain"

    server.reply("calls", text="", tools=[{"name": "lookup", "arguments": {"word": "x"}}])
    client = platform_llm(Google().client(server.url), on_tool_call=Policy("lookup"))
    config = {"tools": [lookup]}
    with pytest.raises(CredentialError):
        client.models.generate_content(model="calls", contents="hi", config=config)
    with pytest.raises(CredentialError):
        list(client.models.generate_content_stream(model="calls", contents="hi", config=config))
    assert called == [] and len(server.requests()) == 2
