"""The wire of decision requests: what is not exactly a request is refused, as in every other host."""

import json
import subprocess
import sys

import pytest

SALT = "5a" * 32
GOOD = {"boundary": "tool", "module": "scope", "input": "e30=", "salt": SALT}
# As runtime/testing/wire-requests.ts.
NOT_BASE64 = ["e30", "e30==", "e31=", "e3==", "e30=e30=", "e30=x", "e3 0=", " e30=", "e30=\n"]
NOT_BASE64 += ["e30-", "-_-_", "é30=", "=", "====", "e", "e30\0"]
NO_SALTS = ["", SALT[2:], SALT[1:], SALT + "5a", SALT + "5", SALT + "zz", SALT + "\n"]
NO_SALTS += [SALT[2:] + "zz", f"{SALT[:32]} {SALT[32:]}", " " + SALT[1:], "0x" + SALT[2:]]
NO_SALTS += ["\uff15" * 64, None, 7, [SALT]]


def ask(*requests):
    """What the program answers before it ends, its exit code, and what it says then."""
    text = "".join(f"{json.dumps(request)}\n" for request in requests)
    program = [sys.executable, "-m", "platform_sdk.parity"]
    done = subprocess.run(program, input=text, capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr


def test_requests_are_answered_in_order():
    whole = {**GOOD, "schema": "e30="}
    requests = [GOOD, whole, {**GOOD, "salt": SALT.upper()}, {**GOOD, "input": ""}]
    answers, code, said = ask(*requests, {**GOOD, "schema": None})
    assert code == 0 and said == "" and len(answers) == 5
    assert len({answer["id"] for answer in answers}) == 2
    assert {answer["allow"] for answer in answers} == {False}


@pytest.mark.parametrize(
    "change",
    [
        {"salt": "5a"},
        {"salt": SALT + "zz"},
        {"input": "e30"},
        {"schema": "e31="},
        {"boundary": "nowhere"},
        {"module": []},
        {"input": None},
    ],
)
def test_a_line_that_is_no_request_ends_the_program(change):
    answers, code, said = ask(GOOD, {**GOOD, **change}, GOOD)
    assert len(answers) == 1 and code == 1 and said.startswith("line 2: ")
    assert "Traceback" not in said


def test_what_is_not_exactly_base64_or_a_salt_is_refused():
    from platform_sdk.decisions import Decider
    from platform_sdk.errors import InputError
    from platform_sdk.parity import _answer

    decider = Decider()
    changes = [{name: text} for name in ("input", "schema") for text in NOT_BASE64]
    for change in [*changes, *({"salt": salt} for salt in NO_SALTS)]:
        with pytest.raises((InputError, ValueError)):
            _answer(decider, {**GOOD, **change})
    for request in (None, 1, "x", [], [GOOD], {}):
        with pytest.raises(InputError):
            _answer(decider, request)
