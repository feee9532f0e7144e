"""The review screen: it draws the desk, feeds the guard, and gives decisions to the queue."""

from __future__ import annotations

import time

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from signoff.filter import Filtered
from signoff_tui.context import Office
from signoff_tui.guard import Cause, GuardSettings, Held
from signoff_tui.input.actions import Action
from signoff_tui.screens.review.bar_reasons import reason_is_gone
from signoff_tui.screens.review.boxes import Boxes
from signoff_tui.screens.review.contents import Contents
from signoff_tui.screens.review.deciding import Deciding
from signoff_tui.screens.review.drawing import Drawing
from signoff_tui.screens.review.extent import Extent
from signoff_tui.screens.review.filtering import Filtering
from signoff_tui.screens.review.group_preview import GroupPreview
from signoff_tui.screens.review.incoming import Incoming
from signoff_tui.screens.review.navigating import Navigating
from signoff_tui.screens.review.open_bar import Finding, OpenBar, Remembering, Writing
from signoff_tui.screens.review.outside import Outside
from signoff_tui.screens.review.paints import Paints
from signoff_tui.screens.review.passing_time import PassingTime
from signoff_tui.screens.review.pressing import Pressing
from signoff_tui.screens.review.views import Views
from signoff_tui.screens.review.work import Answers, ContentMade, Drifted, Edited, LookedBack, QueueNews, Work
from signoff_tui.screens.review.writing_keys import WritingKeys
from signoff_tui.settings import DiffSettings
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.state.message import LONGEST
from signoff_tui.state.session import ReviewSession
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.filter_bar import FilterBar
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.message_box import MessageBox
from signoff_tui.widgets.row_list import RowList
from signoff_tui.widgets.text_box import TextBox

__all__ = ["ReviewScreen"]

_SPLIT = {"auto": None, "unified": False, "split": True}


