"""Look for commands that are allowed though they should not be: `make fuzz`."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from itertools import chain

from benchmarks.fuzz.cases import cases, each_construct, programs
from benchmarks.fuzz.help_options import OptionSearch, installed_programs, sample_files
from benchmarks.fuzz.jail import Jail, NoJailError
from benchmarks.fuzz.judged import Failure, examine
from benchmarks.fuzz.machine import Machine
from benchmarks.fuzz.minimizing import minimized

from signoff.policy.shell.programs import known_programs
from signoff.policy.verdict import Level

_SHARE_OF_OPTIONS = 0.4


def main() -> int:
    """Run until the time is over; 0 if nothing was found, 1 if something was, 2 without a jail."""
    parser = argparse.ArgumentParser(prog="fuzz", description="Compare the verdict on shell commands with bash.")
    parser.add_argument("--seconds", type=float, default=600, help="how long to look (default: 600)")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(10**9), help="the same seed, the same commands"
    )
    parser.add_argument("--failures", type=int, default=1, help="how many different ones to look for (default: 1)")
    parser.add_argument("--only", choices=("commands", "options"), help="one half of it: %(choices)s")
    parser.add_argument(
        "--undecided", action="store_true", help="show what is asked about though a block would fit"
    )
    arguments = parser.parse_args()
    _say(f"seed {arguments.seed}, {arguments.seconds:.0f} seconds")
    failures = 0
    try:
        if arguments.only != "options":
            with Jail(programs()) as jail:
                failures = _look(jail, arguments)
        if arguments.only != "commands" and failures < arguments.failures:
            with Machine(sample_files()) as machine:
                failures += _look_at_options(machine, arguments)
    except NoJailError as error:
        _say(str(error))
        return 2
    return 1 if failures else 0


def _look(jail: Jail, arguments: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    failures: dict[str, Failure] = {}
    slowest = 0.0
    end = time.monotonic() + arguments.seconds * (1 if arguments.only else 1 - _SHARE_OF_OPTIONS)
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
    return len(failures)


def _look_at_options(machine: Machine, arguments: argparse.Namespace) -> int:
    search = OptionSearch(machine, installed_programs(known_programs()), arguments.seed)
    found: set[tuple[str, str, str]] = set()
    end = time.monotonic() + arguments.seconds * (1 if arguments.only else _SHARE_OF_OPTIONS)
    for surprise in search.surprises():
        if surprise is not None and surprise.kind not in found:
            _say(str(surprise))
            found.add(surprise.kind)
        if time.monotonic() > end or len(found) >= arguments.failures:
            break
    _say(search.told())
    _say(f"{len(found)} failures")
    return len(found)


def _tell(counts: Counter[str], slowest: float, failures: int) -> None:
    levels = ", ".join(f"{counts[str(level)]} {level}" for level in Level)
    _say(f"{counts['commands']} commands ({levels}), the slowest verdict after {slowest:.2f} s")
    _say(f"{counts['undecided']} asked about that ran something blocked, which reading alone cannot always tell")
    _say(f"{failures} failures")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
