"""Exact token counts in process: the counts that Node gives, from the same modules."""

import pytest

from platform_sdk.errors import InputError
from platform_sdk.tokens import TokenCounter


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_counts(encoding):
    counter = TokenCounter.load(encoding)
    assert counter is TokenCounter.load(encoding)
    assert counter.count("") == 0
    assert counter.count("tiktoken is great!") == 6
    assert counter.count("a" * 2**20) == 2**17
    # The name of a special token is text like any other.
    assert counter.count("<|endoftext|>") == 7


@pytest.mark.parametrize(
    "text, code", [("a\ud800", "input_lone_surrogate"), ("é" * (2**21 + 1), "input_too_large")]
)
def test_refusals(text, code):
    with pytest.raises(InputError) as refused:
        TokenCounter.load("cl100k_base").count(text)
    assert refused.value.code == code


def test_unknown_encoding():
    with pytest.raises(InputError):
        TokenCounter("p50k_base")
