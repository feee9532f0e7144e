"""When a time on the screen changes by itself, without a key and without news from the queue."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["next_change"]

MINUTE = 60.0
"""Seconds up to which `running_text` tells them one by one."""

SHORTEST_WAIT = 10.0
"""Seconds by which a number of minutes may be late: many agents do not keep the screen busy."""


def next_change(ages: Iterable[float], *, counts: bool) -> float | None:
    """Seconds until the words for one of these times change, or None if nothing does by itself.

    Args:
        ages: Seconds, as they are told now.
        counts: Whether there are figures of the last hour, out of which calls pass.
    """
    known = list(ages)
    if any(age < MINUTE for age in known):
        return 1.0
    changes = [max(MINUTE - age % MINUTE, SHORTEST_WAIT) for age in known]
    return min([*changes, *([MINUTE] if counts else [])], default=None)
