"""A durable round trip through the queue beside its floor: the same bytes made durable, and a wake-up over a pipe.

Round trip: an agent submits and waits; a reviewer in another process sees the request and decides; the agent goes
on. Floor: two processes that each write as many bytes to a file, call fdatasync and wake the other over a pipe.
"""

from __future__ import annotations

import asyncio
import multiprocessing as mp
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.measuring import durable, example, percentile, spread
from signoff.queue import AgentInfo, AgentQueue, Decision, open_agent_queue, open_review_queue

ROUNDS = 300
FLOOR = "floor"


def run() -> list[dict[str, Any]]:
    """Measure all in turn, with random pauses so that the disk is not kept warm; percentiles and ratios."""
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        folder = Path(name)
        with reviewer(folder / "queue"), floor(folder) as floor_round, asyncio.Runner() as runner:
            info = AgentInfo("bench", "s", str(folder))
            with open_agent_queue(info, folder / "queue") as queue:
                times = interleaved(
                    {
                        "round trip, waiting thread": lambda key: _ask(queue, key, folder),
                        "round trip, waiting coroutine": lambda key: runner.run(_ask_async(queue, key, folder)),
                        FLOOR: floor_round,
                    }
                )
    ratios = [
        {
            "name": f"{name} / floor, p{percent}",
            "value": percentile(values, percent) / percentile(times[FLOOR], percent),
            "unit": "x",
        }
        for name, values in times.items()
        if name != FLOOR
        for percent in (50, 99)
    ]
    return spread(times) + ratios


def interleaved(rounds: dict[str, Callable[[str], object]], count: int = ROUNDS) -> dict[str, list[float]]:
    """Milliseconds of each kind of round, one after the other in turn; each gets a key of its own."""
    source = random.Random(1)
    times: dict[str, list[float]] = {name: [] for name in rounds}
    for number in range(count):
        for name, work in rounds.items():
            time.sleep(source.uniform(0, 0.01))
            start = time.perf_counter()
            work(f"{name} {number}")
            times[name].append((time.perf_counter() - start) * 1e3)
    return times


@contextmanager
def reviewer(place: Path) -> Iterator[None]:
    """A process that approves whatever is asked."""
    context = mp.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=_review, args=(str(place), ready), daemon=True)
    process.start()
    ready.wait()
    try:
        yield
    finally:
        process.terminate()
        process.join()


@contextmanager
def floor(folder: Path) -> Iterator[Callable[[str], None]]:
    """A process that answers over a pipe, and the round trip to it."""
    context = mp.get_context("spawn")
    near, far = context.Pipe()
    partner = context.Process(target=_answer_floor, args=(far, str(folder / "b")), daemon=True)
    partner.start()
    file = os.open(folder / "a", os.O_CREAT | os.O_WRONLY, 0o600)

    def round_trip(_: str) -> None:
        durable(file)
        near.send_bytes(b"x")
        near.recv_bytes()

    try:
        yield round_trip
    finally:
        near.send_bytes(b"end")
        partner.join()
        os.close(file)


def _ask(queue: AgentQueue, key: str, folder: Path) -> None:
    queue.wait(queue.submit(example(key, folder)).id)


async def _ask_async(queue: AgentQueue, key: str, folder: Path) -> None:
    posted = await queue.asubmit(example(key, folder))
    await queue.await_outcome(posted.id)


def _review(place: str, ready: Any) -> None:
    async def decide() -> None:
        with open_review_queue(place, reviewer="bench") as queue:
            ready.set()
            async for changes in queue.watch():
                for change in changes.changes:
                    request = change.request
                    if request.pending:
                        digest = request.submission.digest
                        queue.decide(request.id, request.revision, digest, Decision(approved=True))

    asyncio.run(decide())


def _answer_floor(pipe: Connection, path: str) -> None:
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    while pipe.recv_bytes() != b"end":
        durable(file)
        pipe.send_bytes(b"x")
