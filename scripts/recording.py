"""Records a short session with the demo's agents: screenshots/session.svg, which plays by itself.

Usage: python scripts/recording.py [FILE]
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from animated_svg import Frame, animated
from screenshots import WAITING, read, settled, sheet_armed, to_row, until
from textual.pilot import Pilot

from signoff.demo.agents import ROLES
from signoff.demo.pilot import picture
from signoff.demo.project import create_project
from signoff.demo.run import AgentProcesses
from signoff.queue import open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff_tui.app import SignoffApp
from signoff_tui.state.inbox import Group

SIZE = (110, 30)
SHORT, LONG = 1.2, 3.2
"""Seconds that a frame is shown."""


class Reel:
    """Frames of a running app."""

    def __init__(self, app: SignoffApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot
        self.frames: list[Frame] = []

    async def take(self, caption: str, seconds: float = SHORT) -> None:
        """Take a picture of what is there once the screen has come to rest."""
        await self.pilot.pause(0.3)
        self.frames.append(Frame(picture(self.app), caption, seconds))

    async def press(self, key: str, caption: str, seconds: float = SHORT) -> None:
        """Press a key and take a picture."""
        await self.pilot.press(key)
        await self.take(caption, seconds)

    async def read(self, caption: str) -> None:
        """Space, page by page, until all of the request was shown; a picture of the last page."""
        await read(self.pilot, self.app)
        await self.take(caption)


async def play(reel: Reel) -> None:
    """What the recording shows."""
    app, pilot, desk = reel.app, reel.pilot, reel.app.review.desk
    await until(pilot, lambda: len(list(desk.inbox.entries())) == WAITING)
    await settled(pilot, app)
    await reel.take("three agents are asking", LONG)
    await _one(reel)
    await _group(reel)
    await _reject(reel)
    await reel.press("2", "2: who is there, who waits for you", LONG)
    await reel.press("H", "H: what did this agent do in the last hour", LONG)
    await reel.press("4", "4: what runs without asking, and why", LONG)


async def _one(reel: Reel) -> None:
    app, pilot = reel.app, reel.pilot
    desk = app.review.desk
    lone = next(each for each in desk.inbox.entries() if each.request.submission.tool_name == "run_command")
    await to_row(app, pilot, lambda key: key.id == lone.id)
    await reel.read("Space: read on")
    await settled(pilot, app)
    await reel.take("all of it was shown: y is armed", LONG)
    await reel.press("s", "s: allow it for the session: exactly this, what begins alike, or any command", LONG)
    await sheet_armed(pilot, app)
    await reel.press("1", "1: approved and allowed, held for a moment; u would undo both", LONG)
    await until(pilot, lambda: not lone.waiting)


async def _group(reel: Reel) -> None:
    app, pilot = reel.app, reel.pilot
    desk = app.review.desk
    await to_row(app, pilot, lambda key: key.kind == "group")
    await settled(pilot, app)
    await reel.take("files that belong together are one group; its first unread file is shown at once", LONG)
    group = desk.inbox.focused_group()
    assert isinstance(group, Group)
    members = [desk.inbox.entry(member) for member in group.members]
    while not all(desk.share(entry) == 1 for entry in members):
        await pilot.press("space")
        await settled(pilot, app)
        await reel.take("Space: reads on from file to file")
    await reel.press("Y", "Y: the whole group in one decision", LONG)
    await until(pilot, lambda: not any(entry.waiting for entry in members))


async def _reject(reel: Reel) -> None:
    app, pilot = reel.app, reel.pilot
    desk = app.review.desk
    ticket = next(each for each in desk.inbox.entries() if each.request.submission.tool_name == "create_ticket")
    await to_row(app, pilot, lambda key: key.id == ticket.id)
    await settled(pilot, app)
    await reel.take("what another agent asks", LONG)
    await reel.press("n", "n: no, and why")
    await asyncio.sleep(0.6)
    for letter in "wait until the release is out":
        await pilot.press("space" if letter == " " else letter)
    await reel.take("the agent is told these words", LONG)
    await pilot.press("enter")
    await reel.take("Enter: rejected; the agent goes on", LONG)
    await until(pilot, lambda: not ticket.waiting)


async def record(base: Path) -> list[Frame]:
    """Play it on a queue of its own, with real agents."""
    os.environ[KEYS_VARIABLE] = str(base / "keys")  # the person's own key stays out of it
    project, place = base / "shop", base / "queue"
    create_project(project)
    queue = open_review_queue(place, reviewer="you")
    with AgentProcesses(ROLES, project, place, base / "logs"):
        while len(queue.pending()) < WAITING:  # noqa: ASYNC110 - other processes set no event
            await asyncio.sleep(0.1)
        queue.close()
        app = SignoffApp(open_review_queue(place, reviewer="you"), place="default")
        async with app.run_test(size=SIZE) as pilot:
            reel = Reel(app, pilot)
            await play(reel)
    return reel.frames


def main() -> None:
    """Record the session."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "screenshots" / "session.svg"
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="signoff-recording-") as base:
        frames = asyncio.run(record(Path(base)))
    file.write_text(animated(frames), encoding="utf-8")
    print(f"{len(frames)} frames in {file}, recorded in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
