"""Finding out what nobody waits for any more, without changing anything."""

from __future__ import annotations

from typing import NamedTuple

from signoff.queue.clock import now_us
from signoff.queue.sql.engine import Engine

__all__ = ["Overdue", "find_overdue"]


class Overdue(NamedTuple):
    """All that a sweep would end."""

    dead_agents: tuple[str, ...]
    expired: bool

    def __bool__(self) -> bool:
        return bool(self.dead_agents) or self.expired


def find_overdue(engine: Engine) -> Overdue:
    """Look for agents that died, and for requests whose deadline has passed.

    Raises:
        QueueUnavailableError: The queue cannot be used.
    """
    with engine.read() as look:
        agents = look.rows("SELECT id, host, boot, pid FROM agents WHERE ended_at IS NULL ORDER BY started_at")
        expired = look.row("SELECT 1 FROM requests WHERE state = 'pending' AND expires_at <= ? LIMIT 1", now_us())
    return Overdue(engine.leases.dead(agents), expired is not None)
