"""When a time on the screen changes by itself, without a key and without news from the queue."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.text.time import until_age_changes

__all__ = ["next_change"]

MINUTE = 60.0
"""Seconds after which the figures of the last hour are counted again."""

SHORTEST_WAIT = 10.0
"""Seconds by which a time may be late: many agents do not keep the screen busy."""


def next_change(ages: Iterable[float], *, counts: bool) -> float | None:
    """Seconds until the words for one of these times change, or None if nothing does by itself.

    Args:
        ages: Seconds, as they are told now.
        counts: Whether there are figures of the last hour, out of which calls pass.
    """
    changes = [max(until_age_changes(age), SHORTEST_WAIT) for age in ages]
    return min([*changes, *([MINUTE] if counts else [])], default=None)
