"""The way along two long texts that differ here and there: the lines that stay, without a look at all of them.

Where lines differ, the nearest place is taken from which several lines in a row are the same again. That is right
nearly always, and it is known when it is not: if a line that each side has once was left out on both, lines were
moved, or the way went on too early. Then they have to be compared in another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, compress, pairwise
from operator import ne

from signoff.present._anchors import FIRST_STEP, Range, Run

__all__ = ["walked"]

_SURE = 12
"""Equal lines in a row that are no accident."""

_MOST_AT_ONCE = 256
"""Lines that are compared at once, at most: some of them in vain where lines are added or removed."""

_MOST_REPLACED = 32
"""Lines that are replaced by as many others without a look at what else they may be."""

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
        length = _along(a, b, (at_a, stop_a, at_b, stop_b), runs)
        at_a, at_b = at_a + length, at_b + length
    return runs if runs and not _loses(a, b, gap, runs) else None


def _along(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range, runs: list[Run]) -> int:
    """How many lines the way goes on straight: equal ones, and a few that were replaced by as many others.

    Args:
        a: Lines before.
        b: Lines after.
        gap: Where it goes on: its first lines are equal.
        runs: Gets the equal lines.
    """
    a0, a1, b0, b1 = gap
    most, step = min(a1 - a0, b1 - b0), FIRST_STEP
    begin = at = 0  # where lines are equal from, and where they have to be compared from
    while at < most:
        stop = min(at + step, most)
        differ = [*compress(range(at, stop), map(ne, a[a0 + at : a0 + stop], b[b0 + at : b0 + stop])), stop]
        first = differ[0]  # of lines that differ here and there
        for last, following in pairwise(differ):
            if following - last > _SURE:
                runs.append((a0 + begin, b0 + begin, first - begin))
                if last - first >= _MOST_REPLACED or _is_shifted(a, b, a0 + first, b0 + first):
                    return first
                begin, first = last + 1, following
        gives_up = first == at and (stop == most or stop - at > 2 * _MOST_REPLACED)
        if first < stop and (gives_up or (first + 1 < most and _is_shifted(a, b, a0 + first, b0 + first))):
            most = first
        at, step = first, min(2 * step, _MOST_AT_ONCE)
    runs.append((a0 + begin, b0 + begin, most - begin))
    return most


def _is_shifted(a: Sequence[Hashable], b: Sequence[Hashable], at_a: int, at_b: int) -> bool:
    """Whether a line may have been added or removed where lines differ."""
    return a[at_a] == b[at_b + 1] or a[at_a + 1] == b[at_b]


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
    places = enumerate(map(first.get, a[a0 : min(a0 + window, a1)]))
    near = sorted((more_a + more_b, more_a) for more_a, more_b in places if more_b is not None)
    return next(
        ((more_a, more - more_a) for more, more_a in near if _sure(a, b, a0 + more_a, b0 + more - more_a)), None
    )


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
