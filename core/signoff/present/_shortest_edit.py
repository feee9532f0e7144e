"""The shortest edit between two sequences of numbers (E. Myers, "An O(ND) Difference Algorithm", 1986)."""

from __future__ import annotations

__all__ = ["shortest_edit"]


def shortest_edit(a: list[int], b: list[int], allowance: int) -> tuple[list[tuple[int, int]] | None, int]:
    """Pairs of equal items that a shortest edit keeps, and the steps it took to find them.

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
        right = (x - y + edits) // 2  # where `reach` holds the next higher diagonal
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
