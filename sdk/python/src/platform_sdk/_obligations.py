"""What a decision says, from the output of a module: whether it allows, why, and by which rule. As
runtime/decide/decide.ts and runtime/decide/obligations.ts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

#: The kinds of obligations that the platform's own callers honour, by boundary.
HONOURED: dict[str, tuple[str, ...]] = {"tool": ("rate", "budget", "max_bytes", "redact")}

_UNREADABLE: dict[str, Any] = {"allow": False, "reason": {"code": "module_output_invalid"}}
_WHOLE_MAX = 2**53 - 1
_DENIALS = {
    "arguments": ("arguments_invalid", "the arguments do not fit the tool's schema"),
    "guard": ("guard_blocked", "the guard found something that must not pass"),
}


@dataclass(frozen=True)
class Reason:
    """Why: a stable code, and words for people."""

    code: str
    message: str


@dataclass(frozen=True)
class Judgement:
    """What an output means to a caller."""

    allow: bool
    reason: Reason
    rule: str
    controls: tuple[str, ...]


def parse_output(data: bytes) -> dict[str, Any]:
    """The output as an object; what is none allows nothing."""
    try:
        output = json.loads(data)
    except (ValueError, RecursionError):
        return dict(_UNREADABLE)
    return output if isinstance(output, dict) else dict(_UNREADABLE)


def obligations_of(output: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The obligations of an output; None when they cannot be read."""
    stated = output.get("obligations", [])
    if not isinstance(stated, list):
        return None
    is_one = all(isinstance(one, dict) and isinstance(one.get("kind"), str) for one in stated)
    return stated if is_one else None


def judge(module: str, output: dict[str, Any], honours: Collection[str]) -> Judgement:
    """Reads a module's output; `allow: true` allows a caller that can keep every obligation, no
    other."""
    obligations = obligations_of(output)
    if obligations is None:
        # An obligation that cannot be read is one that nobody can honour.
        return judge(module, _UNREADABLE, honours)
    answered = output.get("allow") is True
    ignored = next(
        (one for one in obligations if one["kind"] not in honours or not is_well_formed(one)), None
    )
    allow = answered and ignored is None
    reason = _reason(module, output, allow)
    if answered and ignored is not None:
        message = f'this caller cannot honour "{ignored["kind"]}"'
        reason = Reason("obligation_unknown", message)
    rule, controls = output.get("rule"), output.get("controls")
    return Judgement(
        allow,
        reason,
        rule if isinstance(rule, str) else module,
        tuple(one for one in controls if isinstance(one, str))
        if isinstance(controls, list)
        else (),
    )


def is_well_formed(obligation: dict[str, Any]) -> bool:
    """True for an obligation of a known kind with exactly the members that its kind has."""
    form = _FORMS.get(obligation["kind"])
    members = obligation.keys() - {"kind"}
    return (
        form is not None
        and members == form.keys()
        and all(form[name](obligation[name]) for name in members)
    )


def _reason(module: str, output: dict[str, Any], allow: bool) -> Reason:
    stated = output.get("reason")
    reasons = output.get("reasons")
    if not isinstance(stated, dict):
        listed = reasons if isinstance(reasons, list) else []
        stated = next((one for one in listed if isinstance(one, dict)), {})
    code, message = stated.get("code"), stated.get("message")
    if isinstance(code, str):
        return Reason(code, message if isinstance(message, str) else code)
    if allow:
        return Reason("allowed", "allowed")
    return Reason(*_DENIALS.get(module, ("denied", "no rule allows this")))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _WHOLE_MAX


def _is_window(value: Any) -> bool:
    return type(value) is int and value in (60, 3600, 86_400)


def _is_subject(value: Any) -> bool:
    return value in ("agent", "tenant")


def _is_currency(value: Any) -> bool:
    return (
        isinstance(value, str) and len(value) == 3 and value.isascii() and value.isalpha()
    ) and value.isupper()


def _is_pointers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(path, str) and (not path or path[0] == "/") for path in value)
    )


# The same forms as policies/answer/obligations.rego, member by member; none is optional.
_FORMS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "require_approval": {"question": _is_text},
    "rate": {"limit": _is_whole, "window_seconds": _is_window, "per": _is_subject},
    "budget": {"currency": _is_currency, "limit": _is_whole, "per": _is_subject},
    "max_bytes": {"bytes": _is_whole},
    "redact": {"paths": _is_pointers},
}
