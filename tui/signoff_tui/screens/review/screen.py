"""The review screen: it draws the desk, feeds the guard, and gives decisions to the queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer

from signoff.filtering import Filtered, FilterError, SavedFilter
from signoff.queue.records import ChangeSet
from signoff_tui.actions import Action
from signoff_tui.desk import Answer, Desk
from signoff_tui.editing import Editable
from signoff_tui.group_page import GroupPage
from signoff_tui.guard import Cause, GuardSettings, Held, Ref
from signoff_tui.inbox import Entry, RowKey
from signoff_tui.inbox_filter import InboxFilter
from signoff_tui.list_state import ListState
from signoff_tui.message import LONGEST
from signoff_tui.office import Draft, Office
from signoff_tui.saved_filters import usable
from signoff_tui.screens.lately import Lately
from signoff_tui.screens.rereading import Rereading
from signoff_tui.screens.review.boxes import Boxes
from signoff_tui.screens.review.contents import Contents
from signoff_tui.screens.review.deciding import Deciding
from signoff_tui.screens.review.drawing import Drawing, LastWords
from signoff_tui.screens.review.extent import Extent, View
from signoff_tui.screens.review.filter_lines import only_listed
from signoff_tui.screens.review.filtering import Filtering
from signoff_tui.screens.review.moments import next_moment
from signoff_tui.screens.review.navigating import Navigating
from signoff_tui.screens.review.open_bar import (
    Asking,
    Finding,
    GroupNotReady,
    OpenBar,
    Remembering,
    Unseen,
    Writing,
)
from signoff_tui.screens.review.outside import Outside
from signoff_tui.screens.review.paints import Paints
from signoff_tui.screens.review.work import Answers, ContentMade, Drifted, Edited, LookedBack, QueueNews, Work
from signoff_tui.screens.review.writing_keys import WritingKeys
from signoff_tui.settings import DiffSettings
from signoff_tui.tagging import TAGGED
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.document_view import DocumentView
from signoff_tui.widgets.filter_bar import FilterBar
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.message_box import MessageBox
from signoff_tui.widgets.row_list import RowList
from signoff_tui.widgets.text_box import TextBox

__all__ = ["Lost", "ReviewScreen"]

MESSAGE_SECONDS = 5.0
SHORTEST_TIMER = 0.02
_SPLIT = {"auto": None, "unified": False, "split": True}


@dataclass(frozen=True, slots=True)
class Lost:
    """The queue is not there: since when (wall clock, microseconds), and what it said."""

    since: int
    why: str


class ReviewScreen(Screen[None]):
    """Inbox, request and group, with one target and one guard."""

    CSS_PATH = "screen.tcss"
    AUTO_FOCUS = ""

    def __init__(self, office: Office, settings: GuardSettings, diff: DiffSettings | None = None) -> None:
        super().__init__()
        self._office = office
        self._diff = diff or DiffSettings()
        self._desk = Desk(settings, office.keys, time.monotonic, office.reviewer)
        self._filtering = Filtering(self, self._desk, office)
        self._deciding = Deciding(self)
        self._navigating = Navigating(self, self._deciding)
        self._drawing = Drawing(self, office)
        self._paints = Paints(self)
        self._writing = WritingKeys(self, office, self._deciding)
        self._work = Work(self, office)
        self._contents = Contents(self, self._desk, self._work, self._drawing)
        self._outside = Outside(self, self._desk, office, self._work)
        self._boxes = Boxes(self, office, self._deciding, self._writing)
        self._view: View = "inbox"
        self._group: RowKey | None = None
        self._page: GroupPage | None = None
        self._bar: OpenBar | None = None
        self._message = LastWords()
        self._timer: Timer | None = None
        self._looking_back = Rereading(self._work.look_back)
        self._nothing_listed = False
        self.lately = Lately()
        """What was decided lately, while nothing is listed."""
        self.lost: Lost | None = None
        """Set while the queue is not there."""

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
                yield DocumentView(id="document")
                yield RowList(id="members")
                yield LinesView(id="foot")
        yield LinesView(id="target")
        yield LinesView(id="actions")
        yield MessageBox(id="feedback")
        yield TextBox(id="find")
        yield LinesView(id="box-keys")
        yield FilterBar(Filtered.INBOX, self._filtering.filter.values, self._office.keep_filter, id="filter")
        yield LinesView(id="last")

    def on_mount(self) -> None:
        """Draw the empty desk; the office brings changes from now on."""
        self._lay_out()
        self.show_diffs(self._diff)
        self.redraw(Cause.ARRIVED)

    # -- what helpers see (Face) --------------------------------------------------------------------------

    @property
    def desk(self) -> Desk:
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

    def now(self) -> int:
        """The wall clock, in microseconds since the epoch."""
        return self._office.now()

    @property
    def two_panes(self) -> bool:
        """Whether list and content stand side by side."""
        return self.extent.two_panes

    @property
    def view(self) -> View:
        """What has the screen, or the attention, now."""
        return self._view

    @property
    def filter(self) -> InboxFilter:
        """What is listed."""
        return self._filtering.filter

    def type_filter(self) -> None:
        """Let somebody type a filter."""
        self._filtering.type()

    def use_filter(self, text: str) -> None:
        """Put a filter in force that needs no typing."""
        self._filtering.use(text)

    def undo_filter(self) -> None:
        """Put the filter in force that was before the last one."""
        self._filtering.undo()

    @property
    def saved_filters(self) -> Sequence[SavedFilter]:
        """The filters under a digit."""
        return usable(self._office.saved_filters, Filtered.INBOX)

    def goes_on_from(self, state: ListState) -> None:
        """Show the list as it was left before, once there is one."""
        self._filtering.goes_on_from(state)

    @property
    def list_state(self) -> ListState:
        """How the list is now; as it was left before, if it was not shown again yet."""
        return self._filtering.state

    @property
    def drafts(self) -> dict[Draft, str]:
        """What was written and not sent."""
        return self._office.drafts

    @property
    def bar(self) -> OpenBar | None:
        """What lies over the action bar."""
        return self._bar

    def set_view(self, view: View) -> None:
        """Show another view."""
        self._view = view
        group = self._desk.inbox.focused_group()
        self._group = group.key if group is not None and view in {"group", "page"} else None
        self._page = GroupPage(self._desk, group.key) if group is not None and view == "page" else None
        self._lay_out()

    @property
    def page(self) -> GroupPage | None:
        """All of a group on one page, while that has the screen."""
        return self._page

    def show_diffs(self, diff: DiffSettings) -> None:
        """Show diffs in this way from now on."""
        self.document.show_as(context=diff.context, wrap=diff.wrap, split=_SPLIT[diff.layout])

    def open_bar(self, bar: OpenBar | None) -> None:
        """Put something over the action bar, or remove it."""
        before, self._bar = self._bar, bar
        self._boxes.change(before, bar)
        self._drawing.bar()
        self._paints.expect()

    def say(self, text: str, *, token: str = "warn") -> None:
        """Say something on the last row, until the next key."""
        until = time.monotonic() + MESSAGE_SECONDS if text else 0.0
        self._message = LastWords(text, token, until)
        self._drawing.last_row(self._message)
        self._schedule()

    def feedback_text(self, about: Sequence[Ref]) -> str:
        """What was written to be sent about requests; it is used up."""
        return self._boxes.feedback_text(about)

    def perform(self, action: Action) -> None:
        """Do what the palette chose. A decision is left to its key: what stands in a list was not looked at."""
        if action.decides:
            self.say(f"{action.shown} does that, once the bar says [armed]: look, then press it")
        elif self._moves_allowed:
            self._desk.tags.act(on=False)
            self._navigating.perform(action)

    def copy(self, what: str) -> None:
        """Put something of the focused request into the clipboard, through the terminal."""
        self._outside.copy(what)

    def copy_text(self, text: str) -> None:
        """Put a text into the clipboard, through the terminal."""
        self._outside.copy_text(text)

    def send(self, held: Held[Answer]) -> None:
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
        self._office.go(name, query)

    def seek(self, query: str) -> None:
        """List what a filter keeps, with the cursor on the first of it that waits; else say why not."""
        try:
            key = self._filtering.seek(query)
        except FilterError as error:
            self.say(f"not found: {error}")
            return
        if key is None or not self._moves_allowed:
            self.say("nothing of it waits any more" if key is None else "answer or close what is open first")
            return
        self.set_view("inbox")
        self._filtering.use(query)
        self._desk.inbox.move_to(key)
        self.redraw()
        self.say(only_listed(self._desk.keys), token="muted")

    def edit(self, entry: Entry, what: Editable, text: str) -> None:
        """Have the person edit a text, and take over what comes of it."""
        self._outside.edit(entry, what, text)

    def with_editor(self, edits: Callable[[], None]) -> None:
        """Do something for which the person's editor gets the terminal."""
        self._outside.without_terminal(edits, "not edited")

    @property
    def viewer(self) -> Sequence[str]:
        """Program and arguments that show a diff outside of the screen; empty if there is none."""
        return self._office.viewer

    def hand_over(self, work: Callable[[], None]) -> bool:
        """Leave the terminal to something; False if that failed, which was said then."""
        return self._outside.hand_over(work)

    def mute(self) -> str:
        """Hold all notices back for a while, or do not any more; returns what to say."""
        return self._office.muting.turn()

    def leave(self) -> None:
        """End the program once what was sent has been answered."""
        self._work.leave()

    # -- what comes in ------------------------------------------------------------------------------------

    @on(QueueNews)
    def _queue_news(self, event: QueueNews) -> None:
        if isinstance(event.news, ChangeSet):
            self._set_connected(connected=True)
            self._take_changes(event.news)
        else:
            self._set_connected(connected=False, why=str(event.news))

    def _take_changes(self, changes: ChangeSet) -> None:
        was_empty = self._desk.inbox.cursor is None
        taken = self._desk.apply(changes)
        self._deciding.take_back(taken, "not sent, it changed")
        self._deciding.welcome_back()
        self._filtering.show_as_left()
        self.redraw(Cause.ARRIVED if was_empty else Cause.CHANGED)

    def _set_connected(self, *, connected: bool, why: str = "") -> None:
        if connected == self._desk.guard.connected:
            return
        self.lost = None if connected else Lost(self._office.now(), why)
        taken = self._desk.guard.set_connected(connected)
        self._deciding.take_back(taken, "not sent, the queue was lost")
        self.redraw(Cause.CHANGED)

    def terminal_focused(self, at: float) -> None:
        """The terminal got the focus at a time (monotonic seconds): what gave it is no decision."""
        self._desk.guard.focus_in(at)
        self.redraw(Cause.FOCUS)

    @on(LookedBack)
    def _looked_back(self, event: LookedBack) -> None:
        self._looking_back.ended()
        if event.lately is not None and event.lately != self.lately:
            self.lately = event.lately
            self.redraw()

    @on(ContentMade)
    def _content_made(self, event: ContentMade) -> None:
        self._contents.take(event)

    @on(Edited)
    def _edited(self, event: Edited) -> None:
        key = self._desk.keys.shown("edit_call")
        kept = self._desk.take_edit(event.entry, event.text, event.change, event.of, failed=bool(event.failure))
        if event.failure:
            self.say(f"the edit cannot run: {event.failure}; {key} opens it again")
        elif not kept:
            self.say(f"the request changed meanwhile: your edit is kept, {key} opens it again")
        elif event.change is None:
            self.say("as it was asked", token="muted")
        else:
            self.say("edited: read it, then approve it", token="held")
        self.redraw(Cause.CHANGED)

    @on(Drifted)
    def _drifted(self, event: Drifted) -> None:
        self._contents.take_drift(event)

    @on(Answers)
    def _answers(self, event: Answers) -> None:
        refused = self._desk.answered(event.verdicts)
        if refused:
            self.say("not accepted: " + "; ".join(verdict.message for verdict in refused))
        self.redraw(Cause.CHANGED)

    # -- keys and clicks ----------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Judge every key in one place."""
        if isinstance(self.focused, TextBox | MessageBox):
            return  # the box asked before it took the key
        event.stop()
        event.prevent_default()
        if not self.takes_key(event) and isinstance(self._bar, Writing):
            self.message_box.take(event)  # it gets the keys a moment after it was opened

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key; False when it is text for the open text box."""
        self._contents.draw_at_once()  # a key is about what is drawn
        key = event.character if event.is_printable and event.character else event.key
        if self.filter_bar.is_open:
            return self._filtering.takes_key(event)
        if isinstance(self._bar, Finding):
            return self._boxes.find(key)
        if isinstance(self._bar, Writing) and self._writing.takes(key, event.time):
            return True
        reaction = self._desk.guard.press(key, event.time)
        if not self._deciding.react(reaction):
            if isinstance(self._bar, Writing):
                self.message_box.focus()
                return False
            if isinstance(self._bar, Asking) and self._bar.about == "filter" and key != "escape":
                self._navigating.choose_filter(key)
            elif self._moves_allowed or key == "escape":
                self._navigating.press(key)
        self._schedule()
        return True

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()
        self.takes_paste(event)

    def takes_paste(self, event: events.Paste) -> bool:
        """Judge a paste; False when it is text for the open text box."""
        if self.filter_bar.is_open:
            return False
        return self._deciding.react(self._desk.guard.paste(event.time))

    @on(RowList.Clicked, "#rows")
    def _row_clicked(self, event: RowList.Clicked) -> None:
        rows = self._desk.inbox.rows()
        if self._moves_allowed and event.index < len(rows):
            self._desk.tags.act(on=False)
            self._desk.inbox.move_to(rows[event.index].key)
            if event.double:
                self._navigating.do_open()
            self.redraw()

    @on(RowList.Clicked, "#members")
    def _member_clicked(self, event: RowList.Clicked) -> None:
        group = self._desk.inbox.focused_group()
        members = () if group is None else self._desk.inbox.listed(group.key)
        if self._moves_allowed and event.index < len(members):
            self._desk.tags.act(on=False)
            self._desk.inbox.move_to(RowKey("request", members[event.index].id))
            if event.double:
                self._navigating.do_open()
            self.redraw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._drawing.lists()
        self._drawing.surroundings()

    @property
    def _moves_allowed(self) -> bool:
        """Whether the cursor may move: not while a sheet or text box is about what it stands on."""
        return not self.filter_bar.is_open and (self._bar is None or isinstance(self._bar, Unseen | GroupNotReady))

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
            self._schedule()
        self._contents.displayed()

    @on(DocumentView.Moved)
    def _document_moved(self) -> None:
        self._drawing.surroundings()
        self._drawing.bar()  # it names the hunk that is pointed at
        if self._page is not None:
            self._contents.show_page(self._page)  # its end may have come near
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
            self._message = LastWords()  # what was said of the other size does not hold any more
        self._desk.guard.resized(too_small=too_small)
        self.message_box.grow_to(Extent(event.size.width, event.size.height).message_rows)
        if isinstance(self._bar, Remembering) and self._bar.listing is not None:
            self._deciding.close_bar()  # what it lists may have no room any more
        self._lay_out()
        self.redraw()

    def covered(self) -> None:
        """Another screen is about to lie over this one and to take the keys."""
        self._desk.covered()
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
        self.update_classes({"-two": self.two_panes, "-wide": self.extent.wide})
        if not self.is_attached or not self.query("#body"):
            return
        full = self._view in {"request", "page"}
        self.query_one("#list-pane").display = not full if self.two_panes else self._view == "inbox"
        self.query_one("#divider").display = self.two_panes and not full
        self.query_one("#content-pane").display = self.two_panes or self._view != "inbox"

    @property
    def content_visible(self) -> bool:
        """Whether the content of the focused request is on the screen."""
        focused = self._desk.inbox.focused_request() is not None
        return focused and (self._view == "request" or (self.two_panes and self._view == "inbox"))

    @property
    def group_visible(self) -> bool:
        """Whether the members of the focused group are on the screen instead of content."""
        if self._view in {"group", "page"}:
            return self._view == "group"
        on_heading = self._desk.inbox.cursor is not None and self._desk.inbox.cursor.kind == "group"
        return self.two_panes and on_heading

    # -- drawing ------------------------------------------------------------------------------------------

    def redraw(self, cause: Cause = Cause.MOVED) -> None:
        """Draw everything that changed, and tell the guard what is shown and why."""
        if not self.is_mounted or not self.size:
            return
        self._look_back(cause)
        self._settle_view()
        if self._contents.keeps_picture_waiting():
            self._desk.guard.show(self._desk.target(), cause)  # keys are about it at once; none is armed yet
            return
        # Not by a class of the screen: that would have the styles of all its parts worked out anew.
        self.document.display, self.query_one("#members").display = not self.group_visible, self.group_visible
        self._contents.show()
        self._drawing.status()
        self._drawing.lists()
        self._drawing.surroundings()
        self._desk.guard.show(self._desk.target(), cause)
        self._settle_bar()
        self._drawing.bar()
        self._drawing.last_row(self._message)
        self._paints.expect()
        self._schedule()

    def take_standing(self) -> None:
        """What the first line says besides is other than it was: draw it. What keys are about stays as it is."""
        if self.is_mounted and self.size:
            self._drawing.status()

    def _look_back(self, cause: Cause) -> None:
        """While nothing is listed it is said what was decided lately: read it when there may be more."""
        before, self._nothing_listed = self._nothing_listed, self._desk.inbox.cursor is None
        if self._nothing_listed and (not before or cause is not Cause.MOVED):
            self._looking_back.wanted()

    def _settle_view(self) -> None:
        """Go back to the list when what the view was about has left it, or a large screen shows both."""
        inbox = self._desk.inbox
        group = inbox.focused_group()
        if self._view == "group" and (self.two_panes or group is None or group.key != self._group):
            self.set_view("inbox")
        if self._view == "request" and inbox.focused_request() is None:
            self.set_view("inbox")
        if self._view == "page" and inbox.cursor != self._group:
            # What the keys act on now is another row: a page is about its group alone.
            here = group is not None and group.key == self._group and not self.two_panes
            self.set_view("group" if here else "inbox")

    def _settle_bar(self) -> None:
        """Remove a bar whose reason is gone: its request was shown, or another is the target."""
        inbox, guard = self._desk.inbox, self._desk.guard
        entry, group = inbox.focused_request(), inbox.focused_group()
        match self._bar:
            case Unseen(ref):
                coverage = None if entry is None or entry.id != ref.id else self._desk.coverage(entry)
                if coverage is not None and coverage.complete:
                    guard.bar_closed()
                if not guard.offers_unseen:
                    self.open_bar(None)
            case GroupNotReady(group=key) if key == TAGGED:
                if not self._desk.tags.acting or self._desk.tagged().ready:
                    self.open_bar(None)
            case GroupNotReady(key):
                if group is None or group.key.id != key or self._desk.eligibility(group).ready:
                    self.open_bar(None)
            case _:
                pass

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
        self._filtering.take(event.query)

    @on(MessageBox.TooLong)
    def _too_long(self) -> None:
        self.say(f"not pasted: a message has at most {LONGEST:,} characters")

    # -- time ---------------------------------------------------------------------------------------------

    def _schedule(self) -> None:
        """Wake up once, when the next thing changes by itself."""
        if self._timer is not None:
            self._timer.stop()
        now = time.monotonic()
        moment = next_moment(self._desk, self._drawing.timed(), now, self._office.now())
        if self._message.until:
            moment = min(moment, self._message.until)
        self._timer = self.set_timer(max(moment - now, SHORTEST_TIMER), self._tick)

    def _tick(self) -> None:
        self._timer = None
        for held in self._desk.guard.holds.due(time.monotonic()):
            self.send(held)
        if self._message.until and time.monotonic() >= self._message.until:
            self._message = LastWords()
        self._desk.settle()
        self.redraw()
