"""Every case of the display corpus: no hole, no false stop. See tests/corpora/README.md."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from display_corpus import Case, cases, categories, false_stops, holes


def faults(category: str, look: Callable[[Case], Iterator[str]]) -> dict[str, list[str]]:
    found = {case.id: list(look(case)) for case in cases() if case.category == category}
    return {name: faults for name, faults in found.items() if faults}


@pytest.mark.parametrize("category", categories())
def test_no_hole(category: str) -> None:
    assert faults(category, holes) == {}


@pytest.mark.parametrize("category", categories())
def test_no_false_stop(category: str) -> None:
    assert faults(category, false_stops) == {}


def test_the_corpus_has_hostile_and_benign_cases() -> None:
    """Says how each category fares; run with -s to see it."""
    for category in categories():
        count = sum(case.category == category for case in cases())
        missed, stopped = len(faults(category, holes)), len(faults(category, false_stops))
        sys.stdout.write(f"{category:12} {count:3} cases, {missed} holes, {stopped} false stops\n")
    assert {case.benign for case in cases()} == {True, False}
