"""Writes the pictures in screenshots/: real agents, a real queue, the real screen.

Usage: python scripts/screenshots.py [FOLDER]
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.pilot import Pilot

from signoff.demo.agents import ROLES
from signoff.demo.pilot import CarefulReviewer, save_picture
from signoff.demo.project import create_project
from signoff.demo.run import AgentProcesses
from signoff.queue import open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff_tui.app import SignoffApp

SIZES = ((80, 24), (120, 40))
EXTRA_SIZES = ((50, 40), (200, 50))
THEMES = ("signoff-dark", "signoff-light")
WAITING = 12
"""Requests the demo agents have posted when all of them wait."""


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "screenshots"
    for old in folder.glob("*-*.svg"):
        if not old.name.startswith("clients-"):  # those of client_screenshot.py
            old.unlink()
    asyncio.run(_take_all(folder))
    print(f"{len(list(folder.glob('*-*.svg')))} pictures in {folder}")


async def _take_all(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="signoff-pictures-") as base:
        os.environ[KEYS_VARIABLE] = str(Path(base) / "keys")  # the person's own key stays out of it
        await _waiting_pictures(Path(base) / "waiting", folder)
        await _history_pictures(Path(base) / "decided", folder)


async def _waiting_pictures(base: Path, folder: Path) -> None:
    """Inbox, request, group and agents, while the agents wait and nobody decides."""
    project, place = base / "shop", base / "queue"
    create_project(project)
    queue = open_review_queue(place, reviewer="you")
    with AgentProcesses(ROLES, project, place, base / "logs"):
        while len(queue.pending()) < WAITING:  # noqa: ASYNC110 - other processes set no event
            await asyncio.sleep(0.1)
        queue.close()
        for size in (*SIZES, *EXTRA_SIZES):
            for theme in THEMES if size in SIZES else THEMES[:1]:
                await _session(place, size, theme, lambda app, pilot, name: _waiting(app, pilot, name, folder))


async def _waiting(app: SignoffApp, pilot: Pilot[None], name: str, folder: Path) -> None:
    desk = app.review.desk
    await until(pilot, lambda: len(list(desk.inbox.entries())) == WAITING)
    await to_row(app, pilot, lambda key: key.kind == "group")
    await settled(pilot, app)
    save_picture(app, folder / f"inbox-{name}.svg")
    if not app.review.room.wide:
        await pilot.press("enter")
        await settled(pilot, app)
        save_picture(app, folder / f"group-{name}.svg")
        await pilot.press("escape")
    path = next(
        entry.id
        for entry in desk.inbox.entries()
        if str(entry.request.submission.arguments.get("path", "")).endswith("models.py")
        and "tests" not in str(entry.request.submission.arguments["path"])
    )
    await to_row(app, pilot, lambda key: key.id == path)
    if not app.review.content_visible:
        await pilot.press("enter")
    await settled(pilot, app)
    save_picture(app, folder / f"request-{name}.svg")
    if app.review.reading:
        await pilot.press("escape")
    command = next(
        entry.id for entry in desk.inbox.entries() if entry.request.submission.tool_name == "run_command"
    )
    await to_row(app, pilot, lambda key: key.id == command)
    if not app.review.content_visible:
        await pilot.press("enter")
    await read(pilot, app)
    await pilot.press("s")
    await sheet_armed(pilot, app)
    await pilot.pause(0.6)
    save_picture(app, folder / f"allow-{name}.svg")
    await pilot.press("escape")
    await pilot.press("2")
    await pilot.pause(0.8)
    save_picture(app, folder / f"agents-{name}.svg")


async def _history_pictures(base: Path, folder: Path) -> None:
    """History and rules, after a pilot has read and decided everything."""
    project, place = base / "shop", base / "queue"
    create_project(project)
    app = SignoffApp(open_review_queue(place, reviewer="you"), place="default")
    with AgentProcesses(ROLES, project, place, base / "logs") as agents:
        async with app.run_test(size=(120, 40)) as pilot:
            reviewer = CarefulReviewer(app, pilot, base / "screens", lambda _: None)
            await reviewer.work(until=lambda: agents.ended)
    for size in SIZES:
        for theme in THEMES:
            await _session(place, size, theme, lambda app, pilot, name: _history(app, pilot, name, folder))


async def _history(app: SignoffApp, pilot: Pilot[None], name: str, folder: Path) -> None:
    await pilot.press("h")
    await pilot.pause(0.5)
    for _ in range(4):
        await pilot.press("j")
    await pilot.pause(0.8)
    save_picture(app, folder / f"history-{name}.svg")
    await pilot.press("4")
    await pilot.pause(0.8)
    save_picture(app, folder / f"rules-{name}.svg")


Session = Callable[[SignoffApp, Pilot[None], str], object]


async def _session(place: Path, size: tuple[int, int], theme: str, take: Session) -> None:
    app = SignoffApp(open_review_queue(place, reviewer="you"), place="default", theme=theme)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.5)
        outcome = take(app, pilot, f"{size[0]}x{size[1]}-{theme.removeprefix('signoff-')}")
        assert asyncio.iscoroutine(outcome)
        await outcome


async def to_row(app: SignoffApp, pilot: Pilot[None], wanted: Callable[..., bool]) -> None:
    """Walk to the first row whose key is wanted."""
    inbox = app.review.desk.inbox
    keys: Sequence[object] = [row.key for row in inbox.rows()]
    goal = next(index for index, key in enumerate(keys) if wanted(key))
    steps = goal - (inbox.row_index(inbox.cursor) or 0)
    for _ in range(abs(steps)):
        await pilot.press("j" if steps > 0 else "k")


async def settled(pilot: Pilot[None], app: SignoffApp) -> None:
    """Until documents are made, colored and counted, and the keys are armed."""
    desk = app.review.desk
    await pilot.pause(0.6)
    words = {"armed", "heading"}
    await until(
        pilot, lambda: desk.coverages.settles_at is None and desk.guard.status(time.monotonic()).word in words
    )


async def read(pilot: Pilot[None], app: SignoffApp) -> None:
    """Page until all of the request was shown."""
    desk = app.review.desk
    for _ in range(20):
        await settled(pilot, app)
        entry = desk.inbox.focused_request()
        if entry is None or desk.share(entry) == 1:
            return
        await pilot.press("space")


async def sheet_armed(pilot: Pilot[None], app: SignoffApp) -> None:
    """Until the open sheet takes its key: before that, the key would be dropped."""

    def armed() -> bool:
        now = time.monotonic()
        status = app.review.desk.guard.status(now)
        return status.word == "sheet" and status.changes_at is not None and status.changes_at <= now

    await until(pilot, armed)


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait until something is so, at most half a minute."""
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the screen did not get to the expected state")
        await pilot.pause(0.05)


if __name__ == "__main__":
    main()
