"""What waiting costs while nothing happens: for an agent (a thread, a coroutine), for a watcher, for the screen.

All run side by side, each a real process; CPU time comes from /proc. Waiting times on the screen change every
second for a minute, and every ten seconds from then on, so there are two screens: one where nothing waits, and one
on the queue of the agents, which have waited for longer than a minute when the measurement begins.
"""

from __future__ import annotations

import asyncio
import multiprocessing as mp
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measuring import cpu_seconds, example
from signoff.queue import AgentInfo, open_agent_queue, open_review_queue

SECONDS = 60.0
SETTLE_SECONDS = 65.0


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Percent of a core that each uses while nothing happens."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name, ExitStack() as stack:
        place = Path(name) / "queue"
        processes = {
            "agent, waiting thread": stack.enter_context(_waiting(place, _wait)),
            "agent, waiting coroutine": stack.enter_context(_waiting(place, _wait_async)),
            "watcher without a screen": stack.enter_context(_waiting(place, _watch)),
            "screen, nothing waits": stack.enter_context(_screen(Path(name) / "empty")),
            "screen, two requests wait": stack.enter_context(_screen(place)),
        }
        time.sleep(SETTLE_SECONDS)
        before = {title: cpu_seconds(pid) for title, pid in processes.items()}
        start = time.perf_counter()
        time.sleep(seconds)
        passed = time.perf_counter() - start
        return [
            {"name": f"idle {title}", "value": 100 * (cpu_seconds(pid) - before[title]) / passed, "unit": "% core"}
            for title, pid in processes.items()
        ]


@contextmanager
def _waiting(place: Path, wait: Any) -> Iterator[int]:
    context = mp.get_context("spawn")
    ready = context.Event()
    process = context.Process(target=wait, args=(place, ready), daemon=True)
    process.start()
    ready.wait()
    assert process.pid is not None
    try:
        yield process.pid
    finally:
        process.terminate()
        process.join()


@contextmanager
def _screen(place: Path) -> Iterator[int]:
    """The real screen in a terminal that somebody reads, so that it is never stopped by a full buffer."""
    import pexpect

    screen = pexpect.spawn(
        sys.executable, ["-m", "signoff.cli", "--queue", str(place)], dimensions=(40, 120), timeout=None
    )
    threading.Thread(target=_read_all, args=(screen,), daemon=True).start()
    try:
        assert screen.pid is not None
        yield screen.pid
    finally:
        screen.terminate(force=True)


def _read_all(screen: Any) -> None:
    while screen.isalive():
        try:
            screen.read_nonblocking(65_536, timeout=1)
        except Exception:  # noqa: BLE001 (its end, in one of several ways)
            continue


def _wait(place: Path, ready: Any) -> None:
    with open_agent_queue(AgentInfo("bench", "thread", str(place)), place) as queue:
        posted = queue.submit(example("k", place))
        ready.set()
        queue.wait(posted.id)


def _wait_async(place: Path, ready: Any) -> None:
    async def wait() -> None:
        with open_agent_queue(AgentInfo("bench", "coroutine", str(place)), place) as queue:
            posted = await queue.asubmit(example("k", place))
            ready.set()
            await queue.await_outcome(posted.id)

    asyncio.run(wait())


def _watch(place: Path, ready: Any) -> None:
    async def watch() -> None:
        with open_review_queue(place) as queue:
            async for _ in queue.watch():
                ready.set()

    asyncio.run(watch())
