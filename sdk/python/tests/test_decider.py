"""The decider: the same ids whoever asks, in which order, from how many threads and in which form."""

import json
import threading

import pytest
from bundling import read, write

from platform_sdk import Decider, InputError
from platform_sdk.decisions import BOUNDARIES, HONOURED, MODULES

SALT = bytes(range(32))
AGENT = "spiffe://platform.local/agent/tenant-0/agent-0/main"


def tool_call(**changes):
    """Agent 0 of runtime/testing/sample-data.ts, which may read and write orders."""
    one = {"minute": 1, "hour": 1, "day": 1}
    return {
        "action": "call",
        "identity": {
            "spiffe_id": AGENT,
            "trust_domain": "platform.local",
            "tenant": "tenant-0",
            "agent": "agent-0",
            "role": "main",
        },
        "resource": {
            "kind": "tool",
            "name": "orders_get",
            "service": "orders",
            "action": "read",
            "source": "openapi",
            "tags": [],
        },
        "arguments": {"id": 1},
        "provenance": {},
        "session": None,
        "approval": None,
        "counters": {
            "agent_minute": 1,
            "tenant_minute": 1,
            "calls": {"agent": one, "tenant": one},
            "spend": {"agent": 0, "tenant": 0},
        },
        "context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r"},
        **changes,
    }


@pytest.fixture(scope="module")
def decider(pairs):
    return Decider(pairs.one, pairs.keys)


def ask(decider, value, module="authorization", **options):
    return decider.decide("tool", module, value, salt=SALT, **options)


def test_authorization(decider):
    allowed = ask(decider, tool_call(), honours=HONOURED["tool"])
    assert allowed.allow and allowed.policy_revision == decider.pair.policy.revision
    assert allowed.rule and allowed.reason.code
    other = {**tool_call()["resource"], "service": "payments"}
    denied = ask(decider, tool_call(resource=other), honours=HONOURED["tool"])
    assert not denied.allow and denied.reason.code == "service_not_granted"
    assert denied.id != allowed.id and b'"id":1' not in allowed.committed_input
    assert decider.pair.policy.revision != decider.pair.data.revision


def test_values_and_bytes_are_the_same_input(decider):
    value = tool_call(arguments={"é": [1.5, -0.0, 1e-7, None, True, "\x7f\u2028\U0001f600"]})
    spaced = json.dumps(value, indent=2).encode()
    ids = {ask(decider, form).id for form in (value, spaced, bytearray(spaced), memoryview(spaced))}
    assert len(ids) == 1 and not ask(decider, value).reason.code.startswith("input_")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"a": "\ud800"}, "input_lone_surrogate"),
        ({"a": float("nan")}, "input_number_not_portable"),
        ({"a": float("inf")}, "input_number_not_portable"),
        ({"a": 2**53 + 1}, "input_number_not_portable"),
        ({"a": {1, 2}}, "input_invalid"),
        ({"a": b"bytes"}, "input_invalid"),
        (object(), "input_invalid"),
    ],
)
def test_values_that_are_no_json(decider, value, code):
    decision = ask(decider, value)
    assert not decision.allow and decision.reason.code == code and len(decision.id) == 64
    assert decision.committed_input.startswith(b'{"$commitment"')


def test_values_that_hold_themselves_or_too_much(decider):
    looped = {}
    looped["a"] = looped
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (looped, deep):
        assert not ask(decider, value).allow
    assert ask(decider, ["x" * (1 << 20)]).reason.code == "input_too_large"


def test_what_nobody_decides(decider):
    for boundary, module in (("tools", "scope"), ("tool", "policy"), ("", "")):
        with pytest.raises(InputError):
            decider.decide(boundary, module, b"{}")
    for salt in (b"", bytes(31), bytes(33), "x" * 32, [0] * 32):
        with pytest.raises(InputError):
            decider.decide("tool", "scope", b"{}", salt=salt)
    for boundary in BOUNDARIES:
        for module in MODULES:
            decision = decider.decide(boundary, module, b"{}", salt=SALT)
            assert not decision.allow and len(decision.id) == 64


