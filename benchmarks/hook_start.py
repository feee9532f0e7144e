"""The wait of an agent for its hook when no person is asked, beside Python that reads and writes the same JSON."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from signoff.queue import Decision, open_review_queue

ROUNDS = 15
SIGNOFF = [sys.executable, "-c", "from signoff.cli.main import main; main()", "hook", "claude-code"]
BARE = [sys.executable, "-c", "import sys, json; print(json.dumps(json.load(sys.stdin)))"]
LOOKS, REMEMBERED = "a call that only looks", "a call that was allowed for the session"


def run() -> list[dict[str, Any]]:
    """Time whole processes, one after the other in turn."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        place = Path(name) / "queue"
        _allow_for_session(place)
        cases = {
            "python -c": (BARE, _event("Read")),
            LOOKS: (SIGNOFF, _event("Read")),
            REMEMBERED: (SIGNOFF, _event("Bash")),
        }
        times: dict[str, list[float]] = {name: [] for name in cases}
        for command, event in cases.values():
            _run(command, event, place)  # its modules are compiled, as those of an installed package are
        for _ in range(ROUNDS):
            for case, (command, event) in cases.items():
                begin = time.perf_counter()
                _run(command, event, place)
                times[case].append((time.perf_counter() - begin) * 1e3)
    medians = {case: statistics.median(values) for case, values in times.items()}
    rows = [{"name": case, "value": value, "unit": "ms"} for case, value in medians.items()]
    return rows + [
        {"name": f"{case} / python -c", "value": medians[case] / medians["python -c"], "unit": "x"}
        for case in (LOOKS, REMEMBERED)
    ]


def _run(command: list[str], event: bytes, place: Path) -> None:
    subprocess.run(command, input=event, env=_environment(place), check=True, stdout=subprocess.DEVNULL)


def _environment(place: Path) -> dict[str, str]:
    """The variables of a hook; compiled modules are kept, whatever the surroundings say of that."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(place.parent / "compiled"), "SIGNOFF_QUEUE": str(place)}


def _event(tool: str) -> bytes:
    event = {"session_id": "s-1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": tool}
    return json.dumps({**event, "tool_input": {"command": "ls"}}).encode()


def _allow_for_session(place: Path) -> None:
    with (
        open_review_queue(place) as queue,
        subprocess.Popen(
            SIGNOFF, env=_environment(place), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as asking,
    ):
        assert asking.stdin is not None
        asking.stdin.write(_event("Bash"))
        asking.stdin.close()
        while not (waiting := queue.pending()):
            time.sleep(0.05)
        [asked] = waiting
        queue.decide(asked.id, asked.revision, asked.submission.digest, Decision(approved=True, remember=True))
