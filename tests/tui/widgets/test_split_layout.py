"""Two columns: they show what one column shows, each line once, and count the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.present.document.diff import diff_document
from signoff.present.document.model import Document, Words
from signoff.present.document.rows import RowKind
from signoff.present.document.text import text_document
from signoff_tui.widgets.document.layout import Reading, SplitReading, ViewPosition

LINES = st.lists(st.sampled_from(["a", "b", "", "a long line of words", "\u4e16\u754c", "tab\there"]), max_size=12)
EVERYTHING = 100_000


@st.composite
def changes(draw: st.DrawFn) -> Document:
    before, after = draw(LINES), draw(LINES)
    return diff_document("\n".join(before).encode(), "\n".join(after).encode(), "a.txt")


def split(*documents: Document, column: int = 10) -> SplitReading:
    return SplitReading(documents, 2 * column + 4, column)


@given(changes(), st.integers(4, 30))
def test_every_row_is_shown_and_no_character_is_lost(document: Document, column: int) -> None:
    reading = split(document, column=column)
    shown: dict[int, str] = dict.fromkeys(range(len(document)), "")
    for line in reading.window(ViewPosition(0), EVERYTHING):
        for cell in dict.fromkeys(line.cells):
            shown[cell.row] += document.row(cell.row).text.text[cell.start : cell.end]
    assert shown == {row: document.row(row).text.text for row in range(len(document))}


@given(changes(), st.integers(4, 30))
def test_who_saw_both_columns_to_the_end_saw_every_unit(document: Document, column: int) -> None:
    reading = split(document, column=column)
    everything = reading.window(ViewPosition(0), EVERYTHING)
    assert reading.units == document.units
    assert reading.whole_units(everything) == frozenset(range(document.units))


@given(changes())
def test_a_removed_line_stands_on_the_left_and_an_added_one_on_the_right(document: Document) -> None:
    for line in split(document).window(ViewPosition(0), EVERYTHING):
        if len(line.columns) == 2:
            left, right = (cell and document.row(cell.row).kind for cell in line.columns)
            assert left in {None, RowKind.REMOVED, RowKind.CONTEXT}
            assert right in {None, RowKind.ADDED, RowKind.CONTEXT}


@given(changes())
def test_an_unchanged_line_stands_in_both_columns(document: Document) -> None:
    for line in split(document).window(ViewPosition(0), EVERYTHING):
        rows = {cell.row for cell in line.cells}
        if any(document.row(row).kind is RowKind.CONTEXT for row in rows):
            assert len(rows) == 1
            assert None not in line.columns


@given(changes())
def test_every_row_is_found_where_it_stands(document: Document) -> None:
    reading = split(document)
    for row in range(len(document)):
        assert row in reading.rows_at(reading.index_of(row))


@given(changes())
def test_hunks_begin_at_their_headings(document: Document) -> None:
    reading, one = split(document), Reading([document])
    assert reading.hunk_at(ViewPosition(0))[1] == one.hunk_at(ViewPosition(0))[1]
    place = reading.next_hunk(ViewPosition(-1))
    while place is not None:
        (row,) = reading.rows_at(place.row)
        assert row in document.hunks
        place = reading.next_hunk(place)


def test_what_has_no_before_takes_the_whole_width() -> None:
    reading = split(text_document("one\ntwo\n"), column=4)
    assert [len(line.columns) for line in reading.window(ViewPosition(0), EVERYTHING)] == [1, 1]


def test_words_on_the_right_are_found_on_the_right() -> None:
    document = diff_document(b"one\n", b"two\n", "a.txt")
    reading = split(document)
    found = reading.find(Words("two"), 0, forward=True)
    assert found is not None
    place = reading.place_of(Words("two"), found)
    assert reading.rows_at(place.row)[1] == found


def test_a_long_line_beside_a_short_one_takes_the_lines_it_needs() -> None:
    document = diff_document(b"x\n", b"y" * 25 + b"\n", "a.txt")
    lines = [line for line in split(document).window(ViewPosition(0), EVERYTHING) if len(line.columns) == 2]
    assert [tuple(cell and cell.part for cell in line.columns) for line in lines] == [(0, 0), (None, 1), (None, 2)]
