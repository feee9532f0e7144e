"""The order of a batch: what follows in it, and calls that an agent has announced and not yet asked for.

A request may carry the next calls of its agent (``batch_remaining``). Such a call can be looked at, together with
its place in the batch. It cannot be decided before its agent asks for it: only then is it bound to a digest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from signoff.queue.records import StoredRequest

__all__ = ["Batch", "UpcomingCall", "announced", "announcement_of", "follows_in_batch", "still_upcoming"]

_ID = re.compile(r"([0-9a-z]{1,64})\+([1-9][0-9]{0,6})", re.ASCII)

Batch = tuple[str, str]
"""Session and batch id: ids of batches are chosen by agents."""


def follows_in_batch(request: StoredRequest, stopper: StoredRequest) -> bool:
    """True if a request comes after another one in the same batch, so that a stop of that one reaches it."""
    batch = stopper.submission.batch_id
    same_session = request.asked_by.session == stopper.asked_by.session
    if batch is None or batch != request.submission.batch_id or not same_session:
        return False
    position, stopped_at = request.submission.batch_position, stopper.submission.batch_position
    if position is None or stopped_at is None:
        return request.seq > stopper.seq
    return position > stopped_at


@dataclass(frozen=True, slots=True)
class UpcomingCall:
    """A call that an agent has announced.

    Attributes:
        id: Id of the announcing request, ``+``, and the distance of this call from it, in calls. It names the call
            to people; a decision on it is refused.
        announced_by: Id of the request that announces it.
        session: Session of that request.
        agent_name: Agent of that request.
        batch_id: Its batch, or None.
        position: Zero-based position in the batch, or None if it is not known.
        tool_name: Name of the tool.
        arguments: Arguments of the call as announced; the later request may differ.
    """

    id: str
    announced_by: str
    session: str
    agent_name: str
    batch_id: str | None
    position: int | None
    tool_name: str
    arguments: Mapping[str, Any]

    @property
    def batch(self) -> Batch | None:
        """The batch it belongs to, or None."""
        return None if self.batch_id is None else (self.session, self.batch_id)


def announced(request: StoredRequest) -> tuple[UpcomingCall, ...]:
    """Return the calls that a request announces, in order."""
    submission = request.submission
    first = submission.batch_position
    return tuple(
        UpcomingCall(
            id=f"{request.id}+{later}",
            announced_by=request.id,
            session=request.asked_by.session,
            agent_name=request.asked_by.name,
            batch_id=submission.batch_id,
            position=None if first is None else first + later,
            tool_name=call["tool"],
            arguments=call.get("arguments", {}),
        )
        for later, call in enumerate(submission.batch_remaining, start=1)
    )


def still_upcoming(
    pending: Iterable[StoredRequest], asked: Mapping[Batch, Collection[int]]
) -> tuple[UpcomingCall, ...]:
    """Return the calls that waiting requests announce, each once, as it was announced last.

    Args:
        pending: The requests that wait, in arrival order.
        asked: Positions of each batch that were already asked for, whatever their end.
    """
    found: dict[object, UpcomingCall] = {}
    for request in pending:
        for call in announced(request):
            if call.batch is None or call.position is None:
                found[call.id] = call
            elif call.position not in asked.get(call.batch, ()):
                found[call.batch, call.position] = call
    return tuple(found.values())


def announcement_of(call_id: str) -> tuple[str, int] | None:
    """Split the id of an announced call into the id of its request and the distance; None for other ids."""
    parts = _ID.fullmatch(call_id)
    return None if parts is None else (parts[1], int(parts[2]))
