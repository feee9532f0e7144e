"""The review screen: list and content, the keys of decisions, and the news of the queue."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from signoff.filter import Filtered
from signoff.queue.records import StoredRequest
from signoff_tui.context import Office
from signoff_tui.guard import Cause, GuardSettings, Held
from signoff_tui.input.actions import Action
from signoff_tui.layout import Layout
from signoff_tui.screens.review.actions import Actions
from signoff_tui.screens.review.allow import Allowing
from signoff_tui.screens.review.bars import action_at
from signoff_tui.screens.review.clock import Clock
from signoff_tui.screens.review.contents import Contents
from signoff_tui.screens.review.decisions import Decisions, reason_is_gone
from signoff_tui.screens.review.draw import Drawing
from signoff_tui.screens.review.filter import Filtering
from signoff_tui.screens.review.frames import Paints
from signoff_tui.screens.review.incoming import Incoming
from signoff_tui.screens.review.open_bar import Editing, FindBar, OpenBar, Writing
from signoff_tui.screens.review.outside import Outside
from signoff_tui.screens.review.pressing import Pressing
from signoff_tui.screens.review.rows import cells_needed
from signoff_tui.screens.review.work import (
    Compared,
    ContentMade,
    DecisionAnswered,
    Drifted,
    Edited,
    MarksRead,
    Proposed,
    QueueNews,
    RecentRead,
    Work,
)
from signoff_tui.screens.review.writing import Boxes
from signoff_tui.settings import DiffSettings
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.state.inbox import InboxRow
from signoff_tui.state.message import LONGEST
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.bars import LastWords
from signoff_tui.text.lines import Line
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.filter_bar import FilterBar
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.message_box import MessageBox
from signoff_tui.widgets.row_list import RowList
from signoff_tui.widgets.text_box import TextBox

__all__ = ["ReviewScreen"]

_SPLIT = {"auto": None, "unified": False, "split": True}

MEASURED = 100
"""Rows of the list that are measured to find its width."""


class ReviewScreen(Screen[None]):
    """The list of requests, and the content of the one under the cursor.

    Args:
        office: The services that all screens share.
        settings: Times of the guard.
        diff: The form of diffs.
    """

    AUTO_FOCUS = ""

    def __init__(self, office: Office, settings: GuardSettings, diff: DiffSettings | None = None) -> None:
        super().__init__()
        self.office = office
        """The services that all screens share."""
        self._diff = diff or DiffSettings()
        self._desk = ReviewSession(settings, office.keys, time.monotonic, office.reviewer)
        self._bar: OpenBar | None = None
        self._said = LastWords()
        self._whole = False
        self._longest = 0
        self._laid_out: tuple[object, ...] = ()
        self.border: dict[int, int] = {}
        """Cells of the list where the person moved its border, by columns of the screen."""
        self.filtering = Filtering(self, self._desk, office)
        """The filter of the list."""
        self._decisions = Decisions(self)
        self._actions = Actions(self, self._decisions)
        self._drawing = Drawing(self, office)
        self._paints = Paints(self)
        self.work = Work(self, office)
        """The work in the background."""
        self.contents = Contents(self, self._desk, self.work)
        """The reading pane."""
        self.outside = Outside(self, self._desk, office, self.work)
        """The clipboard, and programs that get the terminal."""
        self.boxes = Boxes(self, office, self._decisions)
        """The boxes for text."""
        self._pressing = Pressing(self, self._decisions, self._actions)
        self.incoming = Incoming(self, self._desk, office, self._decisions, self.work)
        """The news of the queue, and the other results that come in."""
        self._clock = Clock(self, office)

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="status")
        yield LinesView(id="lost")
        with Horizontal(id="body"):
            with Vertical(id="list-pane"):
                yield LinesView(id="empty")
                yield RowList(id="rows")
                yield RowList(id="pinned")
                yield LinesView(id="filtered")
            yield Divider(id="divider")
            with Vertical(id="content-pane"):
                yield LinesView(id="head")
                yield DocumentView(folds_arrays=True, id="document")
                yield LinesView(id="foot")
        yield LinesView(id="special")
        yield LinesView(id="sheet")
        yield MessageBox(id="feedback")
        yield TextBox(id="find")
        yield LinesView(id="box-keys")
        yield FilterBar(Filtered.INBOX, self.filtering.filter.values, self.office.keep_filter, id="filter")
        yield LinesView(id="keys")

    def on_mount(self) -> None:
        """Read what was shown before. Nothing is drawn before the queue has answered."""
        self.show_diffs(self._diff)
        self.look_at_marks()

    def look_at_marks(self) -> None:
        """Read what was shown before, or on another screen."""
        self.work.read_marks()

    # -- what is shown ------------------------------------------------------------------------------------

    @property
    def desk(self) -> ReviewSession:
        """The state behind the screen."""
        return self._desk

    @property
    def document(self) -> DocumentView:
        """The view on the content."""
        return self.query_one("#document", DocumentView)

    @property
    def room(self) -> Layout:
        """The size of the terminal, and what it allows."""
        return Layout(self.size.width, self.size.height)

    @property
    def reading(self) -> bool:
        """True if the content has the whole screen."""
        return self._whole and self._desk.inbox.cursor is not None

    @property
    def content_visible(self) -> bool:
        """True if the content of what the cursor is on is on the screen."""
        return self._desk.inbox.cursor is not None and (self._whole or self.room.wide)

    @property
    def visible_rows(self) -> Sequence[InboxRow]:
        """The rows of the list that are on the screen."""
        rows, first = self._desk.inbox.rows(), self.query_one("#rows", RowList)
        seen, pinned = first.visible_rows, self.query_one("#pinned", RowList).visible_rows
        return (*rows[seen.start : seen.stop], *rows[first.count :][pinned.start : pinned.stop])

    @property
    def timed(self) -> Iterator[StoredRequest]:
        """The requests whose times are on the screen: the one that is read, and those with a deadline."""
        inbox, read = self._desk.inbox, self.contents.read
        if read is not None and self.content_visible:
            yield read.request
        for row in self.visible_rows:
            request = inbox.entry(row.key.id).request if row.key.kind == "request" else None
            if request is not None and (request.expires_at is not None or not request.pending):
                yield request

    @property
    def bar(self) -> OpenBar | None:
        """The sheet, text box or question over the keys; None if nothing is open."""
        return self._bar

    @property
    def moves_allowed(self) -> bool:
        """True if the cursor may move: not while a sheet or text box is about what it stands on."""
        return self._pressing.moves_allowed

    def open_content(self, *, on: bool) -> None:
        """Give the content the whole screen, or the list its place."""
        self._whole = on

    def show_diffs(self, diff: DiffSettings) -> None:
        """Show diffs in this way from now on."""
        self.document.show_as(context=diff.context, wrap=diff.wrap, split=_SPLIT[diff.layout])

    def open_bar(self, bar: OpenBar | None) -> None:
        """Put a sheet, text box or question over the keys, or remove it."""
        before, self._bar = self._bar, bar
        if bar is not None and type(bar) is not type(before):
            self._said = LastWords()  # what was said before is not about this
        self.boxes.change(before, bar)
        self._drawing.bars(self._said)
        self._paints.expect()

    def say(self, text: str, *, token: str = "warn") -> None:
        """Say something above the keys, until the next key."""
        said = LastWords(text, token) if text else LastWords()
        if said != self._said:
            self._said = said
            self._drawing.bars(said)

    def send(self, held: Held[HeldAnswer]) -> None:
        """Give a decision to the queue."""
        self._desk.sending(held)
        self.work.send(held)

    def go(self, name: str, query: str = "") -> None:
        """Go to another screen, with what the query picks, or draw this one anew."""
        if name == "redraw":
            self.app.refresh(layout=True)
            self._desk.guard.restart()
            self.redraw()
            return
        self.office.go(name, query)

    def take_back(self, held: Sequence[Held[HeldAnswer]], why: str = "taken back") -> str:
        """Let the requests of held decisions wait again; return the message about it."""
        return self._decisions.take_back(held, why)

    def schedule(self) -> None:
        """Set the timer to the next time at which something changes by itself."""
        self._clock.schedule()

    def leave(self) -> None:
        """End the program once what was sent has been answered."""
        self.work.leave()

    # -- what comes in ------------------------------------------------------------------------------------

    @on(QueueNews)
    def _queue_news(self, event: QueueNews) -> None:
        self.incoming.take_news(event.news)

    def terminal_focused(self, at: float) -> None:
        """Note that the terminal got the focus at a time (monotonic seconds): what gave it is no decision."""
        self._desk.guard.focus_in(at)
        self.redraw(Cause.FOCUS)

    @on(RecentRead)
    def _recent_read(self, event: RecentRead) -> None:
        self.incoming.take_recent(event)

    @on(ContentMade)
    def _content_made(self, event: ContentMade) -> None:
        self.contents.take(event)

    @on(Proposed)
    def _proposed(self, event: Proposed) -> None:
        self._decisions.take_proposals(event.request_id, event.proposals)

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self._decisions.take_comparison(event.pattern, event.found)

    @on(MarksRead)
    def _marks_read(self, event: MarksRead) -> None:
        self.contents.take_marks(event)

    @on(Edited)
    def _edited(self, event: Edited) -> None:
        self.incoming.take_edit(event)

    @on(Drifted)
    def _drifted(self, event: Drifted) -> None:
        self.contents.take_drift(event)

    @on(DecisionAnswered)
    def _answers(self, event: DecisionAnswered) -> None:
        self.incoming.take_answers(event)

    # -- keys and clicks ----------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Judge every key in one place; a text box gets what is text."""
        event.stop()
        event.prevent_default()
        if (box := self.open_box) is not None:
            box.take(event)
        else:
            self.takes_key(event)

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key; False when it is text for the open text box."""
        self.contents.draw_at_once()  # a key is about what is drawn
        taken = self._pressing.takes_key(event)
        self._follow_document()  # in the same picture
        return taken

    def on_paste(self, event: events.Paste) -> None:
        """Hand pasted text to the open text box, or have it judged: it is never a command."""
        event.stop()
        if (box := self.open_box) is not None:
            box.take_paste(event)
        else:
            self.takes_paste(event)

    @property
    def open_box(self) -> TextBox | MessageBox | None:
        """The text box that is written in."""
        if self.filter_bar.is_open:
            return self.filter_bar.box
        if isinstance(self._bar, FindBar):
            return self.query_one("#find", TextBox)
        return self.message_box if isinstance(self._bar, Writing | Editing) else None

    def takes_paste(self, event: events.Paste) -> bool:
        """Judge a paste; False when it is text for the open text box."""
        return self._pressing.takes_paste(event)

    def perform(self, action: Action) -> None:
        """Do what the palette chose, unless it decides."""
        self._pressing.perform(action)

    @on(RowList.RowClicked, "#rows")
    def _row_clicked(self, event: RowList.RowClicked) -> None:
        self._pressing.click_row(event.index, double=event.double)

    @on(RowList.RowClicked, "#pinned")
    def _pinned_clicked(self, event: RowList.RowClicked) -> None:
        self._pressing.click_row(self.query_one("#rows", RowList).count + event.index, double=event.double)

    @on(LinesView.Clicked, "#keys")
    def _key_clicked(self, event: LinesView.Clicked) -> None:
        self._pressing.click_key(action_at(event.column, self.size.width))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say how to select text: while the program has the mouse, dragging alone does not."""
        if event.button:
            self.say("hold Shift (on a Mac Option) while you drag to select, or press c to copy", token="muted")

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        if self.stands:
            self._drawing.lists()
            self._drawing.surroundings()

    # -- what was painted ---------------------------------------------------------------------------------

    def displayed(self) -> None:
        """Note that a picture was written to the terminal: what it shows of this screen has been painted."""
        if (
            not self.is_mounted
            or not self.is_current
            or self.app.screen is not self
            or self.contents.patience.waits
        ):
            return
        self.contents.patience.painted()
        if self._paints.displayed():
            self._drawing.bars(self._said)
            self._drawing.surroundings()
            self._clock.schedule()
        self.contents.displayed()

    @on(DocumentView.Moved)
    def _follow_document(self) -> None:
        if self.document.take_move():
            self.contents.goes_on()
            self._drawing.surroundings()
            self._drawing.bars(self._said)  # it names the hunk that is pointed at

    @on(DocumentView.Marked)
    def _text_marked(self) -> None:
        self.say("Ctrl+C copies what is marked", token="muted")

    @on(DocumentView.Scrolled)
    def _document_scrolled(self) -> None:
        if self.contents.follow_reader():
            self.redraw()

    @on(DocumentView.ColorsWanted)
    def _colors_wanted(self, event: DocumentView.ColorsWanted) -> None:
        self.contents.color(event)

    @on(DocumentView.Colored)
    def _colored(self, event: DocumentView.Colored) -> None:
        self.document.take_colors(event)

    # -- layout -------------------------------------------------------------------------------------------

    def on_unmount(self) -> None:
        """Stop looking at files."""
        self.contents.stop()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout for the size; nothing is ever decided by a resize."""
        room = Layout(event.size.width, event.size.height)
        self._desk.guard.resized(too_small=room.too_small)
        self.boxes.fit(room)
        if isinstance(self._bar, Allowing) and self._bar.also:
            self._decisions.close_bar()  # what it lists may have no room any more
        self.redraw()

    @on(Divider.Dragged)
    def _border_dragged(self, event: Divider.Dragged) -> None:
        self._put_border(event.column)

    def move_border(self, cells: int) -> None:
        """Move the border between list and content."""
        if not self.room.wide:
            self.say("list and content stand side by side from 100 columns")
            return
        self._put_border(self._list_width + cells)

    def _put_border(self, cells: int) -> None:
        room = self.room
        if room.wide and not self._whole:
            self.border[room.columns] = room.list_width(self._longest, cells)
            self.redraw()

    @property
    def _list_width(self) -> int:
        return self.room.list_width(self._longest, self.border.get(self.size.width))

    def fit_list(self) -> None:
        """Make the list as wide as its rows need: only where the person moves."""
        self._longest = cells_needed(self._desk, self._desk.inbox.rows()[:MEASURED])

    def covered(self) -> None:
        """Note that another screen is about to lie over this one and to take the keys."""
        self._desk.coverages.covered()
        self._desk.guard.editor_opened()

    def on_screen_resume(self) -> None:
        """Draw and arm anew: something lay over the screen."""
        if self.app.screen is not self:
            return  # something else was laid over it at once
        self._desk.guard.editor_closed()
        if self.filter_bar.is_open or isinstance(self._bar, FindBar):
            self._desk.guard.editor_opened()  # the palette opened it
        self._desk.guard.restart()
        self.redraw()

    def _lay_out(self) -> None:
        # Only what changed: each change of a style has the screen laid out anew.
        room, empty = self.room, self._desk.inbox.cursor is None
        beside = room.wide and not empty and not self._whole
        wanted = (beside, self.reading, empty, self._list_width if beside else 0)
        if wanted == self._laid_out:
            return
        self._laid_out = wanted
        listing = self.query_one("#list-pane")
        listing.styles.width = self._list_width if beside else "1fr"
        listing.display = not self.reading
        self.query_one("#divider").display = beside
        self.query_one("#content-pane").display = beside or self.reading

    # -- drawing ------------------------------------------------------------------------------------------

    @property
    def stands(self) -> bool:
        """True once the queue has answered and the screen is laid out, until the program ends."""
        return self.app.is_running and self.is_mounted and bool(self.size) and self.incoming.begun

    def redraw(self, cause: Cause = Cause.MOVED) -> None:
        """Draw everything that changed, and tell the guard what is shown and why."""
        if not self.stands:
            return
        self.incoming.read_recent(cause)
        self.contents.settle()
        self._lay_out()
        if self.contents.keeps_picture_waiting():
            self._desk.guard.show(self._desk.target(), cause)  # keys are about it at once; none is armed yet
            return
        self.contents.show()
        self._drawing.status()
        self._drawing.lists()
        self._drawing.surroundings()
        self._desk.guard.show(self._desk.target(), cause)
        if reason_is_gone(self._desk, self._bar):
            self.open_bar(None)
        self._drawing.bars(self._said)
        self._paints.expect()
        self.contents.keep_marks()
        self._clock.schedule()

    def status_row(self, tab: str, width: int) -> Line:
        """Return the first row of the screen of a tab."""
        return self._drawing.status_row(tab, width)

    def take_standing(self) -> None:
        """Draw the first row again. The targets of the keys stay as they are."""
        if self.stands:
            self._drawing.status()

    # -- the boxes for text ---------------------------------------------------------------------------------

    @property
    def filter_bar(self) -> FilterBar:
        """The box for a filter."""
        return self.query_one("#filter", FilterBar)

    @property
    def message_box(self) -> MessageBox:
        """The box for words to an agent, and for edits of calls."""
        return self.query_one("#feedback", MessageBox)

    @on(FilterBar.Applied)
    def _filter_applied(self, event: FilterBar.Applied) -> None:
        self.filtering.take(event.query)

    @on(MessageBox.TooLong)
    def _too_long(self) -> None:
        self.say(f"not pasted: a message has at most {LONGEST:,} characters")
