"""Scores texts with detectors written in Python: peers.py NAME < texts.json, scores as JSON on standard output."""

import json
import sys


def picket():
    """Rules of aicordon: the severity of the worst finding, 1 to 4."""
    from aicordon import picket as rules

    detector = rules.load()
    order = ["info", "low", "medium", "high", "critical"]

    def score(text):
        report = detector.check(text)
        return order.index(str(report.severity)) if report.flagged else 0

    return lambda texts: [score(text) for text in texts]


def prompt_shield():
    """Patterns of ai-injection-guard: the risk score."""
    from prompt_shield import PromptScanner

    scanner = PromptScanner(threshold="LOW")
    return lambda texts: [scanner.scan(text).risk_score for text in texts]


def profanity_check():
    """The linear model of alt-profanity-check: a probability."""
    from profanity_check import predict_prob

    return lambda texts: [float(probability) for probability in predict_prob(texts)]


scorer = {"picket": picket, "prompt_shield": prompt_shield, "profanity_check": profanity_check}[sys.argv[1]]()
json.dump(scorer(json.load(sys.stdin)), sys.stdout)
