"""The text of requests and responses of four providers, as dicts; llm/ has the packages' objects."""

from types import SimpleNamespace

import pytest

from platform_sdk import InputError, guard
from platform_sdk.llm.content import prompt_segments


def segments(request):
    return [(found.role, found.source, found.text) for found in prompt_segments(request)]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"messages": [{"role": "user", "content": "hi"}]}, [("user", "user", "hi")]),
        (
            {
                "messages": [
                    {"role": "system", "content": "be kind"},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {"id": "c", "function": {"name": "f", "arguments": '{"a":"b"}'}}
                        ],
                    },
                    {"role": "tool", "tool_call_id": "c", "content": "found"},
                ]
            },
            [
                ("system", "user", "be kind"),
                ("assistant", "user", '{"a":"b"}'),
                ("tool", "tool", "found"),
            ],
        ),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "what is this"},
                            {
                                "type": "image_url",
                                "image_url": {"url": "data:image/png;base64,AAAA"},
                            },
                            {
                                "type": "input_audio",
                                "input_audio": {"data": "AAAA", "format": "wav"},
                            },
                            {"type": "file", "file": {"file_data": "AAAA", "filename": "notes"}},
                        ],
                    }
                ]
            },
            [("user", "user", "what is this"), ("user", "user", "notes")],
        ),
        ({"system": "s", "messages": []}, [("system", "user", "s")]),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "t", "content": "r"},
                            {
                                "type": "document",
                                "title": "d",
                                "source": {
                                    "type": "text",
                                    "media_type": "text/plain",
                                    "data": "body",
                                },
                            },
                            {
                                "type": "document",
                                "source": {
                                    "type": "base64",
                                    "media_type": "application/pdf",
                                    "data": "AAAA",
                                },
                            },
                        ],
                    }
                ]
            },
            [("user", "tool", "r"), ("user", "document", "d"), ("user", "document", "body")],
        ),
        (
            {
                "messages": [
                    {
                        "role": "assistant",
                        "content": [
                            {
                                "type": "tool_use",
                                "id": "t",
                                "name": "f",
                                "input": {"id": "x", "url": "y"},
                            },
                            {"type": "redacted_thinking", "data": "AAAA"},
                        ],
                    }
                ]
            },
            [("assistant", "user", '{"id": "x", "url": "y"}')],
        ),
        (
            {
                "instructions": "i",
                "input": [
                    {"role": "user", "content": [{"type": "input_text", "text": "t"}]},
                    {"type": "function_call_output", "call_id": "c", "output": "o"},
                ],
            },
            [("system", "user", "i"), ("user", "user", "t"), ("user", "tool", "o")],
        ),
        (
            {
                "contents": [
                    "a",
                    {
                        "role": "user",
                        "parts": [
                            {"text": "b"},
                            {"function_response": {"name": "f", "response": {"result": "c"}}},
                            {"inline_data": {"mime_type": "image/png", "data": b"AAAA"}},
                        ],
                    },
                ],
                "config": {"system_instruction": "d"},
            },
            [
                ("user", "user", "a"),
                ("user", "user", "b"),
                ("tool", "tool", '{"result": "c"}'),
                ("system", "user", "d"),
            ],
        ),
        (
            {"prompt": "def f(", "suffix": "return"},
            [("user", "user", "def f("), ("user", "user", "return")],
        ),
        # A kind that nobody has heard of is text all the same.
        (
            {"messages": [{"role": "user", "content": [{"type": "new", "said": "x"}]}]},
            [("user", "user", "x")],
        ),
        ({}, []),
    ],
)
def test_prompts(request_, expected):
    assert segments(request_) == expected
    assert guard.extract_prompt_text(request_) == "\n".join(text for _, _, text in expected)


def test_objects_of_packages():
    message = SimpleNamespace(model_dump=lambda: {"role": "tool", "content": "found"})
    assert segments({"messages": [message]}) == [("tool", "tool", "found")]


def test_too_deep():
    nested = "x"
    for _ in range(99):
        nested = [nested]
    with pytest.raises(InputError):
        guard.extract_prompt_text({"messages": nested})


@pytest.mark.parametrize("provider", [None, "theirs"])
@pytest.mark.parametrize(
    ("name", "response", "expected"),
    [
        (
            "openai",
            {"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]},
            "a\nb",
        ),
        ("openai", {"choices": [{"text": "a"}]}, "a"),
        ("openai", {"choices": [{"message": {"content": None, "refusal": "no"}}]}, "no"),
        (
            "openai",
            {
                "output": [
                    {"type": "reasoning", "summary": [{"text": "hm"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
                    {"type": "function_call", "name": "f", "arguments": "{}"},
                ]
            },
            "a",
        ),
        (
            "anthropic",
            {
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "a"},
                    {"type": "tool_use", "name": "f", "input": {}},
                    {"type": "text", "text": "b"},
                ]
            },
            "a\nb",
        ),
        (
            "google",
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [{"text": "hm", "thought": True}, {"text": "a"}, {"text": "b"}]
                        }
                    }
                ]
            },
            "ab",
        ),
        (
            "mistral",
            {
                "choices": [
                    {
                        "message": {
                            "content": [
                                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                                {"type": "text", "text": "a"},
                            ]
                        }
                    }
                ]
            },
            "a",
        ),
        ("openai", {}, ""),
        ("openai", "a", "a"),
    ],
)
def test_responses(name, response, expected, provider):
    given = name if provider else None
    assert guard.extract_response_text(response, given) == expected
