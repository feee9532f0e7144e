"""The palette: everything by name, and no decision by Enter."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, command, post, screen

from signoff.queue import AgentQueue, ReviewQueue
from signoff_tui.screens.palette.commands import commands_on, fitting
from signoff_tui.widgets.row_list import RowList

SIZES = pytest.mark.parametrize("size", [(40, 10), SMALL, LARGE], ids=["least", "small", "large"])


@pytest.mark.parametrize(
    ("words", "first"), [("hist", "history"), ("next hunk", "next hunk"), ("REDRAW", "redraw")]
)
def test_every_word_has_to_fit_and_capitals_do_not_count(words: str, first: str) -> None:
    assert fitting(commands_on("review", ()), words)[0].name.startswith(first)


def test_words_that_fit_nothing_leave_nothing() -> None:
    assert fitting(commands_on("review", ()), "make coffee") == ()


def test_what_only_its_key_does_stands_last() -> None:
    listed = [command.by_key_only for command in commands_on("review", ("dark",))]
    assert listed == sorted(listed)
    assert any(listed)


@SIZES
async def test_what_is_chosen_is_done(place: Path, size: tuple[int, int]) -> None:
    async with screen(place, size=size) as seen:
        await seen.press("colon")
        await seen.shows("what to do")
        await seen.types("hist")
        await seen.press("enter")
        await seen.shows("f saved")


async def test_a_long_list_is_paged(place: Path) -> None:
    async with screen(place, size=SMALL) as seen:
        await seen.press("colon")
        await seen.shows("what to do")
        rows = seen.app.screen.query_one(RowList)
        page = list(rows.visible_rows)
        await seen.press("pagedown", "pagedown")
        assert rows.visible_rows[0] >= page[-1]
        await seen.press("pageup", "pageup")
        assert list(rows.visible_rows) == page


async def test_a_theme_is_chosen_by_its_name(place: Path) -> None:
    async with screen(place) as seen:
        await seen.press("colon")
        await seen.types("theme signoff-light")
        await seen.press("enter")
        await seen.until(lambda: seen.app.look.theme.name == "signoff-light", "the theme")


async def test_a_decision_is_left_to_its_key(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("colon")
        await seen.types("approve the group")
        await seen.shows("by its key only")
        await seen.press("enter")
        await seen.shows("Y does that")
        assert looking.get(request.id).pending


async def test_letters_typed_into_the_palette_decide_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("colon")
        await seen.types("yYnNxX")
        await seen.press("escape")
        await seen.shows("Inbox")
        assert looking.get(request.id).pending


async def test_the_palette_of_the_history_acts_on_the_history(place: Path) -> None:
    async with screen(place) as seen:
        await seen.press("h", "colon")
        await seen.shows("what to do")
        await seen.types("inbox")
        await seen.press("enter")
        await seen.shows("Inbox")


async def test_enter_runs_what_was_typed_however_fast_it_came(place: Path) -> None:
    async with screen(place) as seen:
        await seen.press("colon")
        await seen.shows("what to do")
        seen.sends("theme signoff-light\r")
        await seen.until(lambda: seen.app.look.theme.name == "signoff-light", "the theme")
