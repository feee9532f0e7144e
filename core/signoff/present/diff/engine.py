"""The line diff: equal lines of two texts, the changes between them, and the place of each change.

The search divides and conquers, without recursion and under one budget of steps:

1. Equal ends of a range are taken off.
2. A small range is searched for the shortest edit (E. Myers, "An O(ND) Difference Algorithm and
   Its Variations", 1986), over the lines that both sides have.
3. A large range is divided where it goes on alike after a few lines, as long as no line that each side has
   once is left out on both; or else at the lines that occur once on each side and come in the same order
   (B. Cohen's patience diff). Its parts are searched in the same way.
4. A range that cannot be divided and costs more than its share of the budget is reported as
   replaced as a whole, with `Opcode.exact` false.

Whatever the input, the work is at most the budget plus a few passes over the lines.
"""

from __future__ import annotations

import io
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import chain, compress, count, islice, pairwise, repeat
from operator import add, eq, ne, not_, sub
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence


__all__ = [
    "FIRST_STEP",
    "STEP_BUDGET",
    "EqualLines",
    "LineDiff",
    "Opcode",
    "Range",
    "anchors",
    "diff_items",
    "diff_lines",
    "equal_head",
    "equal_tail",
    "shortest_edit",
    "slide",
    "split_lines",
    "walked",
]


STEP_BUDGET = 3_000_000
"""Steps that a search may take beyond `_STEPS_PER_LINE` for each line: below a second of work."""

_STEPS_PER_LINE = 4
"""Steps that each line adds to the budget, so that a long file is always divided."""

_SMALL_RANGE = 1_000
"""The most lines, both sides together, of a range that is searched before it is divided."""

_SHARE = 16
"""The share of the remaining steps that one range may use, unless its lines need more: one in this many."""

_LEAST_SHARE = 512
"""The steps that a range gets while any are left, so that small gaps stay exact beside large ones."""

