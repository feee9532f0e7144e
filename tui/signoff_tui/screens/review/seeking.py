"""Where the cursor goes when another screen asks for what a filter keeps."""

from __future__ import annotations

from collections.abc import Iterator

from signoff.filter import Filtered, Viewpoint, parse
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.inbox_filter import InboxSubjects
from signoff_tui.state.session import ReviewSession

__all__ = ["first_waiting"]


def first_waiting(desk: ReviewSession, query: str, view: Viewpoint) -> RowKey | None:
    """The first request in the list that waits and that a filter keeps; one that is held if no other waits.

    Args:
        desk: What is listed.
        query: In the filter language.
        view: When and by whom it is asked.

    Raises:
        FilterError: The filter cannot be used.
    """
    test = parse(query, Filtered.INBOX).test(view)
    subjects = InboxSubjects(desk)
    kept = [entry for entry in _listed(desk) if entry.request.pending and test(subjects.subject(entry))]
    found = next((entry for entry in kept if entry.waiting), kept[0] if kept else None)
    return None if found is None else RowKey("request", found.id)


def _listed(desk: ReviewSession) -> Iterator[Entry]:
    """All requests as they stand in the list, of a closed group where its row is; then what a filter hides."""
    yield from (entry for row in desk.inbox.rows() for entry in desk.inbox.stands_for(row.key))
    yield from desk.inbox.hidden()
