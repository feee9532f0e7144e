"""What stands around the list: the title, what is said instead of records, the keys."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff.filter import Query, SavedFilter, asked_of
from signoff_tui.header import Standing, first_line
from signoff_tui.input.keymap import STANDARD, KeyMap
from signoff_tui.screens.history.listing import Listing
from signoff_tui.screens.history.looking import Around
from signoff_tui.screens.history.ranges import range_of
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow, saved_hints
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, line, wrapped

__all__ = ["Keys", "empty_lines", "foot_lines", "title_line"]

_MOST_ROWS = 6
_ROOMY = 70
"""Cells from which the keys are told in full words."""
_ENOUGH = 16
"""Cells of a filter that still tell it from others."""


def title_line(query: Query, listing: Listing, around: Around | None, width: int, *, connected: bool) -> Line:
    """Where am I, how much waits, what does the filter keep, is the queue there.

    Args:
        query: The filter that is listed.
        listing: What is listed.
        around: What else is known; None if nothing was read yet.
        width: Cells. What matters least is left out first.
        connected: Whether the queue is there.
    """
    text = foreign(query.text, "accent")
    asked = (chunk(" "), Chunk(text.text, "accent", cut="end", enough=_ENOUGH), chunk(" ")) if query.text else ()
    if around is None:
        return first_line(["History"], Standing(None, connected=connected), width, [asked])
    counts = chunk(f" {_counts(query, listing, around)} ", "muted", keep=True)
    standing = Standing(around.waiting, around.high, connected=connected)
    return first_line(["History"], standing, width, [(*asked, counts)])


def _counts(query: Query, listing: Listing, around: Around) -> str:
    kept, total = len(listing.records), f"{around.total:,}"
    if query.expression is not None:
        return f"{kept:,}{'+' if listing.more else ''} of {total}"
    return f"newest {kept:,} of {total}" if listing.more else f"{total} {'record' if total == '1' else 'records'}"


def empty_lines(query: Query, listing: Listing, problem: str, width: int, *, loaded: bool) -> list[Line]:
    """What is said where no record is listed."""
    head = chunk("   ", keep=True)
    if problem:
        return [Line(), *wrapped(problem, width, "danger", head=head)]
    if not loaded:
        return [Line(), line(chunk("   reading the history ...", "muted"))]
    if listing.more:
        words = "Nothing fits in what was looked at so far; G looks further back."
    elif query.expression is not None:
        words = "Nothing was decided that fits this filter; [\\] clears it."
    else:
        words = "Nothing was decided yet."
    return [Line(), *wrapped(words, width, "muted", head=head)]


class Keys(Struct, frozen=True):
    """What the keys would act on.

    Attributes:
        reading: A record has the whole screen.
        beside: The record stands beside the list.
        details: Its details are shown.
        choosing: The saved filters, while the next digit chooses one of them.
        several: The cursor is on what was decided together.
        opened: These are listed below it.
        map: The keys of the person.
    """

    reading: bool
    beside: bool
    details: bool
    choosing: Sequence[SavedFilter]
    several: bool = False
    opened: bool = False
    map: KeyMap = STANDARD


def foot_lines(query: Query, keys: Keys, said: Line, room: BarRoom) -> Sequence[Line]:
    """The keys that make sense now, and what is said.

    Args:
        query: The filter that is in force.
        keys: What the keys would act on.
        said: What was said last; perhaps nothing.
        room: Where the keys are drawn.
    """
    if keys.choosing:
        # All of them must be there, however narrow it is.
        there = BarRoom(room.width, _MOST_ROWS)
        rows = flow(saved_hints(keys.choosing, there), there)
        shown = [row for number, row in enumerate(rows) if row.left or number < room.rows]
    else:
        shown = [*flow(_hints(query, keys, room.width), room)]
    return [*shown, said if said.left else line(chunk(" no decision keys work on this screen", "muted"))]


def _hints(query: Query, keys: Keys, width: int) -> list[KeyHint]:
    def shown(name: str) -> str:
        return keys.map.shown(name, place="history")

    details = KeyHint(shown("details"), "content" if keys.details else "details")
    members = KeyHint("Enter", "fold" if keys.opened else "members")
    if keys.reading:
        hints = [
            KeyHint(keys.map.shown("down", "up", place="history"), "line"),
            KeyHint(shown("page_down"), "page"),
            details,
        ]
    else:
        hints = [
            members if keys.several else details if keys.beside else KeyHint("Enter", "record"),
            KeyHint(shown("filter"), "filter"),
            *([KeyHint(shown("clear_filter"), "clear")] if query.expression is not None else []),
            KeyHint(shown("only_agent"), "all agents" if asked_of(query, "agent") else "this agent"),
            KeyHint(shown("agent_history"), "its last hour"),
            KeyHint(shown("range"), "range" if range_of(query) == "set" else f"since: {range_of(query)}"),
            KeyHint(shown("saved"), "saved filters" if width >= _ROOMY else "saved"),
            KeyHint(shown("export"), "export"),
        ]
    return [*hints, KeyHint("Esc", "back"), KeyHint(shown("help"), "help")]
