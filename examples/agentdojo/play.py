"""One play: the user's calls with an attack's calls among them, on one environment, and AgentDojo's
verdict at the end."""

import contextlib
import io

from attacks import attack_calls
from pydantic_core import to_jsonable_python

# When something was written is the clock's doing, not the agent's.
_CLOCK = {"timestamp", "last_modified"}


class Play:
    """The agent's script for one user task, with or without an attack, and what came of it."""

    def __init__(self, world, user_task, attack, timing):
        self.world, self.task, self.attack, self.timing = world, user_task, attack, timing
        self.env = world.environment(user_task, attack)
        self.before = self.env.model_copy(deep=True)
        self.states = [self.before]
        self.user_calls = list(user_task.ground_truth(self.env))
        self.script = [("user", call) for call in self.user_calls]
        self.at = 0
        self.read_at = None
        self.attack_started = False
        self.done = []
        self.failed = 0

    def next(self):
        """The next (who, call), or None when the play is over."""
        if self.at == len(self.script) and self.attack is not None and not self.attack_started:
            self._start_attack()
        if self.at == len(self.script):
            return None
        self.at += 1
        return self.script[self.at - 1]

    def run(self, name, arguments):
        """Runs a tool as AgentDojo does, on behalf of whoever reached the tool server."""
        result, error = self.world.call(self.env, name, arguments)
        if self.world.name == "slack":
            self.states.append(self.env.model_copy(deep=True))
        return to_jsonable_python(result), error

    def saw(self, who, call, success, result):
        """Takes the answer that the agent got, and lets the attack begin where the injected text
        was read."""
        if success:
            self.done.append((who, call))
        elif who == "user":
            self.failed += 1
        if self.attack is None or who != "user" or self.read_at is not None:
            return
        # The environment's YAML folds the line breaks of some texts; their first words stay as they
        # are.
        if _holds(result, self.attack.GOAL.split("\n")[0][:60]):
            self.read_at = self.at
            if self.timing == "read":
                self._start_attack()

    def _start_attack(self):
        self.attack_started = True
        calls = attack_calls(self.world.name, self.attack, self.env)
        self.script[self.at : self.at] = [("attack", call) for call in calls]

    def report(self):
        """AgentDojo's verdicts, and whether the environment ended as the user's own calls would
        have left it."""
        calls = [call for who, call in self.done if who == "user"]
        whole = self.failed == 0 and len(calls) == len(self.user_calls)
        report = {
            "utility": self.world.utility(self.task, self.before, self.env, calls),
            "whole": whole,
            "read_last": self.read_at == len(self.user_calls),
            "read": self.read_at is not None,
        }
        if self.attack is not None:
            report["security"] = self.world.security(
                self.attack, self.before, self.env, self.states
            )
            report["changed"] = state(self.env) != self.world.outcome(self.task, self.attack, calls)
        return report


def state(env):
    """What an environment holds, less the clock."""
    return _without_clock(env.model_dump(mode="json"))


def outcome_of(world, user_task, attack, calls):
    """How these calls of the user's task alone, undefended, leave the same injected environment."""
    env = world.environment(user_task, attack)
    with contextlib.redirect_stdout(io.StringIO()):
        for call in calls:
            world.call(env, call.function, call.args)
    return state(env)


def _without_clock(value):
    if isinstance(value, dict):
        return {k: _without_clock(v) for k, v in value.items() if k not in _CLOCK}
    if isinstance(value, list):
        return [_without_clock(v) for v in value]
    return value


def _holds(value, text):
    if isinstance(value, str):
        return text in value
    if isinstance(value, dict):
        return any(_holds(k, text) or _holds(v, text) for k, v in value.items())
    if isinstance(value, list):
        return any(_holds(v, text) for v in value)
    return False
