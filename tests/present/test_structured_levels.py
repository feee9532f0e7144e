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
