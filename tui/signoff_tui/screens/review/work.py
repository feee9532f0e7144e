"""Work of the review screen that must not block it.

What comes of it arrives as messages: a screen that is being closed does not get them any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from signoff.policy.grant_scope import PatternOffer, offers
from signoff.queue import QueueError
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.history import PatternPreview
from signoff.queue.records import ChangeSet, DecideResult, StoredRequest
from signoff_tui.context import Office
from signoff_tui.guard import Held
from signoff_tui.screens.recent_activity import RecentActivity, read_recent_activity
from signoff_tui.screens.review.allow import LAST, subject_of
from signoff_tui.state.amendments import AmendedCall
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.state.documents import Content, ContentKey, content_key, revealed_key
from signoff_tui.state.drift import FilesNow, Looked
from signoff_tui.state.edits import Editable, edited
from signoff_tui.state.inbox import Entry
from signoff_tui.state.read_marks import ReadMark, ReadMarks
from signoff_tui.widgets.document.highlight import highlight_blocks
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.workers import AsideBusyError, run_beside

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = [
    "Compared",
    "ContentMade",
    "DecisionAnswered",
    "Drifted",
    "Edited",
    "MarksRead",
    "Proposed",
    "QueueNews",
    "RecentRead",
    "Work",
]


SETTLED_SECONDS = 0.2
"""Seconds that a request has the focus before its files are looked at: paging through requests reads no disk."""


ANSWER_SECONDS = 3.0
"""Seconds after which files that do not answer are said to be unseen. If they answer later, that is told then."""


class QueueNews(Message):
    """The changes of the queue, or the reason why it cannot be reached."""

    def __init__(self, news: ChangeSet | QueueError) -> None:
        super().__init__()
        self.news = news


class ContentMade(Message):
    """The documents of a request, or the reason why they cannot be made."""

    def __init__(self, key: ContentKey, content: Content | None, failure: str = "") -> None:
        super().__init__()
        self.key = key
        self.content = content
        self.failure = failure


class DecisionAnswered(Message):
    """The answers of the queue to a decision."""

    def __init__(self, verdicts: tuple[DecideResult, ...]) -> None:
        super().__init__()
        self.verdicts = verdicts


class Edited(Message):
    """The result of an edit, compared with what was asked; or the reason why it cannot run."""

    def __init__(self, entry: Entry, of: ContentKey, text: str, change: AmendedCall | None, failure: str) -> None:
        super().__init__()
        self.entry = entry
        self.of = of
        self.text = text
        self.change = change
        self.failure = failure


class Drifted(Message):
    """The result of a look at the files of a request, or that they did not answer."""

    def __init__(self, looked: Looked) -> None:
        super().__init__()
        self.looked = looked


class Proposed(Message):
    """The patterns that can be allowed for calls like the one of a request."""

    def __init__(self, request_id: str, proposals: PatternOffer) -> None:
        super().__init__()
        self.request_id = request_id
        self.proposals = proposals


class Compared(Message):
    """The calls that a pattern would have answered."""

    def __init__(self, pattern: GrantPattern, found: PatternPreview) -> None:
        super().__init__()
        self.pattern = pattern
        self.found = found


class MarksRead(Message):
    """The marks of what was shown before, or on other screens."""

    def __init__(self, marks: Mapping[ContentKey, ReadMark]) -> None:
        super().__init__()
        self.marks = marks


class RecentRead(Message):
    """The recent activity; None if it cannot be read."""

    def __init__(self, recent: RecentActivity | None) -> None:
        super().__init__()
        self.recent = recent


class Work:
    """Starts workers of the screen.

    Args:
        screen: Gets the messages.
        office: Does the work.
    """

    def __init__(self, screen: ReviewScreen, office: Office) -> None:
        self._screen = screen
        self._office = office

    def make(self, entry: Entry, *, revealed: bool = False) -> None:
        """Make the documents of a request, with its secrets or with marks for them; `ContentMade` follows."""
        run_beside(self._screen, partial(self._make, entry, revealed=revealed), group="content")

    def color(self, wanted: DocumentView.ColorsWanted) -> None:
        """Compute syntax colors of lines that were drawn without; `DocumentView.Colored` follows."""
        run_beside(self._screen, partial(self._color, wanted), group="colors")

    def scan(self, content: Content) -> None:
        """Look through a content that is shown already; `ContentMade` follows once more."""
        run_beside(self._screen, partial(self._scan, content), group="scan")

    def edit(self, entry: Entry, content: Content, what: Editable, text: str) -> None:
        """Find out what an edit of a request comes to; `Edited` follows."""
        run_beside(self._screen, partial(self._edit, entry, content, what, text), group="content")

    def look_at_files(self, look: FilesNow) -> None:
        """Look whether the files of a request are as it shows them, and at no others; `Drifted` follows."""
        run_beside(self._screen, partial(self._look_at_files, look), group="drift", exclusive=True)

    def send(self, held: Held[HeldAnswer]) -> None:
        """Give a decision to the queue; `DecisionAnswered` follows."""
        run_beside(self._screen, partial(self._send, held), group="send")

    def read_recent(self) -> None:
        """Read the recent activity; `RecentRead` follows."""
        run_beside(self._screen, self._read_recent, group="recent")

    def propose(self, entry: Entry) -> None:
        """Work out what can be allowed for calls like one; `Proposed` follows."""
        run_beside(self._screen, partial(self._propose, entry.request), group="propose", exclusive=True)

    def compare(self, pattern: GrantPattern, session: str) -> None:
        """Look up what a pattern would have answered in a session; `Compared` follows."""
        run_beside(self._screen, partial(self._compare, pattern, session), group="compare")

    def read_marks(self) -> None:
        """Read what was shown before, or on other screens; `MarksRead` follows."""
        if (kept := self._office.read_marks) is not None:
            run_beside(self._screen, partial(self._read_marks, kept), group="read marks")

    def keep_marks(self, marks: Mapping[ContentKey, ReadMark]) -> None:
        """Write down what was shown, once nothing more is shown for a moment."""
        if (kept := self._office.read_marks) is not None:
            keeping = partial(self._keep_marks, kept, marks)
            run_beside(self._screen, keeping, group="keep marks", exclusive=True)

    def leave(self) -> None:
        """End the program once what was sent has been answered."""
        run_beside(self._screen, self._leave, group="leave")

    async def _make(self, entry: Entry, *, revealed: bool) -> None:
        key = revealed_key(entry.request) if revealed else content_key(entry.request)
        content, failure = await self._office.content(entry.request, revealed=revealed)
        self._screen.post_message(ContentMade(key, content, failure))

    async def _scan(self, content: Content) -> None:
        self._screen.post_message(ContentMade(content.key, await self._office.scanned(content)))

    async def _color(self, wanted: DocumentView.ColorsWanted) -> None:
        spans = await self._office.compute(highlight_blocks, wanted.blocks)
        self._screen.post_message(DocumentView.Colored(wanted, spans))

    async def _look_at_files(self, look: FilesNow) -> None:
        await asyncio.sleep(SETTLED_SECONDS)
        key = content_key(look.request)
        try:
            looking = self._office.aside.begin(look)
        except AsideBusyError:
            self._screen.post_message(Drifted(Looked(key, unseen=True)))
            return
        await asyncio.wait([looking], timeout=ANSWER_SECONDS)
        if not looking.done():
            self._screen.post_message(Drifted(Looked(key, unseen=True)))
        self._screen.post_message(Drifted(await looking))

    async def _edit(self, entry: Entry, content: Content, what: Editable, text: str) -> None:
        request, change, failure = entry.request, None, ""
        try:
            change = await self._office.compute(edited, request, content, what, text)
        except ValueError as error:
            failure = str(error)
        self._screen.post_message(Edited(entry, content_key(request), text, change, failure))

    async def _send(self, held: Held[HeldAnswer]) -> None:
        verdicts = await self._office.decide(held)
        self._screen.post_message(DecisionAnswered(verdicts))

    async def _read_recent(self) -> None:
        now = self._office.now()
        try:
            recent = await self._office.ask(lambda queue: read_recent_activity(queue, now))
        except QueueError:  # that it is lost is said on top
            self._screen.post_message(RecentRead(None))
        else:
            self._screen.post_message(RecentRead(recent))

    async def _propose(self, request: StoredRequest) -> None:
        call = request.submission
        proposals = await self._office.compute(offers, call, *subject_of(call))
        self._screen.post_message(Proposed(request.id, proposals))

    async def _compare(self, pattern: GrantPattern, session: str) -> None:
        with contextlib.suppress(QueueError):  # that it is lost is said on top
            found = await self._office.ask(lambda queue: queue.preview(pattern, session=session, last=LAST))
            self._screen.post_message(Compared(pattern, found))

    async def _read_marks(self, kept: ReadMarks) -> None:
        self._screen.post_message(MarksRead(await self._office.compute(kept.load)))

    async def _keep_marks(self, kept: ReadMarks, marks: Mapping[ContentKey, ReadMark]) -> None:
        await asyncio.sleep(SETTLED_SECONDS)
        await self._office.compute(kept.add, marks, self._office.now())

    async def _leave(self) -> None:
        await self._office.drained()
        self._screen.app.exit()
