"""The record under the cursor: what is known of it, and the content that was decided on."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.structured import structured_document
from signoff.queue import HistoryRecord, StoredRequest
from signoff_tui.screens.history.record_pane import record_lines
from signoff_tui.screens.history.together import Together
from signoff_tui.screens.history.together_pane import member_lines, together_lines
from signoff_tui.screens.history.wording import Deciders
from signoff_tui.state.documents import Content
from signoff_tui.text.lines import Line, chunk, foreign, line, rule
from signoff_tui.text.look import look_of
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList
from signoff_tui.widgets.sized import Sized

__all__ = ["RecordPane"]

LEAST_FACTS = 4
"""Lines about the record, however low the screen."""


class RecordPane(Vertical, Sized):
    """Facts above, content below; or all facts, with details."""

    DEFAULT_CSS = """
    RecordPane #details { display: none; }
    RecordPane.-details #details { display: block; }
    RecordPane.-details #record { display: none; }
    RecordPane.-details #document { display: none; }
    """

    class Wanted(Message):
        """What was decided on has to be read."""

        def __init__(self, record: HistoryRecord, request_id: str) -> None:
            super().__init__()
            self.record = record
            self.request_id = request_id

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._record: HistoryRecord | None = None
        self._together: Together | None = None
        self._wanted: int | None = None
        """Seq of the record whose content is being read."""
        self._request: StoredRequest | None = None
        self._deciders = Deciders()
        self._chain = ""
        self._opened = False

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
        """Whether all facts are shown, instead of the content."""
        return self.has_class("-details")

    def show(self, record: HistoryRecord, deciders: Deciders) -> None:
        """Show a record."""
        self._together = None
        if self._record is None or self._record.seq != record.seq:
            self._request = self._wanted = None
        self._record, self._deciders = record, deciders
        self._draw()
        if record.seq in (self._document.owner, self._wanted):
            return
        if record.request_id is None:
            # Answered without asking: nobody was shown anything, the arguments are what there is.
            masks = DEFAULT_REDACTION.also(record.masked_keys)
            self._document.show(record.seq, [structured_document(dict(record.arguments), masks=masks)])
        else:
            self._document.notice([line(chunk("   reading what was decided on ...", "muted"))])
            self._wanted = record.seq
            self.post_message(self.Wanted(record, record.request_id))

    def show_together(self, together: Together, deciders: Deciders, *, opened: bool) -> None:
        """Show what several records have in common, and name them; they may be listed below their row already."""
        self._opened = opened
        self._together, self._record, self._request, self._deciders = together, together.records[0], None, deciders
        self._wanted = None
        self._draw()

    def show_details(self, *, details: bool) -> None:
        """Show all facts, or the content."""
        self.set_class(details, "-details")
        self._draw()

    def take_content(
        self, record: HistoryRecord, request: StoredRequest | None, content: Content | None, failure: str
    ) -> None:
        """Show what was decided on, or why that cannot be."""
        if self._together is not None or self._record is None or record.seq != self._record.seq:
            return
        self._request, self._wanted = request, None
        if content is None:
            self._document.notice([line(foreign(f"   {failure}", "danger"))])
        else:
            self._document.show(record.seq, content.documents)
        self._draw()

    def take_colors(self, colored: DocumentView.Colored) -> None:
        """Color a block of the content."""
        self._document.take_colors(colored)

    def say_chain(self, words: str) -> None:
        """Say what is known of the chain."""
        self._chain = words
        self._draw()

    def scroll_lines(self, lines: int) -> None:
        """Move by lines."""
        if self.details:
            self._details.scroll_relative(y=lines, animate=False, immediate=True, force=True)
        else:
            self._document.viewport.scroll_lines(lines)

    def scroll_pages(self, pages: int) -> None:
        """Move by pages."""
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
        record, width = self._record, self.size.width
        if record is None or not width:
            return
        glyphs = look_of(self).glyphs
        if self.details:
            facts = self._facts(record, width - 1)
            self._details.show(len(facts), lambda index, _: (facts[index],), cursor=None)
            return
        facts = self._facts(record, width)
        room = max(self.size.height // 2 - 1, LEAST_FACTS)
        if len(facts) > room:
            left_out = len(facts) - room + 1
            words = line(chunk(f"           {left_out} more lines: i shows them", "muted"))
            facts = [*facts[: room - 1], words]
        self.query_one("#record", LinesView).show([*facts, rule(glyphs.rule)])
        if self._together is not None:
            self._document.notice(
                member_lines(self._together, self.size.height - len(facts) - 1, opened=self._opened)
            )

    def _facts(self, record: HistoryRecord, width: int) -> Sequence[Line]:
        details, chain = self.details, self._chain if self.details else ""
        if self._together is not None:
            return together_lines(
                self._together, self._deciders, width, members=details, opened=self._opened, chain=chain
            )
        return record_lines(record, self._deciders, width, request=self._request, details=details, chain=chain)
