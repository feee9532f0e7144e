"""Choosing hunks of a diff: what the file becomes is exactly what was ticked, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.diff.engine import diff_lines, split_lines
from signoff.present.diff.refine import HunkChoice, applied, hunks_of
from signoff.present.document.diff import diff_document
from signoff.present.document.rows import RowKind

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d\ré\n", " e\n"]), max_size=40)
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "last", "\r"]))


@st.composite
def choices(draw: st.DrawFn) -> tuple[list[str], list[str], HunkChoice]:
    """Two texts, and any choice among the hunks between them."""
    old, new = split_lines(draw(TEXTS)), split_lines(draw(TEXTS))
    hunks = hunks_of(diff_lines(old, new).opcodes, draw(st.integers(0, 4)))
    refused = draw(st.sets(st.integers(0, max(len(hunks) - 1, 0)), max_size=len(hunks))) if hunks else set()
    return old, new, HunkChoice(hunks, frozenset(refused))


@given(choices())
def test_all_approved_is_what_was_asked_and_none_is_what_was_there(
    chosen: tuple[list[str], list[str], HunkChoice],
) -> None:
    old, new, choice = chosen
    assert applied(old, new, HunkChoice(choice.hunks)) == "".join(new)
    assert applied(old, new, HunkChoice(choice.hunks, frozenset(range(len(choice.hunks))))) == "".join(old)


@given(choices())
def test_exactly_the_approved_hunks_are_applied(chosen: tuple[list[str], list[str], HunkChoice]) -> None:
    """Hunk by hunk, and what stands between them: said another way than the code says it."""
    old, new, choice = chosen
    wanted, a, b = "", 0, 0
    for number, hunk in enumerate(choice.hunks):
        first, last = hunk.changes[0], hunk.changes[-1]
        wanted += "".join(new[b : first.b0])  # unchanged, so it is the same on both sides
        refused = number in choice.refused
        wanted += "".join(old[first.a0 : last.a1] if refused else new[first.b0 : last.b1])
        a, b = last.a1, last.b1
    assert applied(old, new, choice) == wanted + "".join(old[a:])


@given(choices())
def test_a_toggle_undoes_itself(chosen: tuple[list[str], list[str], HunkChoice]) -> None:
    _, _, choice = chosen
    for number in range(len(choice.hunks)):
        assert choice.toggled([number]).toggled([number]) == choice


@given(TEXTS, TEXTS)
def test_the_hunks_to_choose_from_are_those_that_are_shown(before: str, after: str) -> None:
    old, new = split_lines(before), split_lines(after)
    shown = diff_document(before.encode(), after.encode(), "/a")
    assert len(shown.hunks) == len(hunks_of(diff_lines(old, new).opcodes))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("a\nb\nc\n", "a\nX\nc\n", "line 2"),
        ("a\nb\nc\n", "X\nb\nY\n", "lines 1-3"),
        ("a\nb\n", "a\nX\nb\n", "lines added after line 1"),
        ("a\n", "X\na\n", "lines added at the beginning"),
    ],
)
def test_a_hunk_is_named_by_the_lines_that_it_is_about(before: str, after: str, words: str) -> None:
    (hunk,) = hunks_of(diff_lines(split_lines(before), split_lines(after)).opcodes)
    assert hunk.lines == words


@given(choices(), st.integers(0, 20))
def test_every_heading_says_what_is_refused_under_it(
    chosen: tuple[list[str], list[str], HunkChoice], context: int
) -> None:
    """Also where more or less context puts other changes under one heading than there were to choose from."""
    old, new, _ = chosen
    document = diff_document("".join(old).encode(), "".join(new).encode(), "/a")
    assert document.choosing is not None
    assert all(document.row(row).text.text.startswith("@@") for row in document.hunks)
    hunks = document.choosing.hunks
    refused = frozenset(range(0, len(hunks), 2))
    marked = document.choosing.chosen(HunkChoice(hunks, refused)).with_context(context)
    assert marked.choosing is not None
    for row, numbers in zip(marked.hunks, marked.choosing.numbers, strict=True):
        mark = marked.row(row).text.text.split("@@")[0]
        if refused.isdisjoint(numbers):
            assert mark == ""
        else:
            assert mark == ("refused  " if refused.issuperset(numbers) else "partly refused  ")
        assert marked.row(row).lead == len(mark.strip())


@given(choices(), st.integers(0, 20))
def test_the_lines_of_refused_hunks_are_known(
    chosen: tuple[list[str], list[str], HunkChoice], context: int
) -> None:
    old, new, _ = chosen
    document = diff_document("".join(old).encode(), "".join(new).encode(), "/a")
    assert document.choosing is not None
    hunks = document.choosing.hunks
    refused = frozenset(range(0, len(hunks), 2))
    lines = {
        (side, line)
        for number in refused
        for change in hunks[number].changes
        for side, lines in (("old", range(change.a0, change.a1)), ("new", range(change.b0, change.b1)))
        for line in lines
    }
    marked = document.choosing.chosen(HunkChoice(hunks, refused)).with_context(context)
    shown = {(row.side, row.source_line) for row in marked if row.refused and row.kind is not RowKind.CONTEXT}
    assert shown == lines
    assert not any(row.refused for row in document)
