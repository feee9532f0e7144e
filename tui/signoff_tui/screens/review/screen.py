"""The review screen: it draws the desk, feeds the guard, and gives decisions to the queue."""

from __future__ import annotations

import time
from typing import cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from signoff.queue.records import ChangeSet, Verdict
from signoff_tui.actions import guard_keys
from signoff_tui.desk import Answer, Desk
from signoff_tui.documents import Content, ContentKey, content_key
from signoff_tui.guard import Cause, Frame, GuardSettings, Held
from signoff_tui.highlight import highlight_block
from signoff_tui.inbox import Entry, RowKey
from signoff_tui.lines import Line, foreign, line
from signoff_tui.office import Office
from signoff_tui.screens.review.bars import View
from signoff_tui.screens.review.deciding import Deciding
from signoff_tui.screens.review.drawing import Drawing, LastWords
from signoff_tui.screens.review.editor import FeedbackInput
from signoff_tui.screens.review.navigating import Navigating
from signoff_tui.screens.review.open_bar import OpenBar, Writing
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.document_view import DocumentView
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

__all__ = ["ReviewScreen"]

TWO_PANES = 100
"""From this many columns on, the content stands beside the list."""

TWO_LINES = 60
"""Below this many columns, a row has two lines."""

SMALLEST = (40, 10)
"""Columns and rows below which decision keys are off."""

MESSAGE_SECONDS = 5.0


