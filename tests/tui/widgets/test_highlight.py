"""Syntax colors are decoration: found by file name, block by block, never in the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.document.build import presentation_documents
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Document
from signoff.present.document.text import command_document, text_document
from signoff_tui.text.themes import SYNTAX_TOKENS
from signoff_tui.widgets.document.highlight import (
    BLOCK_LINES,
    MAX_BLOCKS,
    MAX_LINE,
    Highlights,
    VisibleColors,
    highlight_block,
    tree_spans,
)
from signoff_tui.widgets.document.layout import Reading, ViewPosition


def new_file(content: str, path: str = "a.py") -> Document:
    return diff_document(None, content.encode(), path)


def words(document: Document, block: int = 0) -> list[list[tuple[str, str]]]:
    """The colored words of each line with their tokens."""
    lines = document.source("new")[block * BLOCK_LINES :]
    return [
        [(line[start:end], token) for start, end, token in spans]
        for line, spans in zip(lines, highlight_block(document, "new", block), strict=False)
    ]


def test_the_language_comes_from_the_file_name() -> None:
    assert ("def", "keyword") in words(new_file("def f(): pass\n"))[0]
    assert words(new_file("def f(): pass\n", "notes.unknown")) == [[]]


def test_the_content_is_never_asked_for_the_language() -> None:
    assert words(new_file("#!/usr/bin/env python\ndef f(): pass\n", "script")) == [[], []]


@pytest.mark.parametrize("kind", ["file_content", "text"])
def test_what_a_tool_sent_has_the_language_that_it_names(kind: str) -> None:
    (document,) = presentation_documents({"type": kind, "content": "def f(): pass\n", "language": "Python"})
    assert ("def", "keyword") in words(document)[0]


@pytest.mark.parametrize("language", [None, "nosuchlanguage", "../python"])
def test_a_language_that_is_none_has_no_colors(language: str | None) -> None:
    (document,) = presentation_documents(
        {"type": "file_content", "content": "def f(): pass\n", "language": language}
    )
    assert words(document) == [[]]


def test_a_string_over_several_lines_is_colored_on_each() -> None:
    first, second = words(new_file('"""One\ntwo"""\n'))
    assert [token for _, token in (*first, *second)] == ["string", "string"]


def test_spans_count_from_the_start_of_their_own_line() -> None:
    assert words(new_file("x = 1\nreturn 2\n"))[1][0] == ("return", "keyword")


def test_later_blocks_start_where_they_start() -> None:
    document = new_file("x = 1\n" * BLOCK_LINES + "return 2\n")
    assert words(document, 1) == [[("return", "keyword"), ("2", "number")]]


def test_very_long_lines_stay_plain() -> None:
    assert words(new_file("x = '" + "a" * MAX_LINE + "'\nreturn 1\n"))[0] == []


def test_what_joins_the_parts_of_a_command_stands_out() -> None:
    colored = words(command_document("cd x && rm -rf y | tee z; ls", "/work"))[0]
    assert [word for word, token in colored if token == "keyword"] == ["&&", "|", ";"]


def test_plain_text_has_no_colors() -> None:
    assert words(text_document("def f(): pass")) == [[]]


def test_colors_are_known_only_after_their_block_was_computed() -> None:
    highlights, document = Highlights(), new_file("x = 1\n")
    assert highlights.spans(document, "new", 0) is None
    highlights.store((id(document), "new", 0), highlight_block(document, "new", 0))
    assert highlights.spans(document, "new", 0) == ((2, 3, "operator"), (4, 5, "number"))


def test_rows_that_are_no_lines_of_a_file_need_no_colors() -> None:
    assert Highlights().spans(new_file("x = 1\n"), None, None) == ()


def test_only_so_many_blocks_are_kept() -> None:
    highlights, document = Highlights(), new_file("x = 1\n" * (MAX_BLOCKS + 1) * BLOCK_LINES)
    for block in range(MAX_BLOCKS + 1):
        highlights.store((id(document), "new", block), ())
    assert highlights.spans(document, "new", 0) is None
    assert highlights.spans(document, "new", MAX_BLOCKS * BLOCK_LINES) == ()


# -- the colors of what is on the screen


def wanted(colors: VisibleColors, document: Document, top: int = 0) -> list[int]:
    """The numbers of the blocks that are asked for with ten rows from one on."""
    reading = Reading([document], 40)
    return [number for _, (_, _, number) in colors.missing(reading, reading.window(ViewPosition(top), 10))]


def take(colors: VisibleColors, document: Document, number: int) -> bool:
    return colors.take([document], [(document, (id(document), "new", number))], [()])


def test_the_block_behind_the_screen_is_colored_too() -> None:
    assert wanted(VisibleColors(), new_file("x = 1\n" * 4 * BLOCK_LINES)) == [0, 1]


def test_a_block_is_asked_for_once() -> None:
    colors, document = VisibleColors(), new_file("x = 1\n" * 4 * BLOCK_LINES)
    assert wanted(colors, document) == [0, 1]
    assert wanted(colors, document) == []
    take(colors, document, 0)
    assert wanted(colors, document, top=BLOCK_LINES) == [2]


def test_a_block_whose_colors_were_forgotten_is_asked_for_again() -> None:
    colors, document = VisibleColors(), new_file("x = 1\n" * (MAX_BLOCKS + 2) * BLOCK_LINES)
    wanted(colors, document)
    for number in range(MAX_BLOCKS + 1):
        take(colors, document, number)
    assert wanted(colors, document) == [0]


def test_only_colors_that_are_on_the_screen_have_it_drawn_again() -> None:
    colors, document = VisibleColors(), new_file("x = 1\n" * 4 * BLOCK_LINES)
    wanted(colors, document)
    assert take(colors, document, 0)
    assert not take(colors, document, 1)


@given(
    st.text(alphabet="def x():'\"#\\\n\t 1\r世\x00", max_size=200),
    st.sampled_from(["a.py", "a.sh", "a.js", "a.md"]),
)
def test_spans_lie_inside_their_lines_and_follow_each_other(content: str, path: str) -> None:
    document = new_file(content, path)
    for line, spans in zip(document.source("new"), highlight_block(document, "new", 0), strict=False):
        at = 0
        for start, end, token in spans:
            assert at <= start < end <= len(line)
            assert token in SYNTAX_TOKENS
            at = end


@pytest.mark.parametrize(
    ("row", "colored"),
    [
        ('to: "staging"', {"to:": "name", '"staging"': "string"}),
        ("  count: -1.5e3", {"count:": "name", "-1.5e3": "number"}),
        ("- true", {"true": "keyword"}),
        ('"a b": null', {'"a b":': "name", "null": "keyword"}),
        ('- "x: 1"', {'"x: 1"': "string"}),
        ("  | x: 1", {"| x: 1": "string"}),
        ("body: (JSON in a string, re-formatted)", {"body:": "name"}),
        ("- [secret, 40 characters]", {}),
    ],
)
def test_keys_strings_and_numbers_of_a_tree_have_colors(row: str, colored: dict[str, str]) -> None:
    assert {row[start:end]: token for start, end, token in tree_spans(row)} == colored
