"""The agents screen as pictures, at frozen times."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from frames_shop import HOME, SECOND, START, Clock, _shell, _write, frozen, new_clock
from frames_tour import Album, Frame, Plan
from screen_bench import screen
from syrupy.assertion import SnapshotAssertion

from signoff.queue import (
    AgentInfo,
    AgentQueue,
    Decision,
    DecisionSource,
    open_agent_queue,
    open_review_queue,
)

VIEWS = ("agents", "exited", "details", "stop")
SMALL, LARGE = Plan((80, 24), VIEWS), Plan((120, 40), VIEWS)
NARROW = Plan((50, 40), VIEWS, ascii_only=True)

Made = dict[str, Frame] | BaseException


def connect(place: Path, clock: Clock, name: str, session: str, via: str = "library") -> AgentQueue:
    """Another agent, seen a little later than the one before."""
    clock.now += SECOND
    return open_agent_queue(AgentInfo(name, session, HOME, via), place)


def fill(place: Path, clock: Clock, stack: ExitStack) -> None:
    """One agent in each state, with a last hour."""
    clock.now = START - 1_500 * SECOND
    docs = stack.enter_context(connect(place, clock, "docs-bot", "s-40", "pydantic-ai"))
    for _ in range(2):
        stack.enter_context(connect(place, clock, "migrate", "s-39"))
    crawler, tests = (
        connect(place, clock, "crawler", "s-37", "langchain"),
        connect(place, clock, "tests", "s-38"),
    )
    crawler.submit(_shell("curl -s https://example.test/a"))
    for number in range(12):
        rule = Decision(approved=True, source=DecisionSource.RULE, by="rule 7")
        tests.record(_shell(f"pytest tests/{number}"), rule)
    with open_review_queue(place, reviewer="you") as you:
        for number, approved in enumerate((True, True, False)):
            asked = docs.submit(_shell(f"mkdocs build {number}", why="rule 3: builds need approval"))
            clock.now += 31 * SECOND
            decision = Decision(approved=approved, remember=approved, shown=1.0)
            you.decide(asked.id, 1, asked.submission.digest, decision)
    clock.now = START - 370 * SECOND
    crawler.close()
    tests.close()
    clock.now = START
    for name in ("usage", "start", "guide", "index", "about"):
        docs.submit(_write(f"docs/{name}.md", None, "text\n"))
    clock.now = START + 252 * SECOND


async def pictures(place: Path, plan: Plan) -> dict[str, Frame]:
    clock, album = new_clock(), Album(plan.views)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": clock}
    open_review_queue(place, create=True).close()
    with ExitStack() as stack:
        fill(place, clock, stack)
        async with screen(place, waiting=5, **options) as seen:
            await seen.press("2")
            await seen.shows(
                "waiting for you",
            )
            await seen.works("x")
            await album.take("agents", seen)
            await seen.press("j", "j")
            await album.take("exited", seen)
            await seen.press("g", "v")
            await seen.works("x")
            await album.take("details", seen)
            await seen.press("v")
            await seen.works("x")
            await seen.press("x")
            await seen.shows("STOP ")
            await seen.works("!")
            await album.take("stop", seen)
    return album.frames


async def all_pictures(folder: Path, plans: list[Plan]) -> Mapping[Plan, Made]:
    tours = [pictures(folder / f"queue-{number}", plan) for number, plan in enumerate(plans)]
    with frozen():
        return dict(zip(plans, await asyncio.gather(*tours, return_exceptions=True), strict=True))


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Plan, Made]:
    """The pictures of all views."""
    return asyncio.run(all_pictures(tmp_path_factory.mktemp("agents"), [SMALL, LARGE, NARROW]))


def picture(tours: Mapping[Plan, Made], plan: Plan, view: str) -> Frame:
    made = tours[plan]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", [SMALL, LARGE, NARROW], ids=["small", "large", "narrow"])
def test_a_picture_of_who_asks(
    plan: Plan, view: str, tours: Mapping[Plan, Made], snapshot: SnapshotAssertion
) -> None:
    assert picture(tours, plan, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Mapping[Plan, Made]) -> None:
    assert picture(tours, NARROW, view).text.isascii()


def test_who_waits_and_who_exited_stand_out_by_style_as_well(
    tours: Mapping[Plan, Made], snapshot: SnapshotAssertion
) -> None:
    assert picture(tours, SMALL, "agents").runs == snapshot
