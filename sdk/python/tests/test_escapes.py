"""Arguments of tools that are written with escapes are judged as they are read."""

import pytest

from platform_sdk.llm.content import unescaped
from platform_sdk.llm.guarding import Scan
from platform_sdk.llm.stream import Gate
from platform_sdk.llm.wire import Piece

# Put together here, so that no text of this file looks like a credential.
SECRET = "ghp" + "_" + "x7Kq2mVb9TzR4sLw8NcY1dFg6HjP3a10IZZG"
WRITTEN = '{"a": "\\u0067' + SECRET[1:] + '"}'


class Wire:
    system = "openai"
    operation = "chat"

    def closed(self, chunk):
        return [(0,)] if chunk == "end" else []


def test_what_escapes_say():
    assert unescaped(WRITTEN) == ['{"a": "' + SECRET + '"}']
    assert unescaped('{"a": "b\\n"}') == []
    assert unescaped('{"a": "\\u00') == []


@pytest.mark.parametrize("cut", range(1, len(WRITTEN), 3))
def test_no_part_leaves_before_it_is_read(cut):
    scan = Scan("output")
    gate = Gate(Wire(), scan, False, "")
    shown = []
    for part in (WRITTEN[:cut], WRITTEN[cut:]):
        gate.push(part, [Piece((0, "tool"), part, "tool", name="f")])
        shown += gate.take()
    gate.push("end", [])
    gate.finish()
    shown += gate.take()
    assert list(scan.found) == ["Secrets"]
    assert "IZZG" not in "".join(shown)


def test_harmless_escapes_pass():
    scan = Scan("output")
    gate = Gate(Wire(), scan, False, "")
    gate.push("a", [Piece((0, "tool"), '{"a": "caf\\u00e9"}', "tool", name="f")])
    gate.push("end", [])
    assert gate.take() == ["a", "end"] and not scan.found
