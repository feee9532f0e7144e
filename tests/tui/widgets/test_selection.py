"""What the mouse marked, as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.strip import Strip

from signoff_tui.widgets.document.selection import MarkedRow, Selection, marked_text

PAGE = ["one two", "three", "", "four five"]
LEFT = 4
"""Columns of numbers and signs."""

RIGHT = 20


def text(anchor: tuple[int, int], head: tuple[int, int], goes_on: tuple[int, ...] = ()) -> str:
    selection = Selection(anchor, head, LEFT, RIGHT)
    rows = [MarkedRow(PAGE[row], LEFT, row in goes_on) for row in selection.rows]
    return marked_text(selection, rows)


def test_a_word_is_marked_from_its_first_to_its_last_cell() -> None:
    assert text((0, LEFT + 4), (0, LEFT + 6)) == "two"


def test_marking_backwards_marks_the_same() -> None:
    assert text((3, LEFT + 3), (0, LEFT + 4)) == text((0, LEFT + 4), (3, LEFT + 3)) == "two\nthree\n\nfour"


def test_numbers_and_signs_are_not_part_of_the_text() -> None:
    assert text((0, 0), (1, RIGHT)) == "one two\nthree"


def test_the_parts_of_a_wrapped_row_are_one_line() -> None:
    assert text((0, LEFT), (1, RIGHT), goes_on=(1,)) == "one twothree"


def test_a_wide_character_is_marked_as_a_whole() -> None:
    selection = Selection((0, LEFT + 2), (0, LEFT + 3), LEFT, RIGHT)
    assert marked_text(selection, [MarkedRow("a\u0020\u6f22b", LEFT, goes_on=False)]) == "\u6f22"


@given(st.tuples(st.integers(0, 5), st.integers(0, 30)), st.tuples(st.integers(0, 5), st.integers(0, 30)))
def test_what_is_painted_as_marked_is_what_is_copied(anchor: tuple[int, int], head: tuple[int, int]) -> None:
    selection = Selection(anchor, head, LEFT, RIGHT)
    rows = ["x" * (RIGHT - LEFT)] * 6
    strips = [selection.painted(Strip([Segment(f"{'9' * LEFT}{row}")]), at) for at, row in enumerate(rows)]
    reversed_ = sum(len(each.text) for strip in strips for each in strip if each.style and each.style.reverse)
    copied = marked_text(selection, (MarkedRow(rows[at], LEFT, goes_on=False) for at in selection.rows))
    assert copied.count("x") == reversed_
    assert all(strip.cell_length == RIGHT for strip in strips)
