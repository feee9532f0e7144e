"""The services that all screens share: the queue, and work that must not block the screen."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, ParamSpec, Protocol, TypeVar

from signoff.filter import SAVED_FILTERS, SavedFilter
from signoff.queue import (
    DecideResult,
    QueueError,
    QueueGoneError,
    ReviewQueue,
    StoredRequest,
    VerdictKind,
)
from signoff.queue.records import ChangeSet
from signoff_tui.guard import Held
from signoff_tui.input.keymap import KeyMap
from signoff_tui.notify.service import Muting
from signoff_tui.notify.warnings import Alarms
from signoff_tui.state.amendments import with_marks
from signoff_tui.state.decision_session import HeldAnswer, send_held
from signoff_tui.state.documents import Content, make_content, scanned
from signoff_tui.state.message import EarlierTexts
from signoff_tui.state.read_marks import ReadMarks
from signoff_tui.state.tally import Counts
from signoff_tui.terminal.sequences import Saying
from signoff_tui.text.lines import Line
from signoff_tui.workers import Aside

__all__ = ["Announcement", "Draft", "Goes", "Office"]

P = ParamSpec("P")
T = TypeVar("T")

Draft = tuple[str, ...]
"""The request ids that a draft is about."""

MERGE_SECONDS = 0.1
"""The time within which changes of the queue are drawn at once."""

RETRY_SECONDS = 1.0


class Goes(Protocol):
    """The part of the app that screens call to go somewhere."""

    def go(self, name: str, query: str = "") -> None:
        """Show another screen with a filter, or change the theme."""

    def speak(self, saying: Saying) -> None:
        """Write a sequence to the terminal besides the picture."""

    def edit(self, text: str, suffix: str) -> str | None:
        """Give the terminal to the person's editor; returns the text, or None if it was not changed."""

    def hand_over(self, work: Callable[[], None]) -> None:
        """Give the terminal to a program of the person."""

    def keep_filter(self, query: str) -> Announcement:
        """Write a filter into the person's settings; returns the result in words."""


class Announcement(NamedTuple):
    """A message of signoff, and its style."""

    words: str = ""
    token: str = "ok"


