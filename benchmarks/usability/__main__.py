"""Measures the usability targets and prints a table: ``make usability``, or ``python -m usability --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TextIO

from benchmarks.usability.all_targets import TARGETS
from benchmarks.usability.bench import Bench
from benchmarks.usability.targets import Row, Target, measured

_WORDS = {True: "yes", False: "NO"}


def main() -> int:
    """Measure and print; 0 if every target is met, 1 if one is missed, 2 for a wrong id."""
    parser = argparse.ArgumentParser(prog="usability", description="Measure the usability targets.")
    parser.add_argument("--only", default="", metavar="UT-08,UT-20", help="measure these alone")
    parser.add_argument("--seconds", type=float, help="how long measurements take that can be of any length")
    parser.add_argument("--rounds", type=int, help="how often what is repeated is done")
    parser.add_argument(
        "--factor", type=float, default=1.0, help="multiply limits of time on a slow machine (default: 1)"
    )
    arguments = parser.parse_args()
    wanted = {name.strip().upper() for name in arguments.only.split(",") if name.strip()}
    if unknown := wanted - {target.id for target in TARGETS}:
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    chosen = [target for target in TARGETS if not wanted or target.id in wanted]
    with Bench(seconds=arguments.seconds, rounds=arguments.rounds, factor=arguments.factor) as bench:
        rows = [_told(target, bench) for target in chosen]
    _print_table(rows)
    return 0 if all(row.met for row in rows) else 1


def _told(target: Target, bench: Bench) -> Row:
    _say(f"{target.id} {target.what} ...", file=sys.stderr)
    row = measured(target, bench)
    _say(f"      {_WORDS[row.met]}: {row.figure}", file=sys.stderr)
    return row


def _print_table(rows: Sequence[Row]) -> None:
    """Figures stand last, because they are of any length."""
    cells = [("id", "what", "target", "met", "s", "figure")]
    cells += [
        (row.target.id, row.target.what, row.target.limit, _WORDS[row.met], f"{row.seconds:.0f}", row.figure)
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    for line in cells:
        padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        _say("  ".join([*padded, line[-1]]))
    met = sum(row.met for row in rows)
    _say(f"{met} met, {len(rows) - met} missed")


def _say(text: str, file: TextIO = sys.stdout) -> None:
    print(text, file=file, flush=True)


if __name__ == "__main__":
    sys.exit(main())
