"""Work of the history screen that must not block it. What comes of it arrives as messages."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from textual.message import Message
from textual.screen import Screen

from signoff.filter import Found, Query, Viewpoint
from signoff.queue import HistoryCheck, HistoryRecord, QueueError, ReviewQueue, StoredRequest
from signoff_tui.context import Office
from signoff_tui.screens.history.export import write_export
from signoff_tui.screens.history.looking import (
    MOST,
    PAGE,
    STEP,
    Around,
    Newer,
    look_around,
    look_for_newer,
    look_for_older,
    look_for_values,
)
from signoff_tui.screens.history.together import Act, sizes_of_acts
from signoff_tui.state.documents import Content
from signoff_tui.state.edits import changed_documents
from signoff_tui.widgets.document.highlight import highlight_blocks
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.workers import run_beside

__all__ = ["Checked", "Collected", "Exported", "Failed", "Fresh", "Listed", "Older", "Read", "Sized", "Work"]


class Listed(Message):
    """The newest records that a filter keeps."""

    def __init__(self, query: Query, found: Found, around: Around) -> None:
        super().__init__()
        self.query = query
        self.found = found
        self.around = around


class Older(Message):
    """Records below those that are listed."""

    def __init__(self, query: Query, found: Found) -> None:
        super().__init__()
        self.query = query
        self.found = found


class Fresh(Message):
    """What came since the last look."""

    def __init__(self, query: Query, newer: Newer) -> None:
        super().__init__()
        self.query = query
        self.newer = newer


class Sized(Message):
    """How many records each act has of which some are listed, which may take a while longer."""

    def __init__(self, query: Query, sizes: Mapping[Act, int]) -> None:
        super().__init__()
        self.query = query
        self.sizes = sizes


class Failed(Message):
    """The history cannot be read."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class Collected(Message):
    """Values that records have, by the name of their field."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self.values = values


class Read(Message):
    """What was decided on was read, or cannot be."""

    def __init__(
        self, record: HistoryRecord, request: StoredRequest | None, content: Content | None, failure: str
    ) -> None:
        super().__init__()
        self.record = record
        self.request = request
        self.content = content
        self.failure = failure


class Checked(Message):
    """The chain was checked, or cannot be."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class Exported(Message):
    """A file was written, or cannot be.

    Args:
        records: How many were written.
        path: The file.
        problem: Why nothing was written; empty if it was.
    """

    def __init__(self, records: int, path: str, problem: str = "") -> None:
        super().__init__()
        self.records = records
        self.path = path
        self.problem = problem


