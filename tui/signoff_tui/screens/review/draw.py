"""Writes what the session says into the widgets of the review screen. Changes nothing but what is drawn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.css.scalar import Scalar

from signoff.text.time import local_time
from signoff_tui.context import Office
from signoff_tui.guard import Status
from signoff_tui.header import TABS, FirstRow, status_line, too_small_lines
from signoff_tui.notify.warnings import with_alarms
from signoff_tui.screens.recent_activity import recent_lines
from signoff_tui.screens.review.bars import keys_of, special_row
from signoff_tui.screens.review.filter import filter_line, nothing_listed
from signoff_tui.screens.review.heads import (
    empty_lines,
    foot_line,
    group_head,
    lost_lines,
    request_head,
)
from signoff_tui.screens.review.incoming import Lost
from signoff_tui.screens.review.open_bar import bar_lines, box_keys
from signoff_tui.screens.review.pointing import pointed_in
from signoff_tui.screens.review.rows import RowCache, RowStyle
from signoff_tui.text.bars import LastWords, keys_row
from signoff_tui.text.key_hints import BarRoom
from signoff_tui.text.lines import Line
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Drawing"]


class Drawing:
    """Draws the parts of the review screen.

    Args:
        screen: The screen with the parts.
        office: Has the clock and the warnings.
    """

    def __init__(self, screen: ReviewScreen, office: Office) -> None:
        self._screen = screen
        self._office = office
        self._rows = RowCache(screen.desk)

    # -- top -----------------------------------------------------------------------------------------------

    def status(self) -> None:
        """Draw the first row, and what is wrong with the queue."""
        width = self._screen.size.width
        lost = self._screen.incoming.lost
        self._lines("#status", [self.status_row(TABS[0], width)] if lost is None else ())
        self._lines("#lost", () if lost is None else self._lost(lost, width))

    def status_row(self, tab: str, width: int) -> Line:
        """Return the first row of the screen of a tab."""
        guard = self._screen.desk.guard
        modes = (
            *(("QUEUE LOST",) if not guard.connected else ()),
            *(("READ ONLY",) if guard.read_only else ()),
            *(("guard: reduced",) if guard.settings.reduced else ()),
        )
        row = FirstRow(self._screen.desk.inbox.tally.counts, modes, self._muted())
        now, ellipsis = self._office.now(), look_of(self._screen).glyphs.ellipsis
        return with_alarms(
            lambda room: status_line(tab, row, now, room), self._office.alarms, width, ellipsis=ellipsis
        )

    def _lost(self, lost: Lost, width: int) -> Sequence[Line]:
        return lost_lines(self._office.place, lost.what, lost.why, (self._office.now() - lost.since) / 1e6, width)

    def _muted(self) -> str:
        mutes = self._office.muting.now
        if mutes.everything is not None:
            return f"muted until {local_time(mutes.everything, 'minute')}"
        if not mutes.agents:
            return ""
        who = "1 agent" if len(mutes.agents) == 1 else f"{len(mutes.agents)} agents"
        return f"{who} muted until {local_time(max(mutes.agents.values()), 'minute')}"

    # -- bottom --------------------------------------------------------------------------------------------

    def bars(self, said: LastWords) -> None:
        """Draw the two rows at the bottom, or what lies over the keys."""
        screen, desk = self._screen, self._screen.desk
        now, width = time.monotonic(), screen.size.width
        status, group_armed = desk.guard.status(now), desk.guard.set_armed(now)
        if desk.guard.too_small:
            self._lines("#sheet", ())
            self._lines("#box-keys", ())
            self._lines("#special", ())
            self._lines("#keys", too_small_lines(desk.inbox.tally.counts, width))
            return
        entry = desk.inbox.focused_request()
        at_hunk = screen.content_visible and screen.document.viewport.at_hunk is not None
        pointed = pointed_in(screen.document, desk, entry) if entry is not None and at_hunk else None
        self._lines("#special", [special_row(desk, said, pointed, width, now, armed=group_armed)])
        room = BarRoom(width, screen.room.sheet_rows)
        if screen.bar is None:
            self._lines("#sheet", ())
            self._lines("#box-keys", ())
            keys = keys_of(desk, armed=status.word == "armed", group_armed=group_armed)
            self._lines("#keys", () if screen.filter_bar.is_open else [keys_row(keys, width)])
            return
        armed = _sheet_armed(status) or desk.guard.offer_armed(now)
        self._lines("#sheet", bar_lines(desk, screen.bar, room, armed=armed))
        self._lines("#box-keys", box_keys(desk, screen.bar, BarRoom(width, 2)))
        self._lines("#keys", ())

    # -- the list ------------------------------------------------------------------------------------------

    def lists(self) -> None:
        """Draw the list, what it says while it is empty, and its filter."""
        screen, inbox = self._screen, self._screen.desk.inbox
        rows, cursor, style = inbox.rows(), inbox.row_index(inbox.cursor), self._style
        listing, pinned = screen.query_one("#rows", RowList), screen.query_one("#pinned", RowList)
        self._lines("#empty", self._empty(listing.size.width) if not rows else ())
        out = self._pinned(len(rows))
        first = len(rows) - out

        def row(index: int, width: int) -> Sequence[Line]:
            if inbox.row_index(rows[index].key) is None:
                return ()  # it went, and a picture is painted before the list is drawn anew
            return self._rows.line(rows[index], style, width, focused=index == cursor)

        here, below = (cursor, None) if cursor is None or cursor < first else (None, cursor - first)
        listing.show(first, row, cursor=here, key=inbox.cursor)
        pinned.show(out, lambda index, width: row(first + index, width), cursor=below, key=inbox.cursor)
        self._lines("#filtered", self._filtered(listing.size.width) if rows else ())

    def _pinned(self, rows: int) -> int:
        """The rows out of the filter, if they would be scrolled out: they keep the last rows of the list."""
        screen = self._screen
        out, pinned = len(screen.desk.inbox.out_of_filter()), screen.query_one("#pinned")
        room = screen.query_one("#list-pane").size.height - 1  # below them it is said which filter it is
        if not 0 < room < rows:
            out = 0
        if pinned.display != bool(out):
            pinned.display = bool(out)
        height = Scalar.from_number(max(min(out, room // 2), 1))
        if pinned.styles.height != height:
            pinned.styles.height = height
        return out

    def _empty(self, width: int) -> Sequence[Line]:
        if self._screen.desk.inbox.hidden():
            return nothing_listed(self._screen.filtering.filter.hidden, width)
        if self._screen.incoming.lost:
            return ()
        recent = recent_lines(self._screen.incoming.recent, self._office.now(), width)
        return empty_lines(self._office.place, self._office.announcement, recent, width)

    def _filtered(self, width: int) -> Sequence[Line]:
        kept, inbox = self._screen.filtering.filter, self._screen.desk.inbox
        if not kept.in_force:
            return ()
        total = sum(1 for _ in inbox.entries())
        return (filter_line(kept.query.text, kept.hidden, inbox.passing, total, width, strays=inbox.focus_strays),)

    # -- the content ---------------------------------------------------------------------------------------

    def surroundings(self) -> None:
        """Draw the lines around the content: whose it is, and what is below the view."""
        screen, desk, layout = self._screen, self._screen.desk, self._screen.room
        if not screen.content_visible:
            return
        page, entry, group = screen.contents.page, screen.contents.read, desk.inbox.focused_group()
        width, style = self._content_width, self._style
        if page is None or entry is None:
            self._lines("#head", ())
            self._lines("#foot", ())
            return
        on_heading = desk.inbox.focused_request() is None
        head: list[Line] = []
        if group is not None and on_heading:
            head.append(group_head(desk, group, style, width))
        head += request_head(desk, entry, style, width, layout, brief=on_heading)
        if layout.high:
            head.append(Line())
        self._lines("#head", head)
        document = screen.document
        self._lines("#foot", [foot_line(document.rest, document.hunks.below)])

    # -- parts ---------------------------------------------------------------------------------------------

    def _lines(self, selector: str, lines: Sequence[Line]) -> None:
        self._screen.query_one(selector, LinesView).show(lines)

    @property
    def _content_width(self) -> int:
        return self._screen.query_one("#head", LinesView).size.width or self._screen.size.width

    @property
    def _style(self) -> RowStyle:
        holds = self._screen.desk.guard.holds
        return RowStyle(
            look_of(self._screen).glyphs,
            self._office.now(),
            held_text=lambda request_id: holds.row_text(request_id, time.monotonic()),
            muted=self._screen.incoming.lost is not None,
        )


def _sheet_armed(status: Status) -> bool:
    return status.changes_at is not None and status.changes_at <= time.monotonic()
