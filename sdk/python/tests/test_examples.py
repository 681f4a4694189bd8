"""The examples of README.md run, and print what stands there."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_bundles import other_key

README = Path(__file__).parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n([^`]+)```\n\n```text\n([^`]+)```")
EXAMPLES = EXAMPLE.findall(README.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("program", "printed"), EXAMPLES)
def test_example(pairs, tmp_path, program, printed):
    (tmp_path / "other").write_text(json.dumps(other_key("other")))
    for shown, real in (
        ("/etc/platform/bundles", str(pairs.one)),
        ("/etc/platform/bundle-keys.json", str(pairs.keys)),
        ("/etc/platform/other-keys.json", str(tmp_path / "other")),
    ):
        program = program.replace(shown, real)
    run = subprocess.run(
        [sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stdout == printed, run.stderr
    assert run.stderr == ""


def test_there_are_examples():
    assert len(EXAMPLES) == 3
