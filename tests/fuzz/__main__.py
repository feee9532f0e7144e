"""Looks for commands that are allowed though they should not be: ``PYTHONPATH=tests python -m fuzz --help``."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from itertools import chain

from fuzz.cases import cases, each_construct, programs
from fuzz.jail import Jail, NoJailError
from fuzz.judged import Failure, examine
from fuzz.minimizing import minimized
from signoff.policy.verdict import Level


def main() -> int:
    """Run until the time is over; 0 if nothing was found, 1 if something was, 2 without a jail."""
    parser = argparse.ArgumentParser(prog="fuzz", description="Compare the verdict on shell commands with bash.")
    parser.add_argument("--seconds", type=float, default=600, help="how long to look (default: 600)")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**9), help="the same seed, the same commands"
    )
    parser.add_argument("--failures", type=int, default=1, help="how many different ones to look for (default: 1)")
    parser.add_argument(
        "--undecided", action="store_true", help="show what is asked about though a block would fit"
    )
    arguments = parser.parse_args()
    _say(f"seed {arguments.seed}, {arguments.seconds:.0f} seconds")
    try:
        with Jail(programs()) as jail:
            return _look(jail, arguments)
    except NoJailError as error:
        _say(str(error))
        return 2


def _look(jail: Jail, arguments: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    failures: dict[str, Failure] = {}
    slowest = 0.0
    end = time.monotonic() + arguments.seconds
    for case in chain(each_construct(), cases(arguments.seed)):
        if time.monotonic() > end or len(failures) >= arguments.failures:
            break
        outcome = examine(case, jail)
        counts["commands"] += 1
        counts[str(outcome.level)] += 1
        slowest = max(slowest, outcome.seconds)
        if outcome.blocked_ran and outcome.level is Level.ASK:
            counts["undecided"] += 1
            if arguments.undecided:
                _say(f"asked about, and ran what is blocked: {case}")
        if outcome.failure is not None:
            small = minimized(outcome.failure, jail)
            if small.case.text not in failures:
                _say(str(small))
            failures[small.case.text] = small
    _tell(counts, slowest, len(failures))
    return 1 if failures else 0


def _tell(counts: Counter[str], slowest: float, failures: int) -> None:
    levels = ", ".join(f"{counts[str(level)]} {level}" for level in Level)
    _say(f"{counts['commands']} commands ({levels}), the slowest verdict after {slowest:.2f} s")
    _say(f"{counts['undecided']} asked about that ran something blocked, which reading alone cannot always tell")
    _say(f"{failures} failures")


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
