"""`signoff demo`: agents in processes of their own, and the screen, in a throw-away folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from signoff.confine.detect import Usable, detect
from signoff.demo.agents import ROLES, TIDY, read_report
from signoff.demo.pilot import CarefulReviewer
from signoff.demo.project import create_project, saved_files
from signoff.private_files import make_directory
from signoff.queue import PLACE_VARIABLE, ReviewQueue, open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff_tui.app import SignoffApp

__all__ = [
    "AgentProcesses",
    "demo_roles",
    "run_demo",
]


SIZE = (120, 40)
"""Columns and rows of the screen in headless mode."""

POLL_SECONDS = 0.5


def run_demo(*, folder: str | None = None, headless: bool = False) -> int:
    """Run the demo; without a terminal, a pilot reads everything and decides.

    Args:
        folder: The folder of the demo; it is created. A new temporary folder by default.
        headless: Use the pilot although there is a terminal.

    Returns:
        0, or 1 when an agent failed. Leaving while agents wait is no failure. 128 and the number of the signal
        that ended the screen from outside.

    Raises:
        QueueError: The queue of the demo cannot be opened.
        ScreenFaultError: The screen ended by a fault of its own.
        OSError: The folder cannot be written.
    """
    base = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="signoff-demo-"))
    project, place = base / "shop", base / "queue"
    create_project(project)
    os.environ[KEYS_VARIABLE] = str(base / "keys")  # also for the agents; the person's own key stays out of it
    terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    queue = open_review_queue(place)
    roles = demo_roles()
    with AgentProcesses(roles, project, place, base / "logs") as agents:
        app = DemoApp(queue, agents, place=str(place))
        if terminal and not headless:
            app.run()
            app.raise_fault()
        else:
            _say("No terminal: a pilot reads every request on a screen that nobody sees, and decides.")
            asyncio.run(_review_headless(app, agents, base / "screens"))
        codes = agents.exit_codes()
    if app.stopped is not None:
        with contextlib.suppress(OSError):  # the terminal may be gone
            _say(str(app.stopped))
        return app.stopped.exit_code
    for line in _results(base, project, place, roles):
        _say(line)
    return 0 if all(code in (0, None) for code in codes.values()) else 1


def demo_roles() -> tuple[str, ...]:
    """Return the roles of the agents that can work on this machine."""
    return (*ROLES, TIDY) if isinstance(detect("bwrap"), Usable) else ROLES


class DemoApp(SignoffApp):
    """The screen, with a message when the agents have ended."""

    def __init__(self, queue: ReviewQueue, agents: AgentProcesses, *, place: str) -> None:
        super().__init__(queue, place=place)
        self._agents = agents
        self._office.agents_end = True

    def on_mount(self) -> None:
        """Announce the agents, and watch them."""
        self.announce("Agents are starting; what they ask appears here.")
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


def _results(base: Path, project: Path, place: Path, roles: Sequence[str]) -> Iterator[str]:
    yield ""
    for role in roles:
        report = read_report(project, role)
        yield from report.lines() if report is not None else (f"{role}: ended before its work was done",)
    written = [path for path, content in saved_files().items() if _holds(project / path, content)]
    others = len(saved_files()) - len(written)
    yield ""
    yield f"{len(written)} of {len(saved_files())} files of 'save project' hold exactly what was shown."
    if others:
        rest = "1 other was" if others == 1 else f"{others} others were"
        yield f"{rest} approved in part, rejected, or not decided."
    if TIDY not in roles:
        yield "With Bubblewrap (apt install bubblewrap) one more agent tries something, for you to approve."
    yield f"Look around in {base} (project, queue, keys, logs); remove the folder when you like."
    yield f"What was decided, on the screen: signoff --queue {place}"


def _holds(file: Path, content: str) -> bool:
    try:
        return file.read_text("utf-8") == content
    except OSError:
        return False


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


# -- The agents of the demo as processes of their own.

UNINTERRUPTED = ("sh", "-c", 'trap "" INT; exec "$@"', "agent")
"""A command whose program ignores Ctrl+C: typed in a pager here, it is not meant for agents."""

PATIENCE = 5.0
"""Seconds that an agent gets to end after it was asked to."""


class AgentProcesses:
    """The processes of the agents: one for each role, ended with the demo.

    Args:
        roles: The roles to start.
        project: The folder they work in.
        place: Directory of the queue they ask in.
        logs: Folder for their output.
    """

    def __init__(self, roles: tuple[str, ...], project: Path, place: Path, logs: Path) -> None:
        make_directory(logs)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        for number, role in enumerate(roles, start=1):
            environment = {**os.environ, PLACE_VARIABLE: str(place), "SIGNOFF_SESSION": f"s-{number}"}
            with (logs / f"{role}.txt").open("wb") as output:
                self._running[role] = subprocess.Popen(
                    [*UNINTERRUPTED, sys.executable, "-P", "-m", "signoff.demo.agents", role, str(project)],
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )

    @property
    def ended(self) -> bool:
        """True if all agents have ended."""
        return all(process.poll() is not None for process in self._running.values())

    def exit_codes(self) -> dict[str, int | None]:
        """Exit code of each agent, None while it runs."""
        return {role: process.poll() for role, process in self._running.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = [process for process in self._running.values() if process.poll() is None]
        for process in left:
            process.terminate()
        for process in left:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
