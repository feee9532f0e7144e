"""The last net before the terminal: whatever slipped through is dropped there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import NoColor

from signoff.present.reveal import has_no_one_width, reveal_line
from signoff_tui.terminal.output_filter import DropControls, InOnePass, whole_flags

BLACK = Color(0, 0, 0)
NET = DropControls()


def through(*segments: Segment) -> list[Segment]:
    return NET.apply(list(segments), BLACK)


@pytest.mark.parametrize(
    "char",
    ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\n", "\t", "\u200b", "\u202e", "\u2066", "\ufeff", "\U000e0041"],
    ids=lambda char: f"U+{ord(char):04X}",
)
def test_what_acts_on_a_terminal_or_hides_is_dropped(char: str) -> None:
    assert [segment.text for segment in through(Segment(f"a{char}b"))] == ["ab"]


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧|",
        "❤\ufe0f|",
        "👍🏽|",
        "हिन्दी|",
        "1\ufe0f\u20e3|",
        "\u1112\u1161\u11ab|",
        "\U0001f972|",
        "\xad\u2630|",
    ],
)
def test_what_has_no_one_width_is_dropped_and_the_row_stays_as_wide(text: str) -> None:
    (segment,) = through(Segment(text))
    assert not any(map(has_no_one_width, segment.text))
    assert cell_len(segment.text) == cell_len(text)


@pytest.mark.parametrize(
    ("data", "drawn"),
    [
        ("🇫🇷🇩🇪", "🇫🇷🇩🇪"),
        ("x🇫", "xF"),
        ("🇫🇷🇩\x1b[1m🇪", "🇫🇷D\x1b[1mE"),
        ("🇫\x1b[2;1H🇷", "F\x1b[2;1HR"),
    ],
)
def test_half_a_flag_is_a_letter(data: str, drawn: str) -> None:
    assert whole_flags(data) == drawn
    assert cell_len(drawn) == cell_len(data)


def test_a_link_is_dropped_and_its_words_stay() -> None:
    (segment,) = through(Segment("click", Style(link="https://example.com", bold=True)))
    assert segment.text == "click"
    assert segment.style is not None
    assert (segment.style.link, segment.style.bold) == (None, True)


def test_what_is_clean_passes_untouched() -> None:
    segments = [Segment("plain "), Segment("世界 é", Style(bold=True))]
    assert NET.apply(segments, BLACK) is segments


@given(st.text(max_size=40))
def test_nothing_that_was_made_safe_is_dropped(text: str) -> None:
    safe = reveal_line(text, "content").text
    assert "".join(segment.text for segment in through(Segment(safe))) == safe


def test_filters_in_one_pass_do_what_they_do_one_after_the_other() -> None:
    segments = [
        Segment("a\u202eb", Style.parse("red link https://x.example")),
        Segment("c", Style.parse("dim blue")),
    ]
    first = NoColor()
    one_by_one = NET.apply(first.apply(segments, BLACK), BLACK)
    assert InOnePass([first, NET]).apply(segments, BLACK) == one_by_one
    assert "".join(segment.text for segment in one_by_one) == "abc"
