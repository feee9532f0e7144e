"""Moving, paging, opening: everything a key does that decides nothing."""

from __future__ import annotations

from signoff.filter import last_hour_of
from signoff_tui.guard import Cause
from signoff_tui.input.actions import Action
from signoff_tui.screens.review.changing_keys import ChangingKeys
from signoff_tui.screens.review.deciding import Deciding
from signoff_tui.screens.review.face import Face
from signoff_tui.screens.review.keybar import to_show
from signoff_tui.screens.review.listing_keys import ListingKeys
from signoff_tui.screens.review.open_bar import Finding
from signoff_tui.screens.review.outside_keys import OutsideKeys
from signoff_tui.state.group_page import GroupPage
from signoff_tui.state.inbox import RowKey
from signoff_tui.state.session import next_unseen

__all__ = ["Navigating"]

_KEEP_ACTING = frozenset({"tagged", "back", "undo", "undo_all"})
"""Whatever else is done, decision keys are about the row under the cursor again."""

NEAR = 5_000
"""Rows of a page that are laid out at once to open it at a request; one that is farther down is not gone to."""

MOST_CONTEXT = 10_000
"""Unchanged lines around changes; no diff needs more to show the whole file."""


class Navigating(ListingKeys, ChangingKeys, OutsideKeys):
    """One method per action of the table, named ``do_`` and the action's name."""

    def __init__(self, face: Face, deciding: Deciding) -> None:
        super().__init__(face)
        self._deciding = deciding

    def press(self, key: str) -> None:
        """Do what a key stands for; keys that are not in the table do nothing."""
        action = self._face.desk.keys.action_of(key, "review")
        if action is not None and not action.decides:
            if action.name not in _KEEP_ACTING:
                self._face.desk.tags.act(on=False)
            self.perform(action)

    def perform(self, action: Action) -> None:
        """Do an action that decides nothing."""
        self._face.say("")
        getattr(self, f"do_{action.name}")()

    @property
    def _reading(self) -> bool:
        """Whether the content has the whole screen, so that row keys move lines."""
        return self._face.views.now in {"request", "page"}

    # -- lists -------------------------------------------------------------------------------------------

    def do_down(self) -> None:
        """Next row, or line."""
        self._step(1)

    def do_up(self) -> None:
        """Previous row, or line."""
        self._step(-1)

    def do_next_request(self) -> None:
        """Next waiting request; on a page the next of its group."""
        self._to_neighbor(1)

    def do_previous_request(self) -> None:
        """Previous waiting request; on a page the one before in its group."""
        self._to_neighbor(-1)

    def do_first(self) -> None:
        """First row, or line."""
        if self._reading:
            self._face.document.viewport.go_home()
        else:
            self._step(-(10**9))

    def do_last(self) -> None:
        """Last row, or line."""
        if self._reading:
            self._face.document.viewport.go_end()
        else:
            self._step(10**9)

    def do_expand(self) -> None:
        """Open the group."""
        self._set_open(open_=True)

    def do_collapse(self) -> None:
        """Close the group."""
        self._set_open(open_=False)

    def do_open(self) -> None:
        """Open what the cursor is on."""
        face, inbox = self._face, self._face.desk.inbox
        if inbox.cursor is None:
            return
        if face.views.page is not None:
            self._open_from(face.views.page)
        elif inbox.cursor.kind == "group":
            if face.two_panes:
                self._set_open(open_=not inbox.group(inbox.cursor).open)
            else:
                self._enter_group(inbox.cursor)
        elif not face.two_panes:
            face.views.show("request")
        face.redraw()

    def do_later(self) -> None:
        """Put the request, or the whole group, aside; again takes it back."""
        aside = self._face.desk.later.toggle()
        if aside is not None:
            key = self._face.desk.keys.shown("later")
            words = f"put aside: the agent keeps waiting; {key} takes it back" if aside else "waiting again"
            self._face.say(words, token="muted")
            self._face.redraw()

    # -- reading -----------------------------------------------------------------------------------------

    def do_page_down(self) -> None:
        """Show the request; next page; at the end, what was not shown yet; then the next unseen request."""
        face, desk = self._face, self._face.desk
        entry = desk.inbox.focused_request()
        if face.views.page is not None:
            self._page_on(face.views.page)
            return
        if entry is None:
            self._read_next()
            return
        if not face.two_panes and face.views.now != "request":
            if to_show(desk, entry):
                face.views.show("request")
                face.redraw()
            else:
                self._read_next()
            return
        if not face.document.viewport.at_end:
            face.document.viewport.scroll_pages(1)
            return
        desk.coverages.settle()
        coverage = desk.coverage(entry)
        if entry.waiting and coverage is not None and coverage.missing:
            if not face.document.go_unseen(coverage.is_shown):
                key = desk.keys.shown("wrap")
                cut = f"what is cut off at > was not shown: [{key}] wraps it"
                face.say("the last lines have only just appeared" if face.document.wraps else cut)
            return
        self._read_next()

    def do_page_up(self) -> None:
        """Page back."""
        self._face.document.viewport.scroll_pages(-1)

    def do_half_down(self) -> None:
        """Half a page down."""
        self._face.document.viewport.scroll_pages(0.5)

    def do_half_up(self) -> None:
        """Half a page up."""
        self._face.document.viewport.scroll_pages(-0.5)

    def do_next_hunk(self) -> None:
        """Next hunk."""
        if not self._face.document.hunks.go(forward=True):
            self._face.say("no hunk below", token="muted")

    def do_previous_hunk(self) -> None:
        """Previous hunk."""
        if not self._face.document.hunks.go(forward=False):
            self._face.say("no hunk above", token="muted")

    def do_find(self) -> None:
        """Look for words in the text."""
        if self._face.views.content_visible or self._face.views.page is not None:
            self._face.desk.guard.editor_opened()
            self._face.open_bar(Finding())
        else:
            self._face.say("open a request to look for words in it", token="muted")

    def do_more_context(self) -> None:
        """More unchanged lines around changes."""
        self._set_context(min(self._face.document.context * 2, MOST_CONTEXT))

    def do_less_context(self) -> None:
        """Fewer unchanged lines around changes."""
        self._set_context(max(self._face.document.context // 2, 1))

    def do_wrap(self) -> None:
        """Wrap long lines, or cut them: what is cut off does not count as shown."""
        document = self._face.document
        if document.toggle_wrap():
            self._face.say("long lines are wrapped", token="muted")
        elif document.wraps:
            self._face.say("long lines stay wrapped: the pane is too narrow to cut them", token="muted")
        else:
            key = self._face.desk.keys.shown("wrap")
            self._face.say(f"long lines are cut at >: what is cut off does not count as shown; {key} wraps")
        self._face.redraw()

    def do_split(self) -> None:
        """Show before and after in two columns, or below each other."""
        document = self._face.document
        if not document.toggle_split():
            self._face.say("before and after stand below each other", token="muted")
        elif document.split:
            self._face.say("before and after stand beside each other", token="muted")
        else:
            self._face.say("changes stand in two columns where there is room for them: 110 cells", token="muted")
        self._face.redraw()

    def do_details(self) -> None:
        """Show all that is known of the request."""
        if self._face.desk.inbox.focused_request() is None:
            self._face.say("i shows the details of a request: go to one", token="muted")
        else:
            self._face.go("details")

    def do_copy(self) -> None:
        """Ask what to copy."""
        self._deciding.ask_what_to_copy()

    def do_reveal(self) -> None:
        """Show the secrets of the request on the screen, or hide them again."""
        face, desk = self._face, self._face.desk
        entry = desk.inbox.focused_request()
        if entry is None or not (face.two_panes or face.views.now == "request"):
            face.say(f"{desk.keys.shown('reveal')} shows the secrets of an open request", token="muted")
            return
        desk.toggle_revealed(entry)
        hides = f"secrets are shown; {desk.keys.shown('reveal')} hides them"
        face.say(hides if desk.is_revealed(entry) else "secrets are hidden")
        face.redraw()

    def do_full(self) -> None:
        """The content on the whole screen, and back."""
        face = self._face
        if face.desk.inbox.focused_request() is not None:
            face.views.show("inbox" if face.views.now == "request" else "request")
            face.redraw()

    def do_group_page(self) -> None:
        """All of the group on one page, from the request under the cursor on; and back."""
        face, inbox = self._face, self._face.desk.inbox
        group, entry = inbox.focused_group(), inbox.focused_request()
        if face.views.page is not None:
            self.do_back()
            return
        if group is None:
            face.say(f"{face.desk.keys.shown('group_page')} shows a group on one page: go to one", token="muted")
            return
        inbox.move_to(group.key)
        face.views.show("page")
        face.redraw()
        if entry is not None:
            self._go_to_section(entry.id)

    # -- going -------------------------------------------------------------------------------------------

    def do_inbox(self) -> None:
        """Back to the list."""
        self._face.views.show("inbox")
        self._face.redraw()

    def do_back(self) -> None:
        """One level back."""
        tags = self._face.desk.tags
        if self._deciding.close_bar():
            self._face.redraw()
            return
        if tags.acting:
            tags.act(on=False)
            self._face.redraw()
            return
        sought = self._face.filtering.sought
        if self._face.views.now == "inbox" and sought is not None:
            self._face.filtering.undo()
            self._face.redraw()
            self._face.go(sought.came_from, sought.query)
            return
        group = self._face.desk.inbox.focused_group()
        inside = self._face.views.now in {"request", "page"}
        in_group = inside and group is not None and not self._face.two_panes
        self._face.views.show("group" if in_group else "inbox")
        self._face.redraw()

    def do_quit(self) -> None:
        """Back; from the inbox: quit, asking first if something is held or waits."""
        if self._face.views.now != "inbox":
            self.do_back()
        else:
            self._deciding.ask_to_quit()

    def do_history(self) -> None:
        """Show what was decided."""
        self._face.go("history")

    def do_memory(self) -> None:
        """Show what runs without asking."""
        self._face.go("memory")

    def do_session_memory(self) -> None:
        """Show what runs without asking in the session of what the cursor is on."""
        inbox = self._face.desk.inbox
        if inbox.cursor is None:
            self._face.go("memory")
            return
        entry = inbox.focused_request() or inbox.members(inbox.cursor)[0]
        self._face.go("memory", f"session:{entry.request.asked_by.session}")

    def do_rules(self) -> None:
        """Show what asks, what runs, and why: first the rule that asked about what the cursor is on."""
        entry = self._face.desk.inbox.focused_request()
        self._face.go("rules", "" if entry is None else entry.request.submission.why)

    def do_agents(self) -> None:
        """Show who asks."""
        self._face.go("agents")

    def do_agent_history(self) -> None:
        """Show what the agent under the cursor did in the last hour."""
        inbox = self._face.desk.inbox
        entry, group = inbox.focused_request(), inbox.focused_group()
        if entry is None and group is not None:
            entry = next(iter(inbox.members(group.key)), None)
        if entry is not None:
            self._face.go("history", last_hour_of(entry.request.asked_by.name))

    def do_help(self) -> None:
        """Show the keys."""
        self._face.go("help")

    def do_palette(self) -> None:
        """Choose what to do by its name."""
        self._face.go("palette")

    def do_theme(self) -> None:
        """Next theme."""
        self._face.go("theme")

    def do_themes(self) -> None:
        """Choose a theme."""
        self._face.go("themes")

    def do_undo(self) -> None:
        """Take back the last held decision."""
        self._deciding.undo(everything=False)

    def do_undo_all(self) -> None:
        """Take back all held decisions."""
        self._deciding.undo(everything=True)

    def do_interrupt(self) -> None:
        """Ctrl+C ends programs elsewhere; here it neither quits nor decides."""
        self._face.say("q quits; Ctrl+C decides nothing", token="muted")

    def do_mute(self) -> None:
        """Hold all notices back for a while; or do not any more."""
        self._face.say(self._face.office.muting.turn(), token="muted")

    def do_redraw(self) -> None:
        """Draw everything anew."""
        self._face.go("redraw")

    # -- parts -------------------------------------------------------------------------------------------

    def _step(self, steps: int) -> None:
        if self._reading:
            self._face.document.viewport.scroll_lines(steps)
            return
        self.step_in_list(steps)
        self._face.redraw()

    def step_in_list(self, steps: int) -> None:
        """Move the cursor by rows of the list, or of the group that has the screen."""
        if self._face.views.now == "group":
            self._step_in_group(steps)
        else:
            self._face.desk.inbox.move(steps)

    def _step_in_group(self, steps: int) -> None:
        inbox = self._face.desk.inbox
        group = inbox.focused_group()
        if group is None:
            return
        members = [RowKey("request", entry.id) for entry in inbox.listed(group.key)]
        if not members:
            return
        at = members.index(inbox.cursor) if inbox.cursor in members else 0
        inbox.move_to(members[max(0, min(len(members) - 1, at + steps))])

    def _to_neighbor(self, steps: int) -> None:
        page = self._face.views.page
        if page is not None:
            if page.sections:
                here = page.section_at(self._face.document.viewport.document_at_top)
                if here + steps >= len(page.sections):
                    self._face.grow_page()
                there = max(0, min(here + steps, len(page.sections) - 1))
                self._face.document.viewport.go_document(page.sections[there].document)
            return
        self._face.desk.inbox.move_to_neighbor(steps)
        self._face.redraw()

    def _set_open(self, *, open_: bool) -> None:
        inbox = self._face.desk.inbox
        group = inbox.focused_group()
        if group is not None and self._face.views.now == "inbox":
            inbox.set_open(group.key, open_=open_)
            self._face.redraw()
        elif self._face.views.content_visible:
            now, levels = self._face.document.fold_tree(more=not open_)
            if levels > 1:
                said = f"all {levels}" if now == levels else f"{now} of {levels}"
                self._face.say(f"{said} levels of the arguments are open", token="muted")

    def _enter_group(self, key: RowKey) -> None:
        inbox = self._face.desk.inbox
        listed = inbox.listed(key)
        waiting = [entry for entry in listed if entry.waiting] or list(listed)
        if not waiting:
            self._face.say("the filter hides all of this group")
            return
        inbox.move_to(RowKey("request", waiting[0].id))
        self._face.views.show("group")

    def _go_to_section(self, request_id: str) -> None:
        page = self._face.views.page
        if page is None:
            return
        while sum(map(len, page.documents)) < NEAR and page.section_of(request_id) is None:
            if not self._face.grow_page():
                break
        section = page.section_of(request_id)
        if section is not None:
            self._face.document.viewport.go_document(section.document)

    def _open_from(self, page: GroupPage) -> None:
        """Open the request at the top of a page."""
        if page.sections:
            section = page.sections[page.section_at(self._face.document.viewport.document_at_top)]
            self._face.desk.inbox.move_to(RowKey("request", section.request_id))
            self._face.views.show("request")

    def _page_on(self, page: GroupPage) -> None:
        """Next page; at the end, what was not shown yet."""
        face = self._face
        if not face.document.viewport.at_end:
            face.document.viewport.scroll_pages(1)
        elif not page.complete:
            face.grow_page()
            face.say("the rest of the page is being prepared", token="muted")
        else:
            face.desk.coverages.settle()
            shown, units = page.shown
            if face.document.go_unseen(page.is_shown):
                return
            only_just = "the last lines have only just appeared"
            key = face.desk.keys.shown("approve_group")
            all_read = f"all of this page was shown: [{key}] approves what is ready"
            face.say(only_just if shown < units else all_read, token="muted")

    def _read_next(self) -> None:
        face = self._face
        key = next_unseen(face.desk)
        if key is None:
            waits = any(entry.waiting for entry in face.desk.inbox.entries())
            face.say("everything that waits was shown" if waits else "nothing waits", token="muted")
            return
        face.desk.inbox.move_to(key)
        if not face.two_panes:
            face.views.show("request")
        face.redraw(Cause.MOVED)

    def _set_context(self, lines: int) -> None:
        self._face.document.set_context(lines)
        self._face.say(f"{lines} unchanged {'line' if lines == 1 else 'lines'} around changes", token="muted")