class ReviewScreen(Screen[None]):
    """Inbox, request and group, with one target and one guard."""

    CSS_PATH = "screen.tcss"
    AUTO_FOCUS = None

    class ContentMade(Message):
        """The documents of a request were made, or cannot be."""

        def __init__(self, key: ContentKey, content: Content | None, failure: str = "") -> None:
            super().__init__()
            self.key = key
            self.content = content
            self.failure = failure

    class Answers(Message):
        """The queue answered to a decision."""

        def __init__(self, verdicts: tuple[Verdict, ...]) -> None:
            super().__init__()
            self.verdicts = verdicts

    def __init__(self, office: Office, settings: GuardSettings) -> None:
        super().__init__()
        self._office = office
        self._desk = Desk(settings, guard_keys(), time.monotonic, office.reviewer)
        self._deciding = Deciding(self)
        self._navigating = Navigating(self, self._deciding)
        self._view: View = "inbox"
        self._bar: OpenBar | None = None
        self._drawing = Drawing(self, office)
        self._message = LastWords()
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="status")
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
        yield FeedbackInput(id="feedback")
        yield LinesView(id="last")

    def on_mount(self) -> None:
        """Draw the empty desk; the office brings changes from now on."""
        self._layout()
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
    def two_panes(self) -> bool:
        """Whether list and content stand side by side."""
        return self.size.width >= TWO_PANES

    @property
    def view(self) -> View:
        """What has the screen, or the attention, now."""
        return self._view

    @property
    def list_page(self) -> int:
        """Rows on a page of the list."""
        return self.query_one("#rows", RowList).page

    @property
    def drafts(self) -> dict[str, str]:
        """What was written and not sent, by request."""
        return self._office.drafts

    @property
    def bar(self) -> OpenBar | None:
        """What lies over the action bar."""
        return self._bar

    def set_view(self, view: View) -> None:
        """Show another view."""
        self._view = view
        self._layout()

    def open_bar(self, bar: OpenBar | None) -> None:
        """Put something over the action bar, or remove it."""
        was_writing, writing = isinstance(self._bar, Writing), isinstance(bar, Writing)
        self._bar = bar
        feedback = self.query_one("#feedback", FeedbackInput)
        self.set_class(writing, "-writing")
        if writing and not was_writing:
            feedback.value = self.drafts.pop(self._draft_key(), "")
            feedback.focus()
        elif was_writing and not writing:
            self.drafts[self._draft_key()] = feedback.value
            self.set_focus(None)
        self._drawing.bar()
        self._expect_paint()

    def say(self, text: str, *, token: str = "warn") -> None:
        """Say something on the last row, until the next key."""
        until = time.monotonic() + MESSAGE_SECONDS if text else 0.0
        self._message = LastWords(text, token, until)
        self._drawing.last_row(self._message)
        self._schedule()

    def feedback_text(self) -> str:
        """What was written in the text box; it is used up."""
        feedback = self.query_one("#feedback", FeedbackInput)
        text, feedback.value = feedback.value, ""
        return text

    def send(self, held: Held[Answer]) -> None:
        """Give a decision to the queue."""
        self._desk.sending(held)
        self.run_worker(self._send(held), group="send")

    def go(self, name: str) -> None:
        """Go to another screen, or draw this one anew."""
        if name == "redraw":
            self.app.refresh(layout=True)
            self._desk.guard.restart()
            self.redraw()
            return
        self._desk.covered()
        self._office.go(name)

    def leave(self) -> None:
        """End the program once what was sent has been answered."""
        self.run_worker(self._leave(), group="leave")

    # -- what comes in ------------------------------------------------------------------------------------

    def take_changes(self, changes: ChangeSet) -> None:
        """Take over what changed in the queue."""
        inbox = self._desk.inbox
        was_empty = inbox.cursor is None
        focused = inbox.focused_request()
        before = focused.request if focused is not None else None
        replaced = self._desk.apply(changes)
        for request_id in replaced:
            entry = inbox.entry(request_id)
            entry.note = f"CHANGED: now revision {entry.request.revision}. Read again, nothing of it was shown"
        if focused is not None and focused.request is not before and focused.id in replaced:
            self._desk.guard.changed()
        self.redraw(Cause.ARRIVED if was_empty else Cause.CHANGED)

    def set_connected(self, *, connected: bool) -> None:
        """The queue was lost or found."""
        if connected == self._desk.guard.connected:
            return
        taken = self._desk.guard.set_connected(connected)
        self._deciding.take_back(taken, "not sent, the queue was lost")
        self.redraw(Cause.CHANGED)

    @on(ContentMade)
    def _content_made(self, event: ContentMade) -> None:
        if event.content is not None:
            self._desk.contents.store(event.content)
        else:
            self._desk.contents.fail(event.key, event.failure)
        self.redraw(Cause.MOVED)

    @on(Answers)
    def _answers(self, event: Answers) -> None:
        refused = self._desk.answered(event.verdicts)
        if refused:
            self.say("not accepted: " + "; ".join(verdict.message for verdict in refused))
        self.redraw(Cause.CHANGED)

    # -- keys ---------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Judge every key in one place."""
        event.stop()
        event.prevent_default()
        self.takes_key(event)

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key; False when it is text for the open text box."""
        key = event.character if event.is_printable and event.character else event.key
        writing = isinstance(self._bar, Writing)
        if writing and key in {"escape", "tab"}:
            self._deciding.close_bar() if key == "escape" else self._deciding.soften()
            self.redraw()
            return True
        reaction = self._desk.guard.press(key, event.time)
        handled = self._deciding.react(reaction)
        if not handled and writing:
            return False
        if not handled:
            self._navigating.press(key)
        self._schedule()
        return True

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a command."""
        event.stop()
        self.takes_paste(event)

    def takes_paste(self, event: events.Paste) -> bool:
        """Judge a paste; False when it is text for the open text box."""
        return self._deciding.react(self._desk.guard.paste(event.time))

    @on(RowList.Clicked, "#rows")
    def _row_clicked(self, event: RowList.Clicked) -> None:
        rows = self._desk.inbox.rows()
        if event.index < len(rows):
            self._desk.inbox.move_to(rows[event.index].key)
            if event.double:
                self._navigating.do_open()
            self.redraw()

    @on(RowList.Clicked, "#members")
    def _member_clicked(self, event: RowList.Clicked) -> None:
        group = self._desk.inbox.focused_group()
        if group is not None and event.index < len(group.members):
            self._desk.inbox.move_to(RowKey("request", group.members[event.index]))
            self.redraw()

    # -- what was painted ---------------------------------------------------------------------------------

    @on(DocumentView.Painted)
    def _document_laid_out(self, event: DocumentView.Painted) -> None:
        self.call_after_refresh(self._document_painted, event)

    def _document_painted(self, event: DocumentView.Painted) -> None:
        if self.document.owner == event.owner and self.content_visible and self.is_current:
            self._desk.painted(cast("ContentKey", event.owner), event.parts, event.width)
            self._schedule()

    def _guard_painted(self, frame: Frame) -> None:
        self._desk.guard.painted(frame, time.monotonic())
        self._drawing.bar()
        self._schedule()

    @on(DocumentView.ColorsWanted)
    def _colors_wanted(self, event: DocumentView.ColorsWanted) -> None:
        self.run_worker(self._color(event), group="colors")

    # -- layout -------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout for the size; nothing is ever decided by a resize."""
        columns, rows = event.size.width, event.size.height
        self._desk.guard.resized(too_small=columns < SMALLEST[0] or rows < SMALLEST[1])
        if self.two_panes and self._view == "group":
            self._view = "inbox"
        self._layout()
        self.redraw()

    def on_screen_resume(self) -> None:
        """Something lay over the screen: it has to be painted and armed anew."""
        self._desk.guard.restart()
        self.redraw()

    def _layout(self) -> None:
        self.set_class(self.two_panes, "-two")
        self.set_class(not self.two_panes, "-one")
        self.set_class(self._view == "inbox", "-list")
        self.set_class(self._view != "inbox", "-content")
        self.set_class(self._view == "request", "-full")

    @property
    def content_visible(self) -> bool:
        """Whether the content of the focused request is on the screen."""
        focused = self._desk.inbox.focused_request() is not None
        return focused and (self._view == "request" or (self.two_panes and self._view == "inbox"))

    @property
    def group_visible(self) -> bool:
        """Whether the members of the focused group are on the screen instead of content."""
        if self._view == "group":
            return True
        on_heading = self._desk.inbox.cursor is not None and self._desk.inbox.cursor.kind == "group"
        return self.two_panes and on_heading

    # -- drawing ------------------------------------------------------------------------------------------

    def redraw(self, cause: Cause = Cause.MOVED) -> None:
        """Draw everything that changed, and tell the guard what is shown and why."""
        if not self.is_mounted or not self.size:
            return
        if self._desk.inbox.cursor is None and self._view != "inbox":
            self.set_view("inbox")
        self.set_class(self.group_visible, "-group")
        self._show_content()
        self._drawing.lists()
        self._desk.guard.show(self._desk.target(), cause)
        self._drawing.bar()
        self._drawing.last_row(self._message)
        self._expect_paint()
        self._schedule()

    def _show_content(self) -> None:
        entry = self._desk.inbox.focused_request()
        if entry is None or not self.content_visible:
            self._desk.covered()
            if entry is None:
                self.document.notice(())
        else:
            self._show_request(entry)
        for member in self._drawing.wanted():
            self._want(member)

    def _show_request(self, entry: Entry) -> None:
        key = content_key(entry.request)
        content = self._desk.contents.get(key)
        if content is not None:
            self._desk.coverage(entry)
            self.document.show(key, content.documents)
            return
        self._desk.covered()
        failure = self._desk.contents.failure(key)
        text = "   preparing what this would do ..." if failure is None else f"   cannot be shown: {failure}"
        self.document.notice((Line(), line(foreign(text, "muted" if failure is None else "danger"))))

    def _want(self, entry: Entry) -> None:
        key = content_key(entry.request)
        if self._desk.contents.want(key):
            self.run_worker(self._make(entry, key), group="content")

    # -- time ---------------------------------------------------------------------------------------------

    def _expect_paint(self) -> None:
        frame = self._desk.guard.pending
        if frame is not None:
            self.call_after_refresh(self._guard_painted, frame)

    def _schedule(self) -> None:
        """Wake up once, when the next thing changes by itself."""
        if self._timer is not None:
            self._timer.stop()
        now = time.monotonic()
        status_changes_at = self._desk.guard.status(now).changes_at
        moments = [
            self._desk.guard.holds.next_due(),
            status_changes_at if status_changes_at is not None and status_changes_at > now else None,
            self._desk.settles_at,
            self._message.until or None,
            now + self._age_step(),
        ]
        wait = min(moment for moment in moments if moment is not None) - now
        self._timer = self.set_timer(max(wait, 0.02), self._tick)

    def _age_step(self) -> float:
        """Seconds until a waiting time on screen changes: one under a minute, ten above."""
        if len(self._desk.guard.holds):
            return 1.0
        ages = [
            time.time() - entry.request.created_at / 1e6
            for entry in self._desk.inbox.entries()
            if entry.request.pending
        ]
        if not ages:
            return 3600.0
        return 1.0 if min(ages) < 60 else 10.0

    def _tick(self) -> None:
        self._timer = None
        for held in self._desk.guard.holds.due(time.monotonic()):
            self.send(held)
        if self._message.until and time.monotonic() >= self._message.until:
            self._message = LastWords()
        self._desk.settle()
        self.redraw()

    # -- work off the event loop ----------------------------------------------------------------------------

    async def _make(self, entry: Entry, key: ContentKey) -> None:
        content, failure = await self._office.content(entry.request)
        self.post_message(self.ContentMade(key, content, failure))

    async def _color(self, event: DocumentView.ColorsWanted) -> None:
        _, side, block = event.block
        spans = await self._office.compute(highlight_block, event.document, side, block)
        self.document.colored(event.block, spans)

    async def _send(self, held: Held[Answer]) -> None:
        verdicts = await self._office.decide(held)
        self.post_message(self.Answers(verdicts))

    async def _leave(self) -> None:
        await self._office.drained()
        self.app.exit()

    # -- drafts -------------------------------------------------------------------------------------------

    def _draft_key(self) -> str:
        cursor = self._desk.inbox.cursor
        return "" if cursor is None else cursor.id
