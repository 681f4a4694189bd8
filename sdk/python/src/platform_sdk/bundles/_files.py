"""The files of a bundle in memory, with every name and size checked before it is kept."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path

from ..errors import BundleError

#: File contents by name: relative, `/` between segments.
Files = dict[str, bytes]

FILES_MAX = 4096
FILE_BYTES_MAX = 32 << 20
BUNDLE_BYTES_MAX = 64 << 20
_NAME_BYTES_MAX = 256
_DEPTH_MAX = 16


class Reader:
    """Counts what a bundle holds while it is read, and refuses what is too much or badly named."""

    def __init__(self) -> None:
        self.files: Files = {}
        self._names: set[str] = set()
        self._bytes = 0

    def accept(self, name: str, size: int) -> None:
        """Raises `bundle_path_invalid` or `bundle_too_large` before a byte of the file is kept."""
        _check_name(name)
        if name in self._names:
            raise BundleError(f"the bundle has two files named {name}", code="bundle_path_invalid")
        self._bytes += size
        if size > FILE_BYTES_MAX or self._bytes > BUNDLE_BYTES_MAX or len(self._names) >= FILES_MAX:
            raise BundleError(f"the bundle is too large at {name}", code="bundle_too_large")
        self._names.add(name)


def read_bundle(path: str | os.PathLike[str]) -> Files:
    """Reads `path` when it is a folder or an archive, otherwise `<path>.tar.gz`.

    Raises BundleError: `bundle_missing`, `bundle_truncated`, `bundle_too_large`,
    `bundle_path_invalid`. Nothing is verified yet.
    """
    from ._archive import read_archive

    place = Path(path)
    if place.is_dir():
        return _read_folder(place)
    archive = place if place.is_file() else place.with_name(f"{place.name}.tar.gz")
    try:
        with archive.open("rb") as file:
            data = file.read(BUNDLE_BYTES_MAX + 1)
    except OSError as cause:
        raise BundleError(
            f"there is no bundle at {place} or {place}.tar.gz", code="bundle_missing"
        ) from cause
    return read_archive(data)


def _check_name(name: str) -> None:
    """Allows only names that mean the same file everywhere and cannot leave the bundle's folder."""
    bad = (
        not 0 < len(name.encode(errors="surrogatepass")) <= _NAME_BYTES_MAX
        or any(
            character in "\\:"
            or unicodedata.category(character)[0] == "C"
            or unicodedata.category(character) in ("Zl", "Zp")
            for character in name
        )
        or any(part in ("", ".", "..") for part in name.split("/"))
    )
    if bad:
        shown = ascii(name[:100])
        raise BundleError(f"bad file name in the bundle: {shown}", code="bundle_path_invalid")


def _read_folder(root: Path) -> Files:
    reader = Reader()
    try:
        names: list[str] = []
        _list(reader, root, "", 0, names)
        for name in names:
            with (root / name).open("rb") as file:
                data = file.read(FILE_BYTES_MAX + 1)
            if len(data) > FILE_BYTES_MAX:
                raise BundleError(f"the bundle is too large at {name}", code="bundle_too_large")
            reader.files[name] = data
    except OSError as cause:
        raise BundleError(
            f"the bundle {root} changed while it was read", code="bundle_truncated"
        ) from cause
    return reader.files


def _list(reader: Reader, root: Path, prefix: str, depth: int, names: list[str]) -> None:
    if depth > _DEPTH_MAX:
        raise BundleError("the bundle is too deep", code="bundle_path_invalid")
    for entry in sorted(os.listdir(root / prefix)):
        # A mounted config map keeps its versions in folders whose names begin with two dots.
        if entry.startswith(".."):
            continue
        name = f"{prefix}/{entry}" if prefix else entry
        # Links are followed: config maps are made of them, and the signature covers what is read.
        found = os.stat(root / name)
        if stat.S_ISDIR(found.st_mode):
            _list(reader, root, name, depth + 1, names)
        elif stat.S_ISREG(found.st_mode):
            reader.accept(name, found.st_size)
            names.append(name)
        else:
            raise BundleError(f"{name} in the bundle is no file", code="bundle_path_invalid")
