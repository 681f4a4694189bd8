"""detect-secrets and Presidio's regular expressions, as a program that is asked for texts.

Usage: python.py detect-secrets|presidio; reads the path of a text a line, answers
`{"ns": …, "findings": …}`.
"""

import inspect
import json
import sys
import time


def detect_secrets():
    """All plugins of detect-secrets, line by line, as its own scan of a file does."""
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    def scan(text):
        with default_settings():
            return sum(1 for line in text.splitlines() for _ in scan_line(line))

    return scan


def presidio():
    """The recognisers of Presidio that are patterns and serve English, with no language model."""
    from presidio_analyzer import PatternRecognizer, predefined_recognizers

    recognizers = []
    for _, kind in inspect.getmembers(predefined_recognizers, inspect.isclass):
        if not issubclass(kind, PatternRecognizer) or inspect.isabstract(kind):
            continue
        try:
            recognizer = kind()
        except TypeError:
            continue
        if recognizer.supported_language == "en":
            recognizers.append(recognizer)

    def scan(text):
        return sum(
            len(each.analyze(text=text, entities=each.supported_entities, nlp_artifacts=None) or [])
            for each in recognizers
        )

    return scan


def main():
    """Answers until standard input ends."""
    scan = {"detect-secrets": detect_secrets, "presidio": presidio}[sys.argv[1]]()
    for line in sys.stdin:
        with open(line.rstrip("\n"), encoding="utf-8") as file:
            text = file.read()
        started = time.perf_counter_ns()
        findings = scan(text)
        took = time.perf_counter_ns() - started
        print(json.dumps({"ns": took, "findings": findings}), flush=True)


main()
