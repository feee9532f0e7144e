"""The list of remembered approvals, with their reach, in an order that never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from signoff.canonical import NotJsonError
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.queue import DamagedRecordError, Grant, ReviewQueue, StoredRequest, UnknownRequestError
from signoff.queue.grant_coverage import Reach, reach_of_pattern
from signoff.queue.grant_pattern import Exact

__all__ = ["Entry", "Origin", "Reading", "load", "matching", "merged", "session_of"]

HOUR_US = 3_600_000_000
"""The time for which revoked grants are listed."""


class Entry(Struct, frozen=True):
    """One remembered approval.

    Attributes:
        number: Its place among all that were ever given in this queue; it never changes.
        grant: The record of the queue.
        reach: Its reach; None if that cannot be told, because the request that it was given for is not
            stored, or either of them is damaged.
        masked_keys: Names of entries whose values its agent's settings hide besides the usual ones.
    """

    number: int
    grant: Grant
    reach: Reach | None
    masked_keys: tuple[str, ...] = ()

    @property
    def masks(self) -> Redactor:
        """The rules of what is hidden of it."""
        return DEFAULT_REDACTION.also(self.masked_keys)

    @property
    def in_force(self) -> bool:
        """True if it answers calls."""
        return self.grant.revoked_at is None

    @property
    def exact(self) -> bool:
        """True if it covers one call only, so that nothing is narrower."""
        pattern = self.grant.pattern
        return pattern is None or all(isinstance(matcher, Exact) for _, matcher in pattern.entries)


class Origin(Struct, frozen=True):
    """The facts of the call that a grant was given for; as in `Entry`."""

    reach: Reach | None = None
    masked_keys: tuple[str, ...] = ()


class Reading(Struct, frozen=True):
    """The remembered approvals of the queue at one time.

    Attributes:
        entries: In the order in which they were given.
        origins: The facts of the call that each was given for, by id of the grant: they are not read twice.
    """

    entries: Sequence[Entry]
    origins: Mapping[str, Origin]


def session_of(query: str) -> str | None:
    """Return the session that a query picks, ``session:`` and its name, as it is; None for all."""
    return query.removeprefix("session:") if query.startswith("session:") else None


def load(
    queue: ReviewQueue, session: str | None, now: int, listed: frozenset[str], known: Mapping[str, Origin]
) -> Reading:
    """Read what is in force, what was revoked in the last hour, and what is listed already.

    Args:
        queue: An open connection.
        session: Only of this session; None for all.
        now: Wall clock, microseconds since the epoch.
        listed: Ids of the grants that stay in the list whatever became of them.
        known: Origins that were read before.

    Raises:
        QueueError: The queue cannot be read.
    """
    numbered = enumerate(queue.grants(include_revoked=True), 1)
    kept = [
        (number, grant)
        for number, grant in numbered
        if session in (None, grant.session)
        and (grant.revoked_at is None or grant.id in listed or now - grant.revoked_at <= HOUR_US)
    ]
    origins = {grant.id: known[grant.id] if grant.id in known else _origin(queue, grant) for _, grant in kept}
    entries = [
        Entry(number, grant, origins[grant.id].reach, origins[grant.id].masked_keys) for number, grant in kept
    ]
    return Reading(entries, origins)


def merged(before: Sequence[Entry], now: Sequence[Entry]) -> list[Entry]:
    """Return the list as it is now: what was there stays in its place, what is new comes behind it."""
    fresh = {entry.grant.id: entry for entry in now}
    stayed = [fresh.pop(entry.grant.id, entry) for entry in before]
    return [*stayed, *fresh.values()]


def matching(grant: Grant, requests: Iterable[StoredRequest]) -> int:
    """Count the waiting requests that a grant would answer if they were asked now."""
    return sum(
        request.asked_by.session == grant.session
        and request.submission.tool_name == grant.tool_name
        and request.submission.server == grant.server
        and request.submission.may_be_remembered
        and grant.covers(
            request.submission.tool_name,
            request.submission.payload,
            request.submission.definition,
            server=request.submission.server,
        )
        for request in requests
    )


def _origin(queue: ReviewQueue, grant: Grant) -> Origin:
    if not grant.origin_request:
        return Origin()
    try:
        submission = queue.get(grant.origin_request).submission
    except (UnknownRequestError, DamagedRecordError):
        return Origin()
    reach = None
    if grant.damage is None:
        with suppress(NotJsonError):
            reach = reach_of_pattern(grant.as_pattern(), grant.payload, submission.arguments)
    return Origin(reach, submission.masked_keys)
