"""The gateway client against a real HTTP server on a Unix socket."""

import pytest

from platform_sdk import CredentialError, InputError, PlatformError, gateway
from platform_sdk.errors import ConfigurationError


@pytest.fixture
def client(proxy):
    gateway.default.cache_clear()
    return gateway.GatewayClient()


def test_tools_are_listed_once_and_again_when_asked(client, proxy):
    assert client.list_tools()[0].name == "mail_send"
    client.list_tools()
    assert proxy.seen == ["/api/v1/tools"]
    client.list_tools(force_refresh=True)
    client.list_tools(tags=["mail", "a b"])
    assert proxy.seen[1:] == ["/api/v1/tools", "/api/v1/tools?tag=a+b&tag=mail"]


def test_a_tool_has_the_formats_of_others(client):
    tool = client.get_tool("mail_send")
    assert tool.to_openai_format()["function"]["parameters"]["required"] == ["to"]
    assert tool.to_mcp_format()["inputSchema"] == tool.schema
    assert tool.parameters[0].required
    assert client.search_tools("send a mail")[0].score == 0.5


def test_a_call_says_what_happened(client):
    assert client.call_tool("mail_send", {"to": "ann"}).result == {"to": "ann"}
    denied = client.call_tool("mail_send", {"to": "nobody"})
    assert not denied.success and denied.error["decision_id"] == "ab" * 32
    with pytest.raises(CredentialError) as caught:
        denied.raise_for_error()
    assert caught.value.decision_id == "ab" * 32
    invalid = client.call_tool("mail_send", {"to": 7})
    with pytest.raises(InputError):
        invalid.raise_for_error()
    assert invalid.error["violations"] == [{"pointer": "/to"}]


def test_a_parked_call_can_be_asked_again_with_its_approval(client, proxy):
    parked = client.call_tool("mail_send", {"to": "boss"}, wait=0)
    assert parked.error["code"] == "approval_required" and parked.approval["id"] == "a1"
    assert proxy.seen[-1][2]["prefer"] == "wait=0"
    assert client.call_tool("mail_send", {"to": "boss"}, approval="a1").success


def test_names_cannot_change_the_path(client, proxy):
    with pytest.raises(PlatformError) as caught:
        client.get_tool("../tools/register?x=")
    assert caught.value.code == "tool_unknown"
    assert proxy.seen[-1] == "/api/v1/tools/..%2Ftools%2Fregister%3Fx%3D"


def test_mcp_and_decorators(client):
    assert (
        gateway.GatewayClient().call_tool_mcp("mail_send", {"to": "ann"})["result"]["isError"]
        is False
    )

    @gateway.mcp_tool("mail_send")
    def send(to):
        """Sends."""

    @gateway.discover_tools("mail_")
    class Mail:
        pass

    assert send(to="ann") == {"to": "ann"}
    assert Mail().send(to="bob") == {"to": "bob"}
    with pytest.raises(AttributeError):
        Mail().burn()


def test_register(client):
    assert client.register_openapi({"openapi": "3.1.0"}, "http://127.0.0.1:1", "x_") == ["x_a"]


def test_no_gateway_is_a_clear_error(monkeypatch):
    monkeypatch.delenv("PLATFORM_GATEWAY_URL", raising=False)
    with pytest.raises(ConfigurationError):
        gateway.GatewayClient()
    with pytest.raises(ConfigurationError):
        gateway.GatewayClient("ftp://x")
    with pytest.raises(PlatformError) as caught:
        gateway.GatewayClient("unix:/nowhere/at/all").list_tools()
    assert caught.value.code == "upstream_unreachable"
