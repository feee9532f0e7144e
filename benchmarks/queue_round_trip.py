"""A durable round trip through the queue beside its floor: the same bytes made durable, and a wake-up over a pipe.

Round trip: an agent submits and waits; a reviewer in another process sees the request and decides; the agent goes
on. Floor: two processes that each write as many bytes to a file, call fdatasync and wake the other over a pipe.

A call that a remembered approval answers waits for nobody: its floor is the same bytes made durable once. How many
pages each step adds to SQLite's log does not depend on how busy the machine is.
"""

from __future__ import annotations

import asyncio
import multiprocessing as mp
import os
import random
import statistics
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
PAGED = 80
"""Rounds of which the pages are counted; the log of so many is shorter than what is moved into the database."""

FLOOR = "floor"
REMEMBERED = "approval remembered in the queue"
COMMIT = "one durable commit"


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
                        REMEMBERED: _remembered(queue, folder),
                        COMMIT: _commit(folder),
                    }
                )
    ratios = [
        {
            "name": f"{name} / floor, p{percent}",
            "value": percentile(values, percent) / percentile(times[FLOOR], percent),
            "unit": "x",
        }
        for name, values in times.items()
        if name.startswith("round trip")
        for percent in (50, 99)
    ]
    ratios += [
        {
            "name": f"{REMEMBERED} / {COMMIT}, p{percent}",
            "value": percentile(times[REMEMBERED], percent) / percentile(times[COMMIT], percent),
            "unit": "x",
        }
        for percent in (50, 99)
    ]
    return spread(times) + ratios + pages()


def pages() -> list[dict[str, Any]]:
    """How many pages each step of a round trip adds to the log of SQLite; means."""
    log: list[list[int]] = []
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        place = Path(name) / "queue"
        info = AgentInfo("bench", "s", name)
        with open_agent_queue(info, place) as agent, open_review_queue(place, reviewer="bench") as reviewer:
            for number in range(PAGED):
                log.append([_log_pages(place)])
                posted = agent.submit(example(f"page {number}", Path(name)))
                log[-1].append(_log_pages(place))
                reviewer.decide(posted.id, posted.revision, posted.submission.digest, Decision(approved=True))
                log[-1].append(_log_pages(place))
                agent.wait(posted.id)
                log[-1].append(_log_pages(place))
    return [
        {
            "name": f"pages written, {step}",
            "value": statistics.mean(sizes[place + 1] - sizes[place] for sizes in log),
            "unit": "",
        }
        for place, step in enumerate(("request", "decision", "answer taken"))
    ]


def _log_pages(place: Path) -> int:
    """Pages in a log that was never moved into the database (https://sqlite.org/fileformat2.html#walformat)."""
    return ((place / "queue.db-wal").stat().st_size - 32) // (4096 + 24)


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


def _remembered(queue: AgentQueue, folder: Path) -> Callable[[str], object]:
    queue.add_grant(example("remembered", folder), by="bench")
    return lambda key: queue.use_grant(example(key, folder))


def _commit(folder: Path) -> Callable[[str], object]:
    file = os.open(folder / "c", os.O_CREAT | os.O_WRONLY, 0o600)
    return lambda _: durable(file)


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
