"""The listed agents, in an order that never changes, with the state of each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct, field

from signoff.filter import quote
from signoff.queue import AgentMode, AgentRecord, HistoryFilter, RequestState, ReviewQueue, StoredRequest
from signoff.queue.records import loudest
from signoff.queue.wording import CLOSED, left_alone
from signoff_tui.screens.agents.last_hour import AgentKey, LastHour, read_last_hour

__all__ = ["DAY_US", "Agent", "Roster", "picks", "read_roster", "waiting_of"]

DAY_US = 24 * 3_600_000_000
"""Microseconds since the exit after which an agent is not listed any more."""

MOST_LEFT = 100
"""Requests that one end left behind, as far as they are counted."""


class Agent(Struct, frozen=True):
    """One row: all connections of one name in one session.

    Attributes:
        key: Name and session.
        connections: First seen first.
        withdrawn: Number of its requests that ended with its last connection; 0 while one is there.
    """

    key: AgentKey
    connections: tuple[AgentRecord, ...]
    withdrawn: int = 0

    @property
    def connected(self) -> tuple[AgentRecord, ...]:
        """The connections that are there."""
        return tuple(record for record in self.connections if record.ended_at is None)

    @property
    def exited_at(self) -> int | None:
        """The time at which the last connection ended; None while one is there."""
        ends = [record.ended_at for record in self.connections if record.ended_at is not None]
        return max(ends) if len(ends) == len(self.connections) else None

    @property
    def newest(self) -> AgentRecord:
        """The connection to tell about: the newest that is there, else the one that ended last."""
        return (self.connected or sorted(self.connections, key=lambda record: record.ended_at or 0))[-1]

    @property
    def unusual_mode(self) -> AgentMode | None:
        """The mode in which it answers by itself what needs approval; None if it asks, or is not there."""
        mode = loudest(record.mode for record in self.connected)
        return None if mode is AgentMode.INTERACTIVE else mode


class Roster(Struct, frozen=True):
    """The agents and their figures, as read from the queue at one time.

    Attributes:
        agents: First seen first; who was listed once stays in its place.
        hidden: Number of agents that exited longer ago than a day and are not listed.
        hour: The outcomes of requests in the last hour.
        allowed: Number of grants in force, by session.
        withdrawn: Number of requests that each end left behind, by connection: it never changes, and is read once.
        took: Seconds that the reading took.
    """

    agents: Sequence[Agent] = ()
    hidden: int = 0
    hour: LastHour = field(default_factory=LastHour)
    allowed: Mapping[str, int] = field(default_factory=dict)
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    took: float = 0.0


def read_roster(queue: ReviewQueue, before: Roster, now: int) -> Roster:
    """Read the agents that are there, the ends of the others, and what is new of the last hour.

    Args:
        queue: An open connection.
        before: The roster as it was read the last time.
        now: Wall clock, microseconds since the epoch.

    Raises:
        QueueError: The queue cannot be read.
    """
    started = time.monotonic()
    found = _rows(queue.agents())
    listed = _listed(found, [agent.key for agent in before.agents], now)
    last = [agent.newest for agent in listed if agent.exited_at is not None]
    known = before.withdrawn
    withdrawn = {each.id: known[each.id] if each.id in known else _withdrawn(queue, each) for each in last}
    return Roster(
        agents=[Agent(agent.key, agent.connections, withdrawn.get(agent.newest.id, 0)) for agent in listed],
        hidden=len(found) - len(listed),
        hour=read_last_hour(queue, before.hour, now),
        allowed=Counter(grant.session for grant in queue.grants()),
        withdrawn=withdrawn,
        took=time.monotonic() - started,
    )


def waiting_of(
    requests: Iterable[StoredRequest], agents: Iterable[Agent]
) -> Mapping[AgentKey, Sequence[StoredRequest]]:
    """Return the waiting requests of each agent, in their order."""
    keys = {record.id: agent.key for agent in agents for record in agent.connections}
    found: dict[AgentKey, list[StoredRequest]] = {}
    for request in requests:
        key = keys.get(request.asked_by.agent_id)
        if request.pending and key is not None:
            found.setdefault(key, []).append(request)
    return found


def picks(key: AgentKey) -> str:
    """Return the filter that keeps what this agent asked, and nothing else."""
    return f"agent:={quote(key.name)} session:={quote(key.session)}"


def _rows(records: Iterable[AgentRecord]) -> Mapping[AgentKey, Agent]:
    connections: dict[AgentKey, list[AgentRecord]] = {}
    for record in records:
        connections.setdefault(AgentKey(record.name, record.session), []).append(record)
    return {key: Agent(key, tuple(found)) for key, found in connections.items()}


def _listed(found: Mapping[AgentKey, Agent], stay: Sequence[AgentKey], now: int) -> list[Agent]:
    """Return the agents listed before, then the new ones: no row moves when an agent comes back after a day."""
    there: Container[AgentKey] = set(stay)
    new = [
        agent
        for agent in found.values()
        if agent.key not in there and (agent.exited_at is None or now - agent.exited_at <= DAY_US)
    ]
    return [*(found[key] for key in stay if key in found), *new]


def _withdrawn(queue: ReviewQueue, record: AgentRecord) -> int:
    """Count the requests that a connection left behind: both end in one transaction, at the same time."""
    which = HistoryFilter(
        session=record.session,
        agent_name=record.name,
        states=frozenset({RequestState.WITHDRAWN}),
        since=record.ended_at,
        until=record.ended_at,
    )
    found = queue.history(which, limit=MOST_LEFT)
    return sum(each.reason == CLOSED or left_alone(each.reason) for each in found)
