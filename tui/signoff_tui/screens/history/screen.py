"""The history: newest first, with the record and the content that was decided on. Nothing decides here."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from signoff.policy.redaction import DEFAULT_REDACTION
from signoff.present.structured import structured_document
from signoff.queue import HistoryRecord, QueueError
from signoff_tui.documents import Content
from signoff_tui.flow import KeyHint, Room, flow
from signoff_tui.highlight import highlight_block
from signoff_tui.lines import Line, chunk, foreign, line, rule
from signoff_tui.look import look_of
from signoff_tui.office import Office
from signoff_tui.screens.history.lines import heading, height, record_lines, record_row, totals
from signoff_tui.screens.plain import PlainScreen
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.document_view import DocumentView
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

__all__ = ["HistoryScreen"]

TWO_PANES = 100
RECORDS = 500
"""Records that are loaded; older ones are reached with `signoff history`."""


class HistoryScreen(PlainScreen):
    """Records, and beside them (or on Enter) the focused one with its content."""

    CSS_PATH = "screen.tcss"
    place = "history"

    class Loaded(Message):
        """The newest records were read, or cannot be."""

        def __init__(self, records: Sequence[HistoryRecord], problem: str = "") -> None:
            super().__init__()
            self.records = records
            self.problem = problem

    class Read(Message):
        """What was decided on was read, or cannot be."""

        def __init__(self, record: HistoryRecord, content: Content | None, failure: str) -> None:
            super().__init__()
            self.record = record
            self.content = content
            self.failure = failure

    def __init__(self, office: Office, query: str = "") -> None:
        super().__init__(office, query)
        self._records: Sequence[HistoryRecord] = ()
        self._rows: Sequence[tuple[int, int]] = ()
        """Index of a record and of one of its lines, for each row of the list."""
        self._cursor = 0
        self._opened = False
        self._problem = ""

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="title")
        with Horizontal():
            with Vertical(id="list-pane"):
                yield LinesView(id="heading")
                yield RowList(id="rows")
            yield Divider(id="divider")
            with Vertical(id="record-pane"):
                yield LinesView(id="record")
                yield DocumentView(id="document")
        yield LinesView(id="foot")

    def on_mount(self) -> None:
        """Load the newest records."""
        self.run_worker(self._load(), group="load")

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self._draw()

    def do_back(self) -> None:
        """From a record that has the whole screen to the list, else back."""
        if self._reading:
            self._opened = False
            self._draw()
        else:
            self.dismiss()

    def do_open(self) -> None:
        """The whole record."""
        self._opened = True
        self._draw()

    def do_down(self) -> None:
        """Next record, or line."""
        self._step(1)

    def do_up(self) -> None:
        """Previous record, or line."""
        self._step(-1)

    def do_first(self) -> None:
        """Newest record, or first line."""
        self._step(-RECORDS)

    def do_last(self) -> None:
        """Oldest record that is loaded, or last line."""
        self._step(RECORDS)

    def do_page_down(self) -> None:
        """Page."""
        self._page(1)

    def do_page_up(self) -> None:
        """Page back."""
        self._page(-1)

    @on(RowList.Clicked)
    def _row_clicked(self, event: RowList.Clicked) -> None:
        self._cursor = self._rows[event.index][0]
        self._opened = self._opened or event.double
        self._draw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._draw()

    @on(DocumentView.ColorsWanted)
    def _colors_wanted(self, event: DocumentView.ColorsWanted) -> None:
        self.run_worker(self._color(event), group="colors")

    @property
    def two_panes(self) -> bool:
        """Whether list and record stand side by side."""
        return self.size.width >= TWO_PANES

    @property
    def _reading(self) -> bool:
        """Whether the record has the whole screen, so that row keys move lines."""
        return self._opened and not self.two_panes

    @property
    def _document(self) -> DocumentView:
        return self.query_one("#document", DocumentView)

    def _step(self, steps: int) -> None:
        if self._reading:
            self._document.scroll_lines(steps)
        else:
            self._cursor = max(0, min(len(self._records) - 1, self._cursor + steps))
        self._draw()

    def _page(self, pages: int) -> None:
        if self._reading or self.two_panes:
            self._document.scroll_pages(pages)
            self._draw()
        else:
            self._step(pages * self.query_one("#rows", RowList).page)

    # -- drawing ------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_mounted or not self.size:
            return
        look = look_of(self)
        self.set_class(self.two_panes, "-two")
        self.set_class(self._reading, "-record")
        self.set_class(not self.two_panes and not self._opened, "-list")
        self.query_one("#title", LinesView).show(
            [
                line(chunk(" signoff  History", "strong"), right=(chunk("newest first ", "muted"),)),
                rule(look.glyphs.rule),
            ]
        )
        listing = self.query_one("#rows", RowList)
        records, rows = self._records, self._rows
        self.query_one("#heading", LinesView).show([heading(listing.size.width)] if records else self._empty())

        def row(index: int, width: int) -> tuple[Line, ...]:
            record, part = rows[index]
            lines = record_row(records[record], look.glyphs, width, focused=record == self._cursor)
            return lines[part : part + 1]

        listing.show(len(rows), row, cursor=rows.index((self._cursor, 0)) if rows else None)
        self._draw_record()
        keys = [
            KeyHint(self._office.keys.shown("down", "up"), "line" if self._reading else "record"),
            KeyHint(self._office.keys.shown("page_down"), "page"),
        ]
        if not self.two_panes and not self._opened:
            keys.append(KeyHint("Enter", "whole record"))
        self.query_one("#foot", LinesView).show(
            [
                rule(look.glyphs.rule),
                totals(records),
                *flow(
                    [*keys, KeyHint("Esc", "back"), KeyHint(self._office.keys.shown("help"), "help")],
                    Room(self.size.width, 1),
                ),
                line(chunk(" no decision keys work on this screen", "muted")),
            ]
        )

    def _empty(self) -> list[Line]:
        if self._problem:
            return [Line(), line(foreign(f"   {self._problem}", "danger"))]
        return [Line(), line(chunk("   Nothing was decided yet.", "muted"))]

    def _draw_record(self) -> None:
        record_view = self.query_one("#record", LinesView)
        if not self._records or not (self.two_panes or self._opened):
            record_view.show([])
            return
        record = self._records[self._cursor]
        width = record_view.size.width or self.size.width
        record_view.show(
            [*record_lines(record, width, you=self._office.reviewer), rule(look_of(self).glyphs.rule)]
        )
        owner = _owner(record)
        if self._document.owner == owner:
            return
        if record.request_id is None:
            # Answered without asking: nobody was shown anything, the arguments are what there is.
            masks = DEFAULT_REDACTION.also(record.masked_keys)
            self._document.show(owner, [structured_document(dict(record.arguments), masks=masks)])
        else:
            self._document.notice([line(chunk("   reading what was decided on ...", "muted"))])
            self.run_worker(self._show(record, record.request_id), group="show", exclusive=True)

    # -- work off the event loop ----------------------------------------------------------------------------

    async def _load(self) -> None:
        try:
            self.post_message(self.Loaded(await self._office.history(None, RECORDS)))
        except QueueError as error:
            self.post_message(self.Loaded((), f"the history cannot be read: {error}"))

    async def _show(self, record: HistoryRecord, request_id: str) -> None:
        try:
            request = await self._office.request(request_id, record.revision)
        except QueueError as error:
            self.post_message(self.Read(record, None, f"the content is not stored any more: {error}"))
            return
        content, failure = await self._office.content(request)
        self.post_message(self.Read(record, content, f"cannot be shown: {failure}"))

    async def _color(self, wanted: DocumentView.ColorsWanted) -> None:
        _, side, block = wanted.block
        spans = await self._office.compute(highlight_block, wanted.document, side, block)
        self.post_message(DocumentView.Colored(wanted, spans))

    @on(Loaded)
    def _loaded(self, event: Loaded) -> None:
        self._records, self._problem = event.records, event.problem
        self._rows = [
            (index, part) for index, record in enumerate(event.records) for part in range(height(record))
        ]
        self._draw()

    @on(Read)
    def _read(self, event: Read) -> None:
        if event.content is None:
            self._document.notice([line(foreign(f"   {event.failure}", "danger"))])
        else:
            self._document.show(_owner(event.record), event.content.documents)

    @on(DocumentView.Colored)
    def _colored(self, event: DocumentView.Colored) -> None:
        self._document.take_colors(event)


def _owner(record: HistoryRecord) -> object:
    """Whose content the document view shows."""
    return record.seq
