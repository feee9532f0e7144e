"""Targets that ordinary tests tell: they are run, and whether they pass is the figure."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.usability.figure import Figure

ROOT = Path(__file__).parents[2]


def told(*tests: str) -> Figure:
    """Run tests by their names, in a process of their own.

    Args:
        tests: As pytest names them, from the folder of the tests on.
    """
    names = [f"tests/{name}" for name in tests]
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.strip().rpartition("\n")[2]
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
    counts = {what: int(count) for count, what in re.findall(r"(\d+) (passed|failed|errors?)", last)}
    passed, all_ = counts.get("passed", 0), sum(counts.values())
    return Figure(f"{passed} of {all_} tests pass", met=done.returncode == 0 and passed > 0)
