"""Whether what lies over the action bar still has its reason."""

from __future__ import annotations

from signoff_tui.screens.review.open_bar import GroupNotReady, OpenBar, Unseen
from signoff_tui.state.session import ReviewSession
from signoff_tui.state.tagged import TAGGED

__all__ = ["reason_is_gone"]


def reason_is_gone(desk: ReviewSession, bar: OpenBar | None) -> bool:
    """Whether the request of a bar was shown meanwhile, or another is the target. The guard is told of it."""
    inbox, guard = desk.inbox, desk.guard
    entry, group = inbox.focused_request(), inbox.focused_group()
    match bar:
        case Unseen(ref):
            coverage = None if entry is None or entry.id != ref.id else desk.coverage(entry)
            if coverage is not None and coverage.complete:
                guard.bar_closed()
            return not guard.offers_unseen
        case GroupNotReady(group=key) if key == TAGGED:
            return not desk.tags.acting or bool(desk.tagged().ready)
        case GroupNotReady(key):
            return group is None or group.key.id != key or bool(desk.eligibility(group.members).ready)
        case _:
            return False
