"""A tour through all views of the screen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frames_shop import SECOND, START, decide_some, fill, frozen, new_clock
from msgspec.structs import replace
from screen_bench import HELD, Screen, screen

from signoff.queue import StoredRequest
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import RowKey
from signoff_tui.widgets.document.view import DocumentView

STILL = 0.1
"""Seconds without a change after which a picture stands still: all that goes on is over much sooner."""


@dataclass(frozen=True)
class Plan:
    """What to visit: the views, at a size, in a mode."""

    size: tuple[int, int]
    views: tuple[str, ...]
    ascii_only: bool = False


@dataclass(frozen=True)
class Frame:
    """One picture.

    Attributes:
        text: What is drawn, without blanks at the ends of lines.
        runs: The same with styles: one line for each stretch of equal style.
    """

    text: str
    runs: str


class Album:
    """The pictures of a tour.

    Args:
        wanted: Names of the views whose pictures are kept.
    """

    def __init__(self, wanted: Sequence[str]) -> None:
        self.wanted = wanted
        self.frames: dict[str, Frame] = {}

    async def take(self, name: str, seen: Screen) -> None:
        """Take a picture when it stands still, if it is wanted."""
        if name not in self.wanted:
            return
        before = ""
        while before != (before := seen.text):  # noqa: ASYNC110 - nobody announces that nothing happens any more
            await asyncio.sleep(STILL)
        text = "\n".join(line.rstrip() for line in seen.frame)
        runs = [
            f"{number:>2} {segment.style} {_steady(segment.text)!r}"
            for number, row in enumerate(seen.rows)
            for segment in row
            if segment.text.strip()
        ]
        self.frames[name] = Frame(_steady(text), "\n".join(runs))


def _steady(text: str) -> str:
    text = re.sub(r"sha256 [0-9a-f]{16}", f"sha256 {'0' * 16}", text)
    return re.sub(r"\b\d\ds\b", "NNs", text)


async def all_tours(folder: Path, plans: Sequence[Plan]) -> dict[Plan, dict[str, Frame] | BaseException]:
    """Make several tours at the same time: most of each is waiting."""
    tours = [_tour(folder / f"queue-{number}", plan) for number, plan in enumerate(plans)]
    with frozen():
        return dict(zip(plans, await asyncio.gather(*tours, return_exceptions=True), strict=True))


async def _tour(place: Path, plan: Plan) -> dict[str, Frame]:
    """Visit the views of a plan and take their pictures."""
    clock = new_clock()
    album = Album(plan.views)
    # Long enough that nothing counts as shown while the screen is being laid out.
    settings = replace(HELD, typing_lock=True, burst_keys=99, dwell=1.0)
    options: dict[str, Any] = {"size": plan.size, "ascii_only": plan.ascii_only, "wall_clock": clock}
    with ExitStack() as stack:
        async with screen(place, settings=settings, **options) as seen:
            await seen.shows("nothing waiting")
            await album.take("empty", seen)
        posted = fill(place, clock, stack)
        clock.now = START + 140 * SECOND
        async with screen(place, settings=settings, waiting=len(posted), **options) as seen:
            await _waiting(seen, posted, album)
        decide_some(place, clock, posted)
        async with screen(place, settings=settings, **options) as seen:
            await _decided(seen, album)
    return album.frames


async def _waiting(seen: Screen, posted: Mapping[str, StoredRequest], album: Album) -> None:
    await quiet(seen)
    await album.take("inbox", seen)
    await goes_to(seen, RowKey("request", posted["command"].id))
    await album.take("command", seen)
    for name, key in (("remember", "s"), ("feedback", "n"), ("stop", "x"), ("stop agent", "X")):
        if name in album.wanted:
            await opens(seen, key)
            await album.take(name, seen)
            await seen.press("escape")
    await seen.press("1")
    if "unseen" in album.wanted:
        await _questions(seen, posted, album)
    for name in ("diff", "new", "structured", "text", "high"):
        if name in album.wanted:
            await goes_to(seen, RowKey("request", posted[name].id))
            await album.take(name, seen)
            await seen.press("1")
    await goes_to(seen, RowKey("group", "s-41\x1fsave project"))
    await seen.press(*([] if seen.app.review.two_panes else ["enter"]))
    await quiet(seen)
    await album.take("group", seen)
    await seen.press("1")
    if "held" in album.wanted:
        # From the list: what the cursor goes on to is not opened, and not counted as shown.
        await stands_on(seen, RowKey("request", posted["new"].id))
        await seen.press("y")
        await seen.shows("held: 1 approval sends")
        await quiet(seen)
        await album.take("held", seen)


async def opens(seen: Screen, key: str) -> None:
    """Open a sheet or the text box, and wait until its keys work."""
    await seen.armed()
    await seen.press(key)
    await seen.until(lambda: seen.status in {"sheet", "feedback"})
    if seen.status == "sheet":
        await seen.sheet_armed()
    await seen.until(lambda: "[armed]" not in seen.target)
    await seen.until(lambda: not any(dead in seen.text for dead in ("(y) yes", "(!) stop")))


async def _questions(seen: Screen, posted: Mapping[str, StoredRequest], album: Album) -> None:
    await goes_to(seen, RowKey("request", posted["long"].id))
    await seen.press("y")
    await seen.shows("approve anyway")
    await album.take("unseen", seen)
    await seen.press("escape", "1", "q")
    await seen.shows("blocked until somebody decides")
    await seen.sheet_armed()
    await album.take("quit", seen)
    await seen.press("escape")


async def _decided(seen: Screen, album: Album) -> None:
    await seen.press("h")
    await seen.shows("4 records:")
    await quiet(seen)
    await album.take("history", seen)
    if "typing" in album.wanted:
        await _filters(seen, album)
    if "record" in album.wanted:
        await seen.press("j", "j", "enter")
        await seen.shows("keep 5", "def f4(x)")
        await quiet(seen)
        await album.take("record", seen)
        await seen.press("escape", "escape")
    if "help" in album.wanted:
        await seen.press("1", "question_mark")
        await seen.shows("signoff  keys")
        await album.take("help", seen)


async def _filters(seen: Screen, album: Album) -> None:
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
    await seen.shows("[2] approved without reading all")
    await album.take("saved", seen)
    await seen.press("3")
    await seen.shows("2 of 4")
    await quiet(seen)
    await album.take("rejections", seen)
    await seen.press("slash")
    await seen.types(" batch:none")
    await seen.shows("Nothing was decided that fits this filter")
    await seen.press("enter")
    await album.take("nothing", seen)
    await seen.press("backslash")
    await seen.shows("4 records:")
    await quiet(seen)


async def goes_to(seen: Screen, key: RowKey) -> None:
    """Put the cursor on a row, and open it where that is needed."""
    await stands_on(seen, key)
    await seen.press(*(["enter"] if not seen.app.review.two_panes and key.kind == "request" else []))
    await quiet(seen)


async def stands_on(seen: Screen, key: RowKey) -> None:
    """Put the cursor on a row without passing others, of which something might count as shown."""
    seen.desk.inbox.move_to(key)
    seen.app.review.redraw()
    await quiet(seen)


async def quiet(seen: Screen) -> None:
    """Wait until documents are made and colored, lines are counted and keys are armed."""
    desk, document = seen.desk, seen.app.screen.query_one("#document", DocumentView)
    on_review = seen.app.screen is seen.app.review

    def colored() -> bool:
        reading = document.viewport.reading
        if reading is None or not document.display:
            return True
        places = [reading.locate(line.row) for line in document.viewport.visible]
        return all(document._colors.spans(owner, owner.row(inner)) is not None for owner, inner in places)

    def made() -> bool:
        visible = seen.app.review._drawing.wanted()
        return all(desk.content(entry) is not None for entry in visible)

    def shown() -> bool:
        entry = desk.inbox.focused_request()
        if entry is None or not seen.app.review.views.content_visible:
            return True
        coverage, parts = desk.coverage(entry), seen.app.review.document.parts
        painted = coverage is not None and coverage._painted == parts != ()
        return (
            painted and content_key(entry.request) in desk.coverages._visible and desk.coverages.settles_at is None
        )

    await seen.until(colored, "colors")
    if on_review:
        await seen.until(made, "documents")
        await seen.until(shown, "settled lines")
        await seen.until(lambda: seen.target.rstrip().endswith(("[armed]", "[held]")), "an armed target")
    await seen.pilot.pause()
