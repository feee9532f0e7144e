"""The filter of the inbox: the requests it lists, and the number of waiting ones it hides.

Each request is tested when the filter is applied, and once more when it arrives or changes. A listed row stays
listed until the person asks for another list: rows do not leave under the hand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container

from msgspec import Struct

from signoff.filter import (
    CallFacts,
    Filtered,
    Query,
    ScreenFacts,
    Subject,
    Viewpoint,
    existing_values,
    of_request,
    parse,
)
from signoff.queue.records import StoredRequest
from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession

__all__ = [
    "Hidden",
    "InboxFilter",
    "InboxSubjects",
]


REMEMBERED = 10
"""The most filters that can come back: more than typing can change before it is recognized."""


class Hidden(Struct, frozen=True):
    """The requests that a filter keeps out of the list.

    Attributes:
        waiting: The number of waiting ones.
        matches: True if a row is listed because it passes, not only because the cursor is on it.
    """

    waiting: int = 0
    matches: bool = True


class InboxFilter:
    """The filter in force, applied to the requests of the session.

    Args:
        desk: The session with the requests.
        view: Returns the viewpoint of the filter.
    """

    def __init__(self, desk: ReviewSession, view: Callable[[], Viewpoint]) -> None:
        self._desk = desk
        self._view = view
        self._subjects = InboxSubjects(desk)
        self._before: deque[Query] = deque(maxlen=REMEMBERED)
        self._test: Callable[[Subject], bool] | None = None
        """The test, made once while all requests are tested."""
        self._made: dict[str, tuple[StoredRequest, Subject]] | None = None
        self.query = parse("", Filtered.INBOX)
        """The filter that is in force."""

    @property
    def in_force(self) -> bool:
        """True if the filter has a condition."""
        return self.query.expression is not None

    def use(self, query: Query) -> None:
        """Put another filter in force."""
        self._before.append(self.query)
        self.query = query
        self.settle()

    def settle(self) -> None:
        """Test all requests anew."""
        self._subjects.forget_the_gone()
        if not self.in_force:
            self._desk.inbox.sift(None)
            return
        self._test = self.query.test(self._view())
        self._desk.inbox.sift(self._keeps)
        self._test = None

    def typing(self, *, begins: bool) -> None:
        """Note that typing a filter begins or ends: meanwhile subjects are made only once."""
        self._made = {} if begins else None

    def undo(self) -> None:
        """Apply the filter that was in force before the last one."""
        if self._before:
            self.query = self._before.pop()
            self.settle()

    @property
    def hidden(self) -> Hidden:
        """Return the number of waiting requests that are not listed."""
        inbox = self._desk.inbox
        return Hidden(sum(entry.request.pending for entry in inbox.hidden()), inbox.anything_passes)

    def values(self) -> dict[str, list[str]]:
        """Return values that a filter could use, by the name of their field."""
        return existing_values(map(self._subject, self._desk.inbox.entries()))

    def _keeps(self, entry: Entry) -> bool:
        test = self._test or self.query.test(self._view())
        return test(self._subject(entry))

    def _subject(self, entry: Entry) -> Subject:
        if self._made is None:
            return self._subjects.subject(entry, tagged=self._desk.tags)
        made = self._made.get(entry.id)
        if made is None or made[0] is not entry.request:
            made = self._made[entry.id] = entry.request, self._subjects.subject(entry, tagged=self._desk.tags)
        return made[1]


# -- The subjects of the inbox's filter: the stored request, and facts that only this screen knows.


class InboxSubjects:
    """Makes subjects of entries; each call is worked out once.

    Args:
        desk: The session with the requests and their coverage.
    """

    def __init__(self, desk: ReviewSession) -> None:
        self._desk = desk
        self._calls: dict[str, tuple[int, CallFacts]] = {}

    def subject(self, entry: Entry, *, tagged: Container[str] = ()) -> Subject:
        """Return an entry as a subject of the filter.

        Args:
            entry: The entry.
            tagged: Ids of the requests that are tagged.
        """
        coverage = self._desk.coverage(entry)
        facts = ScreenFacts(
            held=entry.held,
            sent=entry.sent,
            later=entry.later,
            tagged=entry.id in tagged,
            late=self._desk.is_late(entry.id),
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