class Office:
    """The services that all screens of one run share.

    Args:
        queue: An open review connection; the office closes it.
        place: The place of the queue, in words.
        app: Shows other screens.
        wall_clock: Microseconds since the epoch, for the times that people read. No decision depends on it.
        muting: The mutes of notices.
        keys: The keys of the person; those of the table if they are left out.
        read_marks: The store of what was shown; None to keep nothing.
    """

    def __init__(
        self,
        queue: ReviewQueue,
        place: str,
        app: Goes,
        wall_clock: Callable[[], int],
        muting: Muting,
        keys: KeyMap | None = None,
        read_marks: ReadMarks | None = None,
    ) -> None:
        self._queue = queue
        self.place = place
        self.now = wall_clock
        self.muting = muting
        self.keys = keys or KeyMap()
        self.read_marks = read_marks
        """The store of what was shown; None to keep nothing."""
        self._app = app
        self._sending: set[asyncio.Task[tuple[DecideResult, ...]]] = set()
        self.announcement = Announcement()
        """The message in an empty inbox."""
        self.agents_end = False
        """True if the agents end when the screen does, as in the demo."""
        self.alarms = Alarms()
        """The warnings on the first line of every screen."""
        self.aside = Aside()
        """Runs work that may never end."""
        self.drafts: dict[Draft, str] = {}
        """Texts that were written and not sent."""
        self.earlier = EarlierTexts()
        """Texts that were sent in this run."""
        self.saved_filters: Sequence[SavedFilter] = SAVED_FILTERS
        """The filters to choose from."""
        self.status_row: Callable[[str, int], Line] = lambda _tab, _width: Line()
        """Makes the first row of the screen of a tab, for a number of cells; the review knows what it says."""
        self.counts: Callable[[], Counts] = Counts
        """Counts what waits."""
        self.viewer: Sequence[str] = ()
        """Program and arguments that show a diff outside of the screen; empty if there is none."""

    @property
    def reviewer(self) -> str:
        """Name under which decisions are recorded."""
        return self._queue.reviewer

    def go(self, name: str, query: str = "") -> None:
        """Show another screen, with a filter."""
        self._app.go(name, query)

    def speak(self, saying: Saying) -> None:
        """Write a sequence to the terminal besides the picture."""
        self._app.speak(saying)

    def edit(self, text: str, suffix: str) -> str | None:
        """Have the person edit a text in their own editor; the screen waits.

        Args:
            text: The text.
            suffix: Ending of a file name by which the editor knows its language.

        Returns:
            The edited text; None if it was not changed.

        Raises:
            HandoverError: The editor failed; the message says why.
        """
        return self._app.edit(text, suffix)

    def hand_over(self, work: Callable[[], None]) -> None:
        """Give the terminal to a program of the person; the screen waits.

        Raises:
            HandoverError: The program failed; the message says why.
        """
        self._app.hand_over(work)

    def keep_filter(self, query: str) -> Announcement:
        """Write a filter into the person's settings; returns the result in words."""
        return self._app.keep_filter(query)

    def close(self) -> None:
        """Close the queue."""
        self._queue.close()

    async def changes(self, cursor: Callable[[], int]) -> AsyncIterator[ChangeSet | QueueError]:
        """Yield changes, merged, for ever; an error when the queue is lost, and then go on trying.

        Args:
            cursor: Returns the cursor after the changes that were taken over.
        """
        fresh = False
        while True:
            try:
                async for changed in self._queue.watch(0 if fresh else cursor()):
                    yield replace(changed, fresh=fresh)
                    fresh = False
                    await asyncio.sleep(MERGE_SECONDS)
            except QueueGoneError as error:
                yield error
                await self._opened_again()
                fresh = True
                continue
            except QueueError as error:
                yield error
            await asyncio.sleep(RETRY_SECONDS)

    async def _opened_again(self) -> None:
        """Return when there is a queue again. The loss has been reported by then."""
        while True:
            await asyncio.sleep(RETRY_SECONDS)
            with contextlib.suppress(QueueError):
                await asyncio.to_thread(self._queue.reopen)
                return

    async def content(self, request: StoredRequest, *, revealed: bool = False) -> tuple[Content | None, str]:
        """Make the documents of a request, with its secrets or with marks for them; or return the error."""
        try:
            return await asyncio.to_thread(_made, request, self._queue.blob, revealed=revealed), ""
        except (QueueError, ValueError) as error:
            return None, str(error)

    async def scanned(self, content: Content) -> Content:
        """Return the same content with its findings."""
        return await asyncio.to_thread(scanned, content)

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a thread."""
        return await asyncio.to_thread(function, *args, **kwargs)

    async def ask(self, question: Callable[[ReviewQueue], T]) -> T:
        """Run a call of the queue that is no decision, in a thread.

        Raises:
            QueueError: The queue cannot be used.
        """
        return await asyncio.to_thread(question, self._queue)

    async def decide(self, held: Held[HeldAnswer]) -> tuple[DecideResult, ...]:
        """Send a held decision to the queue. If the queue cannot be reached, the result is a refusal."""
        task = asyncio.create_task(asyncio.to_thread(self._decide, held))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return await task

    async def drained(self) -> None:
        """Wait until the queue has answered all decisions that were sent."""
        while self._sending:
            await asyncio.wait(self._sending)

    async def request(self, request_id: str, revision: int) -> StoredRequest:
        """Return one revision of a request.

        Raises:
            QueueError: The queue cannot be read, or there is no such request.
        """
        return await asyncio.to_thread(self._queue.get, request_id, revision)

    def _decide(self, held: Held[HeldAnswer]) -> tuple[DecideResult, ...]:
        try:
            return send_held(self._queue, held, time.monotonic())
        except QueueError as error:
            return tuple(DecideResult(VerdictKind.REFUSED, ref.id, str(error), None) for ref in held.refs)


def _made(request: StoredRequest, blob: Callable[[str], bytes], *, revealed: bool) -> Content:
    """The content of a request, and the same with marks for choosing hunks."""
    content = make_content(request, blob, revealed=revealed)
    with_marks(request, content)  # cached with the content, so that the screen need not wait
    return content
