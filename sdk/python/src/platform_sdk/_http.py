"""HTTP/1.1 with JSON bodies to the agent's proxy, over a Unix socket or TCP, with the standard
library alone."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from .errors import (
    AuthenticationError,
    ConfigurationError,
    CredentialError,
    InputError,
    PlatformError,
)

RESPONSE_BYTES_MAX = 16 * 1024 * 1024
_IDLE_SECONDS = 2.0


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, service: str, timeout: float) -> None:
        # A socket has no name, and the proxy behind it may tell its services apart by theirs.
        super().__init__(f"{service}.platform-system", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def error_of(status: int, body: Mapping[str, Any]) -> PlatformError:
    """The exception of a refusal: by status, with the wire's code and facts."""
    kinds: dict[int, type[PlatformError]] = {401: AuthenticationError, 403: CredentialError}
    kinds |= {400: InputError, 413: InputError, 422: InputError}
    kind = kinds.get(status, PlatformError)
    return kind(detail_of(body), code=body.get("code", "failed"), data={**body, "status": status})


def detail_of(body: Mapping[str, Any]) -> str:
    """What a problem document says to people."""
    return str(body.get("detail") or body.get("title") or "the platform refused")


def _parse(text: bytes) -> tuple[Any] | None:
    try:
        return (json.loads(text) if text else None,)
    except ValueError:
        return None


class JsonClient:
    """One base address; a connection per thread, reused while it is fresh."""

    def __init__(self, base_url: str, timeout: float, service: str = "gateway") -> None:
        self._timeout = timeout
        self._service = service
        self._local = threading.local()
        self._prefix = ""
        self._connect: Callable[[], http.client.HTTPConnection]
        if base_url.startswith("unix:"):
            path = base_url[len("unix:") :]
            self._connect = lambda: _UnixConnection(path, service, timeout)
            return
        parts = urlsplit(base_url)
        host = parts.hostname
        if parts.scheme not in ("http", "https") or not host:
            raise ConfigurationError(
                f"a {service} address is unix:/path or http://host, not {base_url!r}"
            )
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._prefix = parts.path.rstrip("/")
        self._connect = lambda: kind(host, parts.port, timeout=timeout)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> tuple[int, Any]:
        """Returns (status, JSON value); `timeout` replaces the client's for this request. Raises
        PlatformError `upstream_unreachable` or `response_invalid`."""
        data = (
            None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        )
        sent = {"accept": "application/json", **(headers or {})}
        if data is not None:
            sent["content-type"] = "application/json"
        connection = self._connection()
        connection.timeout = self._timeout if timeout is None else timeout
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
        try:
            connection.request(method, self._prefix + path, body=data, headers=sent)
            response = connection.getresponse()
            text = response.read(RESPONSE_BYTES_MAX + 1)
        except (OSError, http.client.HTTPException) as cause:
            self.close()
            raise PlatformError(
                f"the {self._service} cannot be reached: {cause}", code="upstream_unreachable"
            ) from cause
        if len(text) > RESPONSE_BYTES_MAX:
            self.close()
            raise PlatformError("the answer is larger than 16 MiB", code="response_too_large")
        self._local.used = time.monotonic()
        parsed = _parse(text)
        if parsed is None:
            # Raised out here, because the parser's own exception holds the whole text.
            raise PlatformError("the answer is not JSON", code="response_invalid")
        return response.status, parsed[0]

    def close(self) -> None:
        """Closes this thread's connection; the next request opens another."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _connection(self) -> http.client.HTTPConnection:
        # A call must not be sent twice, so an old connection, which the peer may be closing, is not
        # reused.
        if time.monotonic() - getattr(self._local, "used", 0.0) > _IDLE_SECONDS:
            self.close()
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        return connection
