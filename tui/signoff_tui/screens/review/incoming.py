"""The results that come in at the review screen: changes of the queue, its answers, edits, recent activity."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from signoff.queue import QueueError, QueueGoneError
from signoff.queue.records import ChangeSet
from signoff.queue.wording import agent_exited
from signoff_tui.guard import Cause
from signoff_tui.screens.recent_activity import RecentActivity
from signoff_tui.screens.rereading import Rereading
from signoff_tui.screens.review.allow import Allowing
from signoff_tui.screens.review.open_bar import Approving, QuestionBar, Unseen
from signoff_tui.text.summary import refused_text, summarize

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.decisions import Decisions
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.screens.review.work import DecisionAnswered, Edited, RecentRead, Work
    from signoff_tui.state.session import ReviewSession

__all__ = ["Incoming", "Lost"]


class Lost(Struct, frozen=True):
    """The loss of the queue.

    Attributes:
        since: Wall clock, microseconds since the epoch.
        why: The reason, in words of the queue.
        what: The event that befell it, as in "was removed", if it is gone for good; else empty.
    """

    since: int
    why: str
    what: str


class Incoming:
    """Takes over results that come in.

    Args:
        screen: Shows them, and the message about them.
        desk: Keeps them.
        office: Has the wall clock.
        decisions: Takes back void decisions.
        work: Reads the recent activity.
    """

    def __init__(
        self, screen: ReviewScreen, desk: ReviewSession, office: Office, decisions: Decisions, work: Work
    ) -> None:
        self._screen = screen
        self._desk = desk
        self._office = office
        self._decisions = decisions
        self._reading_recent = Rereading(work.read_recent)
        self._nothing_listed = False
        self.recent = RecentActivity()
        """The recent activity, shown while nothing is listed."""
        self.begun = False
        """True from the first answer of the queue on: before it nothing can be said of what waits."""
        self.lost: Lost | None = None
        """The loss of the queue; None while it is there."""

    def take_news(self, news: ChangeSet | QueueError) -> None:
        """Take over changes of the queue, or note that it cannot be reached."""
        self.begun = True
        if isinstance(news, ChangeSet):
            before = self._waiting if self.lost is not None or news.fresh else None
            self._set_connected(None)
            self._take_changes(news)
            if before is not None:
                self._say_it_is_back(before)
        else:
            self._set_connected(news)

    def take_answers(self, event: DecisionAnswered) -> None:
        """Take over the queue's answers to a decision."""
        refused = self._desk.answered(event.verdicts)
        if refused:
            reasons = dict.fromkeys(refused_text(verdict, self._desk.reviewer) for verdict in refused)
            self._screen.say(f"not accepted: {'; '.join(reasons)}")
        self._screen.redraw(Cause.CHANGED)

    def take_edit(self, event: Edited) -> None:
        """Take over an edit that was compared with what was asked."""
        key = self._desk.keys.shown("edit_call")
        kept = self._desk.changes.take_edit(
            event.entry, event.text, event.change, event.of, failed=bool(event.failure)
        )
        if event.failure:
            self._screen.say(f"the edit cannot run, {key} opens it again: {event.failure}")
        elif not kept:
            self._screen.say(f"the request changed meanwhile: your edit is kept, {key} opens it again")
        elif event.change is None:
            self._screen.say("as it was asked", token="muted")
        else:
            self._screen.fit_list()
        self._screen.redraw(Cause.CHANGED)

    def read_recent(self, cause: Cause) -> None:
        """Read the recent activity when there may be more of it; it is shown while nothing is listed."""
        before, self._nothing_listed = self._nothing_listed, self._desk.inbox.cursor is None
        if self._nothing_listed and (not before or cause is not Cause.MOVED):
            self._reading_recent.wanted()

    def take_recent(self, event: RecentRead) -> None:
        """Take over the recent activity."""
        self._reading_recent.ended()
        if event.recent is not None and event.recent != self.recent:
            self.recent = event.recent
            self._screen.redraw()

    def _take_changes(self, changes: ChangeSet) -> None:
        was_empty = self._desk.inbox.cursor is None
        exited = self._exited(changes)
        taken = self._desk.apply(changes)
        if exited:
            self._screen.say(exited, token="muted")
        self._decisions.take_back(taken, "not sent, it changed")
        self._decisions.welcome_back()
        self._screen.filtering.show_as_left()
        if was_empty:
            self._screen.fit_list()
        self._screen.redraw(Cause.ARRIVED if was_empty else Cause.CHANGED)

    @property
    def _waiting(self) -> frozenset[str]:
        """Ids of the waiting requests."""
        return frozenset(entry.id for entry in self._desk.inbox.entries() if entry.request.pending)

    def _say_it_is_back(self, before: frozenset[str]) -> None:
        gone = len(before - self._waiting)
        of_before = f", {gone} of before {'is' if gone == 1 else 'are'} gone" if gone else ""
        self._screen.say(f"queue is back: {len(self._waiting)} waiting{of_before}", token="held")

    def _exited(self, changes: ChangeSet) -> str:
        """Return the agents that ended while they waited, with the number of withdrawn requests, in words."""
        inbox = self._desk.inbox
        ended = (change.request for change in changes.changes if agent_exited(change.request.state_note))
        waited = (each for each in ended if each.id in inbox and inbox.entry(each.id).request.pending)
        left = Counter(summarize(each).agent.text for each in waited)
        return ", ".join(
            f"{name} exited; {number} {'request' if number == 1 else 'requests'} withdrawn"
            for name, number in left.items()
        )

    def _set_connected(self, error: QueueError | None) -> None:
        connected, before = error is None, self.lost
        since = self._office.now() if before is None else before.since
        what = error.what if isinstance(error, QueueGoneError) else ""
        self.lost = None if error is None else Lost(since, str(error), what)
        if self.lost == before and connected == self._desk.guard.connected:
            return
        taken = self._desk.guard.set_connected(connected)
        self._decisions.take_back(taken, "not sent")
        bar = self._screen.bar
        untrue = isinstance(bar, QuestionBar) and bar.about == "quit"  # it says what is held, or waits
        if not connected and (untrue or isinstance(bar, Unseen | Approving | Allowing)):
            self._decisions.close_bar()  # nothing that it offers can be done
        self._screen.redraw(Cause.CHANGED)
