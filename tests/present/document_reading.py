"""Documents of the tests, and what a reader finds in them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from signoff.present.document.diff import FileFacts, diff_document
from signoff.present.document.model import Document
from signoff.present.document.rows import Row, RowKind

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
NO_NEWLINE = "\\ no newline at end of file"

plain_texts = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c d\n", "e"]), max_size=30).map("".join)


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
