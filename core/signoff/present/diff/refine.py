"""Hunks to choose from, and the words that differ within changed lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.diff.engine import Opcode, diff_items

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = [
    "CONTEXT",
    "LEAST_FOLD",
    "MAX_WORDS",
    "Hunk",
    "HunkChoice",
    "Span",
    "applied",
    "diff_words",
    "folds",
    "hunks_of",
]


CONTEXT = 3
"""Unchanged lines that are shown before and after each change by default."""


LEAST_FOLD = 3
"""The least unchanged lines that are folded: fewer are shown, since a fold takes a row as well."""


class Hunk(Struct, frozen=True):
    """Changes so close together that they are shown under one heading.

    Attributes:
        changes: The changes, in order; at least one.
    """

    changes: tuple[Opcode, ...]

    @property
    def lines(self) -> str:
        """The changed lines in words: of the file before, or the place of added lines."""
        first, last = self.changes[0], self.changes[-1]
        if last.a1 == first.a0:
            return f"lines added after line {first.a0}" if first.a0 else "lines added at the beginning"
        start, stop = first.a0 + 1, last.a1
        return f"line {start}" if start == stop else f"lines {start}-{stop}"


class HunkChoice(Struct, frozen=True):
    """The approved and the refused hunks of a diff.

    Attributes:
        hunks: All hunks, in order.
        refused: Numbers of the refused hunks, from 0.
    """

    hunks: tuple[Hunk, ...]
    refused: frozenset[int] = frozenset()

    def toggled(self, numbers: Collection[int]) -> HunkChoice:
        """The choice with some hunks refused; approved again, if any of them is refused already."""
        those = frozenset(numbers)
        return replace(self, refused=self.refused - those if self.refused & those else self.refused | those)

    @property
    def summary(self) -> str:
        """The number of approved hunks, such as ``3 of 5 hunks``."""
        return f"{len(self.hunks) - len(self.refused)} of {len(self.hunks)} hunks"

    @property
    def nothing_left(self) -> bool:
        """True if all hunks are refused."""
        return len(self.refused) == len(self.hunks)


def hunks_of(opcodes: Sequence[Opcode], context: int = CONTEXT) -> tuple[Hunk, ...]:
    """Group changes that are shown under one heading.

    Args:
        opcodes: A whole diff.
        context: Unchanged lines that are shown around each change.
    """
    changes = [opcode for opcode in opcodes if opcode.tag != "equal"]
    hunks: list[list[Opcode]] = [[change] for change in changes[:1]]
    for before, change in pairwise(changes):
        if folds(change.a0 - before.a1, 2 * context):
            hunks.append([change])
        else:
            hunks[-1].append(change)
    return tuple(Hunk(tuple(hunk)) for hunk in hunks)


def folds(unchanged: int, shown: int) -> bool:
    """True if unchanged lines of which so many are shown at least are folded."""
    return unchanged - shown >= LEAST_FOLD


def applied(old: Sequence[str], new: Sequence[str], choice: HunkChoice) -> str:
    """Return a text with the approved hunks applied and the refused ones left out.

    Args:
        old: Lines before, with their ends.
        new: Lines after, with their ends.
        choice: The choice of hunks of the diff between them.
    """
    parts: list[str] = []
    at = 0
    for number, hunk in enumerate(choice.hunks):
        if number in choice.refused:
            continue
        for change in hunk.changes:
            parts.extend(old[at : change.a0])
            parts.extend(new[change.b0 : change.b1])
            at = change.a1
    parts.extend(old[at:])
    return "".join(parts)


# -- The word diff: the parts of a changed line that differ from the line it replaces.

MAX_WORDS = 2_000
"""Words, blanks and signs of one line above which the whole line is marked."""

_MAX_CHARACTERS = 40_000
"""Characters of one line above which it is not split into words."""

_WORD_BUDGET = 20_000
"""Steps of the search in one pair of lines: a few milliseconds."""

_LEAST_KEPT = 4
"""The least part of the shorter line that must be kept, one in this many; less would be confetti."""

_WORD = re.compile(r"\w+|[^\S\r\n]+|\r|\n|[^\w\s]")

Span = tuple[int, int]
"""Start and stop of a part of a line, in characters."""


def diff_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Compare two lines word by word.

    Words, runs of blanks and single signs are compared as they are. If the lines have little in
    common, or are too long to be compared, each is one span.

    Args:
        old: The line before.
        new: The line after.

    Returns:
        The spans that differ, in the old and in the new line; both empty for equal lines.
    """
    if old == new:
        return (), ()
    whole = _span(old), _span(new)
    if max(len(old), len(new)) > _MAX_CHARACTERS:
        return whole
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if max(len(old_words), len(new_words)) > MAX_WORDS:
        return whole
    diff = diff_items(old_words, new_words, budget=_WORD_BUDGET)
    kept = sum(_visible(old_words[op.a0 : op.a1]) for op in diff.opcodes if op.tag == "equal")
    if _LEAST_KEPT * kept < min(_visible(old_words), _visible(new_words)):
        return whole
    changed = [op for op in diff.opcodes if op.tag != "equal"]
    return (
        _spans(old_words, ((op.a0, op.a1) for op in changed)),
        _spans(new_words, ((op.b0, op.b1) for op in changed)),
    )


def _span(line: str) -> tuple[Span, ...]:
    """The whole line as spans."""
    return ((0, len(line)),) if line else ()


def _visible(words: list[str]) -> int:
    """Number of characters that are not blank."""
    return sum(len(word) for word in words if not word.isspace())


def _spans(words: list[str], changed: Iterable[Span]) -> tuple[Span, ...]:
    """Turn ranges of words into spans of characters."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[first], starts[last]) for first, last in changed if first < last)
