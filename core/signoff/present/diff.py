"""The line diff: which lines of two texts are the same, and where they differ.

The search divides and conquers, without recursion and under one budget of steps:

1. Equal ends of a range are taken off.
2. A small range is searched for the shortest edit (E. Myers, "An O(ND) Difference Algorithm and
   Its Variations", 1986), over the lines that both sides have.
3. A large range is divided where it goes on alike after a few lines, as long as that leaves out no line on
   both sides that each has once; or else at the lines that occur once on each side and come in the same order
   (B. Cohen's patience diff). Its parts are searched in the same way.
4. A range that cannot be divided and costs more than its share of the budget is reported as
   replaced as a whole, and says that it is: `Opcode.exact` is false.

Whatever the input, the work is at most the budget plus a few passes over the lines.
"""

from __future__ import annotations

import io
from functools import partial
from itertools import compress, count, repeat
from operator import eq, not_
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from signoff.present._anchors import Range, Run, anchors, equal_head, equal_tail
from signoff.present._shortest_edit import shortest_edit
from signoff.present._walk import walked
from signoff.present.slide import slide

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

__all__ = ["STEP_BUDGET", "LineDiff", "Opcode", "diff_items", "diff_lines", "split_lines"]

STEP_BUDGET = 3_000_000
"""Steps that a search may take beyond `_STEPS_PER_LINE` for each line: below a second of work."""

_STEPS_PER_LINE = 4
"""Steps that each line adds to the budget, so that a long file is divided whatever it costs."""

_SMALL_RANGE = 1_000
"""Ranges of at most this many lines, both sides together, are searched before they are divided."""

_SHARE = 16
"""One range may use one part in this many of the steps that are left, if its lines ask no more."""

_LEAST_SHARE = 512
"""Steps that a range gets while any are left, so that small gaps stay exact beside noisy ones."""

_OTHER_ENDS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends a line for `str.splitlines` besides newlines."""

Tag = Literal["equal", "delete", "insert", "replace"]


class Opcode(NamedTuple):
    """One step from the text before to the text after.

    Attributes:
        tag: What happens to the lines.
        a0: First line before, from 0.
        a1: Line before that follows the last one.
        b0: First line after, from 0.
        b1: Line after that follows the last one.
        exact: False if lines that both sides have may be among the replaced ones, because the
            search gave up here.
    """

    tag: Tag
    a0: int
    a1: int
    b0: int
    b1: int
    exact: bool = True


class LineDiff(Struct, frozen=True):
    """A whole diff.

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
        self._found: list[Run] = []

    def runs(self) -> list[Run]:
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
        """Record the equal lines at both ends of a range and return what is between them."""
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
        # A line that only one side has is part of no common sequence.
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
        """Record the lines that stay where others are replaced one by one; false if it may not be that simple.

        It is as short as it can be if no line that gives way to another is anywhere on the other side.
        """
        a0, a1, b0, b1 = gap
        part_a, part_b = self._a[a0:a1], self._b[b0:b1]
        same = list(map(eq, part_a, part_b))
        if not set(compress(part_a, map(not_, same))).isdisjoint(part_b):
            return False
        self._found.extend(zip(compress(range(a0, a1), same), compress(range(b0, b1), same), repeat(1)))
        return True

    def _divide(self, gap: Range) -> list[Range] | None:
        """Divide a range where its lines are surely the same: the parts between; None if that is nowhere."""
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
        """Steps that a range of so many lines may use of those that are left."""
        left = self._limit - self.steps
        return min(left, max(_LEAST_SHARE, left // _SHARE, _STEPS_PER_LINE * size))

    def _afford(self, cost: int) -> bool:
        """Take `cost` steps if the budget still has them."""
        if self.steps + cost > self._limit:
            return False
        self.steps += cost
        return True


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Join runs, given in order, that follow each other without a gap on either side."""
    joined: list[Run] = []
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


def _opcodes(runs: Iterable[Run], search: _Search) -> Iterator[Opcode]:
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
