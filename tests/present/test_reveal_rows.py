"""One row of the screen, and text that is known to be safe."""

from __future__ import annotations

import pytest
from reveal_fields import kinds, warned

from signoff.present.reveal import SafeText, quoted, reveal, reveal_line

# One row of the screen.


def test_a_tab_in_a_row_is_visible_and_reaches_the_tab_stop() -> None:
    safe = reveal_line("\ta\tbcd\t", tab_width=4)
    assert safe.text == ">   a>  bcd>"
    assert safe.hidden == ((0, 4), (5, 8), (11, 12))
    assert not safe.findings


def test_a_tab_stop_counts_cells_not_characters() -> None:
    assert reveal_line("\u4e2d\te\u0301\tx", tab_width=4).text == "\u4e2d> e\u0301>  x"


def test_a_tab_stop_counts_the_escapes_before_it() -> None:
    assert reveal_line("\x00\tx", tab_width=4).text == "^@> x"


def test_a_newline_in_a_row_is_an_escape() -> None:
    safe = reveal_line("a\nb", "command")
    assert (safe.text, warned(safe)) == ("a^Jb", ["control"])


def test_trailing_blanks_are_marked_on_request() -> None:
    safe = reveal_line("x = 1 \t ", mark_trailing=True, tab_width=4)
    assert safe.text == "x = 1~> ~"
    assert safe.hidden == ((5, 9),)
    assert not safe.findings


def test_trailing_blanks_stay_otherwise() -> None:
    assert reveal_line("x = 1  ").text == "x = 1  "


def test_trailing_blanks_before_a_windows_line_ending_are_marked() -> None:
    safe = reveal_line("x  \r", mark_trailing=True)
    assert (safe.text, safe.warns) == ("x~~^M", False)


def test_long_trailing_padding_in_a_row_is_counted() -> None:
    assert reveal_line("x" + " " * 500, mark_trailing=True).text == "x[500 spaces]"


def test_a_tab_in_a_name_stays_an_escape() -> None:
    assert reveal_line("read\tfile", "tool_name").text == "read^Ifile"


# Safe text.


def test_own_words_are_taken_as_they_are() -> None:
    assert SafeText.own("3 files → ok…\n\tdone").text == "3 files → ok…\n\tdone"


@pytest.mark.parametrize("words", ["\x1b[1m", "a\u202eb", "a\u200bb", "\ue000", "a\ud800", "\u0301"])
def test_own_words_with_hidden_characters_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match="own words"):
        SafeText.own(words)


@pytest.mark.parametrize("text", ["\x1b", "\x9b", "\r", "\x7f", "\u202e", "\u2028", "\ud800", "\U000e0041"])
def test_safe_text_cannot_be_made_from_what_a_terminal_obeys(text: str) -> None:
    with pytest.raises(ValueError, match="control characters"):
        SafeText(text)


def test_quotes_show_where_a_text_ends_and_are_not_the_agents() -> None:
    safe = quoted(reveal('yes" \x00', "arg_value"))
    assert safe.text == '"yes" ^@"'
    assert safe.hidden == ((0, 1), (6, 8), (8, 9))
    assert safe.warns


def test_text_knows_its_length_and_prints_itself() -> None:
    safe = reveal("a\x00", "content")
    assert (len(safe), str(safe)) == (3, "a^@")


def test_lines_keep_their_own_spans_and_findings() -> None:
    safe = reveal("plain\na\x00\nb \u202e", "content")
    first, second, third = safe.lines()
    assert (first.text, first.hidden, first.findings) == ("plain", (), ())
    assert (second.text, second.hidden, kinds(second)) == ("a^@", ((1, 3),), ["control"])
    assert (third.text, third.hidden, kinds(third)) == ("b <U+202E RLO>", ((2, 14),), ["bidi"])
    assert [each.where for each in (*second.findings, *third.findings)] == [1, 2]


def test_spans_of_the_original_are_found_again() -> None:
    safe = reveal_line("a\tb\x00\x01c", tab_width=4)
    assert safe.text == "a>  b^@^Ac"
    assert safe.map_span(0, 1) == (0, 1)
    assert safe.map_span(1, 2) == (1, 4)
    assert safe.map_span(2, 3) == (4, 5)
    assert safe.map_span(0, 6) == (0, 10)
    assert safe.map_span(6, 6) == (10, 10)


def test_a_border_inside_a_run_of_escapes_moves_outwards() -> None:
    safe = reveal("a\x00\x01b", "content")
    assert safe.map_spans([(0, 2), (2, 4)]) == [(0, 5), (1, 6)]


def test_spans_of_plain_text_stay() -> None:
    assert reveal("plain", "content").map_span(1, 3) == (1, 3)
