"""The memory screen as pictures, at frozen times."""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from frames_shop import HOME, SECOND, START, Clock, _shell, _submission, frozen, new_clock
from frames_tour import Album, Frame, Plan
from msgspec.structs import replace
from screen_bench import QUICK, Screen, screen
from syrupy.assertion import SnapshotAssertion

from signoff.queue import AgentInfo, Decision, open_agent_queue, open_review_queue
from signoff_tui.screens.memory.screen import MemoryScreen

VIEWS = ("memory", "revoked", "revoke all", "widen")
SMALL, LARGE = Plan((80, 24), VIEWS), Plan((120, 40), VIEWS)
NARROW = Plan((50, 40), VIEWS, ascii_only=True)

Tours = dict[Plan, dict[str, Frame] | BaseException]


def remember(place: Path, clock: Clock, stack: ExitStack) -> None:
    """Have a few calls of one session remembered, some of them used."""
    asking = stack.enter_context(open_agent_queue(AgentInfo("refactor", "s-41", HOME), place))
    page = {"path": "docs/guide/intro.md", "content": "..."}
    calls = [
        _shell("pytest -q tests/unit && ruff check ."),
        _submission("page", "write_file", "Write intro.md", page, payload={"path": page["path"]}),
        _submission("put", "put_page", "Put a page", page, payload={"sandbox": "docs"}),
        _submission("sync", "sync_clock", "Sync", {"server": "time.example.test"}, payload={}),
        _shell("git fetch origin"),
    ]
    with open_review_queue(place, reviewer="you") as you:
        for number, submission in enumerate(calls):
            posted = asking.submit(submission)
            decision = Decision(approved=True, remember=True, shown=1.0)
            assert you.decide(posted.id, 1, submission.digest, decision).accepted
            clock.now += 61 * SECOND
            for again in range(2 * number):
                assert asking.use_grant(dataclasses.replace(submission, key=f"again {number} {again}"))
        you.revoke(you.grants()[3].id)
    asking.submit(dataclasses.replace(calls[1], key="once more"))


def memory(seen: Screen) -> MemoryScreen:
    """The screen on top."""
    assert isinstance(seen.app.screen, MemoryScreen)
    return seen.app.screen


async def pictures(place: Path, plan: Plan) -> dict[str, Frame]:
    clock, album = new_clock(), Album(plan.views)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": clock}
    open_review_queue(place, create=True).close()
    with ExitStack() as stack:
        remember(place, clock, stack)
        clock.now = START + 600 * SECOND
        async with screen(place, settings=replace(QUICK, typing_lock=True), waiting=1, **options) as seen:
            await seen.press("4")
            await seen.shows("4 active, 1 revoked")
            await seen.until(lambda: len(memory(seen)._waiting) == 1)
            await album.take("memory", seen)
            top = memory(seen)
            await seen.press("R")
            await seen.shows("! revoke all 4")
            await seen.works("!")
            await album.take("revoke all", seen)
            await seen.press("escape", "j", "w")
            await seen.shows("Widen #2")
            await seen.until(lambda: top._asking.sheet is not None and top._asking.sheet.preview is not None)
            await seen.until(lambda: top._at_end is False or "! save" in seen.text)
            await album.take("widen", seen)
            await seen.press("escape", "j", "x")
            await seen.shows("#3 revoked", "3 active, 2 revoked")
            await album.take("revoked", seen)
    return {name: Frame(_steady(frame.text), _steady(frame.runs)) for name, frame in album.frames.items()}


def _steady(text: str) -> str:
    return re.sub(r"\brequest [0-9a-z]{8}\b(?! match)", "request 00000000", text)


async def all_pictures(folder: Path, plans: list[Plan]) -> Mapping[Plan, dict[str, Frame] | BaseException]:
    tours = [pictures(folder / f"queue-{number}", plan) for number, plan in enumerate(plans)]
    with frozen():
        return dict(zip(plans, await asyncio.gather(*tours, return_exceptions=True), strict=True))


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Plan, dict[str, Frame] | BaseException]:
    """The pictures of all views."""
    return asyncio.run(all_pictures(tmp_path_factory.mktemp("memory"), [SMALL, LARGE, NARROW]))


def picture(tours: Tours, plan: Plan, view: str) -> Frame:
    made = tours[plan]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", [SMALL, LARGE, NARROW], ids=["small", "large", "narrow"])
def test_a_picture_of_what_is_remembered(plan: Plan, view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, plan, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Tours) -> None:
    assert picture(tours, NARROW, view).text.isascii()


def test_breadth_stands_out_by_style_as_well_as_by_word(tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, SMALL, "memory").runs == snapshot
