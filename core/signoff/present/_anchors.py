"""Where two ranges of lines are surely the same: their equal ends, and the lines that occur once on each side.

The ranges may be whole files, so nothing here is done line by line in Python that can be done for all at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from itertools import compress, count, islice, repeat
from operator import add, eq, ne, sub

__all__ = ["FIRST_STEP", "Range", "Run", "anchors", "equal_head", "equal_tail"]

Range = tuple[int, int, int, int]
"""First line before, the line that follows the last one, and the same of the lines after."""

Run = tuple[int, int, int]
"""Equal lines: the first one before, the first one after, how many."""

FIRST_STEP = 16
"""Lines that are compared at once; more and more of them as long as they are equal."""


def equal_head(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> int:
    """How many lines at the beginning of a range are the same on both sides."""
    a0, a1, b0, b1 = gap
    most, done, step = min(a1 - a0, b1 - b0), 0, FIRST_STEP
    if not most or a[a0] != b[b0]:
        return 0
    while done < most:
        stop = min(done + step, most)
        part_a, part_b = a[a0 + done : a0 + stop], b[b0 + done : b0 + stop]
        if part_a != part_b:
            return done + next(compress(count(), map(ne, part_a, part_b)))
        done, step = stop, 2 * step
    return most


def equal_tail(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> int:
    """How many lines at the end of a range are the same on both sides."""
    a0, a1, b0, b1 = gap
    most, done, step = min(a1 - a0, b1 - b0), 0, FIRST_STEP
    if not most or a[a1 - 1] != b[b1 - 1]:
        return 0
    while done < most:
        stop = min(done + step, most)
        part_a, part_b = a[a1 - stop : a1 - done], b[b1 - stop : b1 - done]
        if part_a != part_b:
            return done + next(compress(count(), map(ne, reversed(part_a), reversed(part_b))))
        done, step = stop, 2 * step
    return most


def anchors(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> list[Run]:
    """Runs of the lines that occur once on each side of a range and come in the same order on both."""
    a0, a1, b0, b1 = gap
    once_a, once_b = _unrepeated(a, a0, a1), _unrepeated(b, b0, b1)
    places = list(map(once_b.get, once_a, repeat(-1)))
    on_both = list(map((0).__le__, places))
    before, after = list(compress(once_a.values(), on_both)), list(compress(places, on_both))
    if not before:
        return []
    if after != sorted(after):  # something was moved
        chosen = _longest_increasing(after)
        before, after = [before[at] for at in chosen], [after[at] for at in chosen]
    # Both numbers rise, so that two anchors follow each other directly if their sum rises by two.
    sums = list(map(add, before, after))
    borders = list(compress(count(1), map((2).__ne__, map(sub, islice(sums, 1, None), sums))))
    starts, stops = [0, *borders], [*borders, len(sums)]
    return [(before[start], after[start], stop - start) for start, stop in zip(starts, stops, strict=True)]


def _unrepeated(items: Sequence[Hashable], start: int, stop: int) -> dict[Hashable, int]:
    """Where each item stands that occurs once in a range, in the order of the range."""
    part = items[start:stop]
    last = dict(zip(part, range(start, stop), strict=True))
    if len(last) == len(part):
        return last
    first = dict(zip(reversed(part), range(stop - 1, start - 1, -1), strict=True))
    return dict(compress(last.items(), map(eq, map(first.__getitem__, last), last.values())))


def _longest_increasing(numbers: Sequence[int]) -> list[int]:
    """Places of the longest choice of numbers that rise."""
    tails: list[int] = []  # the smallest number that ends a choice of each length
    tail_at: list[int] = []
    previous: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(tails, number)
        previous.append(tail_at[length - 1] if length else -1)
        if length == len(tails):
            tails.append(number)
            tail_at.append(index)
        else:
            tails[length] = number
            tail_at[length] = index
    chosen: list[int] = []
    index = tail_at[-1] if tail_at else -1
    while index >= 0:
        chosen.append(index)
        index = previous[index]
    chosen.reverse()
    return chosen
