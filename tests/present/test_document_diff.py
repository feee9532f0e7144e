"""A diff shows every byte of difference: both sides can be put together again from its rows."""

from __future__ import annotations

import pytest
from document_reading import NO_NEWLINE, counted, diff, names_file, numbered_lines, of_kind, plain_texts
from hypothesis import assume, given
from hypothesis import strategies as st

from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind

EVERYTHING = 10**9

odd_texts = st.text(alphabet="ab \t\n\r\x0c\x1b\u200b\u202e~>", max_size=40)


class Rebuilt:
    """Both sides of a plain diff, put together again from its rows."""

    def __init__(self, document: Document) -> None:
        self.old = self.new = ""
        kind = RowKind.CONTEXT
        for row in document.with_context(EVERYTHING):
            if row.kind is RowKind.NOTE and row.text.text == NO_NEWLINE:
                self.old = self.old[:-1] if kind is not RowKind.ADDED else self.old
                self.new = self.new[:-1] if kind is not RowKind.REMOVED else self.new
            elif row.kind in {RowKind.CONTEXT, RowKind.REMOVED, RowKind.ADDED}:
                kind = row.kind
                content = "\n" * row.lines if row.lines > 1 else f"{row.text.text}\n"
                self.old += content if kind is not RowKind.ADDED else ""
                self.new += content if kind is not RowKind.REMOVED else ""


