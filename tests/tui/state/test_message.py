"""A message while it is written: what keys and pastes make of it, and how it lies in its box."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.present.reveal.escape import typeable
from signoff_tui.state.message import LONGEST, EarlierTexts, Message, as_message, rows_of

TEXTS = st.text(alphabet="ab \n世é\u0301", max_size=60)
ANYTHING = st.text(alphabet=st.sampled_from("ab \t\n\r\x1b\x9b\u202e\u200b\u2028\u3164\U000e0041x\u0301世\ud800"))


def at(marked: str) -> Message:
    """A message with the cursor where ``|`` is."""
    return Message(marked.replace("|", "", 1), marked.index("|"))


def shown(message: Message | None) -> str:
    assert message is not None
    return f"{message.text[: message.at]}|{message.text[message.at :]}"


@given(before=ANYTHING, pasted=ANYTHING)
def test_nothing_that_cannot_be_seen_gets_in_and_lines_stay_lines(before: str, pasted: str) -> None:
    message = Message.of(before).inserted(pasted)
    assert all(typeable(line) == line for line in message.text.split("\n"))
    assert 0 <= message.at <= len(message.text)


@pytest.mark.parametrize(
    ("pasted", "lines"),
    [
        ("a\r\nb", ["a", "b"]),
        ("a\rb\n", ["a", "b", ""]),
        ("a\u2028b", ["a", "b"]),
        ("\tif x:", ["    if x:"]),
        ("a\x1b[2Jb", ["a[2Jb"]),
    ],
)
def test_a_paste_keeps_its_lines(pasted: str, lines: list[str]) -> None:
    assert as_message(pasted).split("\n") == lines


def test_vowel_signs_take_the_cell_of_the_letter_that_is_drawn_for_them() -> None:
    text = as_message("हिन्दी " * 3)
    assert text == "हिन्दी " * 3
    assert [text[first:last] for first, last in rows_of(text, 7)] == ["हिन्दी "] * 3
    assert Message(text, 6).column(7) == 5


@given(text=TEXTS, width=st.integers(3, 12))
def test_rows_hold_all_of_the_text_and_fit(text: str, width: int) -> None:
    rows = rows_of(text, width)
    covered = "".join(text[first:last] for first, last in rows)
    assert covered == text.replace("\n", "")
    for first, last in rows:
        assert cell_len(text[first:last]) <= max(width, cell_len(text[first : first + 1]))


@given(text=TEXTS, width=st.integers(3, 12), place=st.integers(0, 60))
def test_the_cursor_is_on_one_row_wherever_it_is(text: str, width: int, place: int) -> None:
    message = Message(text, min(place, len(text)))
    first, last = rows_of(text, width)[message.row(width)]
    assert first <= message.at <= last
    assert message.column(width) <= cell_len(text[first:last])


@given(text=TEXTS, width=st.integers(3, 12), place=st.integers(0, 60))
def test_up_and_down_go_one_row_and_come_back_to_it(text: str, width: int, place: int) -> None:
    message = Message(text, min(place, len(text)))
    below = message.row_moved(1, width)
    if below is None:
        assert message.row(width) == len(rows_of(text, width)) - 1
        return
    assert below.row(width) == message.row(width) + 1
    back = below.row_moved(-1, width)
    assert back is not None
    assert back.row(width) == message.row(width)


def test_rows_break_at_blanks() -> None:
    text = "keep until v2 please"
    assert [text[first:last] for first, last in rows_of(text, 12)] == ["keep until ", "v2 please"]


@pytest.mark.parametrize(
    ("before", "to", "after"),
    [
        ("use| yarn", "left", "us|e yarn"),
        ("use| yarn", "word_right", "use yarn|"),
        ("use yarn|", "word_left", "use |yarn"),
        ("one\ntw|o", "start", "one\n|two"),
        ("o|ne\ntwo", "end", "one|\ntwo"),
        ("|", "left", "|"),
    ],
)
def test_the_cursor_moves(before: str, to: str, after: str) -> None:
    assert shown(at(before).moved(to)) == after  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "to", "after"),
    [
        ("use| yarn", "left", "us| yarn"),
        ("one\n|two", "left", "one|two"),
        ("use yarn|", "word_left", "use |"),
        ("one|\ntwo", "end", "one|two"),
        ("|one\ntwo", "end", "|\ntwo"),
        ("one\ntw|o", "start", "one\n|o"),
    ],
)
def test_text_is_taken_away(before: str, to: str, after: str) -> None:
    assert shown(at(before).erased(to)) == after  # type: ignore[arg-type]


def test_a_message_does_not_get_too_long() -> None:
    message = Message.of("x" * LONGEST)
    assert message.inserted("y") is message


def test_a_paste_that_would_keep_the_screen_waiting_is_not_even_looked_through() -> None:
    assert Message("a", 1).inserted("\u200b" * 100_001) == Message("a", 1)
    assert Message("a", 1).inserted("\u200b" * 100_000).text == "a"


def test_earlier_texts_about_the_same_tool_come_first_and_each_once() -> None:
    earlier = EarlierTexts()
    for tool, text in [
        ("shell", "a"),
        ("write", "b"),
        ("shell", "c"),
        ("shell", "a"),
        ("write", "c"),
        ("shell", " "),
    ]:
        earlier.add(tool, text)
    assert earlier.for_tool("shell") == ("a", "c", "b")
    assert earlier.for_tool("write") == ("c", "b", "a")
