"""The vault: the agent's secrets, read and kept under its own identity."""

from __future__ import annotations

import asyncio
import builtins
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote, urlencode

from ._http import JsonClient, error_of
from ._inject import secret, secrets_batch
from .errors import ConfigurationError, InputError, PlatformError

__all__ = [
    "Secret",
    "StoredSecret",
    "VaultClient",
    "default",
    "get",
    "get_async",
    "secret",
    "secrets_batch",
]

DEFAULT_TIMEOUT = 10.0
# So many of the largest values, each character escaped, still fit into an answer of 16 MiB.
_BATCH_MAX = 40
_PAGE_KEYS = 500


@dataclass(frozen=True)
class Secret:
    """A secret; its `repr` does not show the value. Times are RFC 3339."""

    key: str
    value: str = field(repr=False)
    version: int = 0
    scope: str = ""
    created_at: str = ""
    updated_at: str = ""
    expires_at: str | None = None


@dataclass(frozen=True)
class StoredSecret:
    """Where a secret is kept: its scope is the SPIFFE ID or the prefix that may read it."""

    key: str
    scope: str
    version: int


class VaultClient:
    """A client of the vault; safe to share between threads. The default address is the agent's own
    proxy.

    Raises CredentialError `secret_denied` when there is no such secret in the agent's scope (the
    vault does not say which), AuthenticationError without an identity, InputError for a key, a
    value or a scope that cannot be one, and PlatformError without an answer. No error holds a
    value. Each method has an asynchronous twin, such as `get_async`.
    """

    def __init__(self, base_url: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> None:
        names = ("PLATFORM_VAULT_URL", "PLATFORM_GATEWAY_URL")
        address = base_url or next(filter(None, map(os.environ.get, names)), None)
        if not address:
            raise ConfigurationError("no vault: set PLATFORM_VAULT_URL or run under the platform")
        self._http = JsonClient(address, timeout, "vault")

    def get(self, key: str, *, version: int | None = None) -> str:
        """The secret's value; the current one unless a version is named."""
        return self.read(key, version=version).value

    def read(self, key: str, *, version: int | None = None) -> Secret:
        """The secret with its version and times, such as for a later `put` with `check`."""
        query = "" if version is None else f"?version={int(version)}"
        answer = self._ask("GET", f"{_path(key)}{query}")
        if not isinstance(answer.get("value"), str):
            raise _unreadable()
        found: dict[str, Any] = {name: answer.get(name) for name in Secret.__dataclass_fields__}
        return Secret(**found)

    def put(
        self,
        key: str,
        value: str,
        scope: str | None = None,
        *,
        expires_at: datetime | None = None,
        check: int | None = None,
    ) -> StoredSecret:
        """Creates the secret or gives it a new version.

        `scope` is a role of the agent or a whole SPIFFE scope, by default the whole agent. `check`
        is the version that must be the current one, 0 for none: else `secret_version_conflict`.
        """
        body: dict[str, Any] = {"value": value}
        if scope is not None:
            body["scope"] = scope
        if expires_at is not None:
            body["expires_at"] = _time(expires_at)
        if check is not None:
            body["check"] = check
        return _stored(self._ask("PUT", _path(key), body))

    def list(self, prefix: str | None = None) -> list[str]:
        """The keys that the agent may list, in order; never values."""
        return [*self.keys(prefix)]

    def keys(self, prefix: str | None = None) -> Iterator[str]:
        """As `list`, one page of the vault at a time."""
        after = last = None
        while True:
            wanted = {"limit": _PAGE_KEYS, "prefix": prefix, "after": after}
            query = urlencode({name: value for name, value in wanted.items() if value})
            page = self._ask("GET", f"/api/v1/secrets?{query}")
            keys, following = page.get("keys"), page.get("next")
            # A token that does not move would never end.
            if not isinstance(keys, builtins.list) or (following and following == after):
                raise _unreadable()
            listed: builtins.list[str] = keys
            for key in listed:
                # One key can be in several of the agent's scopes, and those on two pages.
                if key != last:
                    yield key
                last = key
            if not following:
                return
            after = following

    def delete(self, key: str, *, purge: bool = False) -> None:
        """Takes the secret away; `restore` brings it back unless it is purged."""
        self._ask("DELETE", _path(key) + ("?purge=true" if purge else ""))

    def restore(self, key: str, *, version: int | None = None) -> StoredSecret:
        """Brings a deleted secret back, or makes an older version's value the new current one."""
        body = {} if version is None else {"version": version}
        return _stored(self._ask("POST", f"{_path(key)}/restore", body))

    def versions(self, key: str) -> builtins.list[dict[str, Any]]:
        """What the vault keeps of the secret's versions, without values."""
        answer = self._ask("GET", f"{_path(key)}/versions")
        found: builtins.list[dict[str, Any]] = answer["versions"]
        return found

    def get_batch(self, keys: Iterable[str]) -> dict[str, str]:
        """The values of several secrets by their keys: all of them, or the error of the first that
        cannot be read, whose `data["failed"]` names every such key."""
        wanted = [*dict.fromkeys(keys)]
        for key in wanted:
            _path(key)
        values: dict[str, str] = {}
        failed = []
        for at in range(0, len(wanted), _BATCH_MAX):
            body = {"keys": wanted[at : at + _BATCH_MAX]}
            for entry in self._ask("POST", "/api/v1/secrets/batch", body).get("secrets", ()):
                if isinstance(entry.get("value"), str):
                    values[entry["key"]] = entry["value"]
                else:
                    failed.append({"key": entry["key"], **entry.get("error", {})})
        if failed:
            raise _batch_error(failed)
        if any(key not in values for key in wanted):
            raise _unreadable()
        return values

    async def get_async(self, key: str, *, version: int | None = None) -> str:
        return await asyncio.to_thread(self.get, key, version=version)

    async def read_async(self, key: str, *, version: int | None = None) -> Secret:
        return await asyncio.to_thread(self.read, key, version=version)

    async def put_async(
        self, key: str, value: str, scope: str | None = None, **options: Any
    ) -> StoredSecret:
        return await asyncio.to_thread(self.put, key, value, scope, **options)

    async def list_async(self, prefix: str | None = None) -> builtins.list[str]:
        return await asyncio.to_thread(self.list, prefix)

    async def delete_async(self, key: str, *, purge: bool = False) -> None:
        await asyncio.to_thread(self.delete, key, purge=purge)

    async def restore_async(self, key: str, *, version: int | None = None) -> StoredSecret:
        return await asyncio.to_thread(self.restore, key, version=version)

    async def versions_async(self, key: str) -> builtins.list[dict[str, Any]]:
        return await asyncio.to_thread(self.versions, key)

    async def get_batch_async(self, keys: Iterable[str]) -> dict[str, str]:
        return await asyncio.to_thread(self.get_batch, keys)

    def close(self) -> None:
        """Closes this thread's connection."""
        self._http.close()

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        status, answer = self._http.request(method, path, body)
        answer = answer if isinstance(answer, dict) else {}
        if 200 <= status < 300:
            return answer
        raise error_of(status, answer)


@functools.lru_cache(maxsize=1)
def default() -> VaultClient:
    """The client of the process's own proxy."""
    return VaultClient()


def get(key: str, *, version: int | None = None) -> str:
    """As `VaultClient.get`, with the process's own client."""
    return default().get(key, version=version)


async def get_async(key: str, *, version: int | None = None) -> str:
    """As `VaultClient.get_async`, with the process's own client."""
    return await default().get_async(key, version=version)


def _path(key: object) -> str:
    """Raises InputError for a key that would name another path than a secret's."""
    try:
        if isinstance(key, str) and key not in ("", ".", ".."):
            return f"/api/v1/secrets/{quote(key, safe='')}"
    except UnicodeEncodeError:
        pass
    raise InputError("this cannot be the key of a secret", code="secret_invalid")


def _time(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise InputError("expires_at needs a time zone", code="secret_invalid")
    utc = moment.astimezone(timezone.utc)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _stored(answer: dict[str, Any]) -> StoredSecret:
    try:
        return StoredSecret(answer["key"], answer["scope"], answer["version"])
    except KeyError:
        raise _unreadable() from None


def _batch_error(failed: Sequence[dict[str, Any]]) -> PlatformError:
    first = failed[0]
    status = 403 if first.get("code") in ("secret_denied", "denied") else 503
    names = [{"key": each["key"], "code": each.get("code", "failed")} for each in failed]
    detail = f"the secret {first['key']!r} cannot be read"
    return error_of(status, {"detail": detail, **first, "failed": names})


def _unreadable() -> PlatformError:
    return PlatformError("the vault's answer is unreadable", code="response_invalid")
