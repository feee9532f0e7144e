"""The further reach of a decision: all requests of an agent."""

from __future__ import annotations

from signoff_tui.guard import Ref
from signoff_tui.state.session import ReviewSession

__all__ = [
    "waiting_of_agent",
]


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
