"""Tool calls of a response, judged by the platform's own policies in process."""

import os

import pytest

from platform_sdk import ConfigurationError, CredentialError, Decider, platform_llm
from platform_sdk.gateway import Tool
from platform_sdk.llm.policy import ToolPolicy

from .drivers import DRIVERS, OpenAIChat, name

# Agent 0 of runtime/testing/sample-data.ts may read and write orders, and read mail.
AGENT = "spiffe://platform.local/agent/tenant-0/agent-0/main"
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
CATALOG = [
    Tool("orders_get", service="orders", action="read", schema=SCHEMA),
    Tool("mail_get", service="mail", action="read"),
    Tool("mail_send", service="mail", action="write"),
    Tool("payments_pay", service="payments", action="write"),
]

pytestmark = pytest.mark.skipif(
    "TEST_BUNDLES" not in os.environ, reason="llm.test.ts makes the bundles"
)


@pytest.fixture(scope="module")
def policy():
    return ToolPolicy(Decider(os.environ["TEST_BUNDLES"], verify=False), AGENT, CATALOG)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("orders_get", {"id": 1}, None),
        ("mail_get", {}, None),
        ("orders_get", {"id": "one"}, "arguments_invalid"),
        ("orders_get", "not JSON", "arguments_invalid"),
        ("orders_get", "[1]", "arguments_invalid"),
        ("mail_send", {}, "action_not_granted"),
        ("payments_pay", {}, "service_not_granted"),
        ("shell", {}, "tool_unknown"),
    ],
)
def test_what_the_policies_say(server, policy, tool, arguments, code):
    server.reply("m", tools=[{"name": tool, "arguments": arguments}])
    client = platform_llm(OpenAIChat().client(server.url), on_tool_call=policy)
    if code is None:
        assert OpenAIChat().ask(client, "m", "hi").choices[0].message.tool_calls
        return
    with pytest.raises(CredentialError) as caught:
        OpenAIChat().ask(client, "m", "hi")
    assert [reason["code"] for reason in caught.value.data["reasons"]] == [code]
    if code.endswith("granted"):
        assert len(caught.value.decision_id) == 64


@pytest.mark.parametrize("driver", DRIVERS, ids=name)
def test_every_provider(server, policy, driver):
    server.reply("m", tools=[{"name": "mail_send", "arguments": {}}])
    client = platform_llm(driver.client(server.url), on_tool_call=policy)
    with pytest.raises(CredentialError):
        driver.ask(client, "m", "hi")
    assert isinstance(driver.read(client, "m")[1], CredentialError)


def test_an_identity_that_is_none():
    for given in ("", "spiffe://platform.local/agent/a", "platform.local/agent/a/b/c"):
        with pytest.raises(ConfigurationError):
            ToolPolicy(Decider(), given, [])
