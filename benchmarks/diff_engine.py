"""Our line diff beside `difflib` of the standard library, in the same run on the same texts.

`difflib` is run without its junk heuristic, because with it the diffs of long texts are wrong in
size by orders of magnitude; the number of edits of both is reported so that this can be seen.
"""

from __future__ import annotations

import difflib
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from signoff.present.diff.engine import diff_lines

ROUNDS = 3
Lines = list[str]


def run() -> list[dict[str, Any]]:
    """Measure every case: one row for each time in milliseconds, ratio, and number of edits."""
    rows: list[dict[str, Any]] = []
    for name, (before, after) in _cases().items():
        ours = _median(partial(diff_lines, before, after))
        theirs = _median(partial(_difflib, before, after))
        rows += [
            {"name": f"{name}: signoff", "value": ours, "unit": "ms"},
            {"name": f"{name}: difflib", "value": theirs, "unit": "ms"},
            {"name": f"{name}: difflib / signoff", "value": theirs / ours, "unit": "x"},
            {"name": f"{name}: edits, signoff", "value": _edits(before, after), "unit": "lines"},
            {"name": f"{name}: edits, difflib", "value": _difflib(before, after), "unit": "lines"},
        ]
    before, after = _edited(100_000, 2_500)
    ours = _median(partial(diff_lines, before, after))
    rows.append({"name": "100,000 lines, 2,500 changed: signoff", "value": ours, "unit": "ms"})
    return rows


def main() -> None:
    """Print the table."""
    for row in run():
        print(f"{row['name']:<52} {row['value']:>10,.1f} {row['unit']}")


def _cases() -> dict[str, tuple[Lines, Lines]]:
    source = random.Random(2)
    numbered = [f"line {number} of the text\n" for number in range(3_000)]
    every_second = [line if number % 2 else f"new {line}" for number, line in enumerate(numbered)]
    few = [f"{source.randrange(16)}\n" for _ in range(1_500)]
    fewer = [line for number, line in enumerate(few) if number % 40]
    return {
        "10,000 lines, 250 changed": _edited(10_000, 250),
        "3,000 lines, every second changed": (numbered, every_second),
        "1,500 lines of 16 kinds, 38 removed": (few, fewer),
        "1,000 equal lines and one more": (["x\n"] * 1_000, ["x\n"] * 1_001),
    }


def _edited(size: int, changes: int) -> tuple[Lines, Lines]:
    source = random.Random(1)
    before = [f"line {number}: {source.random()}\n" for number in range(size)]
    after = list(before)
    for number in source.sample(range(size), changes):
        after[number] = f"changed {number}\n"
    return before, after


def _edits(before: Lines, after: Lines) -> int:
    changed = (opcode for opcode in diff_lines(before, after).opcodes if opcode.tag != "equal")
    return sum(opcode.a1 - opcode.a0 + opcode.b1 - opcode.b0 for opcode in changed)


def _difflib(before: Lines, after: Lines) -> int:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changed = (opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal")
    return sum(a1 - a0 + b1 - b0 for _, a0, a1, b0, b1 in changed)


def _median(work: Callable[[], object]) -> float:
    """Median time of some rounds, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append((time.perf_counter() - begin) * 1_000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
