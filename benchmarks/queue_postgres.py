"""The queue in PostgreSQL beside SQLite and beside its floor; over a slow network; with many at once.

Floor: two processes that each commit one row and notify the other, on the same server. Its data are written with
``fsync``. The slow network is a line that hands on each piece a while after it came.
"""

from __future__ import annotations

import asyncio
import multiprocessing as mp
import select
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.measuring import PAYLOAD, example, percentile, spread
from benchmarks.queue_round_trip import interleaved
from postgres_server import Server
from signoff.canonical import canonical
from signoff.queue import AgentInfo, AgentQueue, Decision, open_agent_queue, open_review_queue

ROUNDS = 200
ROUND_TRIP_SECONDS = 0.02
FAR_ROUNDS = 80
TOGETHER = 8
MANY, EACH, REVIEWERS = 32, 20, 2

SQLITE, POSTGRES, FLOOR = "SQLite", "PostgreSQL", "floor: two commits with LISTEN"
_context = mp.get_context("spawn")


def run() -> list[dict[str, Any]]:
    """Measure all in turn."""
    server = Server()
    server.stop()
    server.settings = ("fsync=on",)
    server.start()
    try:
        return [*_beside_others(server), *_far_away(server), *_many(server)]
    finally:
        server.remove()


def _beside_others(server: Server) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name, ExitStack() as open_:
        folder = Path(name)
        rounds: dict[str, Callable[[str], object]] = {}
        for kind, place in ((SQLITE, str(folder / "queue")), (POSTGRES, f"{server.url}&queue=near")):
            open_.enter_context(_reviewers(place, 1))
            queue = open_.enter_context(open_agent_queue(AgentInfo("bench", "s", name), place))
            rounds[kind] = _asking(queue, folder)
        rounds[FLOOR] = open_.enter_context(_floor(server.url))
        times = interleaved(rounds, ROUNDS)
    ratios = [
        {
            "name": f"{POSTGRES} / {other}, p{percent}",
            "value": percentile(times[POSTGRES], percent) / percentile(times[other], percent),
            "unit": "x",
        }
        for other in (SQLITE, FLOOR)
        for percent in (50, 99)
    ]
    return spread(times) + ratios


def _far_away(server: Server) -> list[dict[str, Any]]:
    with _slow_line(server) as url, _reviewers(f"{url}&queue=far", 1):
        alone, seconds_alone = _agents(f"{url}&queue=far", 1, FAR_ROUNDS)
        together, seconds = _agents(f"{url}&queue=far", TOGETHER, FAR_ROUNDS)
    per_second = len(together) / seconds
    far = f"{ROUND_TRIP_SECONDS * 1e3:.0f} ms away"
    return [
        {"name": f"{far}: one agent, p50", "value": percentile(alone, 50), "unit": "ms"},
        {
            "name": f"{far}: one agent, p50 / round trip of the network",
            "value": percentile(alone, 50) / 1e3 / ROUND_TRIP_SECONDS,
            "unit": "x",
        },
        {"name": f"{far}: {TOGETHER} agents together", "value": per_second, "unit": "1/s"},
        {
            "name": f"{far}: {TOGETHER} agents / one agent, requests per second",
            "value": per_second / (len(alone) / seconds_alone),
            "unit": "x",
        },
    ]


def _many(server: Server) -> list[dict[str, Any]]:
    place = f"{server.url}&queue=many"
    with _reviewers(place, REVIEWERS):
        times, seconds = _agents(place, MANY, EACH)
    with open_review_queue(place) as queue:
        decided = sum(1 for _ in queue.export())
        fault = queue.check_history().fault
    name = f"{MANY} agents x {EACH}, {REVIEWERS} reviewers"
    return [
        {"name": f"{name}: together", "value": len(times) / seconds, "unit": "1/s"},
        {"name": f"{name}: p50", "value": percentile(times, 50), "unit": "ms"},
        {"name": f"{name}: p99", "value": percentile(times, 99), "unit": "ms"},
        {"name": f"{name}: lost or decided twice", "value": abs(decided - MANY * (EACH + 1)), "unit": "requests"},
        {"name": f"{name}: faults of the history", "value": int(fault is not None), "unit": "faults"},
    ]


def _asking(queue: AgentQueue, folder: Path) -> Callable[[str], object]:
    return lambda key: queue.wait(queue.submit(example(key, folder)).id)


def _agents(place: str, count: int, each: int) -> tuple[list[float], float]:
    """Milliseconds of all round trips of some agents, each a thread, and the seconds that all took."""
    times: list[float] = []
    start = threading.Barrier(count, timeout=60)

    def ask(number: int) -> tuple[float, float]:
        with open_agent_queue(AgentInfo("bench", f"{count} {number}", "/"), place) as queue:
            work = _asking(queue, Path("/"))
            work("warm up")
            start.wait()
            began = time.perf_counter()
            for turn in range(each):
                begin = time.perf_counter()
                work(str(turn))
                times.append((time.perf_counter() - begin) * 1e3)
            return began, time.perf_counter()

    with ThreadPoolExecutor(count) as pool:
        spans = [*pool.map(ask, range(count))]
    return times, max(end for _, end in spans) - min(began for began, _ in spans)


