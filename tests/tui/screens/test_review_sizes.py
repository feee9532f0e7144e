"""Terminals of any size: nothing breaks, and where too little can be shown nothing is decided."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, command, lines, post, screen, write
from textual.events import AppFocus

from signoff.queue import AgentQueue, ReviewQueue
from signoff_tui.guard import GuardSettings
from signoff_tui.layout import Layout

NAMED = [(40, 10), (50, 40), (60, 16), (80, 24), (99, 30), (100, 24), (120, 40), (200, 50)]


def fills_the_screen(seen: Screen) -> bool:
    width, height = seen.app.size
    return len(seen.frame) == height and all(len(line) == width for line in seen.frame)


async def ask_everything(asking: AgentQueue, workdir: Path) -> None:
    post(asking, command("pytest -q tests/unit", workdir))
    for name in ("a_rather_long_name_for_a_file.txt", "b.txt"):
        post(
            asking, write(workdir / name, lines(30), group_id="save the whole project", why="writes need approval")
        )
    post(asking, command("rm -rf build dist", workdir))


@pytest.mark.parametrize("size", NAMED, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_view_fits(asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]) -> None:
    await ask_everything(asking, workdir)
    async with screen(place, size=size, waiting=4) as seen:
        for keys in ("", "j", "j", "enter", "v", "escape", "escape", "G", "enter"):
            await seen.press(*([keys] if keys else []))
            await seen.until(lambda: seen.status in {"armed", "heading"})
            assert fills_the_screen(seen)
            assert " HIGH" in seen.frame[0]


@pytest.mark.parametrize("size", NAMED, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_there_is_always_room_for_content(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(3), why="writes need approval"))
    async with screen(place, size=size, waiting=1) as seen:
        await seen.reads(request)
        assert seen.app.review.document.size.height >= 3


async def test_many_sizes_in_a_row_break_nothing(asking: AgentQueue, place: Path, workdir: Path) -> None:
    await ask_everything(asking, workdir)
    dice = random.Random(7)
    async with screen(place, waiting=4) as seen:
        for _ in range(20):
            await seen.pilot.resize_terminal(dice.randint(1, 210), dice.randint(1, 60))
            await seen.press(
                dice.choice(
                    [
                        "j",
                        "k",
                        "enter",
                        "escape",
                        "space",
                        "v",
                        "o",
                        "t",
                        "less_than_sign",
                        "greater_than_sign",
                        "left",
                        "right",
                    ]
                )
            )
            await seen.until(lambda: fills_the_screen(seen))


@pytest.mark.parametrize("size", [(39, 24), (80, 9), (10, 3)], ids=["narrow", "low", "tiny"])
async def test_in_a_pane_that_is_too_small_nothing_is_decided(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        await seen.pilot.resize_terminal(*size)
        await seen.until(lambda: seen.desk.guard.too_small)
        await seen.press("y")
        assert len(seen.desk.guard.holds) == 0
    assert looking.get(request.id).pending


async def test_what_a_pane_that_is_too_small_shows_does_not_count_as_shown(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(2)))
    async with screen(place, size=(30, 24), waiting=1) as seen:
        await seen.press("enter")
        entry = seen.entry(request)
        await seen.until(lambda: seen.desk.coverage(entry) is not None)
        await seen.rests()
        await seen.rests()
        assert seen.desk.coverages.settles_at is None
        assert seen.desk.share(entry) == 0.0


async def test_a_resize_decides_nothing_and_arms_anew(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.armed()
        before = seen.armed_at
        await seen.pilot.resize_terminal(*SMALL)
        await seen.armed_anew(before)
    assert looking.get(request.id).pending


async def test_a_resize_keeps_the_reading_place_and_what_was_shown(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(100)))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        entry = seen.entry(request)
        await seen.until(lambda: seen.desk.coverages.settles_at is None and seen.desk.share(entry) > 0)
        await seen.press("space")
        await seen.shows("line 40")
        first = next(line for line in seen.frame if "line " in line).split("line ")[1].split()[0]
        share = seen.desk.share(entry)
        await seen.pilot.resize_terminal(140, 40)
        await seen.until(lambda: seen.app.size.width == 140)
        await seen.shows(f"line {first}")
        assert seen.desk.share(entry) >= share


async def test_the_focused_row_stays_on_the_screen_when_it_shrinks(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(20)]
    async with screen(place, size=(80, 40), waiting=20) as seen:
        await seen.goes_to(requests[19])
        await seen.pilot.resize_terminal(80, 20)
        await seen.shows("$ ls 19")


async def test_the_focus_of_the_terminal_is_no_decision(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    slow = GuardSettings(arm_moved=0.15, arm_arrived=0.15, arm_focus=30, dwell=0.02, quiet_before=0, late=30)
    async with screen(place, size=LARGE, settings=slow, waiting=1) as seen:
        await seen.reads(request)
        seen.app.post_message(AppFocus())
        await seen.until(lambda: seen.status.startswith("arming"))
        await seen.press("y")
        await seen.shows("too early: look, press again")
    assert looking.get(request.id).pending


@pytest.mark.parametrize(
    ("columns", "longest", "width"), [(100, 10, 34), (120, 90, 40), (200, 90, 56), (200, 50, 50), (120, 36, 36)]
)
def test_the_list_is_as_wide_as_its_rows_need_within_limits(columns: int, longest: int, width: int) -> None:
    assert Layout(columns, 40).list_width(longest) == width


async def test_two_keys_move_the_border_for_this_width_of_the_screen(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.until(lambda: "│" in seen.line("$ ls"))
        before = seen.line("$ ls").index("│")
        await seen.press("greater_than_sign")
        await seen.until(lambda: seen.line("$ ls").find("│") == before + 4)
        await seen.pilot.resize_terminal(130, 40)
        await seen.until(lambda: seen.line("$ ls").find("│") == before)
        await seen.pilot.resize_terminal(*LARGE)
        await seen.until(lambda: seen.line("$ ls").find("│") == before + 4)
