"""Filter, order, tags and the page of a group as pictures, at frozen times."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from frames_shop import SECOND, START, fill, frozen, new_clock
from frames_tour import Album, Frame, Plan
from msgspec.structs import replace
from screen_bench import HELD, Screen, screen
from syrupy.assertion import SnapshotAssertion

from signoff.queue import StoredRequest, open_review_queue
from signoff_tui.state.inbox import RowKey

VIEWS = ("typed", "filtered", "sorted", "tagged", "page")
SMALL, LARGE = Plan((80, 24), VIEWS), Plan((120, 40), VIEWS)
NARROW, LOW = Plan((50, 40), VIEWS, ascii_only=True), Plan((40, 12), VIEWS)
PLANS = [SMALL, LARGE, NARROW, LOW]
NAMES = ["small", "large", "narrow", "low"]
GROUP = RowKey("group", "s-41\x1fsave project")

Tours = Mapping[Plan, dict[str, Frame] | BaseException]


async def made(seen: Screen) -> None:
    """Wait until everything is made, and the keys act on what is named."""
    desk = seen.desk
    wanted = seen.app.review._drawing.wanted
    await seen.until(lambda: all(desk.content(entry) is not None for entry in wanted()), "documents")
    await seen.until(lambda: seen.status in {"armed", "text"}, "armed")


async def tour(seen: Screen, posted: Mapping[str, StoredRequest], album: Album) -> None:
    """Filter, sort, tag, read."""
    await made(seen)
    await seen.press("slash")
    await seen.until(lambda: seen.app.review.filter_bar.is_open)
    await seen.types("agent:docs* | path:src/**")
    await seen.until(lambda: len(seen.desk.inbox.hidden()) == 3)
    await made(seen)
    await album.take("typed", seen)
    await seen.press("enter")
    await made(seen)
    await album.take("filtered", seen)
    await seen.press("backslash", "o")
    await seen.until(lambda: seen.desk.inbox.order == "risk")
    await made(seen)
    await album.take("sorted", seen)
    for name in ("high", "new", "small"):
        await seen.goes_to_row(RowKey("request", posted[name].id))
        await seen.press("t")
    await seen.press("semicolon")
    await seen.until(lambda: seen.desk.tags.acting)
    await made(seen)
    await album.take("tagged", seen)
    await seen.press("escape", "T")
    await seen.goes_to_row(GROUP)
    await seen.press("V")
    await seen.until(
        lambda: seen.app.review.views.page is not None and seen.app.review.views.page.complete, "a page"
    )
    await made(seen)
    await album.take("page", seen)


async def pictures(place: Path, plan: Plan) -> dict[str, Frame]:
    clock, album = new_clock(), Album(plan.views)
    # Nothing counts as shown while one passes by.
    settings = replace(HELD, typing_lock=True, burst_keys=99, dwell=30.0)
    open_review_queue(place, create=True).close()
    with ExitStack() as stack:
        posted = fill(place, clock, stack)
        clock.now = START + 140 * SECOND
        options = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": clock}
        async with screen(place, settings=settings, waiting=len(posted), **options) as seen:
            await tour(seen, posted, album)
    return album.frames


async def all_pictures(folder: Path) -> Tours:
    tours = [pictures(folder / f"queue-{number}", plan) for number, plan in enumerate(PLANS)]
    with frozen():
        return dict(zip(PLANS, await asyncio.gather(*tours, return_exceptions=True), strict=True))


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Tours:
    """The pictures of all views."""
    return asyncio.run(all_pictures(tmp_path_factory.mktemp("lists")))


def picture(tours: Tours, plan: Plan, view: str) -> Frame:
    taken = tours[plan]
    if isinstance(taken, BaseException):
        raise taken
    return taken[view]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("plan", PLANS, ids=NAMES)
def test_a_picture_of_a_list_that_was_changed(
    plan: Plan, view: str, tours: Tours, snapshot: SnapshotAssertion
) -> None:
    assert picture(tours, plan, view).text == snapshot


@pytest.mark.parametrize("view", VIEWS)
def test_ascii_mode_draws_nothing_but_ascii(view: str, tours: Tours) -> None:
    assert picture(tours, NARROW, view).text.isascii()


@pytest.mark.parametrize("view", ["typed", "filtered"])
@pytest.mark.parametrize("plan", PLANS, ids=NAMES)
def test_the_danger_that_a_filter_hides_is_told_at_every_size(plan: Plan, view: str, tours: Tours) -> None:
    assert "of these 1 HIGH" in picture(tours, plan, view).text
