"""The same round trip through other queues on SQLite, each used as its documentation says, with its own settings.

A question goes into one queue, a second process takes it out and puts the answer into another one. None of the
others remembers who was asked and decided. Only huey waits for another process by itself (persist-queue does so
within one process, and otherwise looks every ten seconds): the others are asked every 10 ms, which costs about 2 %
of a core while nothing happens.

What survives a loss of power follows from how each sets up SQLite (https://sqlite.org/pragma.html#pragma_synchronous):
in WAL mode, FULL flushes each commit to the disk, NORMAL and OFF do not.
"""

from __future__ import annotations

import multiprocessing as mp
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import PAYLOAD, example, percentile, spread
from benchmarks.queue_round_trip import interleaved, reviewer
from signoff.queue import AgentInfo, open_agent_queue

ROUNDS = 60
LOOK_EVERY_SECONDS = 0.01

Put = Callable[[Any], object]
Take = Callable[[], Any]
OURS = "signoff (durable: FULL)"


def run() -> list[dict[str, Any]]:
    """Measure all in turn; percentiles, and how many times longer each of the others takes."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        stack.enter_context(reviewer(folder / "queue"))
        queue = stack.enter_context(open_agent_queue(AgentInfo("bench", "s", name), folder / "queue"))
        rounds: dict[str, Callable[[str], object]] = {
            OURS: lambda key: queue.wait(queue.submit(example(key, folder)).id),
            "litequeue (not durable: NORMAL)": stack.enter_context(_pair(_litequeue, folder / "litequeue")),
            "persist-queue (durable: FULL)": stack.enter_context(_pair(_persist_queue, folder / "persist")),
            "huey (durable: FULL)": stack.enter_context(_huey_pair(folder / "huey")),
            "diskcache (not durable: NORMAL)": stack.enter_context(_pair(_diskcache, folder / "diskcache")),
        }
        times = interleaved(rounds, ROUNDS)
    ours = percentile(times[OURS], 50)
    return spread(times) + [
        {"name": f"{name} / signoff, p50", "value": percentile(values, 50) / ours, "unit": "x"}
        for name, values in times.items()
        if name != OURS
    ]


@contextmanager
def _pair(open_queue: Callable[[Path], tuple[Put, Take]], folder: Path) -> Iterator[Callable[[str], None]]:
    """Two queues with a process between them that answers."""
    folder.mkdir()
    put, _ = open_queue(folder / "questions")
    _, take = open_queue(folder / "answers")
    process = mp.get_context("spawn").Process(target=_answer, args=(open_queue, folder), daemon=True)
    process.start()

    def round_trip(key: str) -> None:
        put({"key": key, **PAYLOAD})
        take()

    try:
        round_trip("warm-up")
        yield round_trip
    finally:
        process.terminate()
        process.join()


def _answer(open_queue: Callable[[Path], tuple[Put, Take]], folder: Path) -> None:
    _, take = open_queue(folder / "questions")
    put, _ = open_queue(folder / "answers")
    while True:
        put({"key": take()["key"], "approved": True})


def _litequeue(path: Path) -> tuple[Put, Take]:
    import json

    from litequeue import LiteQueue

    queue = LiteQueue(str(path))

    def take() -> Any:
        while (message := queue.pop()) is None:
            time.sleep(LOOK_EVERY_SECONDS)
        queue.done(message.message_id)
        return json.loads(message.data)

    return lambda value: queue.put(json.dumps(value)), take


def _persist_queue(path: Path) -> tuple[Put, Take]:
    from persistqueue import Empty, SQLiteQueue

    queue = SQLiteQueue(str(path), auto_commit=True)
    return queue.put, lambda: _polled(queue.get_nowait, Empty)


def _diskcache(path: Path) -> tuple[Put, Take]:
    from diskcache import Deque

    queue = Deque(directory=str(path))
    return queue.append, lambda: _polled(queue.popleft, IndexError)


def _polled(take: Take, nothing: type[Exception]) -> Any:
    while True:
        try:
            return take()
        except nothing:
            time.sleep(LOOK_EVERY_SECONDS)


@contextmanager
def _huey_pair(folder: Path) -> Iterator[Callable[[str], None]]:
    """A task for each question, run by huey's own consumer."""
    folder.mkdir()
    process = mp.get_context("spawn").Process(target=_consume, args=(folder,), daemon=True)
    process.start()
    _, decide = _huey(folder)
    ask = partial(_ask_huey, decide)
    try:
        ask("warm-up")
        yield ask
    finally:
        process.terminate()
        process.join()


def _ask_huey(decide: Callable[[Any], Any], key: str) -> None:
    decide({"key": key, **PAYLOAD})(blocking=True)


def _huey(folder: Path) -> tuple[Any, Callable[[Any], Any]]:
    from huey import SqliteHuey

    huey = SqliteHuey(filename=str(folder / "huey.db"))

    @huey.task()
    def decide(question: dict[str, Any]) -> dict[str, Any]:
        return {"key": question["key"], "approved": True}

    return huey, decide


def _consume(folder: Path) -> None:
    import logging

    logging.disable()
    _huey(folder)[0].create_consumer().run()
