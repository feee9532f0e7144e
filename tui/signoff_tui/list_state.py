"""How a person left the list of a queue: filter, order, closed groups and the row in focus.

It is kept apart from the settings, in the person's state directory, a file for each queue. Nothing depends on it:
what cannot be read is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

from msgspec import Struct
from msgspec.structs import asdict

from signoff.canonical import parse_json
from signoff_tui.inbox import Inbox, RowKey
from signoff_tui.orders import Order
from signoff_tui.own_files import put_text, read_bytes, state_file

__all__ = ["ListState", "ListStates", "state_of"]

MOST_GROUPS = 200
"""Closed groups that are kept; of more, the last."""

LARGEST_BYTES = 1_000_000
"""A larger file is none of ours."""


class ListState(Struct, frozen=True):
    """How a list was left.

    Attributes:
        filter: What it was filtered by, in the filter language; empty if by nothing.
        order: In which order it stood.
        closed: Ids of the rows of groups that were closed.
        focus: Kind and id of the row in focus; None if there was none.
    """

    filter: str = ""
    order: Order = "arrival"
    closed: tuple[str, ...] = ()
    focus: tuple[str, str] | None = None

    def applies_to(self, inbox: Inbox) -> None:
        """Put rows of a list as they were; the filter is the business of whoever filters."""
        if self.order != inbox.order:
            inbox.sort(self.order)
        known = {row.key for row in inbox.rows()}
        for group in self.closed:
            if (key := RowKey("group", group)) in known:
                inbox.set_open(key, open_=False)
        if self.focus is not None and (key := RowKey(*self.focus)) in known:  # type: ignore[arg-type]
            inbox.move_to(key)


def state_of(inbox: Inbox, words: str) -> ListState:
    """How a list is now.

    Args:
        inbox: The list.
        words: What it is filtered by.
    """
    groups = [row.key for row in inbox.rows() if row.key.kind == "group"]
    closed = tuple(key.id for key in groups if not inbox.group(key).open)[-MOST_GROUPS:]
    focus = None if inbox.cursor is None else (inbox.cursor.kind, inbox.cursor.id)
    return ListState(words, inbox.order, closed, focus)


class ListStates:
    """The file in which the state of one queue's list is kept.

    Args:
        place: Where the queue is, as nobody else's.
        folder: Where the files lie; the person's state directory if it is left out.
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        self._file = state_file("lists", place, folder)
        self._saved = ListState()

    def load(self) -> ListState:
        """How the list was left; as it is at first if that is not known."""
        try:
            self._saved = _read(parse_json(read_bytes(self._file, most=LARGEST_BYTES)))
        except (OSError, ValueError):
            return ListState()
        return self._saved

    def save(self, state: ListState) -> None:
        """Keep how the list is left. Where it cannot be kept, it is not."""
        if state == self._saved:
            return
        try:
            put_text(self._file, json.dumps(asdict(state)) + "\n")
        except OSError:
            return
        self._saved = state


def _read(found: Any) -> ListState:
    """The state that was written.

    Raises:
        ValueError: It is not what is written here.
    """
    if not isinstance(found, dict) or set(found) != set(ListState.__struct_fields__):
        raise ValueError("not the state of a list")
    words, order, closed, focus = (found[name] for name in ("filter", "order", "closed", "focus"))
    if not isinstance(words, str) or order not in get_args(Order) or not _are_texts(closed):
        raise ValueError("not the state of a list")
    if focus is not None and not (_are_texts(focus) and len(focus) == 2 and focus[0] in ("group", "request")):
        raise ValueError("not the state of a list")
    return ListState(words, order, tuple(closed), None if focus is None else (focus[0], focus[1]))


def _are_texts(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(each, str) for each in cast("Sequence[Any]", found))
