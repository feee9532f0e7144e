"""A document shows every byte of difference, in rows that are safe and made only when read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from signoff.effects import Command, FileEdit, FileWrite
from signoff.present.document import Document
from signoff.present.document_diff import binary_document, diff_document, file_document
from signoff.present.document_text import command_document, text_document
from signoff.present.documents import documents_for
from signoff.present.facts import FileFacts
from signoff.present.reveal import reveal_line
from signoff.present.rows import Row, RowKind
from signoff.present.snapshot import Snapshot, take
from signoff.present.structured import structured_document
from signoff.present.toolsent import presentation_documents

EVERYTHING = 10**9
CWD = "/project"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
NO_NEWLINE = "\\ no newline at end of file"

plain_texts = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c d\n", "e"]), max_size=30).map("".join)
odd_texts = st.text(alphabet="ab \t\n\r\x0c\x1b\u200b\u202e~>", max_size=40)


def texts(document: Document) -> list[str]:
    return [row.text.text for row in document]


def of_kind(document: Document, kind: RowKind) -> list[str]:
    return [row.text.text for row in document if row.kind is kind]


def counted(document: Document) -> list[str]:
    """What counts of a document, after the row that names its file."""
    return [row.text.text for row in document if row.unit is not None and not names_file(row)]


def names_file(row: Row) -> bool:
    return row.kind is RowKind.PLACE and row.text.text.startswith("file: ")


def diff(before: str, after: str, path: str = "/f", **facts: Any) -> Document:
    return diff_document(before.encode(), after.encode(), path, facts=FileFacts(**facts))


def numbered_lines(count: int, **changed: str) -> str:
    lines = [changed.get(f"at_{number}", f"line {number}") for number in range(1, count + 1)]
    return "".join(f"{line}\n" for line in lines)


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
        shown = {RowKind.CONTEXT, RowKind.FOLD, RowKind.REMOVED}
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
        headings = [document.row(index).text.text for index in document.hunks]
        assert headings == ["@@ -2,7 +2,7 @@ line 1", "@@ -27,7 +27,7 @@ line 26"]
        assert of_kind(document, RowKind.FOLD) == [
            "(1 unchanged line)",
            "(18 unchanged lines)",
            "(7 unchanged lines)",
        ]

    def test_an_empty_range_is_named_by_the_line_before_it(self) -> None:
        document = diff("a\nb\n", "a\nx\nb\n").with_context(0)
        assert document.row(document.hunks[0]).text.text == "@@ -1,0 +2,1 @@ a"

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


class TestThePathOfAFile:
    @pytest.mark.parametrize(
        "document",
        [
            diff("a\n", "b\n", "/home/ada/prod/settings.yaml"),
            diff("a\n", "a\n", "/home/ada/prod/settings.yaml"),
            file_document(b"a\n", "/home/ada/prod/settings.yaml"),
            binary_document(b"a", PNG, "/home/ada/prod/settings.yaml"),
        ],
        ids=["diff", "unchanged", "new", "binary"],
    )
    def test_is_the_first_row_whole_and_counts(self, document: Document) -> None:
        first = document.row(0)
        assert first.text.text == 'file: "/home/ada/prod/settings.yaml"'
        assert first.unit == 0

    def test_is_shown_as_it_is_however_it_tries_to_hide(self) -> None:
        assert diff("a\n", "b\n", "/a\u202e/b ").row(0).text.text == 'file: "/a<U+202E RLO>/b[1 space]"'


class TestWhatHidesEasily:
    def test_a_tab_that_becomes_blanks_is_visible(self) -> None:
        assert counted(diff("\tx\n", "    x\n")) == [">   x", "    x"]

    def test_blanks_at_the_end_of_a_changed_line_are_visible(self) -> None:
        assert counted(diff("x\n", "x  \n")) == ["x", "x~~"]

    def test_a_change_of_line_ends_is_a_fact_and_in_every_line(self) -> None:
        assert counted(diff("a\nb\n", "a\r\nb\r\n")) == [
            "line ends change from LF to CRLF",
            "a",
            "b",
            "a^M",
            "b^M",
        ]

    def test_one_windows_line_among_others_is_visible(self) -> None:
        assert counted(diff("a\nb\n", "a\nb\r\n")) == [
            "line ends change from LF to LF and CRLF mixed",
            "b",
            "b^M",
        ]

    def test_a_file_whose_lines_all_end_with_crlf_says_so_once(self) -> None:
        document = diff("a\r\nb\r\n", "a\r\nc\r\n")
        assert counted(document) == ["b", "c"]
        assert document.notes == ("every line ends with CRLF",)

    def test_a_lost_newline_at_the_end_is_a_fact_and_marked_at_the_line(self) -> None:
        document = diff("a\n", "a")
        assert counted(document) == ["no newline at end of file any more", "a", "a"]
        assert texts(document)[-1] == NO_NEWLINE

    def test_a_lone_carriage_return_does_not_start_a_line(self) -> None:
        assert counted(diff("ok\n", "ok\rrm -rf /\n")) == ["ok", "ok^Mrm -rf /"]

    def test_characters_without_width_are_visible(self) -> None:
        assert counted(diff("admin\n", "ad\u200bmin\n"))[1] == "ad<U+200B ZWSP>min"

    def test_many_blank_lines_are_one_row_with_their_number(self) -> None:
        document = diff("a\n", "a\n" + "\n" * 41 + "evil\n")
        assert counted(document) == ["(41 blank lines added)", "evil"]

    def test_removed_blank_lines_are_one_row_with_their_number(self) -> None:
        assert counted(diff("a\n" + "\n" * 6, "a\n")) == ["(6 blank lines removed)"]

    def test_five_blank_lines_are_shown_one_by_one(self) -> None:
        assert counted(diff("a\n", "a\n" + "\n" * 5)) == [""] * 5

    def test_blank_lines_that_are_not_empty_say_what_is_in_them(self) -> None:
        assert counted(diff("a\n", "a\n" + " \t\n" * 6)) == ['(6 blank lines added, each "~>  ")']

    def test_blank_lines_of_two_kinds_are_not_mixed(self) -> None:
        assert counted(diff("a\n", "a\n" + "\n" * 6 + " \n" * 6)) == [
            "(6 blank lines added)",
            '(6 blank lines added, each "~")',
        ]

    def test_a_line_that_poses_as_blank_lines_stands_for_one_line(self) -> None:
        (added,) = [row for row in diff("a\n", "a\n(41 blank lines added)\n") if row.kind is RowKind.ADDED]
        assert (added.lines, added.source_line) == (1, 1)

    def test_a_write_through_a_link_is_a_fact(self) -> None:
        document = diff("a\n", "b\n", "/x/l", link_target="../t", real_path="/t")
        assert counted(document)[0] == 'writes through a link: "/x/l" -> "../t", the file is "/t"'

    def test_a_path_that_leads_elsewhere_is_a_fact(self) -> None:
        document = diff("a\n", "b\n", "/x/../etc/f", real_path="/etc/f")
        assert counted(document)[0] == 'the path leads to "/etc/f"'

    def test_a_path_that_leads_to_itself_is_none(self) -> None:
        assert counted(diff("a\n", "b\n", "/f", real_path="/f")) == ["a", "b"]

    def test_a_lost_executable_bit_is_a_fact(self) -> None:
        document = diff("a\n", "a\n", mode_before=0o755, mode_after=0o644)
        assert counted(document) == ["permissions change from 755 to 644 (no longer executable)"]

    def test_an_executable_file_is_noted(self) -> None:
        assert diff("a\n", "b\n", mode_before=0o755).notes == ("executable file (mode 755)",)

    def test_a_heading_names_no_line_that_is_longer_than_a_heading(self) -> None:
        before = "short\n" + "x" * 500 + "\n" + numbered_lines(9).replace("line", " line")
        document = diff(before, before.replace("line 9", "line x"))
        assert document.row(document.hunks[0]).text.text.endswith("@@ short")

    def test_the_line_in_a_heading_is_made_safe(self) -> None:
        before = "x\x1b[2J\n" + numbered_lines(9).replace("line", " line")
        document = diff(before, before.replace("line 9", "line x"))
        assert document.row(document.hunks[0]).text.text.endswith("@@ x^[[2J")


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


class TestHugeDiffs:
    @pytest.fixture
    def document(self) -> Document:
        before = [f"line {number}\n" for number in range(8_000)]
        after = [f"new {number}\n" if number % 4 == 0 else line for number, line in enumerate(before)]
        return diff("".join(before), "".join(after))

    def test_only_rows_that_are_read_are_made(self, document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[str] = []

        def counting(line: str, *args: Any, **options: Any) -> Any:
            made.append(line)
            return reveal_line(line, *args, **options)

        monkeypatch.setattr("signoff.present.document.reveal_line", counting)
        opened = document.with_context(1)
        opened.row(opened.row_of_unit(2_000))
        opened.row(opened.row_of_unit(2_000))
        assert len(made) == 1

    def test_every_changed_line_counts(self, document: Document) -> None:
        assert document.units == 1 + 4_000

    def test_a_diff_that_gave_up_says_so_in_a_row(self) -> None:
        source = random.Random(1)
        before, after = ("".join(f"{source.randrange(3)}\n" for _ in range(4_000)) for _ in range(2))
        document = diff(before, after)
        assert not document.exact
        assert any("shown as replaced" in note for note in of_kind(document, RowKind.NOTE))


class TestRowsAndUnits:
    @given(plain_texts, plain_texts, st.integers(0, 3))
    def test_units_and_rows_lead_to_each_other(self, before: str, after: str, context: int) -> None:
        document = diff(before, after).with_context(context)
        units = [document.unit_at(index) for index in range(len(document))]
        assert units == [row.unit for row in document]
        assert [unit for unit in units if unit is not None] == list(range(document.units))
        for unit in range(document.units):
            assert document.unit_at(document.row_of_unit(unit)) == unit

    @given(plain_texts, plain_texts, st.integers(0, 40), st.integers(0, 40))
    def test_the_units_of_a_page_are_those_of_its_rows(
        self, before: str, after: str, start: int, length: int
    ) -> None:
        document = diff(before, after)
        page = [document.row(index) for index in range(len(document))][start : start + length]
        expected = [row.unit for row in page if row.unit is not None]
        assert list(document.units_in(start, start + length)) == expected

    @pytest.mark.parametrize("index", [-1, 5])
    def test_there_is_no_row_outside(self, index: int) -> None:
        with pytest.raises(IndexError):
            diff("a\n", "b\n").row(index)

    @pytest.mark.parametrize("unit", [-1, 3])
    def test_there_is_no_unit_outside(self, unit: int) -> None:
        with pytest.raises(IndexError):
            diff("a\n", "b\n").row_of_unit(unit)


class TestScan:
    def test_a_hidden_character_in_a_changed_line_is_an_alert_at_its_row(self) -> None:
        document = diff(numbered_lines(9), numbered_lines(9, at_5="five\u202e"))
        (alert,) = document.scan()
        assert alert.kind == "bidi"
        assert document.row(alert.row).new_no == 5

    def test_what_stays_as_it_is_is_no_alert(self) -> None:
        assert diff("\u202e\na\n", "\u202e\nb\n").scan() == ()

    def test_each_character_is_one_alert(self) -> None:
        alerts = text_document("a\x1b\x1b\nb\x1b\x07\n").scan()
        assert [(alert.kind, alert.row) for alert in alerts] == [("control", 0)]
        assert len(command_document("a\x1bb", "/x\x07").scan()) == 2


class TestNewFiles:
    def test_every_line_counts_and_has_its_number(self) -> None:
        document = file_document(b"a\nb\n", "/x.py")
        assert [(row.text.text, row.new_no, row.unit) for row in document] == [
            ('file: "/x.py"', None, 0),
            ("a", 1, 1),
            ("b", 2, 2),
        ]
        assert (document.kind, document.language_name, document.added) == (
            "file_content",
            "python",
            2,
        )

    def test_a_diff_without_a_file_before_is_a_new_file(self) -> None:
        assert diff_document(None, b"a\n", "/f").kind == "file_content"

    def test_an_empty_file_is_said_in_a_row_that_counts(self) -> None:
        assert counted(file_document(b"", "/f")) == ["(empty file)"]

    def test_the_size_is_noted(self) -> None:
        assert file_document(b"a\n" * 600, "/f").notes == ("new file, 1,200 bytes",)

    def test_a_missing_newline_at_the_end_is_noted(self) -> None:
        assert texts(file_document(b"a", "/f"))[1:] == ["a", NO_NEWLINE]

    def test_many_blank_lines_are_one_row(self) -> None:
        content = b"a\n" + b"\n" * 100 + b"evil\n"
        assert texts(file_document(content, "/f"))[1:] == ["a", "(100 blank lines)", "evil"]


class TestBinary:
    def test_a_new_binary_file_is_named_by_type_size_and_hash(self) -> None:
        document = file_document(PNG, "/f")
        (fact,) = counted(document)
        assert fact.startswith("new binary file: image/png, 108 bytes, sha256 ")
        assert (document.kind, document.complete) == ("binary", False)

    def test_an_overwrite_names_both_sides(self) -> None:
        before, after = counted(binary_document(b"\0", PNG, "/f"))
        assert before.startswith("binary content before: application/octet-stream, 1 byte,")
        assert after.startswith("binary content after: image/png, 108 bytes,")

    def test_text_that_becomes_binary_is_not_complete(self) -> None:
        document = diff_document(b"a\n", PNG, "/f")
        assert counted(document)[0].startswith("text content before: ")
        assert not document.complete

    def test_binary_that_becomes_text_shows_the_text_and_is_not_complete(self) -> None:
        document = diff_document(PNG, b"a\n", "/f")
        assert counted(document)[0].startswith("text replaces binary content: image/png")
        assert counted(document)[1:] == ["a"]
        assert (document.kind, document.complete) == ("diff", False)

    def test_the_first_bytes_are_shown_and_the_rest_is_counted(self) -> None:
        rows = texts(file_document(PNG, "/f"))
        assert rows[2] == ("00000000  89 50 4e 47 0d 0a 1a 0a 00 00 00 00 00 00 00 00  .PNG............")
        assert rows[-1] == "(44 more bytes not shown)"


class TestCommands:
    def test_the_directory_comes_first_then_the_environment_then_every_line(self) -> None:
        document = command_document("make &&\n  ls", "/x", {"B": "2 ", "A": "1"})
        assert texts(document) == [
            'cwd: "/x"',
            'env: "A" = "1"',
            'env: "B" = "2~"',
            "make &&",
            "  ls",
        ]
        assert document.units == len(document)

    def test_a_directory_that_leads_elsewhere_says_where(self) -> None:
        document = command_document("ls", "/x/..", real_cwd="/")
        assert texts(document)[0] == 'cwd: "/x/..", which leads to "/"'

    def test_a_command_is_never_cut(self) -> None:
        command = "echo " + "x" * 100_000
        assert texts(command_document(command, "/"))[1] == command

    @pytest.mark.parametrize("command", ["", "\n"])
    def test_an_empty_command_has_a_row_for_each_of_its_lines(self, command: str) -> None:
        assert of_kind(command_document(command, "/"), RowKind.COMMAND) == command.split("\n")

    def test_an_unknown_directory_is_said(self) -> None:
        assert texts(command_document("ls", None))[0] == "cwd: not known"


class TestStructured:
    def test_scalars_keep_their_types_apart(self) -> None:
        values = [1, 1.0, "1", True, "true", None, "null", "", [], {}, -0.0, 10**30]
        assert texts(structured_document(values)) == [
            "- 1",
            "- 1.0",
            '- "1"',
            "- true",
            '- "true"',
            "- null",
            '- "null"',
            '- ""',
            "- []",
            "- {}",
            "- -0.0",
            "- 1000000000000000000000000000000",
        ]

    def test_keys_are_sorted_and_nesting_is_indented(self) -> None:
        assert texts(structured_document({"b": {"d": 1, "c": [2]}, "a": 3})) == [
            "a: 3",
            "b:",
            "  c:",
            "    - 2",
            "  d: 1",
        ]

    def test_a_string_of_several_lines_is_a_block_behind_bars(self) -> None:
        assert texts(structured_document({"a": "x: 1\ny", "b": "x\n"})) == [
            "a: | (2 lines, no newline at the end)",
            "  | x: 1",
            "  | y",
            "b: | (1 line)",
            "  | x",
        ]

    def test_a_key_that_is_no_plain_name_stands_in_quotes(self) -> None:
        assert texts(structured_document({"a: 1": 2, "": 3})) == ['"": 3', '"a: 1": 2']

    def test_no_value_can_pass_for_another_entry(self) -> None:
        hostile = structured_document({"a": '1"\nb: "2', "c": 'x", d: "y'})
        assert texts(hostile) == [
            "a: | (2 lines, no newline at the end)",
            '  | 1"',
            '  | b: "2',
            'c: "x", d: "y"',
        ]

    def test_a_long_string_is_not_cut(self) -> None:
        assert texts(structured_document({"a": "x" * 9_999})) == [f'a: "{"x" * 9_999}"']

    def test_every_row_counts(self) -> None:
        document = structured_document({"a": {"b": "x\ny"}})
        assert document.units == len(document) == 4

    def test_no_arguments_are_said_in_a_row_that_counts(self) -> None:
        assert counted(structured_document({})) == ["(no arguments)"]

    def test_what_is_not_json_is_shown_and_not_complete(self) -> None:
        document = structured_document({"a": b"x"})
        assert texts(document) == ["a: (not JSON: bytes) b'x'"]
        assert not document.complete

    def test_absurd_nesting_ends_in_a_row_that_says_so(self) -> None:
        nested: Any = []
        nested.append(nested)
        document = structured_document(nested)
        assert texts(document)[-1].strip() == "- (nested deeper than this is shown)"
        assert not document.complete

    def test_a_number_too_long_for_decimal_is_shown_in_hexadecimal(self) -> None:
        assert texts(structured_document([16**5_000])) == [f"- 0x1{'0' * 5_000}"]


class TestSentByTheTool:
    def one(self, **presentation: Any) -> Document:
        (document,) = presentation_documents(presentation)
        return document

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [("text", "text"), ("command", "command"), ("structured", "structured"), ("odd", "text")],
    )
    def test_it_is_labeled_and_every_line_counts(self, kind: str, expected: str) -> None:
        document = self.one(type=kind, content="a\nb")
        assert texts(document) == ["sent by the tool", "a", "b"]
        assert (document.kind, document.units) == (expected, 2)

    def test_a_diff_is_read_by_its_signs_alone(self) -> None:
        document = self.one(type="diff", content="--- a\n+++ b\n@@ -1 +1 @@\n c\n-d\n+e\n\\ No newline\n")
        assert [(row.kind.value, row.text.text) for row in document][1:] == [
            ("file", "--- a"),
            ("file", "+++ b"),
            ("hunk", "@@ -1 +1 @@"),
            ("context", "c"),
            ("removed", "d"),
            ("added", "e"),
            ("plain", "\\ No newline"),
        ]
        assert (document.added, document.removed) == (1, 1)

    def test_a_diff_has_no_line_numbers_that_the_tool_could_forge(self) -> None:
        document = self.one(type="diff", content="@@ -7 +7 @@\n-a\n+b\n")
        assert {(row.old_no, row.new_no) for row in document} == {(None, None)}

    def test_lines_cut_by_the_tool_make_it_incomplete(self) -> None:
        document = self.one(type="text", content="a", metadata={"truncated_lines": 7})
        assert document.notes == (
            "sent by the tool",
            "TRUNCATED BY THE TOOL: 7 more lines not shown",
        )
        assert not document.complete

    def test_a_cut_that_is_only_marked_in_the_text_counts_too(self) -> None:
        document = self.one(type="text", content="a\n\n... [12 more lines]")
        assert "TRUNCATED BY THE TOOL: 12 more lines not shown" in document.notes
        assert not document.complete

    def test_the_full_content_follows_what_was_shortened(self) -> None:
        short, full = presentation_documents(
            {
                "type": "text",
                "content": "a",
                "metadata": {"full_content": "a\nb", "truncated_lines": 1},
            }
        )
        assert (short.complete, full.complete) == (True, True)
        assert counted(full) == ["a", "b"]

    def test_hidden_secrets_are_noted(self) -> None:
        document = self.one(type="text", content="a", metadata={"redacted": 2})
        assert "2 secrets hidden by the tool" in document.notes

    @pytest.mark.parametrize("presentation", [{}, {"content": 1}, {"type": [], "metadata": 3, "language": {}}])
    def test_nonsense_is_an_empty_text_that_counts(self, presentation: dict[str, Any]) -> None:
        assert counted(self.one(**presentation)) == ["(empty text)"]

    def test_a_language_must_look_like_one(self) -> None:
        assert self.one(type="text", content="a", language="Python").language_name == "python"
        assert self.one(type="text", content="a", language="\x1b[2J").language_name is None


class TestChoice:
    def test_each_step_of_a_snapshot_is_a_document_in_order(self, tmp_path: Path) -> None:
        (tmp_path / "old.py").write_text("a = 1\n")
        snapshot = take(
            [
                FileEdit(str(tmp_path / "old.py"), "1", "2"),
                FileWrite(str(tmp_path / "new.py"), "b = 1\n"),
                Command("ls", str(tmp_path), {"A": "1"}),
                FileWrite(str(tmp_path / "new.png"), PNG),
            ]
        )
        documents = documents_for(snapshot, None, {}, CWD)
        assert [document.kind for document in documents] == [
            "diff",
            "file_content",
            "command",
            "binary",
        ]

    def test_a_restored_snapshot_shows_the_same(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("a\nb\n")
        taken = take([FileEdit(str(tmp_path / "f"), "b", "c")])
        restored = Snapshot.from_json(taken.to_json(), taken.blobs.__getitem__)
        (tmp_path / "f").write_text("something else\n")
        assert [texts(each) for each in documents_for(restored, None, {}, CWD)] == [
            texts(each) for each in documents_for(taken, None, {}, CWD)
        ]

    def test_a_write_through_a_link_is_shown_as_one(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("a\n")
        (tmp_path / "link").symlink_to("f")
        (document,) = documents_for(take([FileWrite(str(tmp_path / "link"), "b\n")]), None, {}, CWD)
        assert counted(document)[0].startswith("writes through a link: ")

    def test_what_the_tool_sent_comes_after_the_snapshot(self, tmp_path: Path) -> None:
        snapshot = take([FileWrite(str(tmp_path / "f"), "evil\n")])
        documents = documents_for(snapshot, {"type": "text", "content": "harmless"}, {}, CWD)
        assert [counted(document) for document in documents] == [["evil"], ["harmless"]]

    @pytest.mark.parametrize("kind", ["file_content", "command"])
    def test_what_the_tool_repeats_is_not_shown_twice(self, tmp_path: Path, kind: str) -> None:
        snapshot = take([FileWrite(str(tmp_path / "f"), "a\nb\n"), Command("a\nb\n", str(tmp_path))])
        assert len(documents_for(snapshot, {"type": kind, "content": "a\nb\n"}, {}, CWD)) == 2
        assert len(documents_for(snapshot, {"type": kind, "content": "a\nb"}, {}, CWD)) == 3

    def test_without_a_snapshot_the_arguments_are_always_shown(self) -> None:
        documents = documents_for(None, {"type": "text", "content": "harmless"}, {"path": "/etc"}, CWD)
        assert [counted(document) for document in documents] == [["harmless"], ['path: "/etc"']]

    def test_an_empty_snapshot_shows_the_arguments(self) -> None:
        (document,) = documents_for(Snapshot(), None, {}, CWD)
        assert counted(document) == ["(no arguments)"]


hostile = st.text(
    alphabet=st.sampled_from("a\n\r\t\x00\x1b\x07\x9b\u200b\u202e\u2028\ufeff\ud800\U000e0041 "),
    max_size=20,
)
MAKERS: dict[str, Callable[[str], Document]] = {
    "diff": lambda text: diff(
        "a\n", text.encode("utf-8", "replace").decode(), f"/{text}", link_target=text, real_path=text
    ),
    "new file": lambda text: file_document(text.encode("utf-8", "replace"), text),
    "binary": lambda text: binary_document(b"\0", text.encode("utf-8", "replace"), text),
    "command": lambda text: command_document(text, text, {text: text}, real_cwd=f"/{text}"),
    "text": text_document,
    "structured": lambda text: structured_document({text: [text, {"k": text}], "n": {text: {}}}),
    "sent diff": lambda text: presentation_documents({"type": "diff", "content": f"+{text}"})[0],
    "sent command": lambda text: presentation_documents({"type": "command", "content": text})[0],
}


@pytest.mark.parametrize("maker", MAKERS)
@given(text=hostile)
def test_no_character_that_a_terminal_obeys_leaves_a_document(maker: str, text: str) -> None:
    document = MAKERS[maker](text)
    shown = "".join([*texts(document), *document.notes, *(each.message for each in document.scan())])
    assert not set(shown) & set("\n\r\t\x00\x1b\x07\x9b\u200b\u202e\u2028\ufeff\ud800\U000e0041")
    assert document.units >= 1
