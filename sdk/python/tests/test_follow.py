"""A decider that follows its bundles: swapped whole between two decisions, never to a bad pair."""

import json
import os
import shutil
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bundling import SIGNATURES, pack, read, replace, write

from platform_sdk import ConfigurationError, Decider
from platform_sdk.bundles import load_pair

CALM = b'{"scope":"spiffe://a/b/*","spiffe_id":"spiffe://a/b/c"}'
SALT = bytes(32)


def decide(decider):
    return decider.decide("tool", "scope", CALM, salt=SALT)


def wait_until(condition):
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until, "this takes too long"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def files(pairs):
    return {"one": read(pairs.one), "two": read(pairs.two)}


@pytest.fixture
def folder(files, tmp_path):
    policy, data = files["one"]
    replace(tmp_path, "policy", policy)
    replace(tmp_path, "data", data)
    return tmp_path


def test_no_decision_fails_while_bundles_are_swapped(pairs, files, folder):
    errors, seen, stop = [], set(), threading.Event()
    with Decider.following(folder, pairs.keys, interval=0.02, on_error=errors.append) as decider:
        expected = {}
        for name in ("one", "two"):
            fixed = Decider(getattr(pairs, name), pairs.keys)
            expected[fixed.pair.data.revision] = decide(fixed).id

        def work():
            while not stop.is_set():
                decision = decide(decider)
                assert decision.allow
                # The id and the revision are those of one pair, never half of each.
                assert expected[decision.data_revision] == decision.id
                seen.add(decision.id)

        failed = []
        threading.excepthook, before = lambda info: failed.append(info), threading.excepthook
        threads = [threading.Thread(target=work) for _ in range(4)]
        try:
            for thread in threads:
                thread.start()
            for round_ in range(6):
                _, data = files["two" if round_ % 2 == 0 else "one"]
                replace(folder, "data", data)
                revision = json.loads(data[".manifest"])["revision"]
                seen.clear()
                wait_until(lambda r=revision: failed or expected[r] in seen)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            threading.excepthook = before
    assert not failed and not errors


def test_a_bad_pair_changes_nothing(pairs, files, folder):
    errors = []
    with Decider.following(folder, pairs.keys, interval=0.02, on_error=errors.append) as decider:
        good = decider.pair
        _, data = files["two"]
        for bad, code in (
            ({**data, "data.json": b"{}"}, "bundle_signature_invalid"),
            ({name: data[name] for name in data if name != SIGNATURES}, "bundle_signature_missing"),
        ):
            replace(folder, "data", bad)
            wait_until(lambda c=code: decider.error is not None and decider.error.code == c)
            assert decider.pair is good and decide(decider).allow
        (folder / "data.tar.gz").write_bytes(pack(data)[:-20])
        wait_until(lambda: decider.error.code == "bundle_truncated")
        (folder / "data.tar.gz").unlink()
        wait_until(lambda: decider.error.code == "bundle_missing")
        decider.refresh()
        assert [error.code for error in errors] == [
            "bundle_signature_invalid",
            "bundle_signature_missing",
            "bundle_truncated",
            "bundle_missing",
        ]
        assert decider.pair is good
        replace(folder, "data", files["one"][1])
        wait_until(lambda: decider.error is None)
        assert decider.pair == good
        replace(folder, "data", data)
        wait_until(lambda: decider.pair != good)
        assert decider.pair == load_pair(pairs.two, pairs.keys)


def test_folders_as_they_are_copied(pairs, files, tmp_path):
    errors = []
    with Decider.following(tmp_path, pairs.keys, interval=0.01, on_error=errors.append) as decider:
        assert decider.pair is None and decider.error.code == "bundle_missing"
        for kind, found in zip(("policy", "data"), files["one"], strict=True):
            for name in sorted(found):
                write({name: found[name]}, tmp_path / kind)
        wait_until(lambda: decider.pair is not None)
        assert decide(decider).allow and decider.error is None
        shutil.rmtree(tmp_path / "data")
        wait_until(lambda: decider.error is not None)
        assert decide(decider).allow


def test_a_folder_that_links_to_itself_ends(pairs, files, tmp_path):
    folder = tmp_path / "linked"
    for name, content in zip(("policy", "data"), files["one"], strict=True):
        write(content, folder / name)
    with Decider.following(folder, pairs.keys, interval=60) as decider:
        good = decider.pair
        for name in "abc":
            os.symlink(".", folder / "policy" / name)
        decider.refresh()
        assert decider.error.code == "bundle_path_invalid" and decider.pair is good
        for name in "abc":
            os.unlink(folder / "policy" / name)
        decider.refresh()
        assert decider.error is None


