"""Writes what the desk says into the widgets of the review screen."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.reveal import reveal_line
from signoff.queue.records import StoredRequest
from signoff.text.time import local_time
from signoff_tui.context import Office
from signoff_tui.guard import Status
from signoff_tui.header import Surroundings
from signoff_tui.notify.warnings import with_alarms
from signoff_tui.screens.lately import lately_lines
from signoff_tui.screens.review.filter_lines import filter_line, nothing_listed
from signoff_tui.screens.review.group_lines import group_lines
from signoff_tui.screens.review.group_preview import preview_title
from signoff_tui.screens.review.keybar import Reader, action_lines
from signoff_tui.screens.review.list_lines import below_line, strip_lines
from signoff_tui.screens.review.naming import as_listed, as_many, held_words, names_of
from signoff_tui.screens.review.open_bar import bar_lines, box_keys
from signoff_tui.screens.review.page_lines import page_header, page_line
from signoff_tui.screens.review.pointing import pointed_in
from signoff_tui.screens.review.request_lines import coverage_line, header_lines
from signoff_tui.screens.review.rows import RowStyle, inbox_heading, inbox_row, member_heading, member_row
from signoff_tui.screens.review.status import (
    NAMES_FROM,
    Muted,
    Where,
    empty_lines,
    lost_lines,
    status_line,
    too_small_lines,
)
from signoff_tui.screens.review.tagged_lines import tagged_bar
from signoff_tui.screens.review.target import target_line
from signoff_tui.state.documents import KEPT
from signoff_tui.state.group_page import GroupPage
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.text.key_hints import BarRoom
from signoff_tui.text.lines import Chunk, Line, chunk, crop, foreign, line, rule
from signoff_tui.text.look import Appearance, look_of
from signoff_tui.widgets.document.layout import Rest
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Drawing", "LastWords"]

LONGEST_NAME = 24
"""Cells for the name of an agent on the status line."""

_LEAST_NAME = 10
"""Cells below which the name of what is held says nothing."""


class LastWords(Struct, frozen=True):
    """What the last row says, and until when (monotonic seconds)."""

    text: str = ""
    token: str = "warn"
    until: float = 0.0


class Drawing:
    """Draws the parts of the review screen. Changes nothing but what is drawn."""

    def __init__(self, screen: ReviewScreen, office: Office) -> None:
        self._screen = screen
        self._office = office

    def wanted(self) -> Sequence[Entry]:
        """Requests whose documents are needed for what is visible, the focused one first."""
        inbox, page = self._screen.desk.inbox, self._screen.views.page
        if page is not None:
            # One after the other, and no more than is about to be read.
            near_the_end = not page.documents or not self._screen.document.rest.more
            return [page.wanted] if page.wanted is not None and near_the_end else []
        focused, group = inbox.focused_request(), inbox.focused_group()
        wanted = [focused] if focused is not None else []
        if group is not None and self._screen.views.group_visible:
            visible = self._screen.query_one("#members", RowList).visible_rows
            wanted += inbox.listed(group.key)[visible.start : visible.stop]
        visible = self._screen.query_one("#rows", RowList).visible_rows
        rows = inbox.rows()[visible.start : visible.stop]
        # More would push each other out again, and be made for ever.
        return [*wanted, *(inbox.entry(row.key.id) for row in rows if row.key.kind == "request")][:KEPT]

    def timed(self) -> Iterator[StoredRequest]:
        """The requests whose times are on the screen."""
        inbox = self._screen.desk.inbox
        if (focused := inbox.focused_request()) is not None:
            yield focused.request
        visible = self._screen.query_one("#rows", RowList).visible_rows
        for row in inbox.rows()[visible.start : visible.stop]:
            entries = inbox.members(row.key) if row.key.kind == "group" else (inbox.entry(row.key.id),)
            yield from (entry.request for entry in entries)

    # -- top and bottom ------------------------------------------------------------------------------------

    def status(self) -> None:
        """The status line, and what is wrong with the queue."""
        desk = self._screen.desk
        guard = desk.guard
        modes = (
            *(("READ ONLY",) if guard.read_only else ()),
            *(("guard: reduced",) if guard.settings.reduced else ()),
        )
        width = self._screen.size.width
        where = Where(
            self._title(),
            guard.connected,
            modes,
            self._held_requests(),
            self._who_is_there(width),
            self._muted(),
            self._surroundings,
        )
        counts, now = desk.inbox.tally.counts, self._office.now()
        alarms, ellipsis = self._office.alarms, self._look.glyphs.ellipsis
        line = with_alarms(lambda room: status_line(where, counts, now, room), alarms, width, ellipsis=ellipsis)
        self._lines("#status", [line])
        lost = self._screen.incoming.lost
        self._lines("#lost", () if lost is None else lost_lines(lost.since, lost.why, width, gone=lost.gone))

    def _muted(self) -> Muted | None:
        mutes = self._office.muting.now
        if mutes.everything is not None:
            return Muted("muted", local_time(mutes.everything, "minute"))
        number = len(mutes.agents)
        if not number:
            return None
        agents = "agent" if number == 1 else "agents"
        return Muted(f"{number} {agents} muted", local_time(max(mutes.agents.values()), "minute"))

    def _held_requests(self) -> int:
        desk = self._screen.desk
        return sum(len(held.refs) for held in desk.guard.holds) + len(desk.reached_by_stops())

    @property
    def _surroundings(self) -> Surroundings:
        """What else there is; of rules that are broken it is not said how many there are."""
        known = self._office.surroundings
        return replace(known, rule_files=0) if self._office.alarms.rules_broken else known

    def _who_is_there(self, width: int) -> str:
        """Agents with the number of requests they wait for, then the others, on screens with room for them."""
        if width < NAMES_FROM:
            return ""
        waits = list(self._screen.desk.inbox.tally.names)
        others = [name for name in self._office.surroundings.agents if name not in {name for name, _ in waits}]
        told = [f"{self._short(name)} {count}" for name, count in waits]
        return as_many([*told, *(f"{self._short(name)} connected" for name in others)], width // 3)

    def _short(self, name: str) -> str:
        safe = reveal_line(name, "agent").text
        return crop(safe, LONGEST_NAME, "end", ellipsis=self._look.glyphs.ellipsis)

    def _title(self) -> str:
        inbox = self._screen.desk.inbox
        group, entry = inbox.focused_group(), inbox.focused_request()
        match self._screen.views.now:
            case "request" if group is not None and entry is not None:
                members = inbox.listed(group.key)
                return f"Request {members.index(entry) + 1}/{len(members)}"
            case "request":
                return "Request"
            case "group":
                return "Group"
            case "page":
                return "Group page"
            case _:
                return "Inbox"

    def bar(self) -> None:
        """Target line and action bar, or what lies over it."""
        screen, desk = self._screen, self._screen.desk
        status = desk.guard.status(time.monotonic())
        room = BarRoom(screen.size.width, screen.extent.action_rows)
        self._lines("#target", [self._rule, target_line(desk, status, screen.bar, room.width)])
        self._lines("#box-keys", () if desk.guard.too_small else box_keys(desk, screen.bar, room))
        if desk.guard.too_small:
            self._lines("#actions", too_small_lines(screen.size.width, screen.size.height))
        elif screen.bar is not None:
            armed = _sheet_armed(status)
            self._lines("#actions", bar_lines(desk, screen.bar, room, armed=armed, now=self._office.now()))
        elif desk.tags.acting:
            most = max(screen.extent.sheet_rows // 3, 1)
            self._lines("#actions", tagged_bar(desk, room, most, armed=status.word == "armed"))
        else:
            armed = status.word == "armed"
            two_panes, reader = screen.two_panes, self._reader
            lines = action_lines(desk, screen.views.now, room, reader, two_panes=two_panes, armed=armed)
            self._lines("#actions", lines)

    @property
    def _reader(self) -> Reader:
        screen, page, entry = self._screen, self._screen.views.page, self._screen.desk.inbox.focused_request()
        if page is not None:
            shown, units = page.shown
            return Reader(unread=shown < units or not page.complete, told=screen.extent.high)
        if entry is None or not screen.views.content_visible:
            return Reader()
        return Reader(pointed_in(screen.document, screen.desk, entry))

    def last_row(self, message: LastWords) -> None:
        """What was said last, and what is held."""
        now = time.monotonic()
        words = foreign(f" {message.text}", message.token) if message.text and now < message.until else None
        self._lines("#last", [self._held(words, now)])

    def _held(self, words: Chunk | None, now: float) -> Line:
        holds = self._screen.desk.guard.holds
        due = holds.next_due()
        if due is None:
            return Line() if words is None else line(words)
        desk, seconds = self._screen.desk, max(math.ceil(due - now), 0)
        refs = [ref for held in holds for ref in held.refs]
        following = desk.reached_by_stops()
        undo = (
            chunk(f"[{desk.keys.shown('undo')}]", "key", keep=True),
            chunk(" take back ", keep=True),
        )
        if words is not None:
            return line(
                words,
                right=(chunk(f"  held {len(refs) + len(following)}, {seconds}s  ", "held", keep=True), *undo),
            )
        what, verb = held_words([(held.payload.decision, len(held.refs)) for held in holds], len(following))
        sends = f" held: {what} {verb} in {seconds}s"
        right = (chunk("  "), *undo)
        room = self._screen.size.width - len(sends) - 3 - sum(piece.width for piece in right)
        if room < -3:  # the key that takes it back is never cut
            sends = f" {what} {verb} in {seconds}s"
        names = names_of(desk, as_listed(desk, [*refs, *following]))
        only = names[0] if room >= _LEAST_NAME else ""
        told = only if len(names) == 1 else as_many(names, room, none="")
        about = foreign(f" - {told}" if told else "", "muted")
        return line(chunk(sends, "held", keep=True), about, right=right)

    # -- the list --------------------------------------------------------------------------------------------

    def lists(self) -> None:
        """The list, its heading, and what is below it."""
        screen, inbox = self._screen, self._screen.desk.inbox
        rows, cursor, style = inbox.rows(), inbox.row_index(inbox.cursor), self._style
        listing = screen.query_one("#rows", RowList)
        self._lines("#heading", self._heading(listing.size.width))
        listing.show(
            len(rows),
            lambda index, width: inbox_row(screen.desk, rows[index], style, width, focused=index == cursor),
            cursor=cursor,
            lines_per_row=2 if style.two_lines else 1,
        )
        self._lines("#below", self._below(listing))

    def _heading(self, width: int) -> Sequence[Line]:
        extent, inbox = self._screen.extent, self._screen.desk.inbox
        if not inbox.rows() and inbox.hidden():
            return nothing_listed(self._screen.filtering.filter.hidden, self._screen.desk.keys, width)
        if not inbox.rows():
            lately = lately_lines(self._screen.incoming.lately, self._office.now(), width)
            said = empty_lines(self._office.place, self._office.announcement, lately, width)
            return () if self._screen.incoming.lost else said
        return () if extent.two_lines or extent.low else (inbox_heading(width),)

    def _below(self, listing: RowList) -> Sequence[Line]:
        desk, rows = self._screen.desk, self._screen.extent.strip_rows
        width, kept = listing.size.width, self._screen.filtering.filter
        some = bool(desk.inbox.rows())
        strays = desk.inbox.focus_strays
        filtered = (
            (filter_line(kept.query.text, kept.hidden, desk.keys, width, kept=some, strays=strays),)
            if kept.in_force
            else ()
        )
        if not some:
            return filtered
        below = (below_line(desk, listing.visible_rows, width), *filtered)
        return (
            (*below, self._rule, *strip_lines(desk, rows, width, beside=self._screen.two_panes)) if rows else below
        )

    # -- the content -----------------------------------------------------------------------------------------

    def surroundings(self) -> None:
        """The lines around the content, or the overview of a group in its place."""
        inbox, page = self._screen.desk.inbox, self._screen.views.page
        entry, group = inbox.focused_request(), inbox.focused_group()
        if not self._screen.views.group_visible:
            self._lines("#preview", [])
        if group is not None and page is not None:
            self._around_page(group, page)
        elif group is not None and self._screen.views.group_visible:
            self._overview(group, entry)
        elif entry is not None:
            self._around_content(entry)
        else:
            self._lines("#header", [])
            self._lines("#foot", [])

    def _overview(self, group: Group, entry: Entry | None) -> None:
        screen, desk, style = self._screen, self._screen.desk, self._style
        listing = screen.query_one("#members", RowList)
        width = self._content_width
        members = desk.inbox.listed(group.key)
        several = len({member.request.asked_by.name for member in members}) > 1
        focused = members.index(entry) if entry in members else None
        header = group_lines(desk, group, width, screen.extent)
        self._lines("#header", header if screen.extent.low else [*header, self._rule, member_heading(width)])
        listing.show(
            len(members),
            lambda index, cells: member_row(
                desk, members[index], style, cells, focused=index == focused, several=several
            ),
            cursor=focused,
        )
        shown = screen.preview.entry
        title = [] if shown is None else [self._rule, preview_title(desk, shown, width)]
        self._lines("#preview", title)
        foot = screen.preview.below(screen.document, self._look.glyphs.rule, width)
        self._lines("#foot", [] if shown is None else [foot])

    def _around_page(self, group: Group, page: GroupPage) -> None:
        desk, extent = self._screen.desk, self._screen.extent
        document = self._screen.query_one("#document", DocumentView)
        header = page_header(desk, group, self._content_width, extent)
        self._lines("#header", header if extent.low else [*header, self._rule])
        at = page.section_at(document.viewport.document_at_top) + 1 if page.sections else 0
        seen = document.viewport.unseen_on_screen(page.is_shown) if document.owner is page.owner else 0
        space, glyph = desk.keys.shown("page_down"), self._look.glyphs.rule
        foot = page_line(page, document.rest, at, glyph, self._content_width, here=seen, key=space)
        self._lines("#foot", [foot])

    def _around_content(self, entry: Entry) -> None:
        screen, desk, extent = self._screen, self._screen.desk, self._screen.extent
        document = screen.query_one("#document", DocumentView)
        header = header_lines(desk, entry, self._style, self._content_width, extent)
        self._lines("#header", header if extent.low else [*header, self._rule])
        there = document.owner == desk.key(entry)
        below, hunk = (document.rest, document.hunks.at) if there else (Rest(0), (0, 0))
        foot = coverage_line(desk, entry, below, self._look.glyphs.rule, hunk, width=self._content_width)
        self._lines("#foot", [] if extent.low else [foot])

    # -- parts -----------------------------------------------------------------------------------------------

    def _lines(self, selector: str, lines: Sequence[Line]) -> None:
        self._screen.query_one(selector, LinesView).show(lines)

    @property
    def _content_width(self) -> int:
        return self._screen.query_one("#header", LinesView).size.width or self._screen.size.width

    @property
    def _style(self) -> RowStyle:
        holds = self._screen.desk.guard.holds
        return RowStyle(
            self._look.glyphs,
            self._office.now(),
            two_lines=self._screen.extent.two_lines,
            held_text=lambda request_id: holds.row_text(request_id, time.monotonic()),
        )

    @property
    def _look(self) -> Appearance:
        return look_of(self._screen)

    @property
    def _rule(self) -> Line:
        return rule(self._look.glyphs.rule)


def _sheet_armed(status: Status) -> bool:
    return status.changes_at is not None and status.changes_at <= time.monotonic()
