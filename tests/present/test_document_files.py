"""A file that is new, binary or named oddly is shown as what it is."""

from __future__ import annotations

import pytest
from document_reading import NO_NEWLINE, PNG, counted, diff, texts
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.document.diff import binary_document, diff_document, file_document
from signoff.present.document.model import Document

JPEG = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08\x00\xc8\x01\x40\x01\x01\x11\x00\0"


def png(width: int, height: int) -> bytes:
    head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
    return head + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes(9)


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

    def test_a_missing_newline_at_the_end_is_noted(self) -> None:
        assert texts(file_document(b"a", "/f"))[1:] == ["a", NO_NEWLINE]

    def test_many_blank_lines_are_one_row(self) -> None:
        content = b"a\n" + b"\n" * 100 + b"evil\n"
        assert texts(file_document(content, "/f"))[1:] == ["a", "(100 blank lines)", "evil"]


class TestBinary:
    def test_a_new_one_is_named_by_type_and_size(self) -> None:
        document = file_document(PNG, "/f")
        assert counted(document) == ["image/png, new, 108 bytes"]
        assert (document.kind, document.complete) == ("binary", False)

    def test_one_that_is_replaced_is_named_by_what_changes(self) -> None:
        assert counted(binary_document(b"\0" * 2_355, PNG, "/f")) == [
            "application/octet-stream → image/png, replaced, 2.3 KB → 108 bytes"
        ]
        assert counted(binary_document(PNG + b"x", PNG, "/f")) == ["image/png, replaced, 109 bytes → 108 bytes"]

    def test_one_that_stays_the_same_says_so(self) -> None:
        assert counted(binary_document(PNG, PNG, "/f")) == ["image/png, 108 bytes, the content stays the same"]

    @pytest.mark.parametrize(
        ("before", "after", "pixels"),
        [
            (None, png(640, 480), "640 × 480 pixels"),
            (png(16, 16), png(1_640, 480), "16 × 16 → 1,640 × 480 pixels"),
            (png(16, 16), png(16, 16) + b"x", "16 × 16 pixels"),
            (None, b"GIF89a" + bytes([64, 1, 200, 0]) + b"\0", "320 × 200 pixels"),
            (None, JPEG, "320 × 200 pixels"),
        ],
    )
    def test_an_image_says_how_large_it_is(self, before: bytes | None, after: bytes, pixels: str) -> None:
        assert f", {pixels}, " in counted(binary_document(before, after, "/f"))[0]

    @given(st.binary(max_size=40))
    def test_an_image_that_is_cut_short_says_nothing_of_its_size(self, tail: bytes) -> None:
        for head in (b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff"):
            assert len(counted(binary_document(None, head + tail + b"\0", "/f"))) == 1

    def test_text_that_becomes_binary_is_not_complete(self) -> None:
        document = diff_document(b"a\n", PNG, "/f")
        assert counted(document) == ["text → image/png, replaced, 2 bytes → 108 bytes"]
        assert not document.complete

    def test_binary_that_becomes_text_shows_the_text_and_is_not_complete(self) -> None:
        document = diff_document(PNG, b"a\n", "/f")
        assert counted(document) == ["image/png → text, replaced, 108 bytes → 2 bytes", "a"]
        assert (document.kind, document.complete) == ("diff", False)

    def test_bytes_are_shown_only_where_a_row_of_them_fits(self) -> None:
        document = file_document(PNG, "/f")
        narrow = document.fitting(74)
        assert texts(narrow) == ['file: "/f"', "image/png, new, 108 bytes"]
        assert (narrow.units, narrow.complete, narrow.notes) == (document.units, False, document.notes)
        assert document.fitting(75) is document
        assert max(map(len, texts(document)[2:])) == 75

    def test_the_first_bytes_are_shown_and_the_rest_is_counted(self) -> None:
        rows = texts(file_document(PNG, "/f"))
        assert rows[2] == ("00000000  89 50 4e 47 0d 0a 1a 0a 00 00 00 00 00 00 00 00  .PNG............")
        assert rows[-1] == "(44 more bytes not shown)"

    def test_a_few_bytes_take_no_room_for_more(self) -> None:
        assert texts(file_document(b"\0\1\2PNG", "/f"))[2] == "00000000  00 01 02 50 4e 47  ...PNG"
