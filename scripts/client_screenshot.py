"""Writes screenshots/clients-*.svg: Claude Code, Gemini CLI and a worker on PydanticAI ask at once, each for real.

The coding agents talk to models on loopback. ``make client-screenshot`` installs them and runs this.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from screenshots import settled, to_row, until
from textual.pilot import Pilot

from clients.coding_agents import Claude, CodingAgent, Gemini
from signoff.demo.pilot import save_picture
from signoff.demo.project import create_project
from signoff.demo.run import AgentProcesses
from signoff.queue import ReviewQueue, open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE
from signoff_tui.app import SignoffApp

SIZES = ((120, 40), (80, 24))
WAITING = 12
"""Requests of the three when all of them wait: ten files of one, and a call of each coding agent."""

Turns = Sequence[Sequence[Any]]


@contextmanager
def clients_asking(base: Path, place: Path, work: Sequence[tuple[type[CodingAgent], str]]) -> Iterator[Path]:
    """Run the three in one project; what is given is its folder.

    Args:
        base: An empty folder.
        place: The queue.
        work: The coding agents, each with the prompt that a person gave it.
    """
    project = base / "shop"
    create_project(project)
    git = ["git", "-c", "user.name=you", "-c", "user.email=you@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "as it is"]):
        subprocess.run([*git, *words], cwd=project, check=True)
    with ExitStack() as stack:
        stack.enter_context(AgentProcesses(("refactor",), project, place, base / "logs"))
        for kind, prompt in work:
            home = base / kind.name
            home.mkdir()
            agent = kind(home)
            agent.folder, agent.place = project, place
            agent.hook()
            model = stack.enter_context(agent.model([*turns_of(agent), agent.says("done")]))
            words, variables = agent.command(model)
            asked = [prompt if word == "go on" else word for word in words]
            process = stack.enter_context(agent.start(asked, variables))
            stack.callback(process.kill)
        yield project


def turns_of(agent: CodingAgent) -> Turns:
    """Return what a coding agent asks for: an edit of a file, or a command."""
    if isinstance(agent, Claude):
        path = agent.path("src/app/cli.py")
        edit = agent.edits(path, "quantity = int(args[2])", "quantity = max(int(args[2]), 1)")
        return [[agent.reads(path)], [edit]]
    return [[agent.runs("git commit --all --message 'Release 1.4.2' && git push origin main", "Publish it")]]


async def _take(place: Path, folder: Path) -> None:
    for size in SIZES:
        app = SignoffApp(open_review_queue(place, reviewer="you"), place="default", theme="signoff-dark")
        async with app.run_test(size=size) as pilot:
            name = f"{size[0]}x{size[1]}-dark"
            await _inbox(app, pilot)
            save_picture(app, folder / f"clients-{name}.svg")
            await pilot.press("2")
            await pilot.pause(0.8)
            save_picture(app, folder / f"clients-agents-{name}.svg")


async def _inbox(app: SignoffApp, pilot: Pilot[None]) -> None:
    inbox = app.review.desk.inbox
    await until(pilot, lambda: len(list(inbox.entries())) == WAITING)
    edit = next(each.id for each in inbox.entries() if each.request.submission.tool_name == "Edit")
    await to_row(app, pilot, lambda key: key.id == edit)
    await settled(pilot, app)


def main() -> None:
    """Take the pictures."""
    folder = Path(__file__).parents[1] / "screenshots"
    with tempfile.TemporaryDirectory(prefix="signoff-pictures-") as made:
        base = Path(made)
        os.environ[KEYS_VARIABLE] = str(base / "keys")  # the person's own key stays out of it
        place = base / "queue"
        queue = open_review_queue(place, reviewer="you")
        work = ((Claude, "count money in whole cents"), (Gemini, "write the notes of the release"))
        with clients_asking(base, place, work):
            asyncio.run(_wait(queue))
            queue.close()
            asyncio.run(_take(place, folder))


async def _wait(queue: ReviewQueue) -> None:
    while len(queue.pending()) < WAITING:  # noqa: ASYNC110 - other processes set no event
        await asyncio.sleep(0.1)


if __name__ == "__main__":
    main()
