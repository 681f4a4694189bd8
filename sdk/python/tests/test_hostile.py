"""Hostile JSON gets the id, the answer and the reason in Python that it gets in Node."""

import base64
import json
import os
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_decider import tool_call

from platform_sdk import Decider
from platform_sdk.decisions import BOUNDARIES

ROUNDS = int(os.environ.get("TEST_EXAMPLES", "150"))
hostile = settings(max_examples=ROUNDS)

NUMBERS = (
    *("0", "-0", "-0.0", "1e400", "-1e400", "1e-400", "5e-324", "2.5e-324", "4.9e-324"),
    *("9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993"),
    *(
        "0.1",
        "0.30000000000000004",
        "0.3000000000000000444",
        "0.1000000000000000055511151231257827",
    ),
    *("1.7976931348623157e308", "1.7976931348623159e308", "1E5", "1e+5", "1.0", "100e-2", "1e21"),
    *(
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "0x10",
        "NaN",
        "Infinity",
        "-",
        "--1",
        "1_0",
        "\u0661",
        "1" * 400,
    ),
)
STRINGS = (
    *(
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\uD83D\\uDE00"',
        '"\\u0000"',
        '"\\/"',
    ),
    *('"\x7f"', '"\t"', '"\\x41"', '"\\u12"', '"', '"\u2028"', '"\ufeff"', '"\u212a"', "'a'", '""'),
)
IDS = (
    "spiffe://a/b",
    "spiffe://a/b/c",
    "spiffe://a/bc",
    "spiffe://a/b/",
    "spiffe://a//b",
    "spiffe://a/b/.",
    "spiffe://a/b/..",
    "spiffe://a/b%2fc",
    "spiffe://a:80/b",
    "spiffe://u@a/b",
    "spiffe://A/b",
    "SPIFFE://a/b",
    "spiffe:/a/b",
    "spiffe://a/b?c",
    "spiffe://a/b#c",
    "spiffe://a/b/*",
    "spiffe://a/*",
    "spiffe://*",
    "spiffe://a/b*",
    "spiffe://a/\u0431",
    "spiffe://a",
    "spiffe://",
    "spiffe://a/" + "b" * 2048,
    "spiffe://" + "a" * 256 + "/b",
    "",
)


class Node:
    """`platform decide`, asked one line at a time."""

    def __init__(self, pairs):
        self._child = subprocess.Popen(
            [
                os.environ["TEST_NODE"],
                os.environ["TEST_CLI"],
                *("decide", "--bundles", str(pairs.one), "--keys", str(pairs.keys)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, boundary, module, data, salt, schema=None):
        request = {
            "boundary": boundary,
            "module": module,
            "input": base64.b64encode(data).decode(),
            "salt": salt.hex(),
        }
        if schema is not None:
            request["schema"] = base64.b64encode(schema).decode()
        self._child.stdin.write(json.dumps(request).encode() + b"\n")
        self._child.stdin.flush()
        return json.loads(self._child.stdout.readline())

    def close(self):
        self._child.stdin.close()
        self._child.wait(60)
        self._child.stdout.close()


@pytest.fixture(scope="module")
def hosts(pairs):
    node = Node(pairs)
    yield Decider(pairs.one, pairs.keys), node
    node.close()


def same(hosts, boundary, module, data, salt=bytes(32), schema=None):
    decider, node = hosts
    decision = decider.decide(boundary, module, data, salt=salt, schema=schema)
    expected = node.ask(boundary, module, data, salt, schema)
    reason = {"code": decision.reason.code, "message": decision.reason.message}
    found = {
        "id": decision.id,
        "allow": decision.allow,
        "rule": decision.rule,
        "reason": reason,
    }
    assert found == expected, data[:300]
    return decision


@st.composite
def texts(draw):
    """JSON as an attacker writes it: whole, or with one thing wrong."""
    leaves = st.one_of(
        st.sampled_from(NUMBERS),
        st.sampled_from(STRINGS),
        st.sampled_from(("true", "false", "null", "True", "nul", "")),
        st.integers().map(str),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.text().map(json.dumps),
        st.text(st.characters(exclude_categories=())).map(json.dumps),
        st.text(st.characters(exclude_categories=["Cs"])).map(
            lambda text: json.dumps(text, ensure_ascii=False)
        ),
    )
    names = st.one_of(
        st.sampled_from(
            (
                '"a"',
                '"\\u0061"',
                '"arguments"',
                '"identity"',
                '"__proto__"',
                '"\u00e9"',
                '"e\u0301"',
            )
        ),
        st.text(max_size=5).map(json.dumps),
        st.integers(250, 260).map(lambda size: json.dumps("k" * size)),
    )
    space = st.sampled_from(("", " ", "\n", "\t", "\r", "\f", "\u00a0", "/**/"))
    comma = st.sampled_from((",", ",", ",", ",,", ""))
    nested = st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(
                lambda items, by, gap: "[" + by.join(gap + item for item in items) + "]",
                st.lists(inner, max_size=4),
                comma,
                space,
            ),
            st.builds(
                lambda items, by, gap: (
                    "{" + by.join(f"{name}{gap}:{item}" for name, item in items) + "}"
                ),
                st.lists(st.tuples(names, inner), max_size=4),
                comma,
                space,
            ),
        ),
        max_leaves=12,
    )
    return draw(nested).encode(errors="surrogatepass")


