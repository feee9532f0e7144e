"""The record under the cursor: its facts, and the content that was decided on."""

from __future__ import annotations

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.structured import structured_document
from signoff.queue import HistoryRecord
from signoff_tui.screens.history.data import Decided
from signoff_tui.screens.history.details import Agents, Known, item_lines, member_lines
from signoff_tui.screens.history.listing import Item
from signoff_tui.screens.history.rows import RecordRowStyle
from signoff_tui.text.lines import Line, chunk, foreign, line
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList
from signoff_tui.widgets.sized import Sized

__all__ = ["RecordPane"]

LEAST_FACTS = 4
"""The least number of lines about the record, however low the screen."""


class RecordPane(Vertical, Sized):
    """A record: its facts above, its content below; or all facts, with details."""

    DEFAULT_CSS = """
    RecordPane #details { display: none; }
    RecordPane.-details #details { display: block; }
    RecordPane.-details #record { display: none; }
    RecordPane.-details #document { display: none; }
    """

    class ContentWanted(Message):
        """A request to read the content that was decided on."""

        def __init__(self, record: HistoryRecord, request_id: str) -> None:
            super().__init__()
            self.record = record
            self.request_id = request_id

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._item: Item | None = None
        self._style: RecordRowStyle | None = None
        self._known = Known()
        self._wanted: int | None = None
        """Seq of the record whose content is being read."""

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="record")
        yield RowList(id="details")
        yield DocumentView(id="document")

    def resized(self) -> None:
        """Lay out for the size."""
        self._draw()

    @on(RowList.Resized)
    def _details_resized(self, event: RowList.Resized) -> None:
        event.stop()

    @property
    def details(self) -> bool:
        """True if all facts are shown, instead of the content."""
        return self.has_class("-details")

    def show(self, item: Item, style: RecordRowStyle, agents: Agents) -> None:
        """Show a record with what was decided on, or several that ended together, by their names."""
        before, record, several = self._item, item.record, item.heads
        if before is None or (before.record.seq, before.heads) != (record.seq, several):
            self._known, self._wanted = Known(chain=self._known.chain), None
        self._item, self._style = item, style
        self._known = replace(self._known, agents=agents)
        self._draw()
        if several or record.seq in (self._document.owner, self._wanted):
            return
        if record.request_id is None:
            # Answered without asking: nobody was shown anything, the arguments are what there is.
            masks = DEFAULT_REDACTION.also(record.masked_keys)
            self._document.show(record.seq, [structured_document(dict(record.arguments), masks=masks)])
        else:
            self._document.notice([line(chunk(" reading what was decided on", "muted"))])
            self._wanted = record.seq
            self.post_message(self.ContentWanted(record, record.request_id))

    def show_details(self, *, details: bool) -> None:
        """Show all facts, or the content."""
        self.set_class(details, "-details")
        self._draw()

    def take_content(self, record: HistoryRecord, decided: Decided) -> None:
        """Show the content that was decided on, or the reason why it cannot be shown."""
        item = self._item
        if item is None or item.heads or record.seq != item.record.seq:
            return
        self._known = replace(self._known, request=decided.request, content=decided.content)
        self._wanted = None
        if decided.content is None:
            self._document.notice([line(foreign(f" {decided.failure}", "danger"))])
        else:
            self._document.show(record.seq, decided.content.documents)
        self._draw()

    def take_colors(self, colored: DocumentView.Colored) -> None:
        """Color a block of the content."""
        self._document.take_colors(colored)

    def say_chain(self, words: str) -> None:
        """Show the result of a check of the chain."""
        self._known = replace(self._known, chain=words)
        self._draw()

    def scroll_lines(self, lines: int) -> None:
        """Scroll by lines."""
        if self.details:
            self._details.scroll_relative(y=lines, animate=False, immediate=True, force=True)
        else:
            self._document.viewport.scroll_lines(lines)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by pages."""
        if self.details:
            self.scroll_lines(pages * self._details.page)
        else:
            self._document.viewport.scroll_pages(pages)

    @property
    def _document(self) -> DocumentView:
        return self.query_one("#document", DocumentView)

    @property
    def _details(self) -> RowList:
        return self.query_one("#details", RowList)

    def _draw(self) -> None:
        item, style, width = self._item, self._style, self.size.width
        if item is None or style is None or not width:
            return
        together = item.together if item.heads else None
        facts = [*item_lines(item, style, self._known, width - self.details, details=self.details)]
        if self.details:
            facts += member_lines(together, style, None) if together is not None else []
            self._details.show(len(facts), lambda index, _: (facts[index],), cursor=None)
            return
        room = max(self.size.height // 2 - 1, LEAST_FACTS)
        if len(facts) > room:
            words = line(chunk(f" {len(facts) - room + 1} more lines: i shows them", "muted"))
            facts = [*facts[: room - 1], words]
        self.query_one("#record", LinesView).show([*facts, Line()])
        if together is not None:
            self._document.notice(member_lines(together, style, self.size.height - len(facts) - 1)[1:])
