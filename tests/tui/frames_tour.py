"""Pictures of the screen as text, taken when it stands still."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from screen_bench import Screen

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
    return re.sub(r"\b\d\d s\b", "NN s", text)


async def goes_to(seen: Screen, key: RowKey) -> None:
    """Put the cursor on a row, and open it where that is needed."""
    await stands_on(seen, key)
    await seen.press(*([] if seen.app.review.content_visible else ["enter"]))
    await quiet(seen)


async def stands_on(seen: Screen, key: RowKey) -> None:
    """Put the cursor on a row without passing others, of which something might count as shown."""
    seen.desk.inbox.move_to(key)
    seen.app.review.redraw()
    await quiet(seen)


async def opens(seen: Screen, key: str) -> None:
    """Open a sheet or the text box, and wait until its keys work."""
    await seen.armed()
    await seen.press(key)
    await seen.until(lambda: seen.status in {"sheet", "feedback"})
    if seen.status == "sheet":
        await seen.sheet_armed()
        await seen.shows_no("looking ...")


async def quiet(seen: Screen) -> None:
    """Wait until documents are made and colored, lines are counted and keys are armed."""
    review, desk, document = seen.app.review, seen.desk, seen.app.screen.query_one("#document", DocumentView)

    def colored() -> bool:
        reading = document.viewport.reading
        if reading is None or not document.display:
            return True
        places = [reading.locate(line.row) for line in document.viewport.visible]
        return all(document._colors.spans(owner, owner.row(inner)) is not None for owner, inner in places)

    def made() -> bool:
        return all(desk.content(entry) is not None for entry in review.contents._wanted())

    def armed() -> bool:
        waits = [at for arming in desk.guard._armings() if (at := arming.armed_at) is not None]
        return desk.guard.pending is None and max(waits, default=0.0) <= time.monotonic()

    await seen.until(colored, "colors")
    if seen.app.screen is review:
        await seen.until(
            lambda: all(desk.content(entry) is not None for entry in review.contents._wanted()), "documents"
        )
        if review.content_visible and desk.inbox.cursor is not None:
            await seen.page_settled()
        await seen.until(armed, "armed keys")
    await seen.pilot.pause()