class TestDiff:
    @given(plain_texts, plain_texts)
    def test_both_sides_can_be_rebuilt_from_the_rows(self, before: str, after: str) -> None:
        assume(before != after)
        rebuilt = Rebuilt(diff(before, after))
        assert (rebuilt.old, rebuilt.new) == (before, after)

    @given(odd_texts, odd_texts, odd_texts)
    def test_two_different_changes_never_look_the_same(self, before: str, after: str, other: str) -> None:
        assume(after != other)

        def look(document: Document) -> tuple[object, ...]:
            rows = [(row.kind, row.text.text, row.text.hidden, row.lines) for row in document]
            return document.notes, rows

        assert look(diff(before, after)) != look(diff(before, other))

    @given(plain_texts, plain_texts, st.integers(0, 4))
    def test_folds_say_how_many_lines_they_hide(self, before: str, after: str, context: int) -> None:
        assume(before != after)
        document = diff(before, after).with_context(context)
        shown = {RowKind.CONTEXT, RowKind.HUNK, RowKind.FOLD, RowKind.REMOVED}
        total = sum(row.lines for row in document if row.kind in shown)
        assert total == len(document.source("old"))

    @given(plain_texts, plain_texts, st.integers(0, 40))
    def test_units_are_the_same_whatever_the_context(self, before: str, after: str, context: int) -> None:
        document = diff(before, after)
        assert counted(document.with_context(context)) == counted(document)
        assert document.units >= 1

    def test_units_are_the_changed_lines_and_the_facts(self) -> None:
        document = diff("a\nb\nc", "a\nB\nc\n", mode_before=0o644, mode_after=0o755)
        assert counted(document) == [
            "permissions change from 644 to 755 (becomes executable)",
            "a newline at end of file is added",
            "b",
            "c",
            "B",
            "c",
        ]

    def test_lines_have_the_numbers_of_their_own_side(self) -> None:
        rows = [(row.kind.value, row.old_no, row.new_no) for row in diff("a\nb\n", "x\ny\nb\n")]
        assert rows == [
            ("place", None, None),
            ("hunk", None, None),
            ("removed", 1, None),
            ("added", None, 1),
            ("added", None, 2),
            ("context", 2, 3),
        ]

    def test_rows_name_the_source_line_they_show(self) -> None:
        document = diff("a\nb\n", "a\nc\n")
        shown = [row for row in document if row.side is not None and row.source_line is not None]
        for row in shown:
            assert row.side is not None
            assert row.source_line is not None
            assert document.source(row.side)[row.source_line] == f"{row.text.text}\n"
        assert len(shown) == 3

    def test_distant_changes_are_hunks_with_three_lines_around_each(self) -> None:
        document = diff(numbered_lines(40), numbered_lines(40, at_5="x", at_30="y"))
        assert [document.row(index).text.text for index in document.hunks] == [
            "@@ 1",
            "@@ 27 line 26  (18 unchanged lines)",
        ]
        assert of_kind(document, RowKind.FOLD) == ["(7 unchanged lines)"]

    @pytest.mark.parametrize(("between", "folds"), [(6, 0), (8, 0), (9, 3), (20, 14)])
    def test_one_or_two_lines_are_shown_instead_of_folded(self, between: int, folds: int) -> None:
        first, second = 10, 11 + between
        document = diff(numbered_lines(40), numbered_lines(40, **{f"at_{first}": "x", f"at_{second}": "y"}))
        assert len(document.hunks) == 1 + bool(folds)
        assert [row.lines for row in document if row.kind is RowKind.HUNK][1:] == ([folds] if folds else [])

    @pytest.mark.parametrize(
        ("line", "named"),
        [
            ("def get_order(order_id):", "get_order(order_id)"),
            ("async def poll(self) -> int:", "poll(self) -> int"),
            ("func (s *Server) Serve(l net.Listener) error {", "(s *Server) Serve(l net.Listener) error"),
            ("pub fn parse(input: &str) {", "parse(input: &str)"),
            ("export async function load() {", "load()"),
            ("class Order:", "class Order"),
            ("definitely = 1", "definitely = 1"),
        ],
    )
    def test_a_heading_is_its_first_line_and_the_function_around_it(self, line: str, named: str) -> None:
        before = line + "\n" + "  a\n" * 9
        document = diff(before, f"{before}  b\n")
        assert document.row(document.hunks[0]).text.text == f"@@ 8 {named}  (7 unchanged lines)"

    def test_a_heading_without_a_function_is_a_number(self) -> None:
        document = diff("a\nb\n", "a\nx\nb\n")
        assert document.row(document.hunks[0]).text.text == "@@ 1"

    def test_changes_begin_at_each_block_of_counted_rows(self) -> None:
        document = diff(numbered_lines(9), numbered_lines(9, at_3="x", at_7="y"))
        assert [document.row(index).text.text for index in document.changes] == ['file: "/f"', "line 3", "line 7"]
        assert len(document.hunks) == 1

    def test_context_can_be_widened_until_nothing_is_folded(self) -> None:
        document = diff(numbered_lines(40), numbered_lines(40, at_5="x"))
        assert RowKind.FOLD not in {row.kind for row in document.with_context(EVERYTHING)}

    def test_added_and_removed_lines_are_counted(self) -> None:
        document = diff("a\nb\nc\n", "a\nx\n")
        assert (document.added, document.removed) == (1, 2)

    def test_an_unchanged_content_is_said_in_a_row_that_counts(self) -> None:
        assert counted(diff("a\n", "a\n")) == ["(the content stays the same)"]

    def test_a_file_that_becomes_empty_is_a_fact(self) -> None:
        assert counted(diff("a\n", "")) == ["the file becomes empty", "a"]

    def test_the_language_is_told_by_the_name_of_the_file(self) -> None:
        assert diff("a", "b", "/x/Makefile").language_name == "make"
        assert diff("#!/bin/sh\n", "#!/bin/bash\n", "/x/run").language_name is None


class TestEmphasis:
    def emphasized(self, document: Document) -> list[list[str]]:
        return [
            [row.text.text[start:stop] for start, stop in document.emphasis(index)]
            for index, row in enumerate(document)
            if row.unit is not None and not names_file(row)
        ]

    def test_words_that_differ_are_marked_on_both_sides(self) -> None:
        document = diff("call(first, 1)\n", "call(second, 1)\n")
        assert self.emphasized(document) == [["first"], ["second"]]

    def test_marks_stand_where_the_text_is_shown(self) -> None:
        document = diff("\tx\u200b = old\n", "\tx\u200b = new\n")
        assert self.emphasized(document) == [["old"], ["new"]]

    def test_lines_of_unequal_blocks_are_not_compared(self) -> None:
        assert self.emphasized(diff("a b\n", "a c\na d\n")) == [[], [], []]

    def test_lines_of_equal_blocks_are_compared_one_by_one(self) -> None:
        document = diff("a 1\nb 2\n", "a 3\nb 4\n")
        assert self.emphasized(document) == [["1"], ["2"], ["3"], ["4"]]
