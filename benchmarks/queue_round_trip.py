"""A durable round trip through the queue beside its floor: the same bytes made durable, and a wake-up over a pipe.

Round trip: an agent submits and waits; a reviewer in another process sees the request and decides; the agent goes
on. Floor: two processes that each write as many bytes to a file, call fdatasync and wake the other over a pipe.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import random
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from signoff.canonical import canonical
from signoff.queue import AgentInfo, Decision, Submission, open_agent_queue, open_review_queue

ROUNDS = 150
PAYLOAD = {"command": "pytest -q", "padding": "x" * 600}
BYTES = len(canonical(PAYLOAD))


def run() -> list[dict[str, Any]]:
    """Measure both in turn, with random pauses so that the disk is not kept warm; percentiles and ratios."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as folder:
        ours, floor = _interleaved(Path(folder))
    rows = []
    for name, values in (("round trip", ours), ("floor", floor)):
        rows.append({"name": f"{name}, p50", "value": _percentile(values, 50), "unit": "ms"})
        rows.append({"name": f"{name}, p99", "value": _percentile(values, 99), "unit": "ms"})
    for percent in (50, 99):
        ratio = _percentile(ours, percent) / _percentile(floor, percent)
        rows.append({"name": f"round trip / floor, p{percent}", "value": ratio, "unit": "x"})
    return rows


def _interleaved(folder: Path) -> tuple[list[float], list[float]]:
    context = mp.get_context("spawn")
    place = folder / "queue"
    near, far = context.Pipe()
    ready = context.Event()
    reviewer = context.Process(target=_review, args=(str(place), ready), daemon=True)
    partner = context.Process(target=_answer_floor, args=(far, str(folder / "b")), daemon=True)
    reviewer.start()
    partner.start()
    ready.wait()
    ours, floor = [], []
    source = random.Random(1)
    file = os.open(folder / "a", os.O_CREAT | os.O_WRONLY, 0o600)
    with open_agent_queue(AgentInfo("bench", "s", str(folder)), place) as queue:
        for number in range(ROUNDS):
            time.sleep(source.uniform(0, 0.01))
            start = time.perf_counter()
            queue.wait(queue.submit(_submission(number, folder)).id)
            ours.append((time.perf_counter() - start) * 1e3)
            time.sleep(source.uniform(0, 0.01))
            start = time.perf_counter()
            _durable(file)
            near.send_bytes(b"x")
            near.recv_bytes()
            floor.append((time.perf_counter() - start) * 1e3)
    near.send_bytes(b"end")
    reviewer.terminate()
    reviewer.join()
    partner.join()
    os.close(file)
    return ours, floor


def _submission(number: int, folder: Path) -> Submission:
    return Submission(
        key=f"k{number}",
        tool_name="shell",
        description="Run the tests",
        payload=PAYLOAD,
        payload_key=canonical(PAYLOAD),
        arguments=PAYLOAD,
        digest=f"{number:064d}",
        cwd=str(folder),
    )


def _review(place: str, ready: Any) -> None:
    import asyncio

    async def decide() -> None:
        with open_review_queue(place, reviewer="bench") as queue:
            ready.set()
            async for changes in queue.watch():
                for change in changes.changes:
                    if change.request.pending:
                        request = change.request
                        queue.decide(
                            request.id, request.revision, request.submission.digest, Decision(approved=True)
                        )

    asyncio.run(decide())


def _answer_floor(pipe: Connection, path: str) -> None:
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    while pipe.recv_bytes() != b"end":
        _durable(file)
        pipe.send_bytes(b"x")


def _durable(file: int) -> None:
    os.write(file, b"x" * BYTES)
    os.fdatasync(file)


def _percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]
