"""Redaction and tokens: the vectors that the TypeScript functions pass too."""

import json
import random
from pathlib import Path

import pytest

from platform_sdk.errors import InputError
from platform_sdk.redact import Untokenizer, redact, untokenize

FIXTURES = Path(__file__).parents[3] / "runtime" / "guard" / "fixtures"
VECTORS = json.loads((FIXTURES / "redact.json").read_text(encoding="utf-8"))
KEY = "a key of tests, no secret"


def names(cases):
    return [case["name"] for case in cases]


@pytest.mark.parametrize("case", VECTORS["redact"], ids=names(VECTORS["redact"]))
def test_redact(case):
    assert redact(case["text"], case["findings"], **case["options"]) == case["expected"]


@pytest.mark.parametrize("case", VECTORS["refused"], ids=names(VECTORS["refused"]))
def test_refused(case):
    with pytest.raises(InputError) as refused:
        redact(case["text"], case["findings"], **case["options"])
    assert refused.value.code == "input_invalid"


def test_surrogate():
    with pytest.raises(InputError) as refused:
        redact("a\ud800", [])
    assert refused.value.code == "input_lone_surrogate"


@pytest.mark.parametrize("case", VECTORS["untokenize"], ids=names(VECTORS["untokenize"]))
def test_untokenize(case):
    assert untokenize(case["text"], case["tokens"]) == case["expected"]


def test_pieces():
    choose = random.Random()
    for _ in range(500):
        text = "".join(choose.choice("aé👩<: >") for _ in range(choose.randint(1, 30)))
        end = len(text[: choose.randint(1, len(text))].encode())
        answer = redact(text, [{"kind": "email", "start": 0, "end": end}], "tokenize", KEY)
        whole = answer["text"] * 3
        stream = Untokenizer(answer["tokens"])
        pieces = []
        rest = whole
        while rest:
            size = choose.randint(1, 12)
            pieces.append(stream.push(rest[:size], last=len(rest) <= size))
            rest = rest[size:]
        assert "".join(pieces) == untokenize(whole, answer["tokens"]) == text * 3
