"""A widget is laid out for every size it gets."""

from __future__ import annotations

import time

from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widget import Widget

from signoff_tui.widgets.sized import Sized
from system_bench import PATIENCE

FULL = Size(40, 10)


class Note(Sized):
    """Notes for which sizes it was laid out."""

    DEFAULT_CSS = "Note { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[Size] = []

    def resized(self) -> None:
        self.sizes.append(self.size)


class OneNote(App[None]):
    def compose(self) -> ComposeResult:
        yield Note()


async def is_laid_out(note: Note, pilot: Pilot[None]) -> None:
    """Wait for the next layout; the app may be idle before it."""
    end = time.monotonic() + PATIENCE
    while not note.sizes and time.monotonic() < end:
        await pilot.pause()


def is_painted_before_the_layout(widget: Widget) -> None:
    """The moment at which Textual computes the size for whoever asks, and reports nothing afterwards."""
    widget.screen._compositor.update_widgets({widget})


async def test_it_is_laid_out_once_for_each_size() -> None:
    async with OneNote().run_test(size=FULL) as pilot:
        note = pilot.app.query_one(Note)
        assert note.sizes == [FULL]
        await pilot.resize_terminal(30, 5)
        await pilot.pause()
        assert note.sizes == [FULL, Size(30, 5)]


async def test_a_size_that_was_asked_for_before_the_layout_is_not_missed() -> None:
    async with OneNote().run_test(size=FULL) as pilot:
        note = pilot.app.query_one(Note)
        note.display = False
        await pilot.pause()
        note.sizes.clear()
        note.display = True
        is_painted_before_the_layout(note)
        assert note.size == FULL
        await is_laid_out(note, pilot)
        assert note.sizes == [FULL]


async def test_what_came_while_it_had_no_size_is_laid_out_although_the_size_is_the_last_one() -> None:
    async with OneNote().run_test(size=FULL) as pilot:
        note = pilot.app.query_one(Note)
        note.sizes.clear()
        note.forget_size()
        note.refresh(layout=True)
        await is_laid_out(note, pilot)
        assert note.sizes == [FULL]
