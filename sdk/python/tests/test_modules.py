"""The decision modules in process: same answers, same ids, closed on every failure."""

import asyncio
import hashlib
import json

import pytest

from platform_sdk import Decider, GuardrailError, InputError, arguments, guard, record, scope
from platform_sdk._wasm import WasmModule, module_bytes
from platform_sdk.errors import ModuleError

SALT = bytes(range(32))


def test_canonical_json_and_hashes():
    assert record.default().canonicalize(b'{"b":1.0,"a":"\\u00e9"}') == '{"a":"é","b":1}'.encode()
    assert record.default().sha256(b"x") == hashlib.sha256(b"x").digest()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b'{"a":1,"a":2}', "input_duplicate_key"),
        (b'{"a":12345678901234567890}', "input_number_not_portable"),
        (b'"\\ud800"', "input_lone_surrogate"),
        (b'"\xff"', "input_not_utf8"),
        (b"[" * 65 + b"]" * 65, "input_too_deep"),
        (b" " * (1 << 21), "input_too_large"),
        (b"", "input_not_json"),
    ],
)
def test_what_no_module_reads(text, code):
    with pytest.raises(InputError) as caught:
        record.default().canonicalize(text)
    assert caught.value.code == code


def test_scopes_end_at_segments():
    assert scope.covers("spiffe://td/agent/acme/bot/*", "spiffe://td/agent/acme/bot/main")
    assert not scope.covers("spiffe://td/agent/acme/bot/*", "spiffe://td/agent/acme/botnet/x")
    with pytest.raises(InputError) as caught:
        scope.parse("http://td/x")
    assert caught.value.code == "spiffe_scheme_wrong"


def test_guard_says_where_and_never_what():
    found = guard.scan_prompt("write to ann@example.com")
    assert not found["is_valid"] and found["scanners"]["PII"]["matches"][0]["start"] == 9
    assert "ann@" not in json.dumps(found)
    assert guard.scan_prompt("hello")["is_valid"]
    assert asyncio.run(guard.scan_output_async("", "hello")) == {"is_valid": True, "scanners": {}}
    with pytest.raises(GuardrailError) as caught:
        guard.scan_prompt("\U000e0041\U000e0042", block=True)
    assert "InvisibleText" in caught.value.scanners
    messages = {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}
    assert guard.extract_prompt_text(messages) == "hi"


def test_arguments_that_do_not_fit():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert arguments.validate(schema, {"n": 1})["allow"]
    refused = arguments.validate(schema, {"n": "x"})
    assert refused["violations"][0]["pointer"] == "/n"
    with pytest.raises(InputError) as caught:
        arguments.validate({"unevaluatedItems": False, "dynamicRef": 1, "$dynamicRef": "#x"}, {})
    assert caught.value.code.startswith("schema_")


def test_many_schemas_in_bounded_memory():
    for number in range(3000):
        schema = {"type": "object", "properties": {f"p{number}": {"enum": ["x" * 200, number]}}}
        assert arguments.validate(schema, {f"p{number}": number})["allow"]


def test_a_trap_costs_one_call():
    module = WasmModule("record")
    module.instance()
    with pytest.raises(ModuleError):
        module.invoke("canonicalize", 0x7FFFFFF0, 64)
    assert module.run("canonicalize", b"[ ]") == b"[]"


def test_a_module_that_is_not_there(tmp_path):
    with pytest.raises(ModuleError) as caught:
        module_bytes("record", tmp_path)
    assert caught.value.code == "module_missing"


def test_without_a_bundle_everything_is_denied_with_an_id():
    decision = Decider().decide("tool", "scope", b"{}", salt=SALT)
    assert not decision.allow and decision.reason.code == "bundle_missing"
    assert len(decision.id) == 64 and decision.policy_revision == ""


def test_secrets_enter_ids_as_commitments_only():
    decider = Decider()
    secret = json.dumps({"arguments": {"k": 'a"\\,}'}, "b": 1, "provenance": {}}).encode()
    first = decider.decide("tool", "authorization", secret, salt=SALT)
    assert b"a\\" not in first.committed_input
    assert first.committed_input.count(b"$commitment") == 2
    assert [opening.field for opening in first.openings] == ["arguments", "provenance"]
    assert json.loads(first.openings[0].value) == {"k": 'a"\\,}'} and "k" not in repr(first)
    assert decider.decide("tool", "authorization", secret, salt=bytes(32)).id != first.id
    assert decider.decide("tool", "authorization", secret).id != first.id
    unreadable = decider.decide("tool", "authorization", b"{", salt=SALT)
    assert unreadable.committed_input.startswith(b'{"$commitment"')
