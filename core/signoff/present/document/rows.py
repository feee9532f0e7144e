"""The rows a reviewer reads, the runs they are kept as, and rows beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from msgspec import Struct

from signoff.present.reveal import SafeText, quoted, reveal

__all__ = [
    "PROSE",
    "Block",
    "Row",
    "RowKind",
    "RowRun",
    "RowRuns",
    "Side",
    "fixed",
    "joined",
    "lines_run",
    "made_run",
    "number_of",
    "quoted_path",
    "side_by_side",
]


Side = Literal["old", "new"]
"""A version of a file: as it is, or as it would be."""


class RowKind(StrEnum):
    """The kind of a row."""

    FILE = "file"
    """Heading of one of several files."""
    HUNK = "hunk"
    """Heading of a group of changes."""
    CONTEXT = "context"
    """Line that stays as it is."""
    ADDED = "added"
    """Line that would be there afterwards."""
    REMOVED = "removed"
    """Line that would no longer be there."""
    FOLD = "fold"
    """Unchanged lines that are not shown, with their number."""
    FACT = "fact"
    """A change that is not in a line: permissions, line ends, a link."""
    PLACE = "place"
    """The directory that a command runs in, or the file that is written, as the call names it."""
    SANDBOX = "sandbox"
    """The limits of a command that is confined."""
    PLAIN = "plain"
    """Line of a text, or of a file that would be created."""
    COMMAND = "command"
    """Line of a command."""
    NOTE = "note"
    """A remark of signoff on what is shown."""
    PARTS = "parts"
    """Heading of the parts of a command."""
    PART = "part"
    """Part of a command."""
    RISKY_PART = "risky part"
    """Part of a command that is not low risk."""
    HIGH_PART = "high part"
    """Part of a command that is high risk."""
    ABOUT = "about"
    """A remark of signoff on the part above."""


PROSE = frozenset(
    {
        RowKind.FILE,
        RowKind.HUNK,
        RowKind.FOLD,
        RowKind.FACT,
        RowKind.NOTE,
        RowKind.SANDBOX,
        RowKind.PARTS,
        RowKind.ABOUT,
    }
)
"""Rows in the words of signoff, which are wrapped between words."""


class Row(Struct, frozen=True):
    """One row.

    Attributes:
        kind: The kind of the row.
        text: The text to show, without a newline.
        old_no: Number of the line before, from 1.
        new_no: Number of the line after, from 1.
        unit: The number of the row among the document's counted ones, from 0; None if it does not count.
        side: Version that `source_line` belongs to.
        source_line: Line of that version, from 0.
        lines: Number of lines the row stands for: more than 1 for folds and for blank lines that
            are shown together, whose text is then signoff's.
        lead: Characters at the beginning of the text that stand out; they are signoff's.
        refused: True if it belongs to a hunk that is not approved.
    """

    kind: RowKind
    text: SafeText
    old_no: int | None = None
    new_no: int | None = None
    unit: int | None = None
    side: Side | None = None
    source_line: int | None = None
    lines: int = 1
    lead: int = 0
    refused: bool = False


class RowRun(NamedTuple):
    """Rows of one kind in a row. A long diff has tens of thousands of runs: they have to be cheap.

    Attributes:
        kind: The kind of the rows.
        length: Number of rows.
        counts: True if a reviewer must have seen them.
        old: First line before, from 0; None if the rows are no lines of that version.
        new: First line after, from 0; None if the rows are no lines of that version.
        partner: First line of the other version that these lines are compared with word by word.
        text: Makes the text of a single row that is no line; None for lines.
        lines: Number of lines that a single row stands for.
        numbered: True if lines have numbers that are worth showing.
        lead: Characters at the beginning of the text of a single row that stand out.
        folded: Number of counted rows that are folded into this one.
    """

    kind: RowKind
    length: int = 1
    counts: bool = False
    old: int | None = None
    new: int | None = None
    partner: int | None = None
    text: Callable[[], SafeText] | None = None
    lines: int = 1
    numbered: bool = True
    lead: int = 0
    folded: int = 0


# A long diff has so many of these two that the names and defaults of `RowRun` would take most of the time.
def lines_run(
    kind: RowKind, length: int, counts: bool, old: int | None, new: int | None, partner: int | None = None
) -> RowRun:
    """Lines of a file. Arguments as the attributes of a run."""
    return tuple.__new__(RowRun, (kind, length, counts, old, new, partner, None, 1, True, 0, 0))


def made_run(kind: RowKind, text: Callable[[], SafeText], lines: int = 1) -> RowRun:
    """A single row that does not count, with a text that is made when it is read. Arguments as for a run."""
    return tuple.__new__(RowRun, (kind, 1, False, None, None, None, text, lines, True, 0, 0))


def fixed(kind: RowKind, text: SafeText | str, *, counts: bool = False, lines: int = 1) -> RowRun:
    """A single row with a text that is known already; a `str` must be words of signoff."""
    safe = SafeText.own(text) if isinstance(text, str) else text
    return RowRun(kind, counts=counts, text=lambda: safe, lines=lines)


def joined(*parts: SafeText | str) -> SafeText:
    """Put texts together; a `str` must be words of signoff."""
    text = ""
    hidden: list[tuple[int, int]] = []
    safe = [SafeText.own(part) if isinstance(part, str) else part for part in parts]
    for part in safe:
        hidden.extend((start + len(text), stop + len(text)) for start, stop in part.hidden)
        text += part.text
    findings = tuple(finding for part in safe for finding in part.findings)
    replaced = tuple(count for part in safe for count in part.replaced)
    return SafeText(text, tuple(hidden), findings, replaced)


def quoted_path(path: str) -> SafeText:
    """A path of others, in quotes."""
    return quoted(reveal(path, "path"))


def number_of(count: int, what: str) -> str:
    """A number of things in words, such as "1 line" and "2,000 lines"."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


# -- The runs of rows that a document is kept as, with the numbers by which a row is found among them.


class RowRuns:
    """Runs of rows in order. Documents that differ only in the words of their headings share them.

    Attributes:
        all: The runs.
        starts: The row at which each run begins, and the number of rows.
        units: The number of counted rows before each run, and their total.
    """

    def __init__(self, runs: Iterable[RowRun]) -> None:
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


# -- The rows of a document that stand beside each other when before and after are shown in two columns.


class Block(Struct, frozen=True):
    """Rows that follow each other and stand in the same columns.

    Attributes:
        before: Rows of the left column.
        after: Rows of the right column. Unchanged lines stand in both.
        whole: True if the rows take the whole width instead: headings, folds, remarks.
    """

    before: range
    after: range
    whole: bool = False

    def __len__(self) -> int:
        return max(len(self.before), len(self.after))


def side_by_side(runs: Sequence[RowRun], starts: Sequence[int]) -> list[Block]:
    """Pair removed lines with the lines added in their place, one by one from the first.

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


def _column(run: RowRun) -> Literal["removed", "added", "both", "whole"]:
    match run.kind:
        case RowKind.REMOVED:
            return "removed"
        case RowKind.ADDED:
            return "added"
        case RowKind.CONTEXT:
            return "both"
        case _:
            return "whole"
