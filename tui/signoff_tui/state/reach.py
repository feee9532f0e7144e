"""The further reach of a decision: later calls, and all requests of an agent."""

from __future__ import annotations

from msgspec import Struct

from signoff.queue.grant_coverage import Reach, reach_of
from signoff_tui.guard import Ref
from signoff_tui.state.inbox import Entry, Inbox
from signoff_tui.state.session import ReviewSession

__all__ = [
    "RememberPreview",
    "remember_preview",
    "waiting_for_the_same",
    "waiting_of_agent",
]


class RememberPreview(Struct, frozen=True):
    """The calls that remembering a request would cover.

    Attributes:
        entry: The request.
        reach: The match of later calls.
        matching: The number of other waiting requests of the session that would match.
    """

    entry: Entry
    reach: Reach
    matching: int


def remember_preview(inbox: Inbox, request_id: str) -> RememberPreview:
    """Return the calls that remembering an approval of a request would cover."""
    entry = inbox.entry(request_id)
    return RememberPreview(entry, reach_of(entry.request.submission), len(waiting_for_the_same(inbox, request_id)))


def waiting_for_the_same(inbox: Inbox, request_id: str) -> tuple[Entry, ...]:
    """Return the other waiting requests that remembering an approval of a request would cover."""
    entry = inbox.entry(request_id)
    submission = entry.request.submission
    return tuple(
        other
        for other in inbox.entries()
        if other.request.pending
        and other.id != entry.id
        and other.request.asked_by.session == entry.request.asked_by.session
        and other.request.submission.server == submission.server
        and other.request.submission.tool_name == submission.tool_name
        and other.request.submission.payload_key == submission.payload_key
        and other.request.submission.definition == submission.definition
    )


def waiting_of_agent(desk: ReviewSession) -> tuple[Ref, ...]:
    """Return the waiting requests of the agent under the cursor, in arrival order."""
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