@hostile
@given(st.sampled_from(BOUNDARIES), texts(), st.binary(min_size=32, max_size=32))
@example("tool", b'{"arguments":1,"\\u0061rguments":2}', bytes(32))
@example("tool", b"", bytes(32))
@example("tool", b"\xef\xbb\xbf{}", bytes(32))
@example("tool", b'{"a":"\xed\xa0\x80"}', bytes(32))
@example("tool", b'{"a":"\xc0\x80"}', bytes(32))
@example("tool", b"[" * 64 + b"]" * 64, bytes(32))
@example("tool", b"[" * 65 + b"]" * 65, bytes(32))
@example("tool", b'{"a":' * 64 + b"1" + b"}" * 64, bytes(32))
@example("tool", b'{"a":' * 65 + b"1" + b"}" * 65, bytes(32))
@example("tool", b"[" * 100_000, bytes(32))
@example("tool", b'"' + b"x" * ((1 << 20) - 2) + b'"', bytes(32))
@example("tool", b'"' + b"x" * ((1 << 20) - 1) + b'"', bytes(32))
def test_any_text(hosts, boundary, text, salt):
    same(hosts, boundary, "authorization", text, salt)


@pytest.mark.parametrize("number", NUMBERS)
def test_each_number(hosts, number):
    for text in (number, f'{{"arguments":{{"n":{number}}}}}', f"[{number} ]"):
        same(hosts, "tool", "authorization", text.encode())


@pytest.mark.parametrize("string", STRINGS)
def test_each_string(hosts, string):
    for text in (
        string,
        f'{{"arguments":{string}}}',
        f"{{{string}:1}}",
        f"{{{string}:1,{string}:2}}",
    ):
        same(hosts, "tool", "authorization", text.encode(errors="surrogatepass"))


@hostile
@given(st.data())
def test_a_good_call_with_one_thing_changed(hosts, data):
    call = json.dumps(tool_call()).encode()
    at = data.draw(st.integers(0, len(call) - 1))
    change = data.draw(
        st.one_of(
            st.binary(max_size=3),
            st.sampled_from([number.encode() for number in NUMBERS]),
            st.sampled_from([string.encode(errors="surrogatepass") for string in STRINGS]),
        )
    )
    cut = data.draw(st.integers(0, 3))
    same(hosts, "tool", "authorization", call[:at] + change + call[at + cut :])


@hostile
@given(st.sampled_from(IDS), st.sampled_from(IDS), st.text(max_size=3), st.integers(0, 12))
def test_near_misses_of_spiffe_ids(hosts, scope, spiffe_id, more, at):
    for one, other in ((scope, spiffe_id), (scope[:at] + more + scope[at:], spiffe_id)):
        text = json.dumps({"scope": one, "spiffe_id": other}).encode()
        same(hosts, "scan", "scope", text)
    changed = tool_call()
    changed["identity"]["spiffe_id"] = spiffe_id
    same(hosts, "tool", "authorization", json.dumps(changed).encode())


@hostile
@given(texts(), texts())
def test_arguments_and_guard(hosts, left, right):
    import hashlib

    name = b'"sha256:' + hashlib.sha256(right).hexdigest().encode() + b'"'
    named = b'{"arguments":' + left + b',"schema":' + name + b"}"
    same(hosts, "tool", "arguments", named, schema=right)
    same(hosts, "tool", "arguments", named, schema=b"{}")
    same(hosts, "tool", "arguments", named)
    asked = b'{"direction":"input","scanners":["PII","Secrets"],"text":' + left + b"}"
    same(hosts, "tool", "guard", asked)
