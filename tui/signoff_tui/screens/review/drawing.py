"""Writes what the desk says into the widgets of the review screen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff_tui.guard import Status
from signoff_tui.inbox import Entry
from signoff_tui.lines import Line, chunk, foreign, line, rule
from signoff_tui.look import Look, look_of
from signoff_tui.office import Office
from signoff_tui.screens.review import panes
from signoff_tui.screens.review.bars import Bar, action_lines, target_line
from signoff_tui.screens.review.open_bar import bar_lines
from signoff_tui.screens.review.rows import RowStyle, inbox_heading, inbox_row, member_row
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["TWO_LINES", "Drawing", "LastWords"]

TWO_LINES = 60
"""Below this many columns, a row has two lines."""


@dataclass(frozen=True, slots=True)
class LastWords:
    """What the last row says, and until when (monotonic seconds)."""

    text: str = ""
    token: str = "warn"
    until: float = 0.0


class Drawing:
    """Draws the parts of the review screen around the content."""

    def __init__(self, screen: ReviewScreen, office: Office) -> None:
        self._screen = screen
        self._office = office

    def wanted(self) -> Sequence[Entry]:
        """Requests whose documents are needed for what is visible, the focused one first."""
        inbox = self._screen.desk.inbox
        focused = inbox.focused_request()
        wanted = [focused] if focused is not None else []
        group = inbox.focused_group()
        if group is not None:
            wanted += inbox.members(group.key)
        rows = inbox.rows()
        for index in self._screen.query_one("#rows", RowList).visible_rows:
            if index < len(rows) and rows[index].key.kind == "request":
                wanted.append(inbox.entry(rows[index].key.id))
        return wanted

    def last_row(self, message: LastWords) -> None:
        """What was said last, else what is held."""
        now = time.monotonic()
        held = self._screen.desk.guard.holds.line(now)
        if message.text and now < message.until:
            content = line(foreign(f" {message.text}", message.token))
        elif held:
            content = line(chunk(f" {held}", "held"))
        else:
            content = Line()
        self._screen.query_one("#last", LinesView).show([content])

    @property
    def _look(self) -> Look:
        return look_of(self._screen)

    @staticmethod
    def _sheet_armed(status: Status) -> bool:
        return status.changes_at is not None and status.changes_at <= time.monotonic()

    def lists(self) -> None:
        """Status line, list, and the lines around the content."""
        desk, width = self._screen.desk, self._screen.size.width
        now = time.time_ns() // 1000
        look = self._look
        two_lines = width < TWO_LINES
        style = RowStyle(
            look.glyphs,
            now,
            two_lines=two_lines,
            held_text=lambda request_id: desk.guard.holds.row_text(request_id, time.monotonic()),
        )
        self._screen.query_one("#status", LinesView).show(self._status(now))
        rows = desk.inbox.rows()
        cursor = desk.inbox.row_index(desk.inbox.cursor)
        listing = self._screen.query_one("#rows", RowList)
        heading = self._screen.query_one("#heading", LinesView)
        if not rows:
            heading.show(panes.empty_lines(self._office, connected=desk.guard.connected))
        else:
            heading.show([] if two_lines else [inbox_heading(listing.size.width)])
        listing.show(
            len(rows),
            lambda index, cells: inbox_row(desk, rows[index], style, cells, focused=index == cursor),
            cursor=cursor,
            lines_per_row=2 if two_lines else 1,
        )
        self._screen.query_one("#below", LinesView).show(self._below(listing))
        self._around_content(style)

    def _around_content(self, style: RowStyle) -> None:
        desk, look = self._screen.desk, self._look
        entry, group = desk.inbox.focused_request(), desk.inbox.focused_group()
        header, foot = self._screen.query_one("#header", LinesView), self._screen.query_one("#foot", LinesView)
        if self._screen.group_visible and group is not None:
            members = desk.inbox.members(group.key)
            header.show(
                [
                    *panes.group_lines(desk, group, header.size.width or self._screen.size.width),
                    rule(look.glyphs.rule),
                ]
            )
            focused = members.index(entry) if entry in members else None
            self._screen.query_one("#members", RowList).show(
                len(members),
                lambda index, cells: member_row(desk, members[index], style, cells, focused=index == focused),
                cursor=focused,
            )
            foot.show([])
        elif entry is not None:
            lines = panes.header_lines(desk, entry, style, wide=self._screen.size.height >= 30)
            header.show([*lines, rule(look.glyphs.rule)])
            foot.show([panes.coverage_line(desk, entry, self._screen.document.rows_below, look.glyphs.rule)])
        else:
            header.show([])
            foot.show([])

    def _status(self, now: int) -> tuple[Line, ...]:
        titles = {"inbox": "Inbox", "request": "Request", "group": "Group"}
        guard = self._screen.desk.guard
        modes = (
            *(("READ ONLY",) if guard.read_only else ()),
            *(("guard: reduced",) if guard.settings.reduced else ()),
        )
        return (
            panes.status_line(
                titles[self._screen.view],
                self._screen.desk.inbox.counts(),
                now=now,
                connected=guard.connected,
                modes=modes,
                width=self._screen.size.width,
            ),
        )

    def _below(self, listing: RowList) -> tuple[Line, ...]:
        if not self._screen.desk.inbox.rows():
            return ()
        below = panes.below_line(self._screen.desk, listing.rows_below, listing.size.width)
        if self._screen.two_panes or self._screen.size.height < 16:
            return (below,)
        return (
            below,
            rule(self._look.glyphs.rule),
            *panes.strip_lines(self._screen.desk, self._screen.size.width),
        )

    def bar(self) -> None:
        """Target line and action bar, or what lies over it."""
        desk = self._screen.desk
        status = desk.guard.status(time.monotonic())
        bar = Bar(self._screen.size.width, 3 if self._screen.size.height >= 20 else 2)
        self._screen.query_one("#target", LinesView).show(
            [rule(self._look.glyphs.rule), target_line(desk, status)]
        )
        armed = status.word == "armed"
        actions = self._screen.query_one("#actions", LinesView)
        if desk.guard.too_small:
            actions.show(
                [line(chunk(" pane too small to show what you would approve: decision keys are off", "warn"))]
            )
        elif self._screen.bar is not None:
            actions.show(bar_lines(desk, self._screen.bar, bar, armed=self._sheet_armed(status)))
        else:
            actions.show(action_lines(desk, self._screen.view, bar, armed=armed))
