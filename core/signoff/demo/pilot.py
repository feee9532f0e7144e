"""The demo's pilot: works the screen with keys as a careful person would, and saves pictures."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from signoff.queue import Risk, StoredRequest
from signoff_tui.app import SignoffApp
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession

__all__ = [
    "CarefulReviewer",
    "PilotChoice",
    "choose",
    "picture",
    "save_picture",
    "self_contained",
]


LOOK_SECONDS = 0.3
"""The time between a key and the next decision; a faster reviewer is taken for stray typing."""

DEADLINE_SECONDS = 60.0
"""The time limit for anything that must happen on the screen."""


@dataclass(frozen=True, slots=True)
class PilotChoice:
    """The answer to a request.

    Attributes:
        key: ``y``, ``s`` or ``n``.
        words: The note to the agent with ``n``.
    """

    key: str
    words: str = ""


def choose(request: StoredRequest) -> PilotChoice:
    """The demo's policy: no to HIGH risk, with a reason; low risk commands for the session; else once."""
    if request.submission.risk is Risk.HIGH:
        return PilotChoice("n", "keep build and dist until the release is out")
    if request.submission.risk is Risk.LOW and "command" in request.submission.payload:
        return PilotChoice("s")
    return PilotChoice("y")


class CarefulReviewer:
    """Drives the screen through a pilot.

    Args:
        app: The running app.
        pilot: Its pilot.
        pictures: Folder for a picture of each kind of screen.
        say: Gets reports on the work, a line at a time.
    """

    def __init__(self, app: SignoffApp, pilot: Pilot[Any], pictures: Path, say: Callable[[str], None]) -> None:
        self._app = app
        self._pilot = pilot
        self._pictures = pictures
        self._taken: set[str] = set()
        self._say = say

    async def work(self, *, until: Callable[[], bool]) -> None:
        """Read and decide all waiting requests, until the demo is over and no decision is held any more.

        Raises:
            TimeoutError: The screen did not get to an expected state.
            RuntimeError: The screen has ended; the app's own context says why.
        """
        while not until() or self._busy():
            self._look(math.inf)
            entry = self._focused()
            if entry is None:
                await self._find_one()
            elif (group := self._desk.inbox.focused_group()) is not None:
                await self._decide_group(group)
            else:
                await self._decide(entry)
        await self._press("h")
        await self._pilot.pause(LOOK_SECONDS)
        self._picture("history")

    # -- deciding ----------------------------------------------------------------------------------------

    async def _decide(self, entry: Entry) -> None:
        await self._read(entry)
        choice = choose(entry.request)
        if choice.key == "s":
            await self._press_until("s", lambda: self._status == "sheet")
            self._picture("allow")
            await self._press_until("1", lambda: not entry.waiting)
        elif choice.key == "n":
            await self._press_until("n", lambda: self._status == "feedback")
            await asyncio.sleep(2 * LOOK_SECONDS)
            for letter in choice.words:
                await self._press("space" if letter == " " else letter)
            self._picture("feedback")
            await self._press_until("enter", lambda: not entry.waiting)
        else:
            await self._press_until("y", lambda: not entry.waiting)
        self._tell(entry.request, choice)

    async def _decide_group(self, group: Group) -> None:
        """Read all members, once all that were announced are there, and approve them with one key."""
        await self._until(lambda: len(group.members) >= (group.announced or 1))
        for member in group.members:
            entry = self._desk.inbox.entry(member)
            if not entry.waiting:
                continue
            await self._go_to(entry)
            await self._read(entry)
        self._picture("group")
        await self._until(lambda: len(self._desk.eligibility(group.members).ready) == len(group.members))
        members = [self._desk.inbox.entry(member) for member in group.members]
        await self._press_until("Y", lambda: not any(entry.waiting for entry in members))
        self._say(f"  approved as one group: {group.label} ({len(members)} requests, all of it read)")

    async def _press_until(self, key: str, done: Callable[[], bool]) -> None:
        """Press a key when it is armed; one that came too early does nothing, and is pressed again."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not done():
            self._look(deadline)
            await asyncio.sleep(2 * LOOK_SECONDS)
            await self._until(lambda: done() or self._armed)
            if not done():
                await self._press(key)

    # -- reading -----------------------------------------------------------------------------------------

    async def _read(self, entry: Entry) -> None:
        """Page through the content until all of it was on the screen."""
        while True:
            await self._until(
                lambda: self._desk.coverages.settles_at is None and self._desk.coverage(entry) is not None
            )
            coverage = self._desk.coverage(entry)
            if coverage is not None and coverage.complete:
                break
            await self._press("space")
        self._picture(_kind(entry.request))

    async def _find_one(self) -> None:
        """Move to something that waits, or wait until there is something."""
        self._picture("inbox")
        if any(entry.waiting for entry in self._desk.inbox.entries()):
            await self._press("g")
            if self._focused() is None:
                await self._press("J")
        await asyncio.sleep(LOOK_SECONDS)

    async def _go_to(self, wanted: Entry) -> None:
        rows = [row.key.id for row in self._desk.inbox.rows()]
        here = self._desk.inbox.row_index(self._desk.inbox.cursor) or 0
        steps = rows.index(wanted.id) - here
        for _ in range(abs(steps)):
            await self._press("j" if steps > 0 else "k")

    # -- the screen --------------------------------------------------------------------------------------

    @property
    def _desk(self) -> ReviewSession:
        return self._app.review.desk

    @property
    def _status(self) -> str:
        word: str = self._desk.guard.status(time.monotonic()).word
        return word

    @property
    def _armed(self) -> bool:
        status = self._desk.guard.status(time.monotonic())
        armed_sheet = status.word == "sheet" and (status.changes_at or math.inf) <= time.monotonic()
        return armed_sheet or status.word in ("armed", "feedback")

    def _focused(self) -> Entry | None:
        entry: Entry | None = self._desk.inbox.focused_request()
        return entry if entry is not None and entry.waiting else None

    def _busy(self) -> bool:
        return any(entry.request.pending for entry in self._desk.inbox.entries())

    async def _press(self, key: str) -> None:
        await self._pilot.press(key)

    async def _until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not condition():
            self._look(deadline)
            await self._pilot.pause(0.05)

    def _look(self, deadline: float) -> None:
        if not self._app.is_running:
            raise RuntimeError("the screen has ended before the work was done")
        if time.monotonic() > deadline:
            raise TimeoutError("the screen did not get to the expected state; see the pictures")

    def _picture(self, name: str) -> None:
        """Save the first picture of each kind."""
        if name not in self._taken:
            self._taken.add(name)
            save_picture(self._app, self._pictures / f"{name}.svg")

    def _tell(self, request: StoredRequest, choice: PilotChoice) -> None:
        verb = {"y": "approved", "s": "approved for the session", "n": f'rejected ("{choice.words}")'}[choice.key]
        self._say(f"  {verb}: {request.asked_by.name}: {request.submission.description}")


def _kind(request: StoredRequest) -> str:
    if "command" in request.submission.payload:
        return "command"
    snapshot = request.submission.snapshot
    return "request" if snapshot is not None and snapshot["steps"] else "structured"


# -- Pictures of the screen as SVG files that refer to nothing outside themselves.

_WEB_FONTS = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
_FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def picture(app: App[None]) -> str:
    """Return the present screen of the app as SVG."""
    return self_contained(app.export_screenshot())


def self_contained(drawn: str) -> str:
    """Return an exported SVG that uses fonts of the machine it is viewed on, not of the web."""
    return _WEB_FONTS.sub("", drawn).replace("Fira Code", _FONTS)


def save_picture(app: App[None], path: Path) -> None:
    """Write the present screen of the app to a file.

    Args:
        app: A running app.
        path: The file to write; missing folders are made.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(picture(app), encoding="utf-8")