class ReviewScreen(Screen[None]):
    """Inbox, request and group, with one target and one guard."""

    AUTO_FOCUS = ""

    def __init__(self, office: Office, settings: GuardSettings, diff: DiffSettings | None = None) -> None:
        super().__init__()
        self.office = office
        """What is shared with the other screens."""
        self._diff = diff or DiffSettings()
        self._desk = ReviewSession(settings, office.keys, time.monotonic, office.reviewer)
        self.views = Views(self._desk, lambda: self.two_panes, self._lay_out)
        """What has the screen."""
        self.filtering = Filtering(self, self._desk, office)
        """What is listed."""
        self._deciding = Deciding(self)
        self._navigating = Navigating(self, self._deciding)
        self._drawing = Drawing(self, office)
        self.preview = GroupPreview(self, self._desk)
        """What stands below the members of a group."""
        self._paints = Paints(self)
        self._writing = WritingKeys(self, office, self._deciding)
        self._work = Work(self, office)
        self._contents = Contents(self, self._desk, self._work, self._drawing)
        self.outside = Outside(self, self._desk, office, self._work)
        """The clipboard, and programs that get the terminal."""
        self.boxes = Boxes(self, office, self._deciding, self._writing)
        """The boxes for text."""
        self.pressing = Pressing(self, self._deciding, self._navigating, self._writing)
        """What keys, pastes and clicks do."""
        self.incoming = Incoming(self, self._desk, office, self._deciding, self._work)
        """What came in last."""
        self.passing_time = PassingTime(self, self._drawing, office)
        """Wakes the screen up."""
        self._bar: OpenBar | None = None

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        self._lay_out()  # before there are parts, whose styles would have to be worked out twice
        yield LinesView(id="status")
        yield LinesView(id="lost")
        with Horizontal(id="body"):
            with Vertical(id="list-pane"):
                yield LinesView(id="heading")
                yield RowList(id="rows")
                yield LinesView(id="below")
            yield Divider(id="divider")
            with Vertical(id="content-pane"):
                yield LinesView(id="header")
                yield RowList(id="members")
                yield LinesView(id="preview")
                yield DocumentView(id="document")
                yield LinesView(id="foot")
        yield LinesView(id="target")
        yield LinesView(id="actions")
        yield MessageBox(id="feedback")
        yield TextBox(id="find")
        yield LinesView(id="box-keys")
        yield FilterBar(Filtered.INBOX, self.filtering.filter.values, self.office.keep_filter, id="filter")
        yield LinesView(id="last")

    def on_mount(self) -> None:
        """Draw the empty desk; the office brings changes from now on."""
        self._lay_out()
        self.show_diffs(self._diff)
        self.redraw(Cause.ARRIVED)

    # -- what helpers see (Face) --------------------------------------------------------------------------

    @property
    def desk(self) -> ReviewSession:
        """The state behind the screen."""
        return self._desk

    @property
    def document(self) -> DocumentView:
        """The view on the content."""
        return self.query_one("#document", DocumentView)

    @property
    def extent(self) -> Extent:
        """What has room."""
        return Extent(self.size.width, self.size.height)

    @property
    def two_panes(self) -> bool:
        """Whether list and content stand side by side."""
        return self.extent.two_panes

    @property
    def bar(self) -> OpenBar | None:
        """What lies over the action bar."""
        return self._bar

    def show_diffs(self, diff: DiffSettings) -> None:
        """Show diffs in this way from now on."""
        self.document.show_as(context=diff.context, wrap=diff.wrap, split=_SPLIT[diff.layout])

    def open_bar(self, bar: OpenBar | None) -> None:
        """Put something over the action bar, or remove it."""
        before, self._bar = self._bar, bar
        if bar is not None:
            self.passing_time.say("", token="muted")  # what was said before is not about this
        self.boxes.change(before, bar)
        self._drawing.bar()
        self._paints.expect()

    def say(self, text: str, *, token: str = "warn") -> None:
        """Say something on the last row, until the next key."""
        self.passing_time.say(text, token=token)

    def send(self, held: Held[HeldAnswer]) -> None:
        """Give a decision to the queue."""
        self._desk.sending(held)
        self._work.send(held)

    def go(self, name: str, query: str = "") -> None:
        """Go to another screen, with what the query picks, or draw this one anew."""
        if name == "redraw":
            self.app.refresh(layout=True)
            self._desk.guard.restart()
            self.redraw()
            return
        self.office.go(name, query)

    def leave(self) -> None:
        """End the program once what was sent has been answered."""
        self._work.leave()

    # -- what comes in ------------------------------------------------------------------------------------

    @on(QueueNews)
    def _queue_news(self, event: QueueNews) -> None:
        self.incoming.take_news(event.news)

    def terminal_focused(self, at: float) -> None:
        """The terminal got the focus at a time (monotonic seconds): what gave it is no decision."""
        self._desk.guard.focus_in(at)
        self.redraw(Cause.FOCUS)

    @on(LookedBack)
    def _looked_back(self, event: LookedBack) -> None:
        self.incoming.take_lately(event)

    @on(ContentMade)
    def _content_made(self, event: ContentMade) -> None:
        self._contents.take(event)

    @on(Edited)
    def _edited(self, event: Edited) -> None:
        self.incoming.take_edit(event)

    @on(Drifted)
    def _drifted(self, event: Drifted) -> None:
        self._contents.take_drift(event)

    @on(Answers)
    def _answers(self, event: Answers) -> None:
        self.incoming.take_answers(event)

    # -- keys and clicks ----------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Judge every key in one place; a text box gets what is text."""
        event.stop()
        event.prevent_default()
        if (box := self._open_box) is not None:
            box.take(event)
        else:
            self.takes_key(event)

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key; False when it is text for the open text box."""
        self._contents.draw_at_once()  # a key is about what is drawn
        return self.pressing.takes_key(event)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()
        if (box := self._open_box) is not None:
            box.take_paste(event)
        else:
            self.takes_paste(event)

    @property
    def _open_box(self) -> TextBox | MessageBox | None:
        if self.filter_bar.is_open:
            return self.filter_bar.box
        if isinstance(self._bar, Finding):
            return self.query_one("#find", TextBox)
        return self.message_box if isinstance(self._bar, Writing) else None

    def takes_paste(self, event: events.Paste) -> bool:
        """Judge a paste; False when it is text for the open text box."""
        return self.pressing.takes_paste(event)

    def perform(self, action: Action) -> None:
        """Do what the palette chose, unless it decides."""
        self.pressing.perform(action)

    @on(RowList.Clicked, "#rows")
    def _row_clicked(self, event: RowList.Clicked) -> None:
        self.pressing.click_row(event)

    @on(RowList.Clicked, "#members")
    def _member_clicked(self, event: RowList.Clicked) -> None:
        self.pressing.click_member(event)

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._drawing.lists()
        self._drawing.surroundings()

    # -- what was painted ---------------------------------------------------------------------------------

    def displayed(self) -> None:
        """A picture was written to the terminal: what it shows of this screen has been painted."""
        if (
            not self.is_mounted
            or not self.is_current
            or self.app.screen is not self
            or self._contents.patience.waits
        ):
            return
        self._contents.patience.painted()
        if self._paints.displayed():
            self._drawing.bar()
            self._drawing.surroundings()
            self.passing_time.schedule()
        self._contents.displayed()

    @on(DocumentView.Moved)
    def _document_moved(self) -> None:
        self._drawing.surroundings()
        self._drawing.bar()  # it names the hunk that is pointed at
        if self.views.page is not None:
            self._contents.show_page(self.views.page)  # its end may have come near
            self._contents.make_wanted()

    @on(DocumentView.ColorsWanted)
    def _colors_wanted(self, event: DocumentView.ColorsWanted) -> None:
        self._contents.color(event)

    @on(DocumentView.Colored)
    def _colored(self, event: DocumentView.Colored) -> None:
        self.document.take_colors(event)

    # -- layout -------------------------------------------------------------------------------------------

    def on_unmount(self) -> None:
        """End what goes on besides."""
        self._contents.stop()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout for the size; nothing is ever decided by a resize."""
        too_small = Extent(event.size.width, event.size.height).too_small
        if too_small != self._desk.guard.too_small:
            self.passing_time.end_words()  # what was said of the other size does not hold any more
        self._desk.guard.resized(too_small=too_small)
        self.message_box.grow_to(Extent(event.size.width, event.size.height).message_rows)
        if isinstance(self._bar, Remembering) and self._bar.listing is not None:
            self._deciding.close_bar()  # what it lists may have no room any more
        self._lay_out()
        self.redraw()

    def covered(self) -> None:
        """Another screen is about to lie over this one and to take the keys."""
        self._desk.coverages.covered()
        self._desk.guard.editor_opened()

    def on_screen_resume(self) -> None:
        """Something lay over the screen: it has to be painted and armed anew."""
        if self.app.screen is not self:
            return  # something else was laid over it at once
        self._desk.guard.editor_closed()
        if self.filter_bar.is_open or isinstance(self._bar, Finding):
            self._desk.guard.editor_opened()  # the palette opened it
        self._desk.guard.restart()
        self.redraw()

    def _lay_out(self) -> None:
        # At once: each change has all styles of the screen worked out anew. So the view, which changes often, is
        # no class.
        self.update_classes({"-two": self.two_panes, "-wide": self.extent.wide, "-widest": self.extent.widest})
        if not self.is_attached or not self.query("#body"):
            return
        view = self.views.now
        full = view in {"request", "page"}
        self.query_one("#list-pane").display = not full if self.two_panes else view == "inbox"
        self.query_one("#divider").display = self.two_panes and not full
        self.query_one("#content-pane").display = self.two_panes or view != "inbox"

    # -- drawing ------------------------------------------------------------------------------------------

    def redraw(self, cause: Cause = Cause.MOVED) -> None:
        """Draw everything that changed, and tell the guard what is shown and why."""
        if not self.is_mounted or not self.size:
            return
        self.incoming.look_back(cause)
        self.views.settle()
        if self._contents.keeps_picture_waiting():
            self._desk.guard.show(self._desk.target(), cause)  # keys are about it at once; none is armed yet
            return
        self.preview.lay_out()
        self._contents.show()
        self._drawing.status()
        self._drawing.lists()
        self._drawing.surroundings()
        self._desk.guard.show(self._desk.target(), cause)
        if reason_is_gone(self._desk, self._bar):
            self.open_bar(None)
        self._drawing.bar()
        self._drawing.last_row(self.passing_time.words)
        self._paints.expect()
        self.passing_time.schedule()

    def take_standing(self) -> None:
        """What the first line says besides is other than it was: draw it. What keys are about stays as it is."""
        if self.is_mounted and self.size:
            self._drawing.status()

    def grow_page(self) -> bool:
        """Put the next member on the page, if it is made; returns whether that was so."""
        return self._contents.grow_page()

    # -- the boxes for text ---------------------------------------------------------------------------------

    @property
    def filter_bar(self) -> FilterBar:
        """Where a filter is typed."""
        return self.query_one("#filter", FilterBar)

    @property
    def message_box(self) -> MessageBox:
        """Where words to an agent are written."""
        return self.query_one("#feedback", MessageBox)

    @on(FilterBar.Applied)
    def _filter_applied(self, event: FilterBar.Applied) -> None:
        self.filtering.take(event.query)

    @on(MessageBox.TooLong)
    def _too_long(self) -> None:
        self.say(f"not pasted: a message has at most {LONGEST:,} characters")
