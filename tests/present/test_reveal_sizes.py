"""Padding and the ends of a text are counted, and lengths are told."""

from __future__ import annotations

import pytest
from reveal_fields import ONE_LINE, kinds, warned

from signoff.present.reveal import Field, reveal


@pytest.mark.parametrize(
    ("text", "field", "shown"),
    [
        ("ls" + " " * 400 + "; rm", "command", "ls[400 spaces]; rm"),
        ("ls" + "\t" * 200 + "; rm", "command", "ls[200 tabs]; rm"),
        ("ls" + " \t" * 10 + "x", "command", "ls" + " ^I" * 10 + "x"),
        ("ls" + "\n" * 400 + "rm", "command", "ls\n[398 newlines]\nrm"),
        ("ls" + "\n " * 7 + "rm", "command", "ls\n" + " ^J" * 5 + " \n rm"),
        (" " * 60 + "rm", "command", "[60 spaces]rm"),
        ("a.pdf" + " " * 120 + ".exe", "path", "a.pdf[120 spaces].exe"),
        ("x = 1" + " " * 300 + "; evil()", "content", "x = 1[300 spaces]; evil()"),
    ],
)
def test_padding_is_counted_and_warned_of(text: str, field: Field, shown: str) -> None:
    safe = reveal(text, field)
    assert safe.text == shown
    assert "padding" in warned(safe)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("if x:\n" + " " * 40 + "y = 1  # aligned" + " " * 30 + "# twice\n", "content"),
        ("a\n\n\n\nb", "content"),
        ("for i in 1 2; do\n        echo $i\ndone", "command"),
        ("a  b.txt", "path"),
    ],
)
def test_indentation_and_columns_are_no_padding(text: str, field: Field) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.findings) == (text, ())


@pytest.mark.parametrize("field", ONE_LINE)
def test_blanks_at_the_ends_of_one_line_are_counted(field: Field) -> None:
    safe = reveal("  notes.txt ", field)
    assert safe.text == "[2 spaces]notes.txt[1 space]"
    assert warned(safe) == ["edge-blank"]


@pytest.mark.parametrize(
    ("text", "field", "warns"),
    [
        ("echo '" + "lorem " * 400 + "'; rm", "command", True),
        ("line\n" * 60 + "rm", "command", True),
        ("/a" * 200, "path", True),
        ("x" * 200, "tool_name", True),
        ("x" * 20_000, "arg_value", True),
        ("word " * 1_000, "description", False),
    ],
)
def test_a_long_text_is_shown_whole_and_its_size_told(text: str, field: Field, warns: bool) -> None:
    safe = reveal(text, field)
    (finding,) = safe.findings
    assert safe.text == text
    assert (finding.kind, finding.warn) == ("long", warns)
    assert str(len(text)) in finding.message


def test_content_has_no_length_that_would_be_too_long() -> None:
    assert not any(finding.warn for finding in reveal("line\n" * 10_000, "content").findings)


@pytest.mark.parametrize("field", ["content", "description", "arg_value"])
@pytest.mark.parametrize(
    ("text", "size"), [("a\n" * 24, "48 characters in 25 lines"), ("a" * 1921, "1921 characters")]
)
def test_what_no_small_screen_shows_at_once_has_its_size_told(field: Field, text: str, size: str) -> None:
    (finding,) = reveal(text, field).findings
    assert (finding.kind, finding.warn) == ("long", False)
    assert size in finding.message
    assert not reveal(text[2:], field).findings


def test_windows_line_endings_are_shown_in_content_but_ordinary() -> None:
    safe = reveal("a\r\nb\r\n", "content")
    assert safe.text == "a^M\nb^M\n"
    assert (kinds(safe), safe.warns) == (["line-ending"], False)


def test_a_lone_carriage_return_in_content_is_warned_of() -> None:
    assert warned(reveal("good\revil\n", "content")) == ["control"]


def test_a_long_text_of_which_half_is_hidden_tells_each_place() -> None:
    safe = reveal("a\x1b" * 3_000, "content")
    assert safe.text == "a^[" * 3_000
    assert safe.hidden == tuple((at, at + 2) for at in range(1, 9_000, 3))
    assert safe.replaced == (1,) * 3_000
