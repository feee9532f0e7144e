"""Rows are made only when they are read, and lead to the units that have to be read and back."""

from __future__ import annotations

import random
from typing import Any

import pytest
from document_reading import diff, numbered_lines, of_kind, plain_texts
from hypothesis import given
from hypothesis import strategies as st

from signoff.present.document.diff import CONTEXT
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind
from signoff.present.document.text import command_document, text_document
from signoff.present.reveal import reveal_line


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

        monkeypatch.setattr("signoff.present.document.model.reveal_line", counting)
        opened = document.with_context(1)
        opened.row(opened.row_of_unit(2_000))
        opened.row(opened.row_of_unit(2_000))
        assert len(made) == 1

    def test_the_usual_context_needs_no_other_document(self, document: Document) -> None:
        assert document.with_context(CONTEXT) is document
        assert len(document.with_context(0).with_context(CONTEXT)) == len(document)

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


class TestVeryLongLines:
    BEFORE = "a\n" + "x" * 30_000 + "\u202e\nb\n"
    AFTER = "c\n" + "x" * 30_000 + "\u202e\nb" + "y" * 30_000

    def test_prepared_rows_are_not_made_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        document = diff(self.BEFORE, self.AFTER)
        document.prepare()
        long = [index for index, row in enumerate(diff(self.BEFORE, self.AFTER)) if len(row.text) > 30_000]
        monkeypatch.delattr("signoff.present.document.model.reveal_line")
        assert [len(document.row(index).text) > 30_000 for index in long] == [True] * 2

    def test_prepared_rows_read_the_same(self) -> None:
        document = diff(self.BEFORE, self.AFTER)
        document.prepare()
        assert list(document) == list(diff(self.BEFORE, self.AFTER))
