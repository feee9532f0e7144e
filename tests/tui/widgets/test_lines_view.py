"""A block of lines is as high as its lines, whenever they change."""

from __future__ import annotations

from textual.app import App, ComposeResult

from signoff_tui.text.lines import chunk, line
from signoff_tui.text.look import UNICODE, Appearance
from signoff_tui.text.themes import builtin_themes
from signoff_tui.widgets.lines_view import LinesView


class Page(App[None]):
    """One block on an empty page."""

    look = Appearance(builtin_themes()["signoff-dark"], UNICODE)

    def compose(self) -> ComposeResult:
        yield LinesView()


async def test_it_is_as_high_as_its_lines() -> None:
    async with Page().run_test() as pilot:
        view = pilot.app.query_one(LinesView)
        view.show([line(chunk("a")), line(chunk("b"))])
        await pilot.pause()
        assert view.region.height == 2


async def test_lines_that_change_right_after_a_layout_change_its_height_too() -> None:
    async with Page().run_test() as pilot:
        view = pilot.app.query_one(LinesView)
        view.show([line(chunk("a"))] * 6)
        pilot.app.screen._refresh_layout()
        view.show([line(chunk("b"))])
        await pilot.pause()
        assert view.region.height == 1
