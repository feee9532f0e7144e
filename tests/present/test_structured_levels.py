"""Levels of a tree that are closed: one row says how many rows, and all of them still have to be seen."""

from __future__ import annotations

from typing import Any

import pytest
from document_reading import texts
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.document.rows import RowKind
from signoff.present.document.structured import structured_document

CALL = {"a": {"b": [1, 2], "c": "x\ny"}, "d": 3}
LONG = [{"id": number, "tags": list(range(30))} for number in range(21)]
JSON = st.recursive(
    st.integers(0, 9) | st.sampled_from(["x", "x\ny"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (1, ["a:", "  (6 rows folded)", "d: 3"]),
        (
            2,
            [
                "a:",
                "  b:",
                "    (2 rows folded)",
                "  c: | (2 lines, no newline at the end)",
                "    (2 rows folded)",
                "d: 3",
            ],
        ),
    ],
)
def test_a_closed_stretch_is_one_row_with_its_number(levels: int, expected: list[str]) -> None:
    document = structured_document(CALL)
    assert document.levels == 3
    assert texts(document.with_levels(levels)) == expected


def test_all_levels_are_the_document_itself() -> None:
    document = structured_document(CALL)
    assert document.with_levels(None) is document
    assert document.with_levels(3) is document


@given(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3), st.integers(1, 4))
def test_what_is_closed_counts_as_before_and_is_never_on_the_screen(call: dict[str, Any], levels: int) -> None:
    whole = structured_document(call)
    folded = whole.with_levels(levels)
    assert folded.units == whole.units
    on_screen = {unit for row in range(len(folded)) if (unit := folded.unit_at(row)) is not None}
    for unit in range(whole.units):
        row = folded.row(folded.row_of_unit(unit))
        if unit in on_screen:
            assert row.text == whole.row(whole.row_of_unit(unit)).text
        else:
            assert row.kind is RowKind.FOLD
    assert len(on_screen) + sum(row.lines for row in folded if row.kind is RowKind.FOLD) == whole.units


def test_a_long_array_may_be_one_row() -> None:
    document = structured_document({"a": LONG, "b": LONG[:20], "c": {"d": [0] * 21}})
    assert not any(row.kind is RowKind.FOLD for row in document)
    folded = document.with_levels(None, arrays=False)
    assert [text for text in texts(folded) if "folded" in text] == ["  (21 items folded)"] + [
        "      (30 items folded)"
    ] * 20 + ["    (21 items folded)"]
    assert folded.units == document.units == len(document)


def test_an_array_that_is_all_there_is_is_folded_as_well() -> None:
    document = structured_document(LONG)
    assert texts(document.with_levels(None, arrays=False)) == ["(21 items folded)"]
    assert document.levels == 3


def test_closed_levels_hide_the_arrays_in_them() -> None:
    document = structured_document({"a": {"b": [0] * 21, "c": 1}, "d": [1] * 21})
    rows = ["a:", "  (23 rows folded)", "d:", "  (21 rows folded)"]
    assert texts(document.with_levels(1)) == texts(document.with_levels(1, arrays=False)) == rows
    assert texts(structured_document(LONG).with_levels(2, arrays=False)) == ["(21 items folded)"]


def test_short_arrays_are_shown() -> None:
    document = structured_document({"a": LONG[0]["tags"][:20]})
    assert (document.with_levels(None, arrays=False) is document, document.long_arrays) == (True, False)
