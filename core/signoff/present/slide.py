"""Where an insertion or a deletion is shown, when several places are equally true.

A new function between two others can be read as starting at its own first line, or at the last
line of its neighbor that happens to read the same. A group of inserted or deleted lines may slide
up while the line above it equals its own last line, and down likewise. Both texts stay what they
are; only the reading changes. The idea is M. Haggerty's "indent heuristic" of Git 2.11, simplified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["slide"]

_FARTHEST = 100
"""Lines that a group may slide either way, so that the work stays proportional to the groups."""

Run = tuple[int, int, int]


def slide(runs: list[Run], before: Sequence[str], after: Sequence[str]) -> list[Run]:
    """Move the borders of runs of equal lines to where the groups between them read best.

    Args:
        runs: Runs of equal lines as (line before, line after, length), in order.
        before: Lines of the text before.
        after: Lines of the text after.

    Returns:
        As many runs as were given, still of equal lines and not touching each other.
    """
    moved = list(runs)
    for index in range(len(moved) - 1):
        a, b, length = moved[index]
        next_a, next_b, next_length = moved[index + 1]
        if a + length == next_a:
            lines, start, stop = after, b + length, next_b
        elif b + length == next_b:
            lines, start, stop = before, a + length, next_a
        else:
            continue
        # Each run keeps a line, so that groups never merge.
        shift = _best_shift(lines, start, stop, min(length, next_length, _FARTHEST + 1) - 1)
        moved[index] = (a, b, length + shift)
        moved[index + 1] = (next_a + shift, next_b + shift, next_length - shift)
    return moved


def _best_shift(lines: Sequence[str], start: int, stop: int, farthest: int) -> int:
    """How many lines down (up if negative) the group `lines[start:stop]` reads best."""
    highest = 0
    while -highest < farthest and lines[start + highest - 1] == lines[stop + highest - 1]:
        highest -= 1
    lowest = 0
    while lowest < farthest and lines[start + lowest] == lines[stop + lowest]:
        lowest += 1
    if highest == lowest:
        return 0
    return min(range(highest, lowest + 1), key=lambda shift: _awkwardness(lines, start + shift))


def _awkwardness(lines: Sequence[str], start: int) -> tuple[bool, int, bool, int]:
    """Order of preference for the first line of a group: a heading after a blank line is best."""
    first = lines[start]
    text = first.lstrip(" \t")
    blank = not text.strip()
    return blank, len(first) - len(text), bool(lines[start - 1].strip()), -start