def test_without_a_good_pair_everything_is_denied(pairs, files, tmp_path):
    with Decider.following(tmp_path, pairs.keys, interval=60, on_error=lambda _: 1 / 0) as decider:
        decision = decide(decider)
        assert not decision.allow and decision.reason.code == "bundle_missing"
        assert decision.policy_revision == decision.data_revision == ""
        write(files["one"][0], tmp_path / "policy")
        write(files["one"][1], tmp_path / "data")
        decider.refresh()
        assert decide(decider).allow


def test_on_error_may_look_and_close(pairs, tmp_path):
    held = []

    def on_error(_error):
        for decider in held:
            decider.refresh()
            decider.close()

    with Decider.following(tmp_path, pairs.keys, interval=0.02, on_error=on_error) as decider:
        held.append(decider)
        write({"x": b"y"}, tmp_path / "policy")
        decider.refresh()
        assert not decide(decider).allow


def test_the_thread_ends(pairs, folder):
    def following():
        return [each for each in threading.enumerate() if each.name == "platform-bundles"]

    decider = Decider.following(folder, pairs.keys)
    assert len(following()) == 1
    decider.close()
    decider.close()
    assert following() == []
    assert decide(decider).allow
    with pytest.raises(ConfigurationError):
        Decider.following(folder, pairs.keys, interval=0)
    assert following() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_goes_on_by_itself(pairs, files, folder):
    with Decider.following(folder, pairs.keys, interval=0.02) as decider:
        revision = json.loads(files["two"][1][".manifest"])["revision"]
        child = os.fork()
        if child == 0:
            try:
                wait_until(lambda: decide(decider).data_revision == revision)
                os._exit(0)
            finally:
                os._exit(1)
        replace(folder, "data", files["two"][1])
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Handler(BaseHTTPRequestHandler):
    """A bundle server with ETags."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server
        server.seen.append((self.path, self.headers.get("if-none-match"), dict(self.headers)))
        status, content = server.served[self.path]
        etag = f'"{hash(content)}"'
        if status == 200 and self.headers.get("if-none-match") == etag:
            status, content = 304, b""
        self.send_response(status)
        self.send_header("etag", etag)
        if status == 302:
            self.send_header("location", content.decode())
        if status != 304:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        if status != 304:
            self.wfile.write(content)


@pytest.fixture
def server(files):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = []
    policy, data = files["one"]
    server.served = {"/policy": (200, pack(policy)), "/data": (200, pack(data))}
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    server.url = f"http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()


def test_urls_are_asked_for_what_is_new(pairs, files, server):
    urls = (f"{server.url}/policy", f"{server.url}/data")
    errors = []
    with Decider.following(
        urls, pairs.keys, interval=60, token="a token of tests", on_error=errors.append
    ) as decider:
        assert decide(decider).allow and decider.error is None
        assert server.seen[0][2]["Authorization"] == "Bearer a token of tests"
        decider.refresh()
        assert [etag is not None for _, etag, _ in server.seen] == [False, False, True, True]
        good = decider.pair
        broken = {**files["two"][1], "data.json": b"{}"}
        for answer, code in (
            ((200, pack(broken)), "bundle_signature_invalid"),
            ((200, b"no archive"), "bundle_truncated"),
            ((500, b""), "bundle_missing"),
            ((302, b"file:///etc/passwd"), "bundle_missing"),
        ):
            server.served["/data"] = answer
            decider.refresh()
            assert decider.error.code == code and decider.pair is good
            # What was refused is asked for in full, with the ETag of what is in force or none.
            assert decide(decider).allow
        server.served["/data"] = (200, pack(files["two"][1]))
        decider.refresh()
        assert decider.error is None
        assert decider.pair == load_pair(pairs.two, pairs.keys)
        server.shutdown()
        server.server_close()
        decider.refresh()
        assert decider.error.code == "service_unavailable" and decide(decider).allow
    assert len(errors) == 5 and all(isinstance(error.code, str) for error in errors)


def test_a_token_is_given_to_nobody_else(pairs, server):
    there = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    there.seen, there.served = [], dict(server.served)
    threading.Thread(target=there.serve_forever, args=(0.02,), daemon=True).start()
    elsewhere = f"http://127.0.0.1:{there.server_port}/policy"
    server.served["/policy"] = (302, elsewhere.encode())
    try:
        urls = (f"{server.url}/policy", f"{server.url}/data")
        with Decider.following(urls, pairs.keys, interval=60, token="a token of tests") as decider:
            assert there.seen == []
            assert decider.error.code == "bundle_missing" and not decide(decider).allow
    finally:
        there.shutdown()
        there.server_close()


def test_urls_are_of_the_web(pairs):
    for url in ("file:///etc/passwd", "ftp://a/b", "bundles.example"):
        with pytest.raises(ConfigurationError):
            Decider.following((url, url), pairs.keys)
