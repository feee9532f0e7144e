"""The rules screen as pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from frames_shop import HOME, _shell, frozen, new_clock
from frames_tour import Album, Frame, Plan
from rules_bench import at_home, change, trusted_rules
from screen_bench import screen
from syrupy.assertion import SnapshotAssertion

from signoff.queue import AgentInfo, Decision, open_agent_queue, open_review_queue
from signoff_tui.screens.rules import screen as rules_screen

VIEWS = ("allowed", "rule", "change")
SMALL, LARGE = Plan((80, 24), VIEWS), Plan((120, 40), VIEWS)
NARROW = Plan((50, 40), VIEWS, ascii_only=True)

Made = dict[str, Frame] | BaseException


def ask(place: Path) -> None:
    """Have one rule ask twice."""
    with (
        open_agent_queue(AgentInfo("refactor", "s-41", HOME), place) as asking,
        open_review_queue(place, reviewer="you") as you,
    ):
        for number in range(2):
            posted = asking.submit(_shell(f"git commit -m {number}", why='shell rule "git commit"'))
            you.decide(
                posted.id, 1, posted.submission.digest, Decision(approved=True, shown=1.0, remember=number == 0)
            )


async def pictures(place: Path, plan: Plan) -> dict[str, Frame]:
    album = Album(plan.views)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": new_clock()}
    open_review_queue(place, create=True).close()
    ask(place)
    async with screen(place, waiting=0, **options) as seen:
        await seen.press("4")
        await seen.shows("2x", '= "git commit')
        await seen.works("x")
        await album.take("allowed", seen)
        await seen.press("j", "j", "j", "j", "v")
        await seen.shows("asks first")
        await album.take("rule", seen)
        await seen.press("v", *"jjj", "v")
        await seen.shows("1 rule gone")
        await seen.works("!")
        await album.take("change", seen)
    return album.frames


async def all_pictures(folder: Path, plans: list[Plan]) -> Mapping[Plan, Made]:
    with frozen(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        trusted_rules(folder / "shop")
        change(trusted_rules(folder / "site", name="site.yaml"))
        files, changed = at_home(folder)
        patch.setattr(rules_screen, "read_files", files)
        patch.setattr(rules_screen, "look_at", changed)
        tours = [pictures(folder / f"queue-{number}", plan) for number, plan in enumerate(plans)]
        return dict(zip(plans, await asyncio.gather(*tours, return_exceptions=True), strict=True))


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Plan, Made]:
    """The pictures of all views."""
    return asyncio.run(all_pictures(tmp_path_factory.mktemp("rules"), [SMALL, LARGE, NARROW]))


def picture(tours: Mapping[Plan, Made], plan: Plan, view: str) -> Frame:
    made = tours[plan]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", [SMALL, LARGE, NARROW], ids=["small", "large", "narrow"])
def test_a_picture_of_the_rules(
    plan: Plan, view: str, tours: Mapping[Plan, Made], snapshot: SnapshotAssertion
) -> None:
    assert picture(tours, plan, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Mapping[Plan, Made]) -> None:
    assert picture(tours, NARROW, view).text.isascii()


def test_what_runs_and_what_is_blocked_stands_out_by_style_as_well(
    tours: Mapping[Plan, Made], snapshot: SnapshotAssertion
) -> None:
    assert picture(tours, SMALL, "allowed").runs == snapshot
