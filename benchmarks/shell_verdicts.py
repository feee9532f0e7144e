"""What the verdict for a shell command costs, beside `shlex.split` of the same text in the same run.

No command comes twice, so nothing is remembered. Plain lines are read at once; others go through the process that
parses, which is warm.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from typing import Any

from benchmarks.measuring import percentile, spread
from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.verdict import Level

ROUNDS = 40
RULES = [
    CommandRule(tuple(pattern.split()), level, pattern)
    for pattern, level in {
        "git status": Level.ALLOW,
        "git diff": Level.ALLOW,
        "git log": Level.ALLOW,
        "git push": Level.ASK,
        "pytest": Level.ALLOW,
        "grep": Level.ALLOW,
        "ls": Level.ALLOW,
        "cat": Level.ALLOW,
        "npm run": Level.ASK,
        "rm": Level.BLOCK,
    }.items()
]
TYPICAL = (
    "git status --porcelain=v{n}",
    "git diff HEAD~{n} -- src/app.py",
    "git log --oneline -n {n}",
    "git commit -m 'fix: part {n} (again)'",
    "pytest -q tests/test_{n}.py",
    "pytest -k 'not slow and n{n}' 2>/dev/null",
    'grep -rn "name_{n}" src | head -20',
    "ls -la part{n} && cat part{n}/notes.txt",
    "npm run build:{n}",
    "python3 -m ruff check src/part{n}",
)
OTHERS = (
    'for f in part{n}/*.py; do cat "$f"; done',
    "cat <<'EOF' > part{n}.txt\nsome text\nEOF",
    "echo $(git rev-parse HEAD~{n})",
    "(cd part{n} && make) || exit 1",
    "bash -c 'ls part{n}; rm -rf build'",
)


def run() -> list[dict[str, Any]]:
    """Milliseconds for a typical command, for one that needs the parsers, and for `shlex`."""
    judge_command("(ls)", RULES, Level.ASK)  # starts the process
    times = {
        "verdict, typical command": _times(TYPICAL, _judge),
        "verdict, command that needs the parsers": _times(OTHERS, _judge),
        "shlex.split of a typical command": _times(TYPICAL, shlex.split),
    }
    rows = spread(times)
    ratio = percentile(times["verdict, typical command"], 50) / percentile(
        times["shlex.split of a typical command"], 50
    )
    return [*rows, {"name": "verdict / shlex.split, typical command, p50", "value": ratio, "unit": "x"}]


def _judge(command: str) -> None:
    judge_command(command, RULES, Level.ASK)


def _times(templates: tuple[str, ...], work: Callable[[str], object]) -> list[float]:
    times = []
    for number in range(ROUNDS):
        for template in templates:
            command = template.format(n=number)
            start = time.perf_counter()
            work(command)
            times.append((time.perf_counter() - start) * 1e3)
    return times
