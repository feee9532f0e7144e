"""What the screens with a list beside details have in common."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from screen_bench import LARGE, SMALL, agent, command, post, screen
from textual.widget import Widget

from signoff.queue import AgentQueue, ReviewQueue
from signoff_tui.screens.list_beside_details import ListBesideDetails
from signoff_tui.screens.review.screen import ReviewScreen
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList


async def test_an_empty_list_has_the_whole_width_for_what_it_says(looking: ReviewQueue, place: Path) -> None:
    async with screen(place, size=LARGE) as seen:
        await seen.press("2")
        await seen.shows("No agent was connected in the last 24 hours.")
        await seen.shows_no("│")


async def test_lines_below_the_last_one_on_the_screen_are_counted_until_they_are_shown(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, cwd=workdir) as asking:
        for number in range(12):
            post(asking, command(f"ls {number}", workdir))
        async with screen(place, size=(LARGE[0], 16), waiting=12) as seen:
            await seen.press("2")
            await seen.shows("lines below")
            await seen.press("space", "space")
            await seen.shows_no("lines below")
            await seen.press("b")
            await seen.shows("lines below")


async def test_on_a_narrow_screen_the_details_take_the_place_of_the_list_until_escape(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, cwd=workdir) as asking, agent(place, "second", cwd=workdir):
        post(asking, command("ls", workdir))
        async with screen(place, size=SMALL, waiting=1) as seen:
            await seen.press("2")
            await seen.shows("second")
            await seen.press("j", "space")
            await seen.shows("session   s-41")
            await seen.press("escape")
            await seen.shows("▌ second")


async def test_too_small_a_pane_says_how_large_it_has_to_be(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, cwd=workdir) as asking:
        post(asking, command("ls", workdir))
        async with screen(place, size=(39, 9), waiting=1) as seen:
            await seen.press("2")
            await seen.until(lambda: "Make it 40x10 to decide." in " ".join(seen.text.split()))


async def test_a_key_of_the_bottom_row_can_be_clicked_unless_it_decides(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, cwd=workdir) as asking:
        post(asking, command("ls", workdir))
        async with screen(place, size=LARGE, waiting=1) as seen:
            await seen.press("2")
            await seen.shows("waiting for you")
            await seen.works("x")
            await seen.pilot.click(offset=(seen.keys.index("x stop"), LARGE[1] - 1))
            assert "STOP" not in seen.text
            await seen.pilot.click(offset=(seen.keys.index("Esc"), LARGE[1] - 1))
            await seen.shows("y approve")


@pytest.mark.parametrize("keys", [(), ("2",), ("h",), ("4",)], ids=["inbox", "agents", "history", "rules"])
async def test_news_that_come_while_the_program_ends_do_no_harm(
    place: Path, asking: AgentQueue, workdir: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.press(*keys)
        await seen.shows("signoff")
        shown = seen.app.screen
        drawn = shown.redraw if isinstance(shown, ReviewScreen) else cast("ListBesideDetails", shown).draw
        taken_away: list[Widget] = []

        def news_come(widget: Widget) -> None:
            taken_away.append(widget)
            drawn()

        for kind in (Divider, LinesView, RowList):
            monkeypatch.setattr(kind, "on_unmount", news_come, raising=False)
    assert taken_away
