"""Bundles that come as archives are read before anything about them is known to be good."""

import copy
import gzip
import tarfile

import pytest
from bundling import code_of, gzipped
from hypothesis import given
from hypothesis import strategies as st

from platform_sdk import BundleError
from platform_sdk.bundles import read_archive


def entry(name, kind=tarfile.REGTYPE, content=b"x", **more):
    info = tarfile.TarInfo(name)
    info.type = kind
    for field, value in more.items():
        setattr(info, field, value)
    return info, content


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "a/../b",
        "a/./b",
        "a//b",
        "..",
        "a\\b",
        "c:x",
        "a\tb",
        "a\u202eb",
        "a\u2028",
        "é" * 129,
    ],
)
def test_names_that_leave_or_mislead(name):
    refused = code_of(lambda: read_archive(gzipped([entry(name)], tarfile.PAX_FORMAT)))
    assert refused == "bundle_path_invalid"


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
        b"S",
        b"7",
    ],
)
def test_what_is_no_file(kind):
    archive = gzipped([entry("a"), entry("b", kind, b"", linkname="/etc/passwd")])
    assert code_of(lambda: read_archive(archive)) == "bundle_path_invalid"


def test_archives_of_all_kinds():
    long = "/".join(["folder"] * 30) + "/file"
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        entries = [entry("./d/", tarfile.DIRTYPE, b""), entry("./a"), entry("/d/b", content=b"")]
        names = {"a": b"x", "d/b": b""}
        for name in (long, "größe"):
            entries.append(entry(name, content=b"y" * 1000))
            names[name] = b"y" * 1000
        assert read_archive(gzipped(entries, form)) == names


def test_archives_that_are_not_whole():
    twice = gzipped([entry("a"), entry("./a")])
    assert code_of(lambda: read_archive(twice)) == "bundle_path_invalid"
    tar = gzip.decompress(gzipped([entry("a", content=b"x" * 700), entry("b")]))
    for end in (0, 100, 512, 1024, 1536, 1600, 2048):
        cut = gzip.compress(tar[:end])
        assert code_of(lambda cut=cut: read_archive(cut)) == "bundle_truncated", end
    good = gzip.compress(tar)
    for bad in (b"", good[:-9], good + b"junk", b"\x1f\x8b", gzip.compress(bytes(1024)), tar):
        assert code_of(lambda bad=bad: read_archive(bad)) == "bundle_truncated"
    behind = gzip.compress(tar + tar)
    assert code_of(lambda: read_archive(behind)) == "bundle_truncated"
    damaged = gzip.compress(tar[:100] + b"9" + tar[101:])
    assert code_of(lambda: read_archive(damaged)) == "bundle_truncated"


def test_archives_that_other_hosts_read_otherwise():
    tar = gzip.decompress(gzipped([entry("a")]))
    old = bytearray(tar)
    old[257:265] = bytes(8)
    old[148:156] = b" " * 8
    old[148:156] = b"%06o\0 " % sum(old[:512])
    assert code_of(lambda: read_archive(gzip.compress(bytes(old)))) == "bundle_truncated"
    folder = gzipped([entry("a"), entry("b/", content=b"")])
    assert code_of(lambda: read_archive(folder)) == "bundle_path_invalid"


def test_archives_that_are_too_large():
    many = gzipped([entry(f"f{number}", content=b"") for number in range(4097)])
    assert code_of(lambda: read_archive(many)) == "bundle_too_large"
    assert code_of(lambda: read_archive(gzip.compress(bytes(80 << 20)))) == "bundle_too_large"
    large = gzipped([entry("a", content=bytes((32 << 20) + 1))])
    assert code_of(lambda: read_archive(large)) == "bundle_too_large"
    assert code_of(lambda: read_archive(bytes((64 << 20) + 1))) == "bundle_too_large"


@given(st.data())
def test_damaged_archives_raise_nothing_else(data):
    entries = [entry("a", content=b"x" * 600), entry("a" * 120), entry("ü")]
    form = data.draw(st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]))
    tar = bytearray(gzip.decompress(gzipped(copy.deepcopy(entries), form))[:6144])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(tar) - 1))
        tar[at] = data.draw(st.integers(0, 255))
    # Whoever damages a header on purpose makes its checksum right again.
    for block in range(0, len(tar), 512):
        if tar[block + 257 : block + 262] == b"ustar" and data.draw(st.booleans()):
            total = sum(tar[block : block + 512]) - sum(tar[block + 148 : block + 156]) + 256
            tar[block + 148 : block + 156] = b"%06o\0 " % total
    try:
        files = read_archive(gzip.compress(bytes(tar)))
    except BundleError:
        return
    for name in files:
        assert name and not name.startswith("/") and ".." not in name.split("/")
    assert sum(map(len, files.values())) <= len(tar)
