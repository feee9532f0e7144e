"""What else a decision would reach: later calls, all of an agent, the rest of a batch."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff.policy.breadth import Reach, reach
from signoff_tui.desk import Desk
from signoff_tui.guard import Ref
from signoff_tui.inbox import Entry, Inbox
from signoff_tui.refs import ref_of

__all__ = [
    "RememberPreview",
    "following_held",
    "following_in_batch",
    "remember_preview",
    "waiting_for_the_same",
    "waiting_of_agent",
]


class RememberPreview(Struct, frozen=True):
    """What remembering a request would cover.

    Attributes:
        entry: The request.
        reach: What later calls would match.
        matching: How many other waiting requests of the session would match it.
    """

    entry: Entry
    reach: Reach
    matching: int


def remember_preview(inbox: Inbox, request_id: str) -> RememberPreview:
    """What remembering an approval of a request would cover."""
    entry = inbox.entry(request_id)
    submission = entry.request.submission
    matching = len(waiting_for_the_same(inbox, request_id))
    return RememberPreview(entry, reach(submission.payload, submission.arguments), matching)


def waiting_for_the_same(inbox: Inbox, request_id: str) -> tuple[Entry, ...]:
    """What else waits that remembering an approval of a request would cover, were it asked later."""
    entry = inbox.entry(request_id)
    submission = entry.request.submission
    return tuple(
        other
        for other in inbox.entries()
        if other.request.pending
        and other.id != entry.id
        and other.request.asked_by.session == entry.request.asked_by.session
        and other.request.submission.tool_name == submission.tool_name
        and other.request.submission.payload_key == submission.payload_key
        and other.request.submission.definition == submission.definition
    )


def waiting_of_agent(desk: Desk) -> tuple[Ref, ...]:
    """All that the agent under the cursor waits for, in the order in which it arrived."""
    group, entry = desk.inbox.focused_group(), desk.inbox.focused_request()
    if entry is None and group is not None:
        entry = desk.inbox.members(group.key)[0]
    if entry is None:
        return ()
    agent = entry.request.asked_by.agent_id
    return tuple(
        desk.ref(other)
        for other in desk.inbox.entries()
        if other.waiting and other.request.asked_by.agent_id == agent
    )


def following_in_batch(inbox: Inbox, refs: Sequence[Ref]) -> tuple[Ref, ...]:
    """What waits and follows any of these in its batch: a hard rejection reaches that far."""
    stopped = [inbox.entry(ref.id) for ref in refs if ref.id in inbox]
    ids = {entry.id for entry in stopped}
    return tuple(
        ref_of(other)
        for other in inbox.entries()
        if other.request.pending and other.id not in ids and any(_follows(other, entry) for entry in stopped)
    )


def following_held(desk: Desk) -> tuple[Ref, ...]:
    """What the stops that are held would reject besides what they are about."""
    held = {ref.id for item in desk.guard.holds for ref in item.refs}
    stops = [ref for item in desk.guard.holds if item.payload.decision.hard for ref in item.refs]
    return tuple(ref for ref in following_in_batch(desk.inbox, stops) if ref.id not in held)


def _follows(entry: Entry, stopper: Entry) -> bool:
    """Whether a request comes after another in the same batch, by the rule of the queue."""
    one, other = entry.request, stopper.request
    batch = other.submission.batch_id
    if batch is None or batch != one.submission.batch_id or one.asked_by.session != other.asked_by.session:
        return False
    position, stopped_at = one.submission.batch_position, other.submission.batch_position
    if position is None or stopped_at is None:
        return one.seq > other.seq
    return position > stopped_at
