"""A file that is new, binary or named oddly is shown as what it is."""

from __future__ import annotations

import pytest
from document_reading import NO_NEWLINE, PNG, counted, diff, texts

from signoff.present.document.diff import binary_document, diff_document, file_document
from signoff.present.document.model import Document


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

    def test_a_few_bytes_take_no_room_for_more(self) -> None:
        assert texts(file_document(b"\0\1\2PNG", "/f"))[2] == "00000000  00 01 02 50 4e 47  ...PNG"
