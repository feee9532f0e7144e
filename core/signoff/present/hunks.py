"""The hunks of a diff as things to choose from: what a file becomes if only some of them are approved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.diff import Opcode

__all__ = ["CONTEXT", "Choice", "Hunk", "applied", "hunks_of"]

CONTEXT = 3
"""Unchanged lines that are shown before and after each change, unless somebody asks for more."""


class Hunk(Struct, frozen=True):
    """Changes that stand so close together that they are shown under one heading.

    Attributes:
        changes: The changes, in order; at least one.
    """

    changes: tuple[Opcode, ...]

    @property
    def lines(self) -> str:
        """Which lines it is about, as a person would say it: of the file before, or where it would add some."""
        first, last = self.changes[0], self.changes[-1]
        if last.a1 == first.a0:
            return f"lines added after line {first.a0}" if first.a0 else "lines added at the beginning"
        start, stop = first.a0 + 1, last.a1
        return f"line {start}" if start == stop else f"lines {start}-{stop}"


class Choice(Struct, frozen=True):
    """Which hunks of a diff are approved, and which are refused.

    Attributes:
        hunks: All of them, in order.
        refused: Numbers of those that are refused, from 0.
    """

    hunks: tuple[Hunk, ...]
    refused: frozenset[int] = frozenset()

    def toggled(self, numbers: Collection[int]) -> Choice:
        """The choice with some hunks refused; approved again, if any of them is refused already."""
        those = frozenset(numbers)
        return replace(self, refused=self.refused - those if self.refused & those else self.refused | those)

    @property
    def summary(self) -> str:
        """How many are approved, such as ``3 of 5 hunks``."""
        return f"{len(self.hunks) - len(self.refused)} of {len(self.hunks)} hunks"

    @property
    def nothing_left(self) -> bool:
        """Whether all are refused."""
        return len(self.refused) == len(self.hunks)


def hunks_of(opcodes: Sequence[Opcode], context: int = CONTEXT) -> tuple[Hunk, ...]:
    """Put changes together that are shown under one heading.

    Args:
        opcodes: A whole diff.
        context: Unchanged lines that are shown around each change.
    """
    changes = [opcode for opcode in opcodes if opcode.tag != "equal"]
    hunks: list[list[Opcode]] = [[change] for change in changes[:1]]
    for before, change in pairwise(changes):
        if change.a0 - before.a1 <= 2 * context:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return tuple(Hunk(tuple(hunk)) for hunk in hunks)


def applied(old: Sequence[str], new: Sequence[str], choice: Choice) -> str:
    """What a text becomes if the approved hunks are applied and the refused ones are not.

    Args:
        old: Lines before, with their ends.
        new: Lines after, with their ends.
        choice: Which hunks of the diff between them are approved.
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
