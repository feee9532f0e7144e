"""The grants for a session, with their reach, in an order that never changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from signoff.canonical import NotJsonError
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.queue import DamagedRecordError, Grant, ReviewQueue, UnknownRequestError
from signoff.queue.grant_coverage import Breadth, Reach, reach_of_pattern

__all__ = ["Allowed", "read_allowed"]


class Allowed(Struct, frozen=True):
    """A grant, with its number.

    Attributes:
        number: Its place among all that were ever given in this queue; it never changes.
        grant: The record of the queue.
        reach: Its reach; None if that cannot be told, because the request that it was given for is not stored, or
            either of them is damaged.
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
    def careless(self) -> bool:
        """True if next to nothing limits it."""
        return self.reach is not None and self.reach.breadth in {Breadth.WIDE, Breadth.EVERYTHING}


def read_allowed(queue: ReviewQueue, before: Mapping[str, Allowed]) -> Sequence[Allowed]:
    """Read the grants in force, and of those that are listed already also the ones revoked since.

    Args:
        queue: An open connection.
        before: The grants read before, by id: the request that one was given for is not read twice.

    Raises:
        QueueError: The queue cannot be read.
    """
    found: list[Allowed] = []
    for number, grant in enumerate(queue.grants(include_revoked=True), 1):
        known = before.get(grant.id)
        if known is not None:
            found.append(Allowed(number, grant, known.reach, known.masked_keys))
        elif grant.revoked_at is None:
            found.append(Allowed(number, grant, *_origin(queue, grant)))
    return found


def _origin(queue: ReviewQueue, grant: Grant) -> tuple[Reach | None, tuple[str, ...]]:
    """Return the reach of a grant and the masked names, by the request that it was given for."""
    if not grant.origin_request:
        return None, ()
    try:
        submission = queue.get(grant.origin_request).submission
    except (UnknownRequestError, DamagedRecordError):
        return None, ()
    reach = None
    if grant.damage is None:
        with suppress(NotJsonError):
            reach = reach_of_pattern(grant.as_pattern(), grant.payload, submission.arguments)
    return reach, submission.masked_keys
