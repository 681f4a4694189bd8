"""Keeps a secret, gets it as a parameter, and calls a tool with a key that it never sees.

The tool it calls, `desk_echo`, is one that a plain `platform up` lacks: docs/operator.md says how to register
a tool, vault.test.ts beside this does it (prefix `desk`, tool `echo`, credential `desk-key`), and
`platform secrets put desk-key --tenant acme` keeps the key. Without it the last line says that it is unknown.
"""

from platform_sdk import CredentialError, GatewayClient, platform_agent, secret
from platform_sdk.vault import VaultClient


@secret("db-password", "password")
def log_in(user, password):
    """The password is read at each call; whoever calls this neither has it nor sees it."""
    return f"{user} logged in with a password of {len(password)} characters"


@platform_agent(name="vault-user", tenant="acme", resources=["desk"])
def main():
    client = VaultClient()
    stored = client.put("db-password", "correct horse battery")
    print(f"kept version {stored.version}")
    print(log_in("ann"))
    print(f"mine: {', '.join(client.list())}")
    try:
        client.get("password-of-somebody-else")
    except CredentialError as error:
        print(f"refused: {error.code}")
    called = GatewayClient().call_tool("desk_echo")
    print(f"the tool saw {called.result or called.error}")


main()
