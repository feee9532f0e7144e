"""The search for dead agents and passed deadlines; it changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from signoff.queue.sql.engine import Engine, Query, Row

__all__ = ["OVERDUE", "Overdue", "find_overdue", "overdue_of"]


class Overdue(NamedTuple):
    """All that a sweep would end."""

    dead_agents: dict[str, int | None]  # by id; for how many microseconds they had lost their connection
    expired: bool

    def __bool__(self) -> bool:
        return bool(self.dead_agents) or self.expired


OVERDUE: tuple[Query, ...] = (
    ("SELECT id, host, boot, pid FROM agents WHERE ended_at IS NULL ORDER BY started_at", ()),
    ("SELECT MIN(expires_at) AS first FROM requests WHERE state = 'pending' AND expires_at IS NOT NULL", ()),
)
"""The queries whose rows `overdue_of` takes."""


def find_overdue(engine: Engine) -> Overdue:
    """Look for agents that died, and for requests whose deadline has passed.

    Raises:
        QueueUnavailableError: The queue cannot be used.
    """
    return overdue_of(engine, *engine.select(*OVERDUE))


def overdue_of(engine: Engine, agents: Sequence[Row], deadlines: Sequence[Row]) -> Overdue:
    """Return what is overdue.

    Args:
        engine: An open engine.
        agents: The rows of the first query of `OVERDUE`.
        deadlines: Those of the second.

    Raises:
        QueueUnavailableError: The queue cannot be used.
    """
    first = deadlines[0]["first"]
    return Overdue(engine.leases.dead(agents), first is not None and first <= engine.now)
