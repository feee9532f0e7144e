"""The parts of a command as rows: told below it, folded where they are very many, never counted as its content."""

from __future__ import annotations

from functools import partial

from document_reading import texts

from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind
from signoff.present.document.text import FEW, MOST, UNFOLDED, PartRow, parts_document
from signoff.present.reveal import SafeText

WORDS = ("low", "med", "HIGH")


def parts(*levels: int) -> Document:
    rows = [
        PartRow(level, f"{WORDS[level]} ", 4, partial(SafeText.own, f"p{at}"), (partial(SafeText.own, "why"),))
        for at, level in enumerate(levels)
    ]
    return parts_document("title", rows, WORDS)


def test_a_part_is_a_row_of_its_own_with_what_is_said_of_it_below() -> None:
    document = parts(0, 1, 2)
    assert [(row.kind, row.text.text) for row in document] == [
        (RowKind.PARTS, "title"),
        (RowKind.PART, "low p0"),
        (RowKind.ABOUT, "why"),
        (RowKind.RISKY_PART, "med p1"),
        (RowKind.ABOUT, "why"),
        (RowKind.HIGH_PART, "HIGH p2"),
        (RowKind.ABOUT, "why"),
    ]


def test_nobody_has_to_have_seen_them() -> None:
    assert parts(0, 2).units == 0


def test_the_least_risky_of_very_many_are_folded_with_their_number() -> None:
    document = parts(2, *[0] * MOST, 1, 0, 0)
    assert [text for text in texts(document) if text != "why"] == [
        "title",
        "HIGH p0",
        f"({MOST} parts folded: low)",
        f"med p{MOST + 1}",
        f"low p{MOST + 2}",  # one or two are shown instead
        f"low p{MOST + 3}",
    ]


def test_of_very_many_risky_ones_the_riskiest_stay() -> None:
    shown = texts(parts(*[1] * (MOST + 5), 2))
    assert f"HIGH p{MOST + 5}" in shown
    assert "(6 parts folded: med)" in shown


def test_a_few_stay_where_none_is_risky() -> None:
    assert texts(parts(*[0] * 1_000))[-1] == f"({1_000 - FEW} parts folded: low)"


def test_more_context_opens_all_folds() -> None:
    opened = parts(*[0] * 1_000).with_context(UNFOLDED + 1)
    assert sum(row.kind is RowKind.PART for row in opened) == 1_000
    assert not any(row.kind is RowKind.FOLD for row in opened)
