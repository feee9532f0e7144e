"""The recording: pictures in one file, rows that stay the same in it once."""

from __future__ import annotations

import re
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from animated_svg import Frame, animated


def frame(*lines: str, seconds: float = 1.0) -> Frame:
    console = Console(record=True, width=20, file=StringIO())
    for line in lines:
        console.print(line)
    return Frame(console.export_svg(title="t"), f"caption of {lines[0]}", seconds)


def test_a_row_that_stays_is_there_once_and_plays_no_part() -> None:
    made = animated([frame("same", "one"), frame("same", "two")])
    assert made.count(">same") == 1
    (row,) = (line for line in made.splitlines() if ">same" in line)
    assert "part" not in row


def test_each_row_is_seen_while_its_frame_is() -> None:
    made = animated([frame("one"), frame("two", seconds=3.0)])
    assert [re.findall(rf"k{number}\{{(.*?)\}}\}}", made)[0] for number in _parts(made, ">one", ">two")] == [
        "0.00%{visibility:visible} 25.00%{visibility:hidden",
        "0.00%{visibility:hidden} 25.00%{visibility:visible",
    ]


def test_who_wants_no_motion_sees_the_first_frame() -> None:
    made = animated([frame("one"), frame("two")])
    assert "prefers-reduced-motion" in made
    assert re.search(r'<g class="part p\d+ first">.*one', made)
    assert not re.search(r'<g class="part p\d+ first">.*two', made)


def test_nothing_is_loaded_from_elsewhere() -> None:
    assert "http" not in animated([frame("one")]).replace("http://www.w3.org/2000/svg", "")


def test_no_frames_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="no frames"):
        animated([])


def _parts(made: str, *texts: str) -> list[str]:
    lines = [next(line for line in made.splitlines() if text in line) for text in texts]
    return [re.findall(r"part p(\d+)", line)[0] for line in lines]