_OTHER_ENDS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""The characters besides newline that end a line for `str.splitlines`."""

Tag = Literal["equal", "delete", "insert", "replace"]


class Opcode(NamedTuple):
    """One step from the text before to the text after.

    Attributes:
        tag: The change of the lines.
        a0: First line before, from 0.
        a1: Line before that follows the last one.
        b0: First line after, from 0.
        b1: Line after that follows the last one.
        exact: False if lines of both sides may be among the replaced ones, because the
            search gave up here.
    """

    tag: Tag
    a0: int
    a1: int
    b0: int
    b1: int
    exact: bool = True


class LineDiff(Struct, frozen=True):
    """The diff of two texts.

    Attributes:
        opcodes: Steps in order; they cover both sides without gaps.
        steps: Units of work that the search took, for tests and benchmarks.
    """

    opcodes: tuple[Opcode, ...]
    steps: int = 0

    @property
    def exact(self) -> bool:
        """False if the search gave up somewhere and shows a block as replaced."""
        return all(opcode.exact for opcode in self.opcodes)


def split_lines(text: str) -> list[str]:
    r"""Split at `\n` only, and keep it: the parts joined are the text.

    Unlike `str.splitlines`, form feeds, lone carriage returns and the Unicode line separators do
    not end a line, as they do not for compilers, shells and line numbers.
    """
    if not any(sign in text for sign in _OTHER_ENDS):
        return text.splitlines(keepends=True)  # the same, without a copy of the text in between
    return list(io.StringIO(text, newline="\n"))


def diff_lines(before: Sequence[str], after: Sequence[str], *, budget: int = STEP_BUDGET) -> LineDiff:
    """Compare two texts line by line.

    Lines are equal only if every character is. Where an insertion or deletion could be shown in
    several places, the one that reads best is chosen.

    Args:
        before: Lines of the text before, as `split_lines` returns them.
        after: Lines of the text after.
        budget: Steps the search may take beyond a few for each line.
    """
    search = _Search(before, after, budget)
    runs = slide(search.runs(), before, after)
    return LineDiff(tuple(_opcodes(runs, search)), search.steps)


def diff_items(before: Sequence[Hashable], after: Sequence[Hashable], *, budget: int = STEP_BUDGET) -> LineDiff:
    """Compare two sequences of anything hashable, such as the words of a line.

    Args:
        before: Items before.
        after: Items after.
        budget: Steps the search may take beyond a few for each item.
    """
    search = _Search(before, after, budget)
    return LineDiff(tuple(_opcodes(search.runs(), search)), search.steps)


class _Search:
    """The search for the lines that two texts have in common.

    Attributes:
        size_a: Number of items before.
        size_b: Number of items after.
        steps: Units of work done so far.
        coarse: Starts, before and after, of the ranges that were given up.
    """

    def __init__(self, before: Sequence[Hashable], after: Sequence[Hashable], budget: int) -> None:
        self._a, self._b = list(before), list(after)
        self.size_a = len(self._a)
        self.size_b = len(self._b)
        self.steps = 0
        self.coarse: set[tuple[int, int]] = set()
        self._limit = budget + _STEPS_PER_LINE * (self.size_a + self.size_b)
        self._found: list[EqualLines] = []

    def runs(self) -> list[EqualLines]:
        """Runs of equal lines as (line before, line after, length), in order and never touching."""
        pending: list[Range] = [(0, self.size_a, 0, self.size_b)]
        while pending:
            gap = self._trim(pending.pop())
            a0, a1, b0, b1 = gap
            if a0 == a1 or b0 == b1:
                continue
            small = (a1 - a0) + (b1 - b0) <= _SMALL_RANGE
            if small and self._search(gap):
                continue
            parts = self._divide(gap)
            if parts is not None:
                pending.extend(parts)
            elif small or not self._search(gap):
                self.coarse.add((a0, b0))
        return _joined(sorted(self._found))

    def _trim(self, gap: Range) -> Range:
        """Record the equal lines at both ends of a range and return the range between them."""
        a0, a1, b0, b1 = gap
        head = equal_head(self._a, self._b, gap)
        if head:
            self._found.append((a0, b0, head))
            a0, b0 = a0 + head, b0 + head
        tail = equal_tail(self._a, self._b, (a0, a1, b0, b1))
        if tail:
            a1, b1 = a1 - tail, b1 - tail
            self._found.append((a1, b1, tail))
        return a0, a1, b0, b1

    def _search(self, gap: Range) -> bool:
        """Find the shortest edit of a range; false if that costs more than its share."""
        a0, a1, b0, b1 = gap
        if not self._afford((a1 - a0) + (b1 - b0)):
            return False
        a, b = self._a, self._b
        if a1 - a0 == b1 - b0 and self._replaced(gap):
            return True
        # A line that only one side has is not part of any common sequence.
        common = set(a[a0:a1]).intersection(b[b0:b1])
        if not common:
            return True
        # Numbers compare faster than lines, and equal numbers mean equal lines.
        number = dict(zip(common, count())).get
        at = [(i, n) for i in range(a0, a1) if (n := number(a[i])) is not None]
        bt = [(j, n) for j in range(b0, b1) if (n := number(b[j])) is not None]
        share = self._share(len(at) + len(bt))
        pairs, steps = shortest_edit([n for _, n in at], [n for _, n in bt], share)
        self.steps += steps
        if pairs is None:
            return False
        self._found.extend((at[x][0], bt[y][0], 1) for x, y in pairs)
        return True

    def _replaced(self, gap: Range) -> bool:
        """Record the lines that stay where others are replaced one by one; false if that may not be shortest.

        It is the shortest one if no replaced line occurs anywhere on the other side.
        """
        a0, a1, b0, b1 = gap
        part_a, part_b = self._a[a0:a1], self._b[b0:b1]
        same = list(map(eq, part_a, part_b))
        if not set(compress(part_a, map(not_, same))).isdisjoint(part_b):
            return False
        self._found.extend(zip(compress(range(a0, a1), same), compress(range(b0, b1), same), repeat(1)))
        return True

    def _divide(self, gap: Range) -> list[Range] | None:
        """Divide a range at lines that are surely the same and return the parts between; None without any."""
        a0, a1, b0, b1 = gap
        size = (a1 - a0) + (b1 - b0)
        if not self._afford(size):
            return None
        runs = walked(self._a, self._b, gap) if size > _SMALL_RANGE else None
        runs = runs or anchors(self._a, self._b, gap)
        if not runs:
            return None
        self._found.extend(runs)
        parts: list[Range] = []
        for i, j, length in (*runs, (a1, b1, 0)):
            if i - a0 == j - b0 == 1:
                if self._a[a0] == self._b[b0]:
                    self._found.append((a0, b0, 1))
            elif a0 < i and b0 < j:
                parts.append((a0, i, b0, j))
            a0, b0 = i + length, j + length
        return parts

    def _share(self, size: int) -> int:
        """The number of remaining steps that a range of so many lines may use."""
        left = self._limit - self.steps
        return min(left, max(_LEAST_SHARE, left // _SHARE, _STEPS_PER_LINE * size))

    def _afford(self, cost: int) -> bool:
        """Take `cost` steps if the budget still has them."""
        if self.steps + cost > self._limit:
            return False
        self.steps += cost
        return True


def _joined(runs: Iterable[EqualLines]) -> list[EqualLines]:
    """Join runs, given in order, that follow each other without a gap on either side."""
    joined: list[EqualLines] = []
    start_a = start_b = stop_a = stop_b = 0
    for a, b, length in runs:
        if a != stop_a or b != stop_b:
            if start_a < stop_a:
                joined.append((start_a, start_b, stop_a - start_a))
            start_a, start_b = a, b
        stop_a, stop_b = a + length, b + length
    if start_a < stop_a:
        joined.append((start_a, start_b, stop_a - start_a))
    return joined


def _opcodes(runs: Iterable[EqualLines], search: _Search) -> Iterator[Opcode]:
    """Turn runs of equal lines into the steps that cover both sides."""
    make, coarse = partial(tuple.__new__, Opcode), search.coarse
    a0 = b0 = 0
    for a, b, length in (*runs, (search.size_a, search.size_b, 0)):
        if a0 < a or b0 < b:
            tag: Tag = "replace" if a0 < a and b0 < b else "delete" if a0 < a else "insert"
            yield make((tag, a0, a, b0, b, (a0, b0) not in coarse))
        a0, b0 = a + length, b + length
        if length:
            yield make(("equal", a, a0, b, b0, True))


# -- Lines that are surely the same in two ranges: equal ends, and lines that occur once on each side.
#
# A range may be a whole file, so whatever can be done for all lines at once is not done line by line in Python.

Range = tuple[int, int, int, int]
"""The first line before, the line after the last one, and the same two for the lines after."""

EqualLines = tuple[int, int, int]
"""Equal lines: the first one before, the first one after, and their number."""

FIRST_STEP = 16
"""The number of lines that are compared at once; it grows as long as they are equal."""


def equal_head(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> int:
    """The number of equal lines at the beginning of a range."""
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
    """The number of equal lines at the end of a range."""
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


def anchors(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> list[EqualLines]:
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
    """The index of each item that occurs once in a range, in the order of the range."""
    part = items[start:stop]
    last = dict(zip(part, range(start, stop), strict=True))
    if len(last) == len(part):
        return last
    first = dict(zip(reversed(part), range(stop - 1, start - 1, -1), strict=True))
    return dict(compress(last.items(), map(eq, map(first.__getitem__, last), last.values())))


def _longest_increasing(numbers: Sequence[int]) -> list[int]:
    """The indexes of the longest increasing subsequence."""
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


# -- A quick walk along two long texts that differ in few places: it finds lines that stay without looking at all.
#
# Where lines differ, the nearest place is taken from which several lines in a row are equal again. That is
# nearly always right, and an error shows: if a line that each side has once was left out on both, lines were
# moved, or the walk went on too early. Then the lines have to be compared in another way.

_SURE = 12
"""The number of equal lines in a row that is no accident."""

_MOST_AT_ONCE = 256
"""The most lines that are compared at once; some in vain where lines are added or removed."""

_MOST_REPLACED = 32
"""The most lines that are replaced by as many others without looking at what else they may be."""

_WINDOWS = (32, 1_024)
"""The numbers of lines in which equal ones are looked for, on either side, smaller ranges first."""

_NEAREST = ((0, 1), (1, 0), (1, 1))
"""The numbers of lines left out most often, before and after: one added, one removed, one replaced."""


def walked(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> list[EqualLines] | None:
    """Runs of equal lines of a range, in order; None if the walk finds none or goes wrong.

    The lines between them are not searched: they may have more lines in common.

    Args:
        a: Lines before.
        b: Lines after.
        gap: The range. Its first lines differ.
    """
    at_a, stop_a, at_b, stop_b = gap
    runs: list[EqualLines] = []
    while at_a < stop_a and at_b < stop_b:
        left_out = _left_out(a, b, (at_a, stop_a, at_b, stop_b))
        if left_out is None:
            break
        at_a, at_b = at_a + left_out[0], at_b + left_out[1]
        length = _along(a, b, (at_a, stop_a, at_b, stop_b), runs)
        at_a, at_b = at_a + length, at_b + length
    return runs if runs and not _loses(a, b, gap, runs) else None


def _along(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range, runs: list[EqualLines]) -> int:
    """The number of lines that go on straight: equal ones, and a few that were replaced by as many others.

    Args:
        a: Lines before.
        b: Lines after.
        gap: The range that is left: its first lines are equal.
        runs: A list that the equal lines are added to.
    """
    a0, a1, b0, b1 = gap
    most, step = min(a1 - a0, b1 - b0), FIRST_STEP
    begin = at = 0  # the first equal line, and the first line that is not compared yet
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
    """True if a line may have been added or removed where lines differ."""
    return a[at_a] == b[at_b + 1] or a[at_a + 1] == b[at_b]


def _left_out(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range) -> tuple[int, int] | None:
    """The lines to leave out on either side until lines are equal again; None if that is too far away."""
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


def _loses(a: Sequence[Hashable], b: Sequence[Hashable], gap: Range, runs: Sequence[EqualLines]) -> bool:
    """True if a line that occurs once on each side is left out on both, in different places."""
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


def _between(gap: Range, runs: Sequence[EqualLines]) -> Iterator[Range]:
    """The ranges between runs, and the one after the last run."""
    a0, a1, b0, b1 = gap
    for a, b, length in chain(runs, ((a1, b1, 0),)):
        yield a0, a, b0, b
        a0, b0 = a + length, b + length


# -- The shortest edit between two sequences of numbers (E. Myers, "An O(ND) Difference Algorithm", 1986).


def shortest_edit(a: list[int], b: list[int], allowance: int) -> tuple[list[tuple[int, int]] | None, int]:
    """Return the pairs of equal items that a shortest edit keeps, and the steps that the search took.

    Diagonal `k` holds the points `(x, x - k)`; `reach[zero + k]` is how far into `a` an edit of
    the current length gets on it.

    Returns:
        None in place of the pairs if more steps than allowed are needed.
    """
    size_a, size_b = len(a), len(b)
    zero = size_a + size_b + 1
    reach = [-1] * (2 * zero + 1)
    reach[zero + 1] = 0
    history: list[list[int]] = []
    steps = 0
    for edits in range(size_a + size_b + 1):
        # Diagonals outside the box, and those whose last point in it was reached, are left out.
        lowest = 2 * max(0, edits - size_b) - edits
        highest = edits - 2 * max(0, edits - size_a)
        for k in range(zero + lowest, zero + highest + 1, 2):
            before, after = reach[k - 1], reach[k + 1]
            x = after if before < after else before + 1
            y = x - (k - zero)
            start = x
            while x < size_a and y < size_b and a[x] == b[y]:
                x += 1
                y += 1
            reach[k] = x
            steps += 1 + x - start
            if x >= size_a and y >= size_b:
                return _kept_pairs(history, size_a, size_b), steps
            if steps > allowance:
                return None, steps
        history.append(reach[zero - edits : zero + edits + 1 : 2])
        steps += edits
    raise AssertionError("deleting and inserting everything is always an edit")


def _kept_pairs(history: list[list[int]], x: int, y: int) -> list[tuple[int, int]]:
    """Walk a shortest edit back from its end and collect the pairs of items it keeps.

    Args:
        history: For each number of edits, how far they reach on every second diagonal.
        x: Number of items before.
        y: Number of items after.
    """
    pairs: list[tuple[int, int]] = []
    for edits in range(len(history), 0, -1):
        reach = history[edits - 1]
        right = (x - y + edits) // 2  # index of the next higher diagonal in `reach`
        before = reach[right - 1] if right > 0 else -1
        after = reach[right] if right < edits else -1
        inserted = before < after
        start = after if inserted else before + 1
        while x > start:
            x -= 1
            y -= 1
            pairs.append((x, y))
        if inserted:
            y -= 1
        else:
            x -= 1
    pairs.extend((i, i) for i in range(x - 1, -1, -1))
    pairs.reverse()
    return pairs


# -- The place of an insertion or a deletion, when several are equally true.
#
# A new function between two others can be read as starting at its own first line, or at the last line of its
# neighbor that happens to be the same. A group of inserted or deleted lines may slide up while the line above
# it equals its own last line, and down likewise. Both texts stay what they are; only the reading changes. The
# idea is M. Haggerty's "indent heuristic" of Git 2.11, simplified.

_FARTHEST = 100
"""The most lines that a group may slide either way, so that the work stays proportional to the groups."""


def slide(runs: list[EqualLines], before: Sequence[str], after: Sequence[str]) -> list[EqualLines]:
    """Move the borders of runs of equal lines so that the groups between them read best.

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
    """The number of lines down (up if negative) by which the group `lines[start:stop]` reads best."""
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
