"""The time that the gate of MCP adds to a message that passes: a server behind it, and the same one without it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import percentile

ROUNDS, FIRST = 2_000, 100
PERCENTS = (50, 99)
GATE = (sys.executable, "-m", "signoff.cli", "mcp-proxy", "--")
SERVER = """
import json, sys
for line in sys.stdin.buffer:
    asked = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": asked["params"]}
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""
SIZES = {"1 KB": 1_000, "100 KB": 100_000}


def run() -> list[dict[str, Any]]:
    """Time requests and their answers, one after the other, in turn."""
    server = (sys.executable, "-c", SERVER)
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as folder, ExitStack() as stack:
        direct, gated = (stack.enter_context(_started([*way, *server], Path(folder))) for way in ((), GATE))
        rows: list[dict[str, Any]] = []
        for size, characters in SIZES.items():
            ways = {"direct": direct, "through the gate": gated}
            times = _timed(ways, characters, ROUNDS if characters < 10_000 else ROUNDS // 10)
            for percent in PERCENTS:
                found = {name: percentile(values, percent) for name, values in times.items()}
                added = found["through the gate"] - found["direct"]
                rows += [
                    {"name": f"{size} there and back, {name}, p{percent}", "value": value, "unit": "ms"}
                    for name, value in found.items()
                ]
                rows.append(
                    {"name": f"{size}, added to each message, p{percent}", "value": added / 2, "unit": "ms"}
                )
        return rows


@contextmanager
def _started(command: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=folder) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


def _timed(
    ways: Mapping[str, subprocess.Popen[bytes]], characters: int, rounds: int
) -> Mapping[str, Sequence[float]]:
    """Milliseconds of each exchange, by way."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-FIRST, rounds):
        asked = {"jsonrpc": "2.0", "id": number, "method": "resources/read", "params": {"text": "x" * characters}}
        line = json.dumps(asked).encode() + b"\n"
        for name, process in ways.items():
            assert process.stdin is not None
            assert process.stdout is not None
            begin = time.perf_counter()
            process.stdin.write(line)
            process.stdin.flush()
            process.stdout.readline()
            if number >= 0:
                times[name].append((time.perf_counter() - begin) * 1e3)
    return times
