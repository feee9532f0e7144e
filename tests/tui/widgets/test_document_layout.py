"""A reader's place in documents: nothing is lost by wrapping, and paging covers every line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.effects import Confinement
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Document, Words
from signoff.present.document.rows import RowKind, fixed
from signoff.present.document.text import command_document, text_document
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import reveal_line
from signoff_tui.text.look import UNICODE, Appearance
from signoff_tui.text.themes import builtin_themes
from signoff_tui.widgets.document.layout import LONG, Cell, Reading, Rest, SplitReading, ViewPosition
from signoff_tui.widgets.document.lines import DocumentLine, Gutter, paint_document_line

WORDS = st.text(alphabet="abc xyz世界é\u0301\t\u200b\x1b", max_size=60)
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map("\n".join)


def text(*lines: str) -> Document:
    return text_document("".join(f"{line}\n" for line in lines))


def numbered(count: int) -> Document:
    return text(*(f"line {number}" for number in range(count)))


def diff(before: str, after: str) -> Document:
    return diff_document(before.encode(), after.encode(), "a.txt")


def many_hunks() -> Document:
    before = [f"line {number}\n" for number in range(100)]
    after = [*before[:10], "new\n", *before[10:50], "more\n", *before[50:]]
    return diff("".join(before), "".join(after))


def shown(reading: Reading, top: ViewPosition, height: int) -> list[Cell]:
    """What the view shows, of readings with one column."""
    return [cell for line in reading.window(top, height) for cell in line.cells]


def drawn(reading: Reading, top: ViewPosition, height: int) -> list[str]:
    return [reading.row(cell.row).text.text[cell.start : cell.end] for cell in shown(reading, top, height)]


# -- wrapping ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [True, False], ids=["wrapped", "cut"])
@pytest.mark.parametrize("length", [40, LONG])
def test_no_row_begins_with_the_second_half_of_a_flag(length: int, wrap: bool) -> None:
    flags = "\U0001f1e6\U0001f1fa\U0001f1f8\U0001f1ea" * length
    reading = Reading([text(f"x{flags}")], 11, wrap=wrap)
    rows = drawn(reading, ViewPosition(0), 12)
    assert len(rows) == (12 if wrap else 1)
    assert {row.removeprefix("x")[0] for row in rows} <= {"\U0001f1e6", "\U0001f1f8"}
    assert {row.removeprefix("x")[-1] for row in rows} <= {"\U0001f1fa", "\U0001f1ea"}


@given(TEXTS, st.integers(8, 40))
def test_wrapping_loses_no_character(content: str, width: int) -> None:
    reading = Reading([text_document(content)], width)
    for row in range(len(reading)):
        lines = [cell for cell in shown(reading, ViewPosition(row), 100) if cell.row == row]
        whole = reading.row(row).text.text
        assert "".join(whole[line.start : line.end] for line in lines) == whole


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("alpha beta gamma delta", ["alpha beta ", "gamma delta"]),  # at a blank
        ("alphabetagamma,delta", ["alphabetagamma,", "delta"]),  # after punctuation
        ("go(alphabetagamma.delta)", ["go(alphabetagamm", "a.delta)"]),  # neither in the last third
        ("a b/c.d e-f,ghijklmnopqrs", ["a b/c.d e-f,", "ghijklmnopqrs"]),
        ("alphabetagammadeltaeps", ["alphabetagammade", "ltaeps"]),  # anywhere
        ("    return x", ["    return x"]),
    ],
)
def test_a_line_is_broken_at_a_blank_near_its_end_else_after_punctuation_else_anywhere(
    line: str, rows: list[str]
) -> None:
    assert drawn(Reading([text(line)], 16), ViewPosition(0), 9) == rows


@pytest.mark.parametrize(
    "line",
    [
        f"{'x' * 8}e\u0301\u0302 done",  # marks over a letter
        f"{'x' * 8},\u0301\u0302 done",  # or over punctuation
        f"{'x' * 7}\U0001f468\u200d\U0001f469\u200d\U0001f467 done",  # joined emoji
        f"{'x' * 7}\U0001f44d\U0001f3fd done",  # a skin tone
        f"{'x' * 9}1\ufe0f\u20e3 done",  # a keycap
        f"{'x' * 8}\u0915\u093e done",  # a vowel sign
        f"{'x' * 8}\U0001f1e6\U0001f1fa done",  # a flag
        f"{'x' * 5}\u202e done",  # the name of what is hidden
    ],
)
def test_no_break_falls_inside_what_is_one_character(line: str) -> None:
    whole = reveal_line(line, "content")
    head = line.index("x" * 5) + len(line) - len(line.lstrip("x"))
    end = next(at for at in range(len(whole.text), 0, -1) if whole.text[at:] == " done")
    for width in range(max(8, end - head), end + 5):
        rows = drawn(Reading([text(line)], width), ViewPosition(0), 9)
        breaks = {sum(map(len, rows[:count])) for count in range(1, len(rows))}
        assert not breaks & set(range(head + 1, end))


@given(WORDS, st.integers(8, 40))
def test_a_remark_is_wrapped_between_words_and_loses_no_character(words: str, width: int) -> None:
    shown_words = reveal_line(words, "content")
    reading = Reading([Document(PresentationKind.TEXT, [fixed(RowKind.FACT, shown_words)])], width)
    rows = drawn(reading, ViewPosition(0), 100)
    assert "".join(rows) == shown_words.text
    assert all(cell_len(row) <= width for row in rows)
    signs = {at for start, end in shown_words.hidden for at in range(start, end)}
    for cell, following in pairwise(shown(reading, ViewPosition(0), 100)):
        blanks = [at for at in range(cell.start, following.start) if shown_words.text[at] == " "]
        between = [at for at in blanks if at not in signs and shown_words.text[cell.start : at].strip(" ")]
        assert not between or between[-1] == cell.end - 1 or shown_words.text[cell.end - 1] == " "


@pytest.mark.parametrize(
    ("kind", "words", "rows"),
    [
        (
            RowKind.PARTS,
            "1 part: med   no rules of yours for this directory",
            ["1 part: med   no rules of yours for ", "this directory"],
        ),
        (
            RowKind.ABOUT,
            "       ! has -C, which is not known to be harmless",
            ["       ! has -C, which is not known to ", "be harmless"],
        ),
        (RowKind.ABOUT, f"     ! {'x' * 60}", ["     ! ", "x" * 40, "x" * 20]),
        (RowKind.ABOUT, f"     {'x' * 60}", [f"     {'x' * 35}", "x" * 25]),
    ],
)
def test_what_is_said_of_the_parts_of_a_command_is_wrapped_between_words(
    kind: RowKind, words: str, rows: list[str]
) -> None:
    reading = Reading([Document(PresentationKind.COMMAND, [fixed(kind, words)])], 40)
    assert drawn(reading, ViewPosition(0), 100) == rows


@pytest.mark.parametrize(
    ("backend", "words", "rows"),
    [
        (
            "bwrap",
            "can write: notes/, src/components/; network: no",
            ["sandbox: can write: notes/,", "src/components/; network: no", "(bwrap 12345678)"],
        ),
        ("none", "not confined", ["! sandbox: none, so it can", "touch all that its user can"]),
        ("external", "not checked", ["! sandbox: not checked", "(external 12345678)"]),
    ],
)
def test_only_a_command_that_nothing_is_known_to_confine_has_a_mark(
    backend: str, words: str, rows: list[str]
) -> None:
    document = command_document("make", "/work", confinement=Confinement(backend, "12345678", words))
    reading = Reading([document], 30)
    cells = [cell for cell in shown(reading, ViewPosition(1), 100) if cell.row == 1]
    gutter, look = Gutter.of([document], 40), Appearance(builtin_themes()["signoff-dark"], UNICODE)
    lines = [paint_document_line(DocumentLine(reading.row(1), cell), gutter, 40, look).text for cell in cells]
    assert [line.replace(UNICODE.wrap, " ").strip() for line in lines] == rows


@settings(max_examples=20)
@given(WORDS.map(lambda words: f"{words}x"), st.integers(8, 40), st.booleans())
def test_a_very_long_line_is_broken_without_loss_and_without_measuring_it(
    words: str, width: int, ascii_: bool
) -> None:
    line = (words.encode("ascii", "replace").decode() if ascii_ else words) * (LONG // len(words) + 1)
    reading = Reading([text(line)], width)
    end = reading.last(1).part
    whole = reading.row(0).text.text
    assert shown(reading, ViewPosition(0), 1)[0].start == 0
    assert shown(reading, ViewPosition(0, end), 1)[0].end == len(whole)
    for part in (0, end // 2, end - 1):
        one, other = shown(reading, ViewPosition(0, part), 2)
        assert one.end == other.start
        assert cell_len(whole[one.start : one.end]) <= width


def test_a_very_long_line_is_broken_at_blanks_as_well() -> None:
    reading = Reading([text("alpha beta " * (LONG // 10))], 30)
    assert drawn(reading, ViewPosition(0, 100), 3) == [
        "beta alpha beta alpha ",
        "beta alpha beta ",
        "alpha beta alpha beta ",
    ]


@given(TEXTS, st.integers(8, 40), st.integers(1, 8), st.data())
def test_no_place_is_below_the_one_that_shows_the_end(
    content: str, width: int, height: int, data: st.DataObject
) -> None:
    reading = Reading([text_document(content)], width)
    last = reading.last(height)
    place = reading.down(ViewPosition(0), data.draw(st.integers(0, 60)), 1)
    assert reading.within(place, height) == min(place, last)
    assert reading.at_end(place, height) is (place >= last)


@given(TEXTS, st.integers(8, 40))
def test_no_line_is_wider_than_the_view(content: str, width: int) -> None:
    reading = Reading([text_document(content)], width)
    assert all(cell_len(line) <= width for line in drawn(reading, ViewPosition(0), 1_000))


@given(TEXTS, st.integers(8, 40))
def test_the_parts_of_a_row_are_numbered_and_counted(content: str, width: int) -> None:
    reading = Reading([text_document(content)], width)
    for row in range(len(reading)):
        lines = [cell for cell in shown(reading, ViewPosition(row), 100) if cell.row == row]
        assert [(line.part, line.parts) for line in lines] == [(at, len(lines)) for at in range(len(lines))]


# -- paging --------------------------------------------------------------------------------------------------


@given(TEXTS, st.integers(8, 40), st.integers(1, 12))
def test_paging_down_shows_every_line(content: str, width: int, height: int) -> None:
    reading = Reading([text_document(content)], width)
    everything = {(line.row, line.part) for line in reading.window(ViewPosition(0), 10_000)}
    top, seen = ViewPosition(0), set()
    for _ in range(len(everything) + 1):
        seen |= {(line.row, line.part) for line in reading.window(top, height)}
        top = reading.down(top, max(height - 1, 1), height)
    assert seen == everything
    assert reading.at_end(top, height)


@given(TEXTS, st.integers(8, 40), st.integers(1, 12), st.integers(0, 30))
def test_up_undoes_down(content: str, width: int, height: int, steps: int) -> None:
    reading = Reading([text_document(content)], width)
    top = reading.down(ViewPosition(0), steps, height)
    moved = len(reading.window(ViewPosition(0), 10_000)) - len(reading.window(top, 10_000))
    assert reading.up(top, moved) == ViewPosition(0)


def test_the_last_line_stays_at_the_bottom() -> None:
    reading = Reading([numbered(10)])
    assert drawn(reading, reading.down(ViewPosition(0), 100, 4), 4)[-1] == "line 9"


def test_what_lies_below_the_view_is_counted() -> None:
    reading = Reading([numbered(10)])
    assert [reading.rest(reading.window(ViewPosition(row), 4)).rows for row in (0, 6)] == [6, 0]


def test_what_lies_below_is_counted_as_it_is_folded() -> None:
    reading = Reading([text("short", "x" * 1_000, "the end")], 10)
    assert reading.rest(reading.window(ViewPosition(0), 11)) == Rest(91, units=2)


def test_not_all_of_a_very_long_text_is_folded_to_count_it() -> None:
    reading = Reading([numbered(10_000)], 10)
    assert reading.rest(reading.window(ViewPosition(0), 4)) == Rest(9_996, more=True, units=9_996)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 12), st.booleans())
def test_the_units_below_are_those_of_which_no_end_was_in_the_view(
    edits: list[int], height: int, beside: bool
) -> None:
    before = "".join(f"line {number} {'x' * 30}\n" for number in range(len(edits)))
    after = "".join(f"line {number} {'y' * 20 * edit}\n" for number, edit in enumerate(edits))
    documents = [diff(before, after), text("the end")]
    reading = SplitReading(documents, 40, 20) if beside else Reading(documents, 20)
    for row in range(len(reading)):
        window = reading.window(ViewPosition(row), height)
        last = window[-1]
        ended = {
            unit
            for index in range(last.row + 1)
            for cell in reading.window(ViewPosition(index), 1)[0].cells
            if (unit := reading.unit(cell.row)) is not None
            if index < last.row or last.part + 1 >= cell.parts
        }
        assert reading.rest(window).units == reading.units - len(ended)


# -- places --------------------------------------------------------------------------------------------------


def test_a_place_names_the_same_row_at_another_width() -> None:
    reading = Reading([text("short", "a long line" * 10, "the end")], 40)
    top = ViewPosition(1, 2)
    reading.set_width(200)
    assert drawn(reading, top, 1) == ["a long line" * 10]


def test_a_part_that_no_longer_exists_becomes_the_last_part() -> None:
    reading = Reading([text("a long line" * 10)], 20)
    reading.set_width(70)
    assert reading.window(ViewPosition(0, 5), 1)[0].part == 1


def test_the_place_of_a_unit_is_where_it_begins() -> None:
    reading = Reading([many_hunks()])
    assert [reading.row(reading.place_of_unit(unit).row).text.text for unit in range(3)] == [
        'file: "a.txt"',
        "new",
        "more",
    ]


def test_a_place_knows_the_next_unit() -> None:
    reading = Reading([many_hunks()])
    second = reading.place_of_unit(2)
    assert [
        reading.unit_from(ViewPosition(0)),
        reading.unit_from(second),
        reading.unit_from(ViewPosition(second.row + 1)),
    ] == [
        0,
        2,
        None,
    ]


# -- hunks ---------------------------------------------------------------------------------------------------


def test_hunks_are_found_in_both_directions() -> None:
    reading = Reading([many_hunks()])
    first = reading.next_hunk(ViewPosition(0))
    assert first is not None
    second = reading.next_hunk(first)
    assert second is not None
    assert reading.next_hunk(second) is None
    assert reading.previous_hunk(second) == first


# -- several documents ---------------------------------------------------------------------------------------


def test_documents_follow_each_other() -> None:
    reading = Reading([text("a"), text("b", "c")])
    assert drawn(reading, ViewPosition(0), 10) == ["a", "b", "c"]


def test_units_are_counted_over_all_documents() -> None:
    reading = Reading([text("a", "b"), text("c")])
    assert reading.units == 3
    assert [part.unit for part in reading.parts(reading.window(ViewPosition(0), 10))] == [0, 1, 2]


@pytest.mark.parametrize(("height", "units"), [(1, []), (2, [0]), (5, [0])])
def test_a_unit_is_whole_when_all_its_parts_are_visible(height: int, units: list[int]) -> None:
    reading = Reading([text("x" * 15)], 10)
    assert sorted(reading.whole_units(reading.window(ViewPosition(0), height))) == units


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_every_row_of_the_whole_is_found_in_its_document(sizes: list[int]) -> None:
    documents = [text(*(f"{index}.{row}" for row in range(size))) for index, size in enumerate(sizes)]
    reading = Reading(documents)
    expected = [f"{index}.{row}" for index, size in enumerate(sizes) for row in range(size)]
    assert [reading.row(row).text.text for row in range(len(reading))] == expected


# -- finding -------------------------------------------------------------------------------------------------


def test_the_next_row_with_the_words_is_found_and_after_the_last_the_first() -> None:
    reading = Reading([text("one", "two", "one more"), text("none", "two")])
    assert [reading.find(Words("one"), row, forward=True) for row in (0, 1, 3, 4)] == [0, 2, 3, 0]


def test_the_row_with_the_words_above_is_found_and_before_the_first_the_last() -> None:
    reading = Reading([text("one", "two", "one more"), text("none", "two")])
    assert [reading.find(Words("one"), row, forward=False) for row in (4, 3, 2, 0)] == [3, 2, 0, 3]


@pytest.mark.parametrize("forward", [True, False])
def test_words_that_are_nowhere_are_not_found(forward: bool) -> None:
    assert Reading([text("one", "two")]).find(Words("three"), 1, forward=forward) is None


def test_the_wrapped_part_is_found_that_shows_the_words() -> None:
    reading = Reading([text(f"{'x' * 25}needle")], 10)
    assert reading.place_of(Words("needle"), 0) == ViewPosition(0, 2)


def test_the_place_says_which_hunk_it_is_in() -> None:
    reading = Reading([many_hunks()])
    first = reading.next_hunk(ViewPosition(0)) or ViewPosition(0)
    second = reading.next_hunk(first) or ViewPosition(0)
    assert [reading.hunk_at(place) for place in (first, ViewPosition(second.row - 1), second)] == [
        (1, 2),
        (1, 2),
        (2, 2),
    ]


# -- cutting -------------------------------------------------------------------------------------------------


@given(TEXTS, st.integers(8, 40))
def test_a_row_that_is_cut_has_a_part_that_is_never_shown(content: str, width: int) -> None:
    reading = Reading([text_document(f"{content}x")], width, wrap=False)
    lines = shown(reading, ViewPosition(0), 10_000)
    assert [line.row for line in lines] == list(range(len(reading)))
    for line in lines:
        whole = line.end == len(reading.row(line.row).text.text)
        assert (line.parts == 1) == whole == (not line.cut)


def test_what_signoff_says_is_wrapped_where_other_rows_are_cut() -> None:
    document = Document(PresentationKind.TEXT, [fixed(RowKind.FACT, "permissions change from 644 to 755")])
    assert drawn(Reading([document], 20, wrap=False), ViewPosition(0), 9) == [
        "permissions change ",
        "from 644 to 755",
    ]


def test_nothing_lies_below_the_last_row_although_it_is_cut() -> None:
    reading = Reading([text("x" * 50)], 10, wrap=False)
    assert reading.rest(reading.window(ViewPosition(0), 5)) == Rest(0)
