"""Ending what nobody waits for any more: requests of dead agents, and those past their deadline.

Every look of a reviewer sweeps first, so what is shown as waiting really waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from signoff.queue import wording
from signoff.queue.clock import now_us
from signoff.queue.codec import pack_text
from signoff.queue.leases import Leases, this_boot, this_host
from signoff.queue.records import RequestState
from signoff.queue.sqlite import requests
from signoff.queue.sqlite.engine import Engine, Look, Row, Transaction
from signoff.queue.sqlite.rows import request_from_row

__all__ = ["Overdue", "Sweeper", "end_expired", "retire"]


@dataclass(frozen=True, slots=True)
class Overdue:
    """What a sweep would end."""

    dead_agents: tuple[str, ...]
    expired: bool

    def __bool__(self) -> bool:
        return bool(self.dead_agents) or self.expired


class Sweeper:
    """Finds and ends what is overdue in one queue."""

    def __init__(self, engine: Engine, leases: Leases) -> None:
        self._engine = engine
        self._leases = leases
        self._host = pack_text(this_host())
        self._boot = this_boot()

    def sweep(self) -> None:
        """End what is overdue; writes only when there is something.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        overdue = self.look()
        if not overdue:
            return
        with self._engine.write() as transaction:
            self.end(transaction, overdue)

    def look(self) -> Overdue:
        """Find out what is overdue, without changing anything."""
        with self._engine.read() as look:
            agents = look.rows("SELECT id, host, boot FROM agents WHERE ended_at IS NULL ORDER BY started_at")
            expired = look.row(
                "SELECT 1 FROM requests WHERE state = 'pending' AND expires_at <= ? LIMIT 1", now_us()
            )
        dead = tuple(
            agent["id"]
            for agent in agents
            if self._within_reach(agent["host"], agent["boot"]) and not self._leases.alive(agent["id"])
        )
        return Overdue(dead, expired is not None)

    def end(self, transaction: Transaction, overdue: Overdue) -> None:
        """End what is overdue as part of a write."""
        for agent_id in overdue.dead_agents:
            agent = transaction.row("SELECT pid FROM agents WHERE id = ?", agent_id)
            assert agent is not None
            retire(transaction, agent_id, wording.agent_is_gone(agent["pid"]))
            self._leases.clear(agent_id)
        end_expired(transaction)

    def _within_reach(self, host: str, boot: str) -> bool:
        """Whether the lock of such an agent can be seen from here: same kernel, or an earlier boot."""
        return host == self._host or (boot == self._boot != "")


def retire(transaction: Transaction, agent_id: str, reason: str) -> None:
    """Mark an agent connection as ended and withdraw what it still asks."""
    ended = transaction.run(
        "UPDATE agents SET ended_at = ? WHERE id = ? AND ended_at IS NULL", transaction.now, agent_id
    )
    if not ended:
        return
    for row in _pending(transaction, "agent_id = ?", agent_id):
        requests.end(transaction, request_from_row(row), RequestState.WITHDRAWN, reason)


def end_expired(transaction: Transaction) -> None:
    """End all requests whose own deadline has passed."""
    for row in _pending(transaction, "expires_at <= ?", transaction.now):
        request = request_from_row(row)
        waited = transaction.now - request.created_at
        requests.end(transaction, request, RequestState.EXPIRED, wording.expired(waited))


def _pending(look: Look, test: str, value: object) -> list[Row]:
    return look.rows(
        f"SELECT * FROM requests WHERE state = 'pending' AND {test} ORDER BY seq",  # noqa: S608
        value,
    )
