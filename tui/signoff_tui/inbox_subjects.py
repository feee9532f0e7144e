"""What a filter can ask of the rows of the inbox: the stored request, and what only this screen knows."""

from __future__ import annotations

from collections.abc import Container

from signoff.filter import CallFacts, ScreenFacts, Subject, of_request
from signoff_tui.desk import Desk
from signoff_tui.inbox import Entry

__all__ = ["InboxSubjects"]


class InboxSubjects:
    """Makes subjects of entries; no call is taken apart twice.

    Args:
        desk: What waits, and what was shown of it.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._calls: dict[str, tuple[int, CallFacts]] = {}

    def subject(self, entry: Entry, *, tagged: Container[str] = (), late: Container[str] = ()) -> Subject:
        """What can be asked of an entry now.

        Args:
            entry: The entry.
            tagged: Ids of the requests that are tagged.
            late: Ids of the requests that joined their group after it was looked at.
        """
        coverage = self._desk.coverage(entry)
        facts = ScreenFacts(
            held=entry.held,
            sent=entry.sent,
            later=entry.later,
            tagged=entry.id in tagged,
            late=entry.id in late,
            # An ended request that was never opened here was perhaps read by another reviewer.
            shown=None if coverage is None and entry.closed else self._desk.share(entry),
            lines=None if coverage is None else coverage.units,
        )
        revision, call = self._calls.get(entry.id, (0, None))
        if revision != entry.request.revision:
            call = None
        subject = of_request(entry.request, facts, call=call)
        self._calls[entry.id] = entry.request.revision, subject.call
        return subject

    def forget_the_gone(self) -> None:
        """Forget the calls of requests that left the inbox."""
        self._calls = {id_: kept for id_, kept in self._calls.items() if id_ in self._desk.inbox}
