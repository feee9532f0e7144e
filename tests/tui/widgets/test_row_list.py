"""A long list that moves only when it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from signoff_tui.text.lines import Line, chunk, line
from signoff_tui.text.look import UNICODE, Appearance
from signoff_tui.text.themes import builtin_themes
from signoff_tui.widgets.row_list import RowList

HEIGHT = 10


class OneList(App[None]):
    """A list and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.look = Appearance(builtin_themes()["signoff-dark"], UNICODE)
        self.clicks: list[tuple[int, bool]] = []

    def compose(self) -> ComposeResult:
        yield RowList()

    def on_row_list_row_clicked(self, event: RowList.RowClicked) -> None:
        self.clicks.append((event.index, event.double))


class Seen:
    """The list on a screen of ten lines."""

    def __init__(self, app: OneList, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.list = app.query_one(RowList)

    def show(self, rows: list[str], focus: str, lines_per_row: int = 1, *, by_name: bool = False) -> None:
        def paint(index: int, _width: int) -> tuple[Line, ...]:
            return tuple(line(chunk(f"{rows[index]}.{part}")) for part in range(lines_per_row))

        self.list.show(
            len(rows), paint, cursor=rows.index(focus), lines_per_row=lines_per_row, key=focus if by_name else None
        )

    @property
    def lines(self) -> list[str]:
        return [self.list.render_line(y).text.strip() for y in range(HEIGHT)]

    def line_of(self, row: str) -> int:
        return self.lines.index(f"{row}.0")


@asynccontextmanager
async def one_list() -> AsyncIterator[Seen]:
    app = OneList()
    async with app.run_test(size=(40, HEIGHT)) as pilot:
        yield Seen(app, pilot)


def names(count: int, word: str = "row") -> list[str]:
    return [f"{word}{number}" for number in range(count)]


async def test_the_focused_row_keeps_its_line_when_a_thousand_rows_come_above_it() -> None:
    async with one_list() as seen:
        seen.show(names(50), "row20")
        before = seen.line_of("row20")
        seen.show([*names(1_000, "new"), *names(50)], "row20")
        assert seen.line_of("row20") == before


async def test_the_focused_row_keeps_its_line_when_a_thousand_rows_come_below_it() -> None:
    async with one_list() as seen:
        seen.show(names(50), "row20")
        before = seen.lines
        seen.show([*names(50), *names(1_000, "new")], "row20")
        assert seen.lines == before


async def test_the_focused_row_keeps_its_line_when_rows_above_it_leave() -> None:
    async with one_list() as seen:
        seen.show(names(50), "row30")
        before = seen.line_of("row30")
        seen.show(names(50)[10:], "row30")
        assert seen.line_of("row30") == before


async def test_a_row_that_is_known_by_its_key_keeps_its_line_even_where_all_rows_have_room() -> None:
    async with one_list() as seen:
        seen.show(names(6), "row4", by_name=True)
        before = seen.line_of("row4")
        seen.show([*names(3, "new"), *names(6)], "row4", by_name=True)
        assert seen.line_of("row4") == before
        assert seen.lines[-4:] == [""] * 4
        seen.show([*names(3, "new"), *names(6)], "row3", by_name=True)
        assert seen.lines == [*(f"new{number}.0" for number in range(3)), *(f"row{at}.0" for at in range(6)), ""]


async def test_moving_the_cursor_scrolls_no_further_than_needed() -> None:
    async with one_list() as seen:
        rows = names(50)
        seen.show(rows, "row0")
        seen.show(rows, f"row{HEIGHT}")
        assert seen.lines[-1] == f"row{HEIGHT}.0"
        seen.show(rows, f"row{HEIGHT - 1}")
        assert seen.lines[-1] == f"row{HEIGHT}.0"


async def test_only_rows_that_say_something_else_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_list() as seen:
        seen.show(names(50), "row0")
        await seen.pilot.pause()
        drawn: list[int] = []
        draws = seen.list.render_line
        monkeypatch.setattr(seen.list, "render_line", lambda y: (drawn.append(y), draws(y))[1])
        seen.show([*names(3), "another", *names(50)[4:]], "row0")
        await seen.pilot.pause()
        assert drawn == [3]


async def test_rows_that_the_wheel_brings_say_what_they_said_last() -> None:
    async with one_list() as seen:
        seen.show(names(50), "row0")
        await seen.pilot.pause()
        seen.list.scroll_to(y=20, animate=False, immediate=True, force=True)
        assert seen.lines[0] == "row20.0"
        seen.show(names(50, "new"), "new22")
        assert "new22.0" in seen.lines


async def test_a_row_of_two_lines_is_shown_whole() -> None:
    async with one_list() as seen:
        seen.show(names(50), "row7", lines_per_row=2)
        assert seen.lines[-2:] == ["row7.0", "row7.1"]


async def test_what_is_visible_is_known() -> None:
    async with one_list() as seen:
        seen.show(names(50), "row20")
        assert seen.list.visible_rows == range(11, 21)


async def test_the_list_ends_with_blank_lines() -> None:
    async with one_list() as seen:
        seen.show(names(3), "row0")
        assert seen.lines == ["row0.0", "row1.0", "row2.0", *[""] * (HEIGHT - 3)]


@pytest.mark.parametrize("lines_per_row", [1, 2])
async def test_a_click_reports_the_row_under_the_pointer(lines_per_row: int) -> None:
    async with one_list() as seen:
        seen.show(names(50), "row20", lines_per_row)
        first = seen.list.first_visible
        await seen.pilot.click(RowList, offset=(3, 4))
        assert seen.app.clicks == [(first + 4 // lines_per_row, False)]


async def test_a_click_below_the_last_row_reports_nothing() -> None:
    async with one_list() as seen:
        seen.show(names(3), "row0")
        await seen.pilot.click(RowList, offset=(3, 4))
        assert seen.app.clicks == []
