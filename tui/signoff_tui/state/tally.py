"""Counts of requests, kept up to date: reading them costs the same however many there are."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping

from msgspec import Struct

from signoff.effects import Risk
from signoff.queue.records import StoredRequest

__all__ = ["Counts", "Tally"]


class Counts(Struct, frozen=True):
    """The counts for the status line.

    Attributes:
        waiting: The number of waiting requests.
        high: The number of HIGH ones among them.
        oldest_at: Time at which the oldest of them was asked, microseconds since the epoch.
        agents: The number of waiting agents.
    """

    waiting: int = 0
    high: int = 0
    oldest_at: int | None = None
    agents: int = 0


class Tally:
    """Requests in the form in which they are counted, each by its id and last known state."""

    def __init__(self) -> None:
        self._pending: dict[str, StoredRequest] = {}
        self._ended: set[str] = set()
        self._risks = dict.fromkeys(Risk, 0)
        self._agents: dict[tuple[str, str], int] = {}
        self._asked: list[tuple[int, str]] = []
        """A heap of the times at which requests were asked. Those that wait no more leave it at its top."""

    def put(self, request: StoredRequest) -> None:
        """Count a request, in place of its earlier state."""
        known = self._forget(request.id)
        if not request.pending:
            self._ended.add(request.id)
        else:
            self._pending[request.id] = request
            self._risks[request.submission.risk] += 1
            agent = _agent_of(request)
            self._agents[agent] = self._agents.get(agent, 0) + 1
            if known is None or known.created_at != request.created_at:
                heapq.heappush(self._asked, (request.created_at, request.id))
        self._clear_top()

    def drop(self, request_id: str) -> None:
        """Stop counting a request."""
        self._forget(request_id)
        self._clear_top()

    @property
    def counts(self) -> Counts:
        """Return the counts of waiting requests."""
        oldest = self._asked[0][0] if self._asked else None
        return Counts(len(self._pending), self._risks[Risk.HIGH], oldest, len(self._agents))

    @property
    def risks(self) -> Mapping[Risk, int]:
        """The number of waiting requests of each risk."""
        return self._risks

    @property
    def names(self) -> Iterator[tuple[str, int]]:
        """Yield the names of waiting agents, with the number of requests of each."""
        return ((name, count) for (_, name), count in self._agents.items())

    @property
    def any_ended(self) -> bool:
        """True if a known request has ended."""
        return bool(self._ended)

    def _forget(self, request_id: str) -> StoredRequest | None:
        self._ended.discard(request_id)
        request = self._pending.pop(request_id, None)
        if request is not None:
            self._risks[request.submission.risk] -= 1
            agent = _agent_of(request)
            self._agents[agent] -= 1
            if not self._agents[agent]:
                del self._agents[agent]
        return request

    def _clear_top(self) -> None:
        while self._asked and not self._still_waits(*self._asked[0]):
            heapq.heappop(self._asked)

    def _still_waits(self, asked_at: int, request_id: str) -> bool:
        known = self._pending.get(request_id)
        return known is not None and known.created_at == asked_at


def _agent_of(request: StoredRequest) -> tuple[str, str]:
    """The session and the name: one agent may have several connections, as with a hook for each call."""
    return request.asked_by.session, request.asked_by.name
