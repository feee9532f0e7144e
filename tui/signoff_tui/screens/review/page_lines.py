"""What stands above and below the page of a group: whose it is, what an approval covers, where the reader is."""

from __future__ import annotations

from signoff_tui.guard import Omission
from signoff_tui.screens.review.extent import Extent
from signoff_tui.screens.review.group_lines import covered_lines, group_title, left_out_line
from signoff_tui.state.group_page import GroupPage
from signoff_tui.state.inbox import Group
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Line, chunk, fullest
from signoff_tui.widgets.document.layout import Rest

__all__ = ["page_header", "page_line"]

MOST = 2
"""Lines for names of who is ready, and as many for the others."""

ROWS_FOR_NAMES = 24
"""Rows of a terminal from which one line has names of those that are left out."""


def page_header(desk: ReviewSession, group: Group, width: int, extent: Extent) -> list[Line]:
    """The name of the group, how much of it is ready, and whom that leaves out; with names where there is room.

    Where there is not, the action bar has the names of those that are ready, and one line as many of the others as
    fit; the list of the group has all of them.
    """
    who = desk.eligibility(group.members)
    high = sum(item.reason is Omission.HIGH for item in who.left_out)
    ready = chunk(f"{len(who.ready)} of {len(who.waiting)} ready ", "ok" if who.ready else "muted", keep=True)
    danger = (chunk(f" {high} HIGH ", "risk-high", keep=True),) if high else ()
    title = group_title(desk, group, width, (chunk("  "), *danger, chunk(" "), ready))
    if extent.high:
        return [title, *covered_lines(desk, who, width, MOST, ": [Esc] lists them")]
    left_out = left_out_line(desk, who, width) if extent.rows >= ROWS_FOR_NAMES else None
    return [title] if left_out is None else [title, left_out]


def page_line(
    page: GroupPage, rest: Rest, at: int, glyph: str, width: int, *, here: int = 0, key: str = "Space"
) -> Line:
    """The line under the page.

    Args:
        page: What is read.
        rest: What is below the view.
        at: Which member is at the top, from 1.
        glyph: What the rule is drawn with.
        width: Cells.
        here: Lines that are on the screen and were not shown for long enough yet.
        key: Goes to what was not shown.
    """
    shown, units = page.shown
    done = shown == units and page.complete and not page.left_out
    words = f" {at}/{page.members} "
    if not page.complete:
        made = f"{page.made} of {page.members}"
        belows = [
            f" {made} on this page so far, more follows ",
            f" {made} so far, more follows ",
            " more follows ",
        ]
    else:
        more = f"{'over ' if rest.more else ''}{rest.rows:,} more {'row' if rest.rows == 1 else 'rows'} below"
        above = units - shown - here
        end = f" end; {above:,} unread above: {key} " if above > 0 else " end "
        belows = [f" {more} " if rest.rows else end]
    over = f" {page.left_out} more of the group are not on this page " if page.left_out else ""
    so_far = f"{units:,}" if page.complete else f"their {units:,}"
    share = " all shown " if done else f" {shown:,} of {so_far} lines shown "
    line = chunk(glyph * 2, "rule")
    right = (chunk(share, "ok" if done else "held", keep=True), line)
    where, left_out = chunk(words, "muted", keep=True), chunk(over, "danger", keep=True)
    rows = [chunk(below, "muted" if below == " end " else "warn", keep=True) for below in belows]
    return fullest(
        [
            *(Line((line, where, line, each, left_out), right, fill=glyph) for each in rows),
            *(Line((line, each, left_out), right, fill=glyph) for each in rows),
            Line((left_out,), right, fill=glyph),
        ],
        width,
    )