@contextmanager
def _reviewers(place: str, count: int) -> Iterator[None]:
    """Processes that approve whatever waits, all of it at once."""
    ready = _context.Barrier(count + 1)
    processes = [_context.Process(target=_review, args=(place, ready), daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    ready.wait()
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
            process.join()


def _review(place: str, ready: Any) -> None:
    async def decide() -> None:
        with open_review_queue(place, reviewer="bench") as queue:
            ready.wait()
            async for changes in queue.watch():
                waiting = [change.request for change in changes.changes if change.request.pending]
                targets = [(each.id, each.revision, each.submission.digest) for each in waiting]
                if targets:
                    queue.decide_many(targets, Decision(approved=True))

    asyncio.run(decide())


@contextmanager
def _floor(url: str) -> Iterator[Callable[[str], None]]:
    """A process that answers a committed row with another one, and the round trip to it."""
    with psycopg.connect(url, autocommit=True) as near:
        near.execute("CREATE TABLE floor (at bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text)")
        near.execute("LISTEN near")
        heard = _heard(near)
        ready = _context.Event()
        partner = _context.Process(target=_answer_floor, args=(url, ready), daemon=True)
        partner.start()
        ready.wait()

        def round_trip(_: str) -> None:
            _commit_and_notify(near, "far")
            _await_notice(near, heard)

        try:
            yield round_trip
        finally:
            partner.terminate()
            partner.join()


def _answer_floor(url: str, ready: Any) -> None:
    with psycopg.connect(url, autocommit=True) as far:
        far.execute("LISTEN far")
        heard = _heard(far)
        ready.set()
        while True:
            _await_notice(far, heard)
            _commit_and_notify(far, "near")


def _commit_and_notify(connection: psycopg.Connection, channel: str) -> None:
    with connection.pipeline():
        connection.execute("BEGIN")
        connection.execute("INSERT INTO floor (what) VALUES (%s)", (canonical(PAYLOAD),))
        connection.execute("SELECT pg_notify(%s, '')", (channel,))
        connection.execute("COMMIT")


def _heard(connection: psycopg.Connection) -> list[object]:
    """The notices that come along with the answers to statements, as they come."""
    heard: list[object] = []
    connection.add_notify_handler(heard.append)
    return heard


def _await_notice(connection: psycopg.Connection, heard: list[object]) -> None:
    while not heard and connection.pgconn.notifies() is None:
        select.select([connection.fileno()], [], [])
        connection.pgconn.consume_input()
    heard.clear()


@contextmanager
def _slow_line(server: Server) -> Iterator[str]:
    """A line to the server on which each way takes half a round trip; yields the URL of its near end."""
    with tempfile.TemporaryDirectory(prefix="signoff-line-") as home:
        near = Path(home) / server.socket.name
        ready = _context.Event()
        line = _context.Process(target=_hand_on, args=(str(near), str(server.socket), ready), daemon=True)
        line.start()
        ready.wait()
        try:
            yield f"postgresql://signoff@/signoff?host={home}"
        finally:
            line.terminate()
            line.join()


def _hand_on(near: str, far: str, ready: Any) -> None:
    """Be the line, with as little work as it takes: a network does not use the processors of those who talk."""
    poll, due = select.epoll(), deque[tuple[float, socket.socket, bytes]]()
    targets: dict[int, tuple[socket.socket, socket.socket]] = {}
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(near)
        listening.listen()
        poll.register(listening, select.EPOLLIN)
        ready.set()
        while True:
            events = poll.poll(max(0.0, due[0][0] - time.monotonic()) if due else None)
            for number, _ in events:
                if number == listening.fileno():
                    here, there = listening.accept()[0], socket.socket(socket.AF_UNIX)
                    there.connect(far)
                    for source, target in ((here, there), (there, here)):
                        targets[source.fileno()] = source, target
                        poll.register(source, select.EPOLLIN)
                    continue
                source, target = targets[number]
                try:
                    piece = source.recv(1 << 16)
                except ConnectionError:
                    piece = b""
                due.append((time.monotonic() + ROUND_TRIP_SECONDS / 2, target, piece))
                if not piece:
                    poll.unregister(source)
            while due and due[0][0] <= time.monotonic():
                _, target, piece = due.popleft()
                with suppress(OSError):  # it may be gone
                    target.sendall(piece) if piece else target.shutdown(socket.SHUT_WR)
