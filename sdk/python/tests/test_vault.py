"""The vault client and its decorators against a real HTTP server on a Unix socket."""

import asyncio
import inspect
import json
import threading
import traceback
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from conftest import Server

from platform_sdk import CredentialError, InputError, PlatformError, secret, secrets_batch, vault
from platform_sdk.errors import AuthenticationError, ConfigurationError

SCOPE = "spiffe://platform.local/agent/acme/bot/*"
TIME = "2026-11-21T07:00:00.000Z"


class Handler(BaseHTTPRequestHandler):
    """Answers as the vault's wire says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def address_string(self):
        return "unix"

    def handle_one(self):
        size = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(size)) if size else {}
        self.server.seen.append((self.command, self.path, body, dict(self.headers)))
        status, answer = self.server.instead or self._answer(body)
        self.server.instead = None
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = handle_one

    def _answer(self, body):
        kept = self.server.kept
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        _, _, _, _, *rest = url.path.split("/")
        if rest == ["batch"]:
            return 200, {"secrets": [self._entry(key) for key in body["keys"]]}
        if not rest:
            after, prefix = query.get("after", ""), query.get("prefix", "")
            keys = sorted(key for key in kept if key > after and key.startswith(prefix))
            return 200, {"keys": keys[:2], "next": keys[1] if len(keys) > 2 else None}
        key = unquote(rest[0])
        values = kept.get(key, [])
        if self.command == "PUT":
            if body.get("check", len(values)) != len(values):
                return 409, {"code": "secret_version_conflict", "detail": "no"}
            kept.setdefault(key, []).append(body["value"])
            return 200, {"key": key, "scope": SCOPE, "version": len(values) + 1}
        if not values:
            return 403, {"code": "secret_denied", "decision_id": "d" * 64}
        if rest[1:] == ["versions"]:
            return 200, {"versions": [{"version": 1, "created_at": TIME}]}
        if rest[1:] == ["restore"]:
            return 200, {"key": key, "scope": SCOPE, "version": body.get("version", 9)}
        if self.command == "DELETE":
            del kept[key]
            return 200, {"key": key, "scope": SCOPE, "deleted_at": TIME}
        version = int(query.get("version", len(values)))
        entry = {**self._entry(key), "value": values[version - 1], "version": version}
        return 200, {**entry, "created_at": TIME, "updated_at": TIME, "expires_at": None}

    def _entry(self, key):
        values = self.server.kept.get(key)
        if not values:
            return {"key": key, "error": {"code": "secret_denied"}}
        return {"key": key, "value": values[-1], "version": len(values), "scope": SCOPE}


@pytest.fixture
def server(tmp_path, monkeypatch):
    path = tmp_path / "v"
    server = Server(str(path), Handler)
    server.seen, server.kept, server.instead = [], {}, None
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("PLATFORM_VAULT_URL", f"unix:{path}")
    vault.default.cache_clear()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(server):
    return vault.VaultClient()


def test_a_secret_is_kept_read_listed_and_taken_away(client, server):
    assert client.put("db-password", "one") == vault.StoredSecret("db-password", SCOPE, 1)
    moment = datetime(2026, 11, 21, 7, tzinfo=timezone.utc)
    client.put("db-password", "two", "writer", expires_at=moment, check=1)
    _, _, body, headers = server.seen[-1]
    assert body == {"value": "two", "scope": "writer", "expires_at": TIME, "check": 1}
    assert headers["Host"] == "vault.platform-system"
    assert client.get("db-password") == "two" == vault.get("db-password")
    assert client.get("db-password", version=1) == "one"
    assert client.versions("db-password")[0]["version"] == 1
    assert client.restore("db-password", version=1).version == 1
    client.delete("db-password", purge=True)
    assert server.seen[-1][1] == "/api/v1/secrets/db-password?purge=true"
    with pytest.raises(CredentialError) as caught:
        client.get("db-password")
    assert caught.value.code == "secret_denied" and caught.value.decision_id == "d" * 64


def test_keys_come_page_by_page(client, server):
    for key in ("b", "a", "c", "d", "db-x"):
        client.put(key, "value")
    server.seen.clear()
    assert client.list() == ["a", "b", "c", "d", "db-x"]
    assert len(server.seen) == 3
    assert client.list("d") == ["d", "db-x"]
    pages = client.keys()
    next(pages)
    next(pages)
    server.instead = (200, {"keys": [], "next": "b"})
    with pytest.raises(PlatformError):
        next(pages)


def test_functions_get_secrets_as_parameters(client, server):
    @secret("db-password")
    def connect(db_password: str, host: str, *ports: int, user: str = "app") -> str:
        """Connects."""
        return f"{user}@{host}{ports}:{db_password}"

    shown = "(host: str, *ports: int, user: str = 'app') -> str"
    assert str(inspect.signature(connect)) == shown
    assert connect.__name__ == "connect" and connect.__doc__ == "Connects."
    assert "db_password" not in connect.__annotations__
    with pytest.raises(CredentialError):
        connect("h")
    client.put("db-password", "one")
    assert connect("h", 1, 2) == "app@h(1, 2):one"
    client.put("db-password", "two")
    assert connect(host="h", user="ann") == "ann@h():two"
    for wrong in (lambda: connect("h", db_password="mine"), lambda: connect()):
        before = len(server.seen)
        with pytest.raises(TypeError):
            wrong()
        assert len(server.seen) == before


def test_async_functions_methods_and_several_secrets(client, server):
    for key in ("user", "pass.word", "9"):
        client.put(key, f"value of {key}")

    class Desk:
        @secrets_batch(["user", "pass.word", "9"])
        async def open(self, host, /, user, pass_word, *, _9):
            return host, user, pass_word, _9

        @secret("user")
        @secret("pass.word", "given")
        def both(self, given, user):
            return given, user

        @staticmethod
        @secrets_batch({"login": "user"})
        def login(login):
            return login

    server.seen.clear()
    found = asyncio.run(Desk().open("h"))
    assert found == ("h", "value of user", "value of pass.word", "value of 9")
    assert len(server.seen) == 1 and inspect.iscoroutinefunction(Desk.open)
    assert Desk().both() == ("value of pass.word", "value of user")
    assert str(inspect.signature(Desk.both)) == "(self)"
    assert Desk.login() == "value of user"


def test_what_cannot_be_decorated():
    with pytest.raises(ConfigurationError):
        secret("password")(lambda word: word)
    with pytest.raises(ConfigurationError):
        secret("password")(lambda **password: password)
    with pytest.raises(ConfigurationError):
        secret("password")(staticmethod(lambda password: password))


@pytest.mark.parametrize("keys", ["password", ["a.b", "a-b"], ["a", "a"]])
def test_keys_without_a_parameter_of_their_own(keys):
    with pytest.raises(ConfigurationError):
        secrets_batch(keys)


def test_values_are_in_no_representation_and_no_traceback(client, server):
    client.put("password", "hunter2-hunter2")
    assert "hunter2" not in repr(client.read("password")) + repr(client)
    assert client.read("password").value == "hunter2-hunter2"

    @secret("password")
    def use(password, host):
        password = None  # noqa: F841
        raise RuntimeError(host)

    with pytest.raises(RuntimeError) as caught:
        use("h")
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert "hunter2" not in "".join(shown.format())
    for answer in (b'{"value": "hunter2"', b'{"value": ["hunter2"]}', b'["hunter2"]'):
        server.instead = (200, answer)
        with pytest.raises(PlatformError) as caught:
            client.get("password")
        shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
        assert "hunter2" not in shown


def test_a_batch_is_all_or_nothing(client, server):
    keys = [f"key-{at}" for at in range(95)]
    for key in keys:
        client.put(key, f"value of {key}")
    server.seen.clear()
    assert client.get_batch([*keys, "key-0"])["key-94"] == "value of key-94"
    assert len(server.seen) == 3
    with pytest.raises(CredentialError) as caught:
        client.get_batch(["key-0", "gone", "away"])
    assert [each["key"] for each in caught.value.data["failed"]] == ["gone", "away"]
    server.instead = (200, {"secrets": []})
    with pytest.raises(PlatformError):
        client.get_batch(["key-0"])


def test_each_method_has_an_asynchronous_twin(client):
    async def run():
        await client.put_async("a", "value", "writer", check=0)
        await client.restore_async("a")
        assert await client.get_async("a") == await vault.get_async("a") == "value"
        assert (await client.read_async("a")).version == 1
        assert await client.list_async() == ["a"]
        assert await client.get_batch_async(["a"]) == {"a": "value"}
        assert len(await client.versions_async("a")) == 1
        await client.delete_async("a")

    asyncio.run(run())


@pytest.mark.parametrize("key", ["", ".", "..", "\ud800", None, 7])
def test_keys_that_cannot_be(client, server, key):
    with pytest.raises(InputError):
        client.get(key)
    assert server.seen == []


def test_keys_cannot_change_the_path(client, server):
    with pytest.raises(CredentialError):
        client.get("../tools/x?y=#")
    assert server.seen[-1][1] == "/api/v1/secrets/..%2Ftools%2Fx%3Fy%3D%23"


def test_failures_say_what_failed(client, server, monkeypatch):
    client.put("a", "value")
    with pytest.raises(PlatformError) as caught:
        client.put("a", "other", check=0)
    assert caught.value.code == "secret_version_conflict"
    server.instead = (401, {"code": "unauthenticated"})
    with pytest.raises(AuthenticationError):
        client.get("a")
    server.instead = (413, {"code": "secret_too_large"})
    with pytest.raises(InputError):
        client.put("a", "value")
    with pytest.raises(InputError):
        client.put("a", "value", expires_at=datetime(2026, 11, 21))
    monkeypatch.setenv("PLATFORM_GATEWAY_URL", "unix:/nowhere")
    monkeypatch.delenv("PLATFORM_VAULT_URL")
    with pytest.raises(PlatformError) as caught:
        vault.VaultClient().get("a")
    assert caught.value.code == "upstream_unreachable"
    monkeypatch.delenv("PLATFORM_GATEWAY_URL")
    with pytest.raises(ConfigurationError):
        vault.VaultClient()
