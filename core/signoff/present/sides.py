"""Which rows of a document stand beside each other when before and after are shown in two columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from msgspec import Struct

from signoff.present.rows import RowKind, Run

__all__ = ["Block", "side_by_side"]


class Block(Struct, frozen=True):
    """Rows that follow each other and stand in the same columns.

    Attributes:
        before: Rows of the left column.
        after: Rows of the right column. Unchanged lines stand in both.
        whole: Whether the rows take the whole width instead: headings, folds, remarks.
    """

    before: range
    after: range
    whole: bool = False

    def __len__(self) -> int:
        return max(len(self.before), len(self.after))


def side_by_side(runs: Sequence[Run], starts: Sequence[int]) -> list[Block]:
    """Pair what was removed with what was added in its place, line by line from the first.

    Args:
        runs: The runs of a document.
        starts: The row at which each of them begins.
    """
    blocks: list[Block] = []
    for kind, group in groupby(zip(runs, starts, strict=False), key=lambda item: _column(item[0])):
        first, *_ = found = list(group)
        rows = range(first[1], found[-1][1] + found[-1][0].length)
        if kind == "added" and blocks and not blocks[-1].after:
            blocks[-1] = Block(blocks[-1].before, rows)
        elif kind == "added":
            blocks.append(Block(range(0), rows))
        elif kind == "removed":
            blocks.append(Block(rows, range(0)))
        else:
            blocks.append(Block(rows, rows, whole=kind == "whole"))
    return blocks


def _column(run: Run) -> Literal["removed", "added", "both", "whole"]:
    match run.kind:
        case RowKind.REMOVED:
            return "removed"
        case RowKind.ADDED:
            return "added"
        case RowKind.CONTEXT:
            return "both"
        case _:
            return "whole"
