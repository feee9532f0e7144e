"""The actions of keys that decide nothing: moving, reading, listing, going elsewhere.

Each action of the table has its handler here, found by the action's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from signoff.filter import last_hour_of
from signoff.queue.amendment import PARTIAL
from signoff_tui.guard import Cause
from signoff_tui.input.actions import Action
from signoff_tui.input.handlers import Handlers
from signoff_tui.layout import BORDER_STEP
from signoff_tui.screens.review.open_bar import FindBar
from signoff_tui.screens.review.pointing import hunks_named, pointed_in
from signoff_tui.state.amendments import AmendedCall
from signoff_tui.state.edits import what_to_edit, why_not_edited, why_not_given
from signoff_tui.state.inbox import Entry, Order, following
from signoff_tui.state.message import fits_in_a_box
from signoff_tui.state.session import ReviewSession, next_unseen

if TYPE_CHECKING:
    from signoff_tui.screens.review.decisions import Decisions
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Actions"]

ORDER_WORDS: dict[Order, str] = {"arrival": "oldest first", "risk": "by risk", "agent": "by agent"}

MOST_CONTEXT = 10_000
"""Unchanged lines around changes; no diff needs more to show the whole file."""

_HANDLERS: Handlers[Actions] = Handlers()


class Actions:
    """The actions of the review that decide nothing.

    Args:
        screen: The review screen.
        decisions: Closes what is open, and takes back.
    """

    def __init__(self, screen: ReviewScreen, decisions: Decisions) -> None:
        self._screen = screen
        self._decisions = decisions

    def press(self, key: str) -> None:
        """Do the action of a key; keys that are not in the table do nothing."""
        action = self._desk.keys.action_of(key, "review")
        if action is not None and not action.decides:
            self.perform(action)

    def perform(self, action: Action) -> None:
        """Do an action that decides nothing."""
        self.do(action.name)

    def do(self, name: str) -> None:
        """Do an action by its name."""
        _HANDLERS.do(name, self)

    @property
    def _desk(self) -> ReviewSession:
        return self._screen.desk

    # -- moving in the list --------------------------------------------------------------------------------

    @_HANDLERS("down")
    def _down(self) -> None:
        self._step(1)

    @_HANDLERS("up")
    def _up(self) -> None:
        self._step(-1)

    @_HANDLERS("first")
    def _first(self) -> None:
        if self._screen.reading:
            self._scrolled(self._screen.document.viewport.go_home)
        else:
            self._step(-(10**9))

    @_HANDLERS("last")
    def _last(self) -> None:
        if self._screen.reading:
            self._scrolled(self._screen.document.viewport.go_end)
        else:
            self._step(10**9)

    @_HANDLERS("next_request")
    def _next_request(self) -> None:
        self._to_neighbor(1)

    @_HANDLERS("previous_request")
    def _previous_request(self) -> None:
        self._to_neighbor(-1)

    def _step(self, steps: int) -> None:
        if self._screen.reading:
            self._scrolled(lambda: self._screen.document.viewport.scroll_lines(steps))
            return
        self._desk.inbox.move(steps)
        self._moved()

    def _to_neighbor(self, steps: int) -> None:
        self._desk.inbox.move_to_neighbor(steps)
        self._moved()

    def _moved(self) -> None:
        """Draw the cursor at its new place; what ended folds away in the same picture."""
        self._desk.fold()
        self._screen.fit_list()
        self._screen.redraw()

    @_HANDLERS("expand")
    def _expand(self) -> None:
        self._set_open(open_=True)

    @_HANDLERS("collapse")
    def _collapse(self) -> None:
        self._set_open(open_=False)

    def _set_open(self, *, open_: bool) -> None:
        screen, inbox = self._screen, self._desk.inbox
        group = inbox.focused_group()
        if group is not None and not screen.reading:
            inbox.set_open(group.key, open_=open_)
            screen.redraw()
        elif screen.content_visible:
            now, levels = screen.document.fold_tree(more=not open_)
            if levels > 1:
                said = f"all {levels}" if now == levels else f"{now} of {levels}"
                screen.say(f"{said} levels of the arguments are open", token="muted")

    @_HANDLERS("open")
    def open(self) -> None:
        """Open the content on the whole screen, or close it; beside it, fold the group."""
        screen, inbox = self._screen, self._desk.inbox
        if inbox.cursor is None:
            return
        if inbox.cursor.kind == "group" and screen.room.wide and not screen.reading:
            self._set_open(open_=not inbox.group(inbox.cursor).open)
            return
        screen.open_content(on=not screen.reading)
        screen.redraw()

    @_HANDLERS("full")
    def _full(self) -> None:
        if self._desk.inbox.cursor is not None:
            self._screen.open_content(on=not self._screen.reading)
            self._screen.redraw()

    @_HANDLERS("border_left")
    def _border_left(self) -> None:
        self._screen.move_border(-BORDER_STEP)

    @_HANDLERS("border_right")
    def _border_right(self) -> None:
        self._screen.move_border(BORDER_STEP)

    # -- listing -------------------------------------------------------------------------------------------

    @_HANDLERS("later")
    def _later(self) -> None:
        aside = self._desk.later.toggle()
        if aside is not None:
            key = self._desk.keys.shown("later")
            words = f"snoozed: the agent waits on; {key} there takes it back" if aside else "waiting again"
            self._screen.say(words, token="muted")
            if aside:
                self._desk.inbox.advance()
            self._moved()

    @_HANDLERS("tag")
    def _tag(self) -> None:
        """Tag the request, or all that waits of the group; again: untag. From a request to the next row."""
        inbox, tags = self._desk.inbox, self._desk.tags
        entry, group = inbox.focused_request(), inbox.focused_group()
        if entry is None:
            tagged = tags.toggle(() if group is None else inbox.listed(group.key))
        else:
            tagged = tags.toggle((entry,))
        if tagged is None:
            self._screen.say("only what waits can be tagged")
        elif entry is not None and not self._screen.reading:
            inbox.move(1)
        self._moved()

    @_HANDLERS("order")
    def _order(self) -> None:
        """Sort anew what arrived since; if nothing did, in another order."""
        inbox = self._desk.inbox
        again = any(inbox.has_arrived(row.key) for row in inbox.rows())
        inbox.sort(inbox.order if again else following(inbox.order))
        self._screen.say(f"sorted {ORDER_WORDS[inbox.order]}", token="muted")
        self._moved()

    @_HANDLERS("filter")
    def _filter(self) -> None:
        self._screen.open_content(on=False)
        self._screen.filtering.type()

    @_HANDLERS("saved")
    def _saved(self) -> None:
        self._screen.open_content(on=False)
        self._screen.filtering.choose(self._agent_here())

    def _agent_here(self) -> str | None:
        entry = self._entry_here()
        return None if entry is None else entry.request.asked_by.name

    def _entry_here(self) -> Entry | None:
        """The request under the cursor, or the first of the group."""
        inbox = self._desk.inbox
        entry, group = inbox.focused_request(), inbox.focused_group()
        if entry is None and group is not None:
            entry = next(iter(inbox.listed(group.key) or inbox.members(group.key)), None)
        return entry

    # -- reading -------------------------------------------------------------------------------------------

    @_HANDLERS("page_down")
    def _read_on(self) -> None:
        """Show the content; next page; at the end what was not shown yet; then what is next to read."""
        screen, desk = self._screen, self._desk
        page, document = screen.contents.page, screen.document
        if page is None or not screen.content_visible:
            entry = desk.inbox.focused_request()
            coverage = None if entry is None else desk.coverage(entry)
            if page is not None and (coverage is None or coverage.missing):
                screen.open_content(on=True)
                screen.redraw()
            else:
                self._read_next()
            return
        if not document.viewport.at_end:
            self._scrolled(lambda: document.viewport.scroll_pages(1), from_heading=True)
            return
        desk.coverages.settle()
        if page.missing:
            if not document.go_unseen(page.is_shown):
                cut = "what is cut off at > was not shown: wrap the lines"
                screen.say("the last lines have only just appeared" if document.wraps else cut)
            self._scrolled(lambda: None, from_heading=True)
            return
        self._read_next()

    def _read_next(self) -> None:
        screen, desk = self._screen, self._desk
        key = next_unseen(desk)
        if key is None:
            group = desk.inbox.focused_group()
            ready = 0 if group is None else len(desk.eligibility(group.members).ready)
            if ready:
                screen.say(f"all {ready} read: {desk.keys.shown('approve_group')} approves them", token="muted")
            else:
                waits = any(entry.waiting for entry in desk.inbox.entries())
                screen.say("everything that waits was read" if waits else "nothing waits", token="muted")
            return
        desk.inbox.move_to(key)
        if not screen.room.wide:
            screen.open_content(on=True)
        self._moved()

    @_HANDLERS("page_up")
    def _page_up(self) -> None:
        self._scrolled(lambda: self._screen.document.viewport.scroll_pages(-1))

    def _scrolled(self, scroll: Callable[[], object], *, from_heading: bool = False) -> None:
        """Scroll, and put the cursor on what is read now."""
        scroll()
        if self._screen.contents.follow_reader(from_heading=from_heading):
            self._screen.redraw()

    @_HANDLERS("next_hunk")
    def _next_hunk(self) -> None:
        self._go_hunk(forward=True)

    @_HANDLERS("previous_hunk")
    def _previous_hunk(self) -> None:
        self._go_hunk(forward=False)

    def _go_hunk(self, *, forward: bool) -> None:
        screen = self._screen
        if not screen.content_visible or not screen.document.hunks.go(forward=forward):
            screen.say(f"no hunk {'below' if forward else 'above'}")
        screen.contents.follow_reader()
        screen.redraw()

    @_HANDLERS("find")
    def _find(self) -> None:
        if self._screen.content_visible:
            self._desk.guard.editor_opened()
            self._screen.open_bar(FindBar())
        else:
            self._screen.say("open a request to look for words in it")

    @_HANDLERS("more_context")
    def _more_context(self) -> None:
        self._set_context(min(self._screen.document.context * 2, MOST_CONTEXT))

    @_HANDLERS("less_context")
    def _less_context(self) -> None:
        self._set_context(max(self._screen.document.context // 2, 1))

    def _set_context(self, lines: int) -> None:
        self._screen.document.set_context(lines)
        self._screen.say(f"{lines} unchanged {'line' if lines == 1 else 'lines'} around changes", token="muted")

    @_HANDLERS("wrap")
    def _wrap(self) -> None:
        document = self._screen.document
        if document.toggle_wrap():
            self._screen.say("long lines are wrapped", token="muted")
        elif document.wraps:
            self._screen.say("long lines stay wrapped: the pane is too narrow to cut them")
        else:
            self._screen.say("long lines are cut at >: what is cut off does not count as shown")
        self._screen.redraw()

    @_HANDLERS("split")
    def _split(self) -> None:
        document = self._screen.document
        if not document.toggle_split():
            self._screen.say("before and after stand below each other", token="muted")
        elif document.split:
            self._screen.say("before and after stand side by side", token="muted")
        else:
            self._screen.say("side by side where there is room: 110 cells", token="muted")
        self._screen.redraw()

    @_HANDLERS("details")
    def _details(self) -> None:
        if self._desk.inbox.focused_request() is None:
            self._screen.say(f"{self._desk.keys.shown('details')} shows ids and hashes of a request: go to one")
        else:
            self._screen.go("details")

    @_HANDLERS("copy")
    def _copy(self) -> None:
        self._decisions.ask_what_to_copy()

    @_HANDLERS("reveal")
    def _reveal(self) -> None:
        """Show the secrets of the request on the screen, or hide them again."""
        entry = self._desk.inbox.focused_request()
        if entry is None or not self._screen.content_visible:
            self._screen.say("open a request to show its secrets")
            return
        self._desk.toggle_revealed(entry)
        shown = self._desk.is_revealed(entry)
        self._screen.say("secrets are shown until you move on" if shown else "secrets are hidden")
        self._screen.redraw()

    @_HANDLERS("outside")
    def _outside(self) -> None:
        self._screen.outside.view()

    @_HANDLERS("pager")
    def _pager(self) -> None:
        self._screen.outside.page()

    # -- changing what would run ---------------------------------------------------------------------------

    @_HANDLERS("toggle_hunk")
    def _toggle_hunk(self) -> None:
        """Refuse the hunk that is pointed at, or approve it again."""
        if not self._toggles_hunk():
            self._desk.changes.toggled_nothing()

    def _toggles_hunk(self) -> bool:
        screen, desk = self._screen, self._desk
        entry = desk.inbox.focused_request()
        if entry is None or not screen.content_visible:
            screen.say("open a request to refuse single hunks of it")
            return False
        pointed = pointed_in(screen.document, desk, entry)
        if pointed is None:
            screen.say(f"{desk.keys.shown('toggle_hunk')} does nothing: {_why_no_choice(desk, entry)}")
            return False
        numbers = pointed.numbers
        if not numbers:
            keys = f"{desk.keys.shown('next_hunk')} or {desk.keys.shown('previous_hunk')} points at one"
            screen.say(f"{pointed.above or 'the heading of a hunk is not on the screen'}: {keys}")
            return False
        change = desk.changes.toggle_hunks(entry, numbers)
        screen.say(_told(change, numbers, desk.keys.shown("toggle_hunk")))
        screen.redraw(Cause.CHANGED)
        return True

    @_HANDLERS("edit_call")
    def _edit_call(self) -> None:
        """Edit what would run: in a box in place, or in the person's own editor what has no place in it."""
        screen, desk = self._screen, self._desk
        entry = desk.inbox.focused_request()
        if entry is None or not screen.content_visible:
            screen.say("open a request to edit it")
            return
        key, content = desk.keys.shown("edit_call"), desk.asked_content(entry)
        why_not = why_not_edited(entry, content)
        if why_not is not None or content is None:
            screen.say(f"cannot edit: {why_not}")
            return
        what = what_to_edit(entry.request, content)
        text = desk.changes.text_to_edit(entry, what)
        if (why_not := why_not_given(what)) is not None:
            screen.say(f"cannot edit: {why_not}")
        elif what.path is None and fits_in_a_box(text):
            screen.boxes.edit(entry, what)
        elif len(desk.guard.holds):
            screen.say(f"{key} waits: take back what is held, or let it be sent")
        else:
            screen.outside.edit(entry, what, text)

    # -- going ---------------------------------------------------------------------------------------------

    @_HANDLERS("inbox")
    def _inbox(self) -> None:
        self._screen.open_content(on=False)
        self._screen.redraw()

    @_HANDLERS("back")
    def _back(self) -> None:
        """Go one level back: what is open, the content, tags, what another screen wanted, the filter."""
        screen, filtering = self._screen, self._screen.filtering
        if self._decisions.close_bar():
            pass
        elif screen.reading:
            screen.open_content(on=False)
        elif self._desk.tags:
            self._desk.tags.clear()
        elif (sought := filtering.sought) is not None:
            filtering.undo()
            screen.redraw()
            screen.go(sought.came_from, sought.query)
            return
        elif filtering.filter.in_force:
            filtering.use("")
        screen.redraw()

    @_HANDLERS("quit")
    def _quit(self) -> None:
        if self._screen.reading:
            self._back()
        else:
            self._decisions.ask_to_quit()

    @_HANDLERS("history")
    def _history(self) -> None:
        self._screen.go("history")

    @_HANDLERS("rules")
    def _rules(self) -> None:
        """Show the rules, first the one that asked about what the cursor is on."""
        entry = self._desk.inbox.focused_request()
        self._screen.go("rules", "" if entry is None else entry.request.submission.why)

    @_HANDLERS("agents")
    def _agents(self) -> None:
        self._screen.go("agents")

    @_HANDLERS("agent_history")
    def _agent_history(self) -> None:
        entry = self._entry_here()
        if entry is not None:
            self._screen.go("history", last_hour_of(entry.request.asked_by.name))

    @_HANDLERS("help")
    def _help(self) -> None:
        self._screen.go("help")

    @_HANDLERS("palette")
    def _palette(self) -> None:
        self._screen.go("palette")

    @_HANDLERS("themes")
    def _themes(self) -> None:
        self._screen.go("themes")

    @_HANDLERS("undo")
    def _undo(self) -> None:
        self._decisions.undo()

    @_HANDLERS("interrupt")
    def _interrupt(self) -> None:
        if marked := self._screen.document.marked:
            self._screen.document.unmark()
            self._screen.outside.copy_text(marked)
        else:
            self._screen.say(f"{self._desk.keys.shown('quit')} quits; Ctrl+C decides nothing", token="muted")

    @_HANDLERS("mute")
    def _mute(self) -> None:
        self._screen.say(self._screen.office.muting.turn(), token="muted")

    @_HANDLERS("redraw")
    def _redraw(self) -> None:
        self._screen.go("redraw")


def _why_no_choice(desk: ReviewSession, entry: Entry) -> str:
    if not entry.waiting:
        return "a decision about it is held" if entry.request.pending else "already decided"
    if PARTIAL not in entry.request.submission.supports:
        return "the agent can only run all of it, or nothing"
    if desk.changes.of(entry) is not None:
        return "you edited it: there is one text to approve"
    return "there are no single hunks to choose from"


def _told(change: AmendedCall | None, numbers: Sequence[int], key: str) -> str:
    """Return the effect of a toggle, in words."""
    what = hunks_named(numbers)
    if change is None:
        return f"{what} approved again: all of it would be written"
    if change.choice is None or not change.choice.refused.intersection(numbers):
        return f"{what} approved again: {change.summary} would be written"
    if change.instead is None:
        return "all hunks are refused, so there is nothing to approve: reject it instead"
    return f"{what} refused: {change.summary} would be written; {key} takes it back"
