"""`signoff demo`: three real agents, and the screen on them, in a throw-away folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from signoff.demo.agents import ROLES, read_report
from signoff.demo.careful import CarefulReviewer
from signoff.demo.processes import AgentProcesses
from signoff.demo.project import create_project, saved_files
from signoff.queue import ReviewQueue, open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff_tui.app import SignoffApp

__all__ = ["run_demo"]

SIZE = (120, 40)
"""Columns and rows of the screen that nobody sees."""

POLL_SECONDS = 0.5


def run_demo(*, folder: str | None = None, headless: bool = False) -> int:
    """Run the demo; without a terminal, a pilot reads everything and decides.

    Args:
        folder: Where the demo works; it is created. A new temporary folder by default.
        headless: Use the pilot although there is a terminal.

    Returns:
        0, or 1 when an agent failed. Leaving while agents wait is no failure. 128 and the number of the signal
        that ended the screen from outside.

    Raises:
        QueueError: The queue of the demo cannot be opened.
        OSError: The folder cannot be written.
    """
    base = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="signoff-demo-"))
    project, place = base / "shop", base / "queue"
    create_project(project)
    os.environ[KEYS_VARIABLE] = str(base / "keys")  # also for the agents; the person's own key stays out of it
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    queue = open_review_queue(place)
    with AgentProcesses(ROLES, project, place, base / "logs") as agents:
        app = DemoApp(queue, agents, place=str(place))
        if terminal and not headless:
            app.run()
        else:
            _say("No terminal: a pilot reads every request on a screen that nobody sees, and decides.")
            asyncio.run(_review_headless(app, agents, base / "screens"))
        codes = agents.exit_codes()
    if app.stopped is not None:
        with contextlib.suppress(OSError):  # the terminal may be what went away
            _say(str(app.stopped))
        return app.stopped.exit_code
    for line in _results(base, project):
        _say(line)
    return 0 if all(code in (0, None) for code in codes.values()) else 1


class DemoApp(SignoffApp):
    """The screen, and a word when the agents have ended."""

    def __init__(self, queue: ReviewQueue, agents: AgentProcesses, *, place: str) -> None:
        super().__init__(queue, place=place)
        self._agents = agents

    def on_mount(self) -> None:
        """Say that agents come, and look after them."""
        self.announce("Three agents are starting; what they ask appears here.")
        self.run_worker(self._await_agents(), group="agents")

    async def _await_agents(self) -> None:
        # Waiting in a thread would keep the program from ending when the person leaves early.
        while not self._agents.ended:  # noqa: ASYNC110 - processes set no event
            await asyncio.sleep(POLL_SECONDS)
        self.announce("The agents of the demo are done: h shows what was decided, q leaves.")


async def _review_headless(app: SignoffApp, agents: AgentProcesses, pictures: Path) -> None:
    async with app.run_test(size=SIZE) as pilot:
        reviewer = CarefulReviewer(app, pilot, pictures, _say)
        await reviewer.work(until=lambda: agents.ended)


def _results(base: Path, project: Path) -> Iterator[str]:
    yield ""
    for role in ROLES:
        report = read_report(project, role)
        yield from report.lines() if report is not None else (f"{role}: ended before its work was done",)
    written = [path for path, content in saved_files().items() if _holds(project / path, content)]
    others = len(saved_files()) - len(written)
    yield ""
    yield f"{len(written)} of {len(saved_files())} files of 'save project' hold exactly what was shown."
    if others:
        yield f"{others} others were approved in part, rejected, or not decided."
    yield f"Look around in {base} (project, queue, keys, logs); remove the folder when you like."


def _holds(file: Path, content: str) -> bool:
    try:
        return file.read_text("utf-8") == content
    except OSError:
        return False


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
