"""Calls that an agent has announced and not yet asked for.

A request may carry what its agent will run next (``batch_remaining``). Such a call can be looked at, together with
its place in the batch. It cannot be decided before its agent asks for it: only then is it bound to a digest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from signoff.queue.records import StoredRequest

__all__ = ["Batch", "UpcomingCall", "announced", "announcement_of", "still_upcoming"]

_ID = re.compile(r"([0-9a-z]{1,64})\+([1-9][0-9]{0,6})", re.ASCII)

Batch = tuple[str, str]
"""Session and batch id: ids of batches are the agents' own."""


@dataclass(frozen=True, slots=True)
class UpcomingCall:
    """A call that an agent says it will ask for.

    Attributes:
        id: Id of the announcing request, ``+``, and how many calls later this one comes. It names the call to
            people; a decision on it is refused.
        announced_by: Id of the request that announces it.
        session: Session of that request.
        agent_name: Agent of that request.
        batch_id: Its batch, or None.
        position: Zero-based position in the batch, or None if the sender does not say.
        tool_name: Name of the tool.
        arguments: Arguments of the call as announced; what is asked for later may differ.
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
        """The batch it belongs to, if the sender says."""
        return None if self.batch_id is None else (self.session, self.batch_id)


def announced(request: StoredRequest) -> tuple[UpcomingCall, ...]:
    """Return what a request announces, in order."""
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
    """Return what is announced by requests that wait, each call once, as it was announced last.

    Args:
        pending: The requests that wait, in arrival order.
        asked: Positions of each batch that were asked for, however that ended.
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
    """Return the announcing request's id and how many calls later; None if the id is not an announced call's."""
    parts = _ID.fullmatch(call_id)
    return None if parts is None else (parts[1], int(parts[2]))