def test_the_order_of_questions_and_threads_change_no_id(pairs):
    questions = []
    for number in range(60):
        questions.append(("authorization", tool_call(arguments={"n": number}, provenance={})))
        scanned = {"direction": "input", "scanners": ["PII"], "text": f"a{number}@example.com"}
        questions.append(("guard", scanned))
        questions.append(("scope", {"scope": "spiffe://a/*", "spiffe_id": f"spiffe://a/{number}"}))
        questions.append(("authorization", {"deep": [[number] * 200] * 50}))
    first = Decider(pairs.one, pairs.keys)
    expected = [ask(first, value, module).id for module, value in questions]
    shared = Decider(pairs.one, pairs.keys)
    backwards = [ask(shared, value, module).id for module, value in reversed(questions)]
    assert backwards[::-1] == expected
    found = {}

    def work(number):
        shift = number * 37
        for at in range(len(questions)):
            place = (at + shift) % len(questions)
            module, value = questions[place]
            found[number, place] = ask(shared, value, module).id

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 * len(questions)
    assert all(expected[place] == identifier for (_, place), identifier in found.items())


def test_opa_s_form_gives_the_same_ids(pairs, decider, tmp_path):
    policy, data = read(pairs.one)
    write({name: policy[name] for name in policy if name != "decisions.wasm"}, tmp_path / "policy")
    write(data, tmp_path / "data")
    fallback = Decider(tmp_path, verify=False)
    for value in (tool_call(), tool_call(action="drop"), tool_call(identity={}), {}, [], 7, b"{"):
        assert ask(fallback, value).id == ask(decider, value).id


@pytest.mark.parametrize(
    ("obligations", "honours", "code"),
    [
        ([], (), "allowed"),
        ([{"kind": "max_bytes", "bytes": 10}], ("max_bytes",), "allowed"),
        ([{"kind": "max_bytes", "bytes": 10}], (), "obligation_unknown"),
        ([{"kind": "max_bytes", "bytes": 10.5}], ("max_bytes",), "obligation_unknown"),
        ([{"kind": "max_bytes", "bytes": True}], ("max_bytes",), "obligation_unknown"),
        ([{"kind": "max_bytes", "bytes": 2**53}], ("max_bytes",), "obligation_unknown"),
        ([{"kind": "max_bytes"}], ("max_bytes",), "obligation_unknown"),
        ([{"kind": "max_bytes", "bytes": 1, "x": 1}], ("max_bytes",), "obligation_unknown"),
        ([{"kind": "dance"}], ("dance",), "obligation_unknown"),
        ([{"kind": "redact", "paths": ["/a", ""]}], ("redact",), "allowed"),
        ([{"kind": "redact", "paths": ["a"]}], ("redact",), "obligation_unknown"),
        ([{"kind": "redact", "paths": []}], ("redact",), "obligation_unknown"),
        (
            [{"kind": "rate", "limit": 1, "window_seconds": 60, "per": "agent"}],
            ("rate",),
            "allowed",
        ),
        (
            [{"kind": "rate", "limit": 1, "window_seconds": 61, "per": "agent"}],
            ("rate",),
            "obligation_unknown",
        ),
        (
            [{"kind": "budget", "currency": "usd", "limit": 1, "per": "agent"}],
            ("budget",),
            "obligation_unknown",
        ),
        ([{"kind": 7}], (), "module_output_invalid"),
        (7, (), "module_output_invalid"),
    ],
)
def test_an_allow_with_conditions(obligations, honours, code):
    from platform_sdk._obligations import judge

    judged = judge("authorization", {"allow": True, "obligations": obligations}, honours)
    assert judged.reason.code == code and judged.allow is (code == "allowed")
