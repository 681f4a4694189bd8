"""Plays everything against AgentDojo alone, with no platform: the table that the defended one is to
be read beside."""

import argparse
import json

from play import Play
from world import SUITES, TEXT_ONLY, World


def play_undefended(world, user_task, attack, timing):
    """Plays one pair with every call allowed; returns the play's report."""
    play = Play(world, user_task, attack, timing)
    while (step := play.next()) is not None:
        who, call = step
        result, error = play.run(call.function, call.args)
        play.saw(who, call, error is None, result)
    return play.report()


def main():
    """Prints, by suite: user tasks done, pairs, and attacks that succeed by `security()` or by any
    change."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--suite", choices=SUITES)
    options = parser.parse_args()
    for name in [options.suite] if options.suite else SUITES:
        world = World(name)
        row = {
            "suite": name,
            "tools": len(world.suite.tools),
            "tasks": 0,
            "tasksDone": 0,
            "pairs": 0,
        }
        row |= {"readSecurity": 0, "readAny": 0, "endSecurity": 0, "endAny": 0}
        for user_task in world.suite.user_tasks.values():
            row["tasks"] += 1
            row["tasksDone"] += play_undefended(world, user_task, None, "end")["utility"]
            for attack in world.suite.injection_tasks.values():
                if (name, attack.ID) == TEXT_ONLY:
                    continue
                row["pairs"] += 1
                for timing in ("read", "end"):
                    report = play_undefended(world, user_task, attack, timing)
                    row[f"{timing}Security"] += report["security"]
                    row[f"{timing}Any"] += report["security"] or report["changed"]
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
