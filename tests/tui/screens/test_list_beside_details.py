"""What the screens with a list beside details have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, agent, command, post, screen

from signoff.queue import ReviewQueue


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("3", "Nothing was decided yet."),
        ("4", "s on a request approves it and remembers that for its session."),
    ],
    ids=["history", "memory"],
)
async def test_an_empty_list_has_the_whole_width_for_what_it_says(
    looking: ReviewQueue, place: Path, key: str, words: str
) -> None:
    async with screen(place, size=LARGE) as seen:
        await seen.press(key)
        await seen.shows(words)
        await seen.shows_no("│")


async def test_lines_below_the_last_one_on_the_screen_are_counted_until_they_are_shown(
    looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with agent(place, cwd=workdir) as asking:
        for number in range(12):
            post(asking, command(f"ls {number}", workdir))
        async with screen(place, waiting=12) as seen:
            await seen.press("2")
            await seen.shows("more lines: [Space]")
            await seen.press("space", "space")
            await seen.shows_no("[Space]")
            await seen.press("k")
            await seen.shows("more lines: [Space]")