class Work:
    """Starts workers of the screen.

    Args:
        screen: Gets the messages.
        office: Does the work.
    """

    def __init__(self, screen: Screen[None], office: Office) -> None:
        self._screen = screen
        self._office = office

    @property
    def _view(self) -> Viewpoint:
        return Viewpoint(self._office.now(), self._office.reviewer)

    def list(self, query: Query) -> None:
        """Read the newest records that a filter keeps, and forget what was asked before; `Listed` follows."""
        run_beside(self._screen, partial(self._list, query), group="load", exclusive=True)

    def look_back(self, query: Query, before: int | None) -> None:
        """Read records below one; `Older` follows."""
        run_beside(self._screen, partial(self._look_back, query, before), group="load", exclusive=True)

    def look_again(self, query: Query, known: Around) -> None:
        """Read what came since; `Fresh` follows."""
        run_beside(self._screen, partial(self._look_again, query, known), group="fresh", exclusive=True)

    def collect(self) -> None:
        """Look which values there are; `Collected` follows."""
        run_beside(self._screen, self._collect, group="collect", exclusive=True)

    def read(self, record: HistoryRecord, request_id: str) -> None:
        """Read what was decided on; `Read` follows."""
        run_beside(self._screen, partial(self._read, record, request_id), group="show", exclusive=True)

    def color(self, wanted: DocumentView.ColorsWanted) -> None:
        """Compute the syntax colors of a block; `DocumentView.Colored` follows."""
        run_beside(self._screen, partial(self._color, wanted), group="colors")

    def check(self) -> None:
        """Check the chain of the history; `Checked` follows."""
        run_beside(self._screen, self._check, group="check", exclusive=True)

    def export(self, query: Query, path: str) -> None:
        """Write what a filter keeps into a new file; `Exported` follows.

        Args:
            query: What is written.
            path: The file, as it was typed.
        """
        run_beside(self._screen, partial(self._export, query, path), group="export", exclusive=True)

    async def _list(self, query: Query) -> None:
        try:
            around = await self._office.ask(look_around)
            found = await self._page(query, around.head + 1)
            self._screen.post_message(Listed(query, found, around))
            self._size(query, found.records)
        except QueueError as error:
            self._screen.post_message(Failed(f"the history cannot be read: {error}"))

    async def _look_back(self, query: Query, before: int | None) -> None:
        try:
            found = await self._page(query, before)
            self._screen.post_message(Older(query, found))
            self._size(query, found.records)
        except QueueError as error:
            self._screen.post_message(Failed(f"older records cannot be read: {error}"))

    async def _page(self, query: Query, before: int | None) -> Found:
        """A page of what a filter keeps, looked for in short goes."""
        records: list[HistoryRecord] = []
        for _ in range(MOST // STEP):
            wanted = PAGE - len(records)
            look = partial(look_for_older, query=query, view=self._view, before=before, wanted=wanted)
            found = await self._office.ask(look)
            records += found.records
            if found.stopped_at is None:
                return Found(tuple(records), more=found.more)
            before = found.stopped_at
        return Found(tuple(records), stopped_at=before)

    def _size(self, query: Query, records: Sequence[HistoryRecord]) -> None:
        """Look how many records their acts have; `Sized` follows, whatever else is read meanwhile."""
        if records:
            run_beside(self._screen, partial(self._count, query, records), group="sizes")

    async def _count(self, query: Query, records: Sequence[HistoryRecord]) -> None:
        with contextlib.suppress(QueueError):  # then it is told how many are listed, and no more
            sizes = await self._office.ask(partial(sizes_of_acts, records=records))
            self._screen.post_message(Sized(query, sizes))

    async def _look_again(self, query: Query, known: Around) -> None:
        try:
            newer = await self._office.ask(partial(look_for_newer, query=query, view=self._view, known=known))
        except QueueError:
            return  # whoever brought the news brings these too
        self._screen.post_message(Fresh(query, newer))
        self._size(query, newer.records)

    async def _collect(self) -> None:
        with contextlib.suppress(QueueError):  # then there is nothing to choose from
            self._screen.post_message(Collected(await self._office.ask(look_for_values)))

    async def _read(self, record: HistoryRecord, request_id: str) -> None:
        try:
            request = await self._office.request(request_id, record.revision)
        except QueueError as error:
            failure = f"the content is not stored any more: {error}"
            self._screen.post_message(Read(record, None, None, failure))
            return
        asked, failure = await self._office.content(request)
        content = None if asked is None else await self._with_change(record, request, asked)
        self._screen.post_message(Read(record, request, content, f"cannot be shown: {failure}"))
        if asked is not None and asked.unparsed is not None:
            content = await self._with_change(record, request, await self._office.scanned(asked))
            self._screen.post_message(Read(record, request, content, ""))

    async def _with_change(self, record: HistoryRecord, request: StoredRequest, asked: Content) -> Content:
        """What was asked, below what the reviewer made of it."""
        instead = None if record.decision is None else record.decision.instead
        if instead is None:
            return asked

        def change(queue: ReviewQueue) -> Content:
            return replace(asked, documents=changed_documents(request, asked.documents, instead, queue.blob))

        return await self._office.ask(change)

    async def _color(self, wanted: DocumentView.ColorsWanted) -> None:
        spans = await self._office.compute(highlight_blocks, wanted.blocks)
        self._screen.post_message(DocumentView.Colored(wanted, spans))

    async def _check(self) -> None:
        try:
            words = _verdict(await self._office.ask(lambda queue: queue.check_history()))
        except QueueError as error:
            words = f"cannot be checked: {error}"
        self._screen.post_message(Checked(words))

    async def _export(self, query: Query, typed: str) -> None:
        view = self._view

        def write(queue: ReviewQueue) -> tuple[int, Path]:
            path = Path(typed).expanduser().absolute()
            return write_export(queue, query, view, path), path

        try:
            count, path = await self._office.ask(write)
        except FileExistsError:
            self._screen.post_message(Exported(0, typed, "not written: there is such a file already"))
        except (QueueError, OSError, RuntimeError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._screen.post_message(Exported(0, typed, f"not written: {why}"))
        else:
            self._screen.post_message(Exported(count, str(path)))


def _verdict(check: HistoryCheck) -> str:
    records = "record" if check.checked == 1 else "records"
    if check.fault is None:
        return f"whole: {check.checked} {records} checked, up to #{check.head.seq}"
    return f"BROKEN: {check.message}"
