"""Which agents are listed, in an order that never changes, and how each of them is."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct, field

from signoff.filter import quote
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.queue import (
    AgentMode,
    AgentRecord,
    DamagedRecordError,
    DecisionSource,
    Grant,
    HistoryFilter,
    RequestState,
    ReviewQueue,
    StoredRequest,
    UnknownRequestError,
)
from signoff.queue.records import loudest
from signoff.queue.wording import CLOSED, left_alone, lost_its_connection
from signoff_tui.screens.agents.figures import AgentKey, Figures, LastHour, count, read_last_hour

__all__ = ["DAY_US", "Agent", "LeftBehind", "Reading", "Remembered", "picks", "read", "waiting_of"]

DAY_US = 24 * 3_600_000_000
"""Who ended longer ago is not listed."""

MOST_LEFT = 100
"""Requests that one end left behind, as far as they are counted."""

MOST_REJECTED = 50
"""Rejections of one connection in which a stop is looked for, the last ones: a stop is among them, or long ago."""


_YOURS = frozenset({DecisionSource.REVIEWER, DecisionSource.CASCADE})


class LeftBehind(Struct, frozen=True):
    """What still waited when a connection ended.

    Attributes:
        number: How many requests nobody can answer any more.
        died: Whether its process was found dead.
        cut_off: Whether it had lost its connection for too long; if neither, it closed the connection itself.
        more: Whether there may be more than were counted.
        stopped_at: When you stopped it last, microseconds since the epoch; None if you did not.
    """

    number: int = 0
    died: bool = False
    cut_off: bool = False
    more: bool = False
    stopped_at: int | None = None


class Agent(Struct, frozen=True):
    """One row: all connections of one name in one session.

    Attributes:
        key: Name and session.
        connections: First seen first.
        left: What waited when the last connection ended; nothing while one is there.
    """

    key: AgentKey
    connections: tuple[AgentRecord, ...]
    left: LeftBehind = LeftBehind()

    @property
    def connected(self) -> tuple[AgentRecord, ...]:
        """The connections that are there."""
        return tuple(record for record in self.connections if record.ended_at is None)

    @property
    def ended_at(self) -> int | None:
        """When the last connection ended; None while one is there."""
        ends = [record.ended_at for record in self.connections if record.ended_at is not None]
        return max(ends) if len(ends) == len(self.connections) else None

    @property
    def newest(self) -> AgentRecord:
        """The connection to tell about: the newest that is there, else the one that ended last."""
        return (self.connected or sorted(self.connections, key=lambda record: record.ended_at or 0))[-1]

    @property
    def mode(self) -> AgentMode | None:
        """How it answers what needs approval, or did in the end; None if that is not known."""
        return loudest(record.mode for record in self.connected or (self.newest,))


class Remembered(Struct, frozen=True):
    """A remembered approval.

    Attributes:
        grant: As the queue holds it.
        masks: What its agent's settings hide; None if that is not known, because its request is not stored.
    """

    grant: Grant
    masks: Redactor | None


class Reading(Struct, frozen=True):
    """What was read of the queue at one time.

    Attributes:
        agents: First seen first; who was listed once stays in its place.
        hidden: How many ended longer ago than a day and are not listed.
        hour: The calls of the last hour.
        figures: The same, counted.
        grants: What is remembered, by session.
        masks: What is hidden of each, by id of the grant: it never changes, and is not read twice.
        left: What each end left behind, by connection: it never changes, and is not read twice.
        took: Seconds that the reading took.
    """

    agents: Sequence[Agent] = ()
    hidden: int = 0
    hour: LastHour = field(default_factory=LastHour)
    figures: Mapping[AgentKey, Figures] = field(default_factory=dict)
    grants: Mapping[str, Sequence[Remembered]] = field(default_factory=dict)
    masks: Mapping[str, Redactor | None] = field(default_factory=dict)
    left: Mapping[str, LeftBehind] = field(default_factory=dict)
    took: float = 0.0


def read(queue: ReviewQueue, before: Reading, now: int) -> Reading:
    """Read who is there, what became of the others, and what is new of the last hour.

    Args:
        queue: An open connection.
        before: What was read the last time.
        now: Wall clock, microseconds since the epoch.

    Raises:
        QueueError: The queue cannot be read.
    """
    started = time.monotonic()
    found = _rows(queue.agents())
    stay = [agent.key for agent in before.agents]
    listed = _listed(found, stay, now)
    left = _left_behind(queue, listed, before.left)
    hour = read_last_hour(queue, before.hour, now, queue.reviewer)
    sessions = {agent.key.session for agent in listed}
    remembered = [grant for grant in queue.grants() if grant.session in sessions]
    masks = {
        grant.id: before.masks[grant.id] if grant.id in before.masks else _masks(queue, grant)
        for grant in remembered
    }
    grants: dict[str, list[Remembered]] = {}
    for grant in remembered:
        grants.setdefault(grant.session, []).append(Remembered(grant, masks[grant.id]))
    return Reading(
        agents=[_with_left(agent, left) for agent in listed],
        hidden=len(found) - len(listed),
        hour=hour,
        figures=count(hour.calls, now),
        grants=grants,
        masks=masks,
        left=left,
        took=time.monotonic() - started,
    )


def waiting_of(
    requests: Iterable[StoredRequest], agents: Iterable[Agent]
) -> Mapping[AgentKey, list[StoredRequest]]:
    """What waits of each agent, in the order in which it was asked."""
    keys = {record.id: agent.key for agent in agents for record in agent.connections}
    found: dict[AgentKey, list[StoredRequest]] = {}
    for request in requests:
        key = keys.get(request.asked_by.agent_id)
        if request.pending and key is not None:
            found.setdefault(key, []).append(request)
    return found


def picks(key: AgentKey) -> str:
    """The filter that keeps what this agent asked, and nothing else."""
    return f"agent:={quote(key.name)} session:={quote(key.session)}"


def _masks(queue: ReviewQueue, grant: Grant) -> Redactor | None:
    if not grant.origin_request:
        return None
    try:
        return DEFAULT_REDACTION.also(queue.get(grant.origin_request).submission.masked_keys)
    except (UnknownRequestError, DamagedRecordError):
        return None


def _rows(records: Iterable[AgentRecord]) -> Mapping[AgentKey, Agent]:
    connections: dict[AgentKey, list[AgentRecord]] = {}
    for record in records:
        connections.setdefault(AgentKey(record.name, record.session), []).append(record)
    return {key: Agent(key, tuple(found)) for key, found in connections.items()}


def _listed(found: Mapping[AgentKey, Agent], stay: Sequence[AgentKey], now: int) -> list[Agent]:
    """Who was listed, then who is new: no row moves when an agent comes back after a day."""
    there: Container[AgentKey] = set(stay)
    new = [
        agent
        for agent in found.values()
        if agent.key not in there and (agent.ended_at is None or now - agent.ended_at <= DAY_US)
    ]
    return [*(found[key] for key in stay if key in found), *new]


def _left_behind(
    queue: ReviewQueue, agents: Iterable[Agent], known: Mapping[str, LeftBehind]
) -> Mapping[str, LeftBehind]:
    last = [agent.newest for agent in agents if agent.ended_at is not None]
    return {record.id: known[record.id] if record.id in known else _left_by(queue, record) for record in last}


def _left_by(queue: ReviewQueue, record: AgentRecord) -> LeftBehind:
    """A connection and what it still asks end in one transaction, so they bear the same time."""
    which = HistoryFilter(
        session=record.session,
        agent_name=record.name,
        states=frozenset({RequestState.WITHDRAWN}),
        since=record.ended_at,
        until=record.ended_at,
    )
    found = queue.history(which, limit=MOST_LEFT)
    reasons = [each.reason for each in found if each.reason == CLOSED or left_alone(each.reason)]
    cut_off = any(map(lost_its_connection, reasons))
    died = not cut_off and any(reason != CLOSED for reason in reasons)
    return LeftBehind(len(reasons), died, cut_off, len(found) == MOST_LEFT, _stopped_at(queue, record))


def _stopped_at(queue: ReviewQueue, record: AgentRecord) -> int | None:
    which = HistoryFilter(
        session=record.session,
        agent_name=record.name,
        states=frozenset({RequestState.REJECTED}),
        since=record.started_at,
        until=record.ended_at,
        decided_by=queue.reviewer,
    )
    decided = ((each.at, each.decision) for each in queue.history(which, limit=MOST_REJECTED))
    return next((at for at, decision in decided if decision and decision.hard and decision.source in _YOURS), None)


def _with_left(agent: Agent, left: Mapping[str, LeftBehind]) -> Agent:
    if agent.ended_at is None:
        return agent
    return Agent(agent.key, agent.connections, left[agent.newest.id])
