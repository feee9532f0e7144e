"""No character that is shown raw has another width on one of the measured terminals than in our rows."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from rich.cells import cell_len

from signoff.present.reveal import reveal
from signoff.present.reveal.widths import cells

TABLE = Path(__file__).with_name("terminal_widths.txt").read_text("ascii").splitlines()
TERMINALS = next(row for row in TABLE if row.startswith("terminals: ")).removeprefix("terminals: ").split(", ")
LAM_ALEF = "\u0644\u0627"
"""mlterm alone draws these two letters in one cell, and has no way to be told not to."""


def rows(pattern: str) -> list[tuple[str, tuple[int, ...]]]:
    """Rows of the table whose first word matches, and the width of each terminal in them."""
    found = [row.split() for row in TABLE if re.match(rf"{pattern} ", row)]
    return [(key, tuple(map(int, widths if widths[1:] else widths * len(TERMINALS)))) for key, *widths in found]


@cache
def singles() -> dict[int, tuple[int, ...]]:
    """The widths of each code point that was measured."""
    found: dict[int, tuple[int, ...]] = {}
    for key, widths in rows(r"[0-9A-F]+-[0-9A-F]+"):
        first, last = (int(border, 16) for border in key.split("-"))
        found |= dict.fromkeys(range(first, last + 1), widths)
    return found


def clusters() -> list[tuple[str, tuple[int, ...]]]:
    return [
        ("".join(chr(int(code, 16)) for code in key.split("+")), widths)
        for key, widths in rows(r"[0-9A-F]+(?:\+[0-9A-F]+)*")
    ]


def test_many_terminals_were_measured() -> None:
    assert len(TERMINALS) >= 10
    assert len(singles()) > 250_000


def test_every_character_that_is_shown_raw_has_one_width() -> None:
    """Behind a letter, as a mark stands; in a text, where what is not its own is not a mark on nothing."""
    measured = singles()
    text = "".join(f"a{chr(code)}\n" for code in measured)
    shown = reveal(text, "content")
    raw = [line[1] for line in shown.text.split("\n") if len(line) == 2 and line[0] == "a"]
    assert len(raw) > 120_000
    assert [
        (hex(ord(char)), measured[ord(char)]) for char in raw if {*measured[ord(char)]} != {cell_len(char)}
    ] == []
    assert [hex(ord(char)) for char in raw if cells(char) != cell_len(char)] == []


def test_every_character_that_is_drawn_instead_has_one_width() -> None:
    measured = singles()
    marks = [chr(code) for code in measured if unicodedata.category(chr(code)) == "Mc"]
    text = (
        "\n".join(f"a{mark}" for mark in marks)
        + "\n1\ufe0f\u20e3\u2764\ufe0f\u2764\ufe0e"
        + "\U0001f44d".join(map(chr, range(0x1F3FA, 0x1F400)))
    )
    safe = reveal(text, "content")
    drawn = {safe.text[at] for start, end in safe.hidden for at in range(start, end)}
    assert {char for char in drawn if {*measured[ord(char)]} != {1}} == set()


@pytest.mark.parametrize(("text", "widths"), clusters(), ids=ascii)
def test_a_cluster_is_shown_as_it_is_only_where_terminals_agree(text: str, widths: tuple[int, ...]) -> None:
    if text != LAM_ALEF and {*widths} != {cell_len(text)}:
        assert text not in reveal(text, "content").text


def test_what_is_drawn_instead_of_twelve_families_is_as_wide_as_it_is_laid_out() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    shown = reveal(f"mood = '{family * 12}'; evil()", "content").text
    assert all({*singles()[ord(char)]} == {cell_len(char)} for char in shown)
    assert sum(map(cell_len, shown)) == cell_len(shown) == 8 + 12 * 8 + 9
