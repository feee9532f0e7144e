"""How the history looks: list, record, filters. After a wanted change: pytest --snapshot-update, and look."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from frames_shop import SECOND, START, decide_some, fill, frozen, new_clock
from frames_tour import Album, Frame, Plan, quiet
from screen_bench import HELD, Screen, screen
from syrupy.assertion import SnapshotAssertion

from signoff.queue import open_review_queue

VIEWS = ("history", "typing", "mistake", "saved", "rejections", "nothing", "record")
PLANS = {
    "small": Plan((80, 24), VIEWS),
    "large": Plan((120, 40), VIEWS),
    "narrow ascii": Plan((50, 40), VIEWS, ascii_only=True),
}

Tours = dict[Plan, dict[str, Frame] | BaseException]


async def pictures(place: Path, plan: Plan) -> dict[str, Frame]:
    clock, album = new_clock(), Album(plan.views)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": clock}
    with ExitStack() as stack:
        open_review_queue(place, create=True).close()
        posted = fill(place, clock, stack)
        clock.now = START + 140 * SECOND
        decide_some(place, clock, posted)
        async with screen(place, settings=HELD, **options) as seen:
            await tour(seen, album)
    return album.frames


async def tour(seen: Screen, album: Album) -> None:
    await seen.press("h")
    await seen.shows("4 records:")
    await quiet(seen)
    await album.take("history", seen)
    await filters(seen, album)
    await seen.press("j", "j", "enter")
    await seen.shows("keep 5", "@@ 19 f4(x)")
    await quiet(seen)
    await album.take("record", seen)


async def filters(seen: Screen, album: Album) -> None:
    await seen.press("slash")
    await seen.until(seen.app.screen.existing, "values to choose from")
    await seen.types("agent:re")
    await seen.press("tab")
    await seen.shows("1 of 4")
    await album.take("typing", seen)
    await seen.types(" agnet:x")
    await seen.shows("did you mean")
    await album.take("mistake", seen)
    await seen.press("escape", "f")
    await seen.shows("not all shown")
    await album.take("saved", seen)
    await seen.press("down", "down", "down", "enter")
    await seen.shows("2 of 4")
    await quiet(seen)
    await album.take("rejections", seen)
    await seen.press("slash")
    await seen.types("batch:none")
    await seen.shows("Nothing matches.")
    await seen.press("enter")
    await album.take("nothing", seen)
    await seen.press("escape")
    await seen.shows("4 records:")
    await quiet(seen)


async def all_pictures(folder: Path) -> Tours:
    """Make several tours at the same time: most of each is waiting."""
    tours = [pictures(folder / f"queue-{number}", plan) for number, plan in enumerate(PLANS.values())]
    with frozen():
        return dict(zip(PLANS.values(), await asyncio.gather(*tours, return_exceptions=True), strict=True))


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Tours:
    """The pictures of all views."""
    return asyncio.run(all_pictures(tmp_path_factory.mktemp("tours")))


def picture(tours: Tours, plan: str, view: str) -> Frame:
    made = tours[PLANS[plan]]
    if isinstance(made, BaseException):
        raise made
    return made[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", PLANS)
def test_the_history_looks_so(plan: str, view: str, tours: Tours, snapshot: SnapshotAssertion) -> None:
    assert picture(tours, plan, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Tours) -> None:
    assert picture(tours, "narrow ascii", view).text.isascii()
