"""Reads bundles that come as `.tar.gz`, in memory. They are read before anything about them is known
to be good, so what is not a plain file or a folder is refused, and every size is bounded."""

from __future__ import annotations

import gzip
import io
import re
import zlib

from ..errors import BundleError
from ._files import BUNDLE_BYTES_MAX, Files, Reader

_BLOCK = 512
# Room for the headers and the padding of the files.
_ARCHIVE_BYTES_MAX = BUNDLE_BYTES_MAX + (8 << 20)
_LONG_BYTES_MAX = 64 << 10
_RECORD = re.compile(rb"([1-9][0-9]{0,5}) ")


def read_archive(archive: bytes) -> Files:
    """The files of a gzipped tar: POSIX and GNU names, no links, nothing twice.

    Raises BundleError: `bundle_truncated`, `bundle_too_large`, `bundle_path_invalid`.
    """
    if len(archive) > BUNDLE_BYTES_MAX:
        raise _too_large()
    tar = _inflate(archive)
    reader = Reader()
    at, long_name = 0, None
    while True:
        header = tar[at : at + _BLOCK]
        if len(header) < _BLOCK:
            raise _truncated()
        if header.count(0) == _BLOCK:
            break
        _check_header(header)
        size = _octal(header[124:136])
        content = at + _BLOCK
        at = content + -(-size // _BLOCK) * _BLOCK
        if at > len(tar):
            raise _truncated()
        kind = header[156:157]
        if kind in (b"x", b"L"):
            if size > _LONG_BYTES_MAX:
                raise _too_large()
            found = tar[content : content + size]
            long_name = _pax_path(found) if kind == b"x" else _text(found)
            continue
        # The comment that git and others put first says nothing of files.
        if kind == b"g":
            continue
        name, long_name = long_name or _name_of(header), None
        if kind == b"5":
            continue
        if kind not in (b"0", b"\0"):
            raise BundleError("the bundle holds a link or a device", code="bundle_path_invalid")
        name = re.sub(r"\A\.?/+", "", name)
        reader.accept(name, size)
        reader.files[name] = tar[content : content + size]
    if not reader.files or tar[at:].strip(b"\0"):
        raise _truncated()
    return reader.files


def _inflate(archive: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(archive)) as file:
            tar = file.read(_ARCHIVE_BYTES_MAX + 1)
    except (OSError, EOFError, zlib.error) as cause:
        raise _truncated() from cause
    if len(tar) > _ARCHIVE_BYTES_MAX:
        raise _too_large()
    return tar


def _check_header(header: bytes) -> None:
    """POSIX or GNU, whose bytes add up to the number in it, which counts as eight spaces."""
    if header[257:265] != b"ustar  \0" and header[257:263] != b"ustar\0":
        raise _truncated()
    if sum(header[:148]) + 8 * 0x20 + sum(header[156:]) != _octal(header[148:156]):
        raise _truncated()


def _octal(field: bytes) -> int:
    digits = field.strip(b"\0 ")
    # The form for what eleven digits cannot say is larger than any bundle.
    if field[0] & 0x80:
        raise _too_large()
    if re.fullmatch(rb"[0-7]*", digits) is None:
        raise _truncated()
    return int(digits or b"0", 8)


def _name_of(header: bytes) -> str:
    name, prefix = _text(header[:100]), _text(header[345:500])
    is_posix = header[257:263] == b"ustar\0"
    return f"{prefix}/{name}" if is_posix and prefix else name


def _text(field: bytes) -> str:
    # What is no UTF-8 has no good name, and is refused as one.
    return field.split(b"\0", 1)[0].decode(errors="surrogateescape")


def _pax_path(records: bytes) -> str | None:
    """The path of an extended header (POSIX pax, `length key=value\\n`), which may have other keys,
    but none that would say where a file's content ends."""
    path, at = None, 0
    while at < len(records):
        found = _RECORD.match(records, at)
        end = at + int(found[1]) if found else 0
        if found is None or end > len(records) or records[end - 1 : end] != b"\n":
            raise _truncated()
        key, equals, value = records[found.end() : end - 1].partition(b"=")
        if not equals or end <= found.end():
            raise _truncated()
        if key == b"size" or key.startswith(b"GNU.sparse"):
            raise BundleError("the bundle holds a file in pieces", code="bundle_path_invalid")
        if key == b"path":
            # Whole, so that a name with a zero byte in it is refused.
            path = value.decode(errors="surrogateescape")
        at = end
    return path


def _too_large() -> BundleError:
    return BundleError("the bundle is too large once it is unpacked", code="bundle_too_large")


def _truncated() -> BundleError:
    return BundleError("the bundle archive is cut off or damaged", code="bundle_truncated")
