"""The runs of rows that a document is kept as, with the numbers by which a row is found among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

from signoff.present.rows import RowKind, Run

__all__ = ["Runs"]


class Runs:
    """Runs in order. Documents that differ only in what their headings say share them.

    Attributes:
        all: The runs.
        starts: The row at which each of them begins, and how many rows there are.
        units: How many rows that count stand before each of them, and how many there are.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self.all = tuple(runs)
        self.starts: list[int] = list(accumulate(map(attrgetter("length"), self.all), initial=0))
        self.units: list[int] = list(
            accumulate((run.length if run.counts else run.folded for run in self.all), initial=0)
        )

    @cached_property
    def headings(self) -> Sequence[int]:
        """Rows that are headings of hunks."""
        pairs = zip(self.all, self.starts, strict=False)
        return [start for run, start in pairs if run.kind is RowKind.HUNK]
