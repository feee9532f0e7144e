"""Ending what nobody waits for any more: requests of dead agents, and those past their deadline.

Every look of a reviewer sweeps first, so what is shown as waiting really waits.
"""

from __future__ import annotations

from collections.abc import Iterable

from signoff.queue import wording
from signoff.queue.records import RequestState, StoredRequest
from signoff.queue.sql import requests
from signoff.queue.sql.engine import Engine, Row, Transaction
from signoff.queue.sql.overdue import Overdue, find_overdue
from signoff.queue.sql.rows import sort_out
from signoff.text.outcome import expired_text

__all__ = ["Sweeper", "end_expired", "retire"]


class Sweeper:
    """Finds and ends what is overdue in one queue."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def sweep(self) -> None:
        """End what is overdue; writes only when there is something, and where that is possible.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        if self._engine.read_only:
            return
        overdue = find_overdue(self._engine)
        if not overdue:
            return
        with self._engine.write() as transaction:
            self.end(transaction, overdue)

    def readable(self, rows: Iterable[Row]) -> list[StoredRequest]:
        """The requests of rows that can be read; those among the others that still wait are ended if possible.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        found, damaged = sort_out(rows)
        waiting = [(row, damage) for row, damage in damaged if row["state"] == RequestState.PENDING]
        if waiting and not self._engine.read_only:
            with self._engine.write() as transaction:
                for row, damage in waiting:
                    requests.end_damaged(transaction, row, damage)
        return found

    def end(self, transaction: Transaction, overdue: Overdue) -> None:
        """End what is overdue as part of a write."""
        for agent_id, lost_us in overdue.dead_agents.items():
            agent = transaction.row("SELECT pid FROM agents WHERE id = ?", agent_id)
            assert agent is not None
            pid = agent["pid"]
            why = wording.agent_is_gone(pid) if lost_us is None else wording.agent_is_lost(lost_us)
            retire(transaction, agent_id, why)
        self._engine.leases.clear(overdue.dead_agents)
        if overdue.expired:
            end_expired(transaction)


def retire(transaction: Transaction, agent_id: str, reason: str) -> None:
    """Mark an agent connection as ended and withdraw what it still asks."""
    ended = transaction.run(
        "UPDATE agents SET ended_at = ? WHERE id = ? AND ended_at IS NULL", transaction.now, agent_id
    )
    if not ended:
        return
    transaction.agent_ends()
    for request in _readable(transaction, "agent_id = ?", agent_id):
        requests.end(transaction, request, RequestState.WITHDRAWN, reason)


def end_expired(transaction: Transaction) -> None:
    """End all requests whose own deadline has passed."""
    for request in _readable(transaction, "expires_at <= ?", transaction.now):
        waited = transaction.now - request.created_at
        requests.end(transaction, request, RequestState.EXPIRED, expired_text(waited, "message"))


def _readable(transaction: Transaction, test: str, value: object) -> list[StoredRequest]:
    """The pending requests that pass a test; those that cannot be read are ended right here."""
    found, damaged = sort_out(
        transaction.rows(
            f"SELECT * FROM requests WHERE state = 'pending' AND {test} ORDER BY +seq",  # noqa: S608
            value,
        )
    )
    for row, damage in damaged:
        requests.end_damaged(transaction, row, damage)
    return found
