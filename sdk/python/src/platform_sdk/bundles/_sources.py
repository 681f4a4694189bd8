"""Where bundles come from: a folder, or two URLs that answer with an ETag."""

from __future__ import annotations

import os
import time
import urllib.error
import urllib.request
from enum import Enum
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from ..errors import BundleError, ConfigurationError, PlatformError
from ._archive import read_archive
from ._files import BUNDLE_BYTES_MAX, FILES_MAX, Files, read_bundle

_TIMEOUT_SECONDS = 60.0
_ETAG_LENGTH_MAX = 1024
_PIECE_BYTES = 1 << 20
_LINES_MAX = 4 * FILES_MAX


class Seen(Enum):
    """What a look at a source found."""

    IN_FORCE = "what was accepted last"
    REFUSED = "what was refused last"
    CHANGED = "something else"


class Source(Protocol):
    """A place with a policy bundle and a data bundle, which may be changed at any time. Used by one
    thread at a time."""

    #: How often it is looked at unless somebody says otherwise, in seconds.
    interval: float

    def look(self) -> Seen:
        """Begins a look at what is there now."""
        ...

    def read(self) -> tuple[Files, Files]:
        """The files of both bundles as they are now."""
        ...

    def settle(self, accepted: bool) -> bool:
        """Ends a look that found a change. False when what is there has changed again: what was
        read may be half of it, and nothing is remembered."""
        ...


class FolderSource:
    """`<folder>/policy` and `<folder>/data`, each a folder or a `.tar.gz`."""

    interval = 2.0

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._accepted: str | None = None
        self._refused: str | None = None
        self._seen = ""

    def look(self) -> Seen:
        self._seen = self._fingerprint()
        if self._seen == self._accepted:
            return Seen.IN_FORCE
        return Seen.REFUSED if self._seen == self._refused else Seen.CHANGED

    def read(self) -> tuple[Files, Files]:
        return read_bundle(self._folder / "policy"), read_bundle(self._folder / "data")

    def settle(self, accepted: bool) -> bool:
        if self._fingerprint() != self._seen:
            return False
        if accepted:
            self._accepted, self._refused = self._seen, None
        else:
            self._refused = self._seen
        return True

    def _fingerprint(self) -> str:
        lines: list[str] = []
        for name in ("policy", "policy.tar.gz", "data", "data.tar.gz"):
            _describe(str(self._folder / name), lines)
        return "\n".join(lines)


class UrlSource:
    """A policy bundle and a data bundle as `.tar.gz` at two URLs; what has not changed by its ETag
    is not fetched again. `token` is sent as a bearer token, to these two alone: no redirect is
    followed."""

    interval = 30.0

    def __init__(self, policy: str, data: str, token: str | None = None) -> None:
        for url in (policy, data):
            if urlsplit(url).scheme not in ("http", "https"):
                raise ConfigurationError(f"a bundle is at an http or https URL, not {url!r}")
        self._urls = (policy, data)
        self._token = token
        self._kept: dict[str, tuple[str | None, Files]] = {}
        self._found: dict[str, tuple[str | None, Files]] = {}

    def look(self) -> Seen:
        self._found = {}
        for url in self._urls:
            etag = self._kept[url][0] if url in self._kept else None
            fetched = _download(url, etag, self._token)
            if fetched is not None:
                archive, tag = fetched
                self._found[url] = (tag, read_archive(archive))
        return Seen.CHANGED if self._found else Seen.IN_FORCE

    def read(self) -> tuple[Files, Files]:
        policy, data = ((self._found.get(url) or self._kept[url])[1] for url in self._urls)
        return policy, data

    def settle(self, accepted: bool) -> bool:
        # The ETag of a refused bundle is not sent: the server has to answer with a better one.
        if accepted:
            self._kept.update(self._found)
        self._found = {}
        return True


def _describe(path: str, lines: list[str]) -> None:
    """What changes when a file or anything below a folder does: names, sizes, times, inodes."""
    # Links that lead back make a folder endless; more than this is no bundle, and is refused when
    # it is read.
    if len(lines) >= _LINES_MAX:
        return
    try:
        found = os.stat(path)
        lines.append(
            f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        )
        names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    except OSError:
        return
    for name in names:
        _describe(os.path.join(path, name), lines)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: urllib would send the token to wherever it leads."""

    def redirect_request(self, *_: object, **_named: object) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _download(url: str, etag: str | None, token: str | None) -> tuple[bytes, str | None] | None:
    """The archive and its ETag; None when it has not changed."""
    headers = {} if etag is None else {"If-None-Match": etag}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    try:
        request = urllib.request.Request(url, headers=headers)
        with _opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
            if response.status != 200:
                raise BundleError(f"the bundle server answered {response.status}")
            tag = response.headers.get("etag")
            archive = _read_bounded(response)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 304 and etag is not None:
                return None
        raise BundleError(f"the bundle server answered {error.code}") from None
    except (OSError, ValueError) as cause:
        raise PlatformError(
            f"the bundle server cannot be reached: {cause}", code="service_unavailable"
        ) from cause
    return archive, tag if tag is not None and len(tag) <= _ETAG_LENGTH_MAX else None


class _Response(Protocol):
    def read1(self, amount: int) -> bytes: ...


def _read_bounded(response: _Response) -> bytes:
    until = time.monotonic() + _TIMEOUT_SECONDS
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_PIECE_BYTES):
        size += len(piece)
        pieces.append(piece)
        if size > BUNDLE_BYTES_MAX:
            raise BundleError("the bundle that is served is too large", code="bundle_too_large")
        if time.monotonic() > until:
            raise TimeoutError("the bundle takes too long")
    return b"".join(pieces)
