"""Finds what is to be read next."""

from __future__ import annotations

from itertools import chain

from signoff_tui.desk import Desk
from signoff_tui.inbox import Entry, Inbox, RowKey

__all__ = ["first_unseen_of", "next_unseen"]


def next_unseen(desk: Desk) -> RowKey | None:
    """The next waiting request that was not fully shown: in the group first, then down the list."""
    inbox = desk.inbox
    group = inbox.focused_group()
    rows, at = inbox.rows(), inbox.row_index(inbox.cursor)
    start = 0 if at is None else at + 1
    if group is not None:
        members = list(_requests_of(inbox, group.key))
        focus = inbox.cursor
        cut = members.index(focus) + 1 if focus in members else 0
        for key in members[cut:] + members[:cut]:
            if _is_unseen(desk, key):
                return key
    for index in chain(range(start, len(rows)), range(start)):  # thousands: no list is made of them
        for candidate in _requests_of(inbox, rows[index].key):
            if _is_unseen(desk, candidate):
                return candidate
    return None


def first_unseen_of(desk: Desk, group: RowKey) -> Entry | None:
    """The first member of a group that was not fully shown and waits; None if there is none."""
    keys = _requests_of(desk.inbox, group)
    return next((desk.inbox.entry(key.id) for key in keys if _is_unseen(desk, key)), None)


def _is_unseen(desk: Desk, key: RowKey) -> bool:
    entry = desk.inbox.entry(key.id)
    if not entry.waiting or entry.later:
        return False
    coverage = desk.coverage(entry)
    return coverage is None or coverage.missing > 0


def _requests_of(inbox: Inbox, key: RowKey) -> tuple[RowKey, ...]:
    if key.kind == "request":
        return (key,)
    return tuple(RowKey("request", entry.id) for entry in inbox.listed(key))
