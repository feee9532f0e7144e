"""The way along two long texts that differ here and there: the lines that stay, without a look at all of them.

Where lines differ, the nearest place is taken from which several lines in a row are the same again. That is right
nearly always, and it is known when it is not: if a line that each side has once was left out on both, lines were
moved, or the way went on too early. Then they have to be compared in another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

from signoff.present._anchors import Range, Run, equal_head

__all__ = ["walked"]

_SURE = 12
"""Equal lines in a row that are no accident."""

_WINDOWS = (32, 1_024)
"""Lines in which they are looked for, on either side; the larger ones where there are none in the smaller ones."""

_NEAREST = ((0, 1), (1, 0), (1, 1))
"""Lines before and after that are left out most often: one added, one removed, one replaced."""


def walked(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> list[Run] | None:
    """Runs of equal lines of a range, in order; None if the way is lost at once or goes wrong.

    What is between them is not searched through: it may have more lines in common.

    Args:
        a: Lines before.
        b: Lines after.
        gap: The range. Its first lines differ.
    """
    at_a, stop_a, at_b, stop_b = gap
    runs: list[Run] = []
    while at_a < stop_a and at_b < stop_b:
        left_out = _left_out(a, b, (at_a, stop_a, at_b, stop_b))
        if left_out is None:
            break
        at_a, at_b = at_a + left_out[0], at_b + left_out[1]
        length = equal_head(a, b, (at_a, stop_a, at_b, stop_b))
        runs.append((at_a, at_b, length))
        at_a, at_b = at_a + length, at_b + length
    return runs if runs and not _loses(a, b, gap, runs) else None


def _left_out(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> tuple[int, int] | None:
    """How many lines to leave out on either side until lines are the same again; None if that is too far away."""
    a0, a1, b0, b1 = gap
    if a1 - a0 <= _SURE or b1 - b0 <= _SURE:
        return None
    for more_a, more_b in _NEAREST:
        if a[a0 + more_a] == b[b0 + more_b] and _sure(a, b, a0 + more_a, b0 + more_b):
            return more_a, more_b
    return next((found for window in _WINDOWS if (found := _nearest(a, b, gap, window)) is not None), None)


def _nearest(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range, window: int) -> tuple[int, int] | None:
    a0, a1, b0, b1 = gap
    part = b[b0 : min(b0 + window, b1)]
    first = dict(zip(reversed(part), range(len(part) - 1, -1, -1), strict=True))
    best: tuple[int, int] | None = None
    for more_a, line in enumerate(a[a0 : min(a0 + window, a1)]):
        if best is not None and more_a >= sum(best):
            break
        more_b = first.get(line)
        if more_b is None or (best is not None and more_a + more_b >= sum(best)):
            continue
        if _sure(a, b, a0 + more_a, b0 + more_b):
            best = more_a, more_b
    return best


def _sure(a: Sequence[Hashable], b: Sequence[Hashable], at_a: int, at_b: int) -> bool:
    part = a[at_a : at_a + _SURE]
    return len(part) == _SURE and part == b[at_b : at_b + _SURE]


def _loses(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range, runs: Sequence[Run]) -> bool:
    """Whether a line that occurs once on each side is left out on both, in different places."""
    gaps = list(_between(gap, runs))
    gone = {line: number for number, (a0, a1, _, _) in enumerate(gaps) for line in a[a0:a1]}
    both = {
        line for number, (_, _, b0, b1) in enumerate(gaps) for line in b[b0:b1] if gone.get(line, number) != number
    }
    if not both:
        return False
    a0, a1, b0, b1 = gap
    counts = [Counter(filter(both.__contains__, lines)) for lines in (a[a0:a1], b[b0:b1])]
    return any(counts[0][line] == 1 == counts[1][line] for line in both)


def _between(gap: Range, runs: Sequence[Run]) -> Iterator[Range]:
    """What lies between runs of a range, and behind the last one."""
    a0, a1, b0, b1 = gap
    for a, b, length in chain(runs, ((a1, b1, 0),)):
        yield a0, a, b0, b
        a0, b0 = a + length, b + length
