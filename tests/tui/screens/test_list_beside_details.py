"""What the screens with a list beside details have in common."""

from __future__ import annotations

from pathlib import Path

from screen_bench import LARGE, SMALL, agent, command, post, screen

from signoff.queue import ReviewQueue


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
