"""Files that the screen keeps for a person: list positions; and the filters to choose from."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import platformdirs
from msgspec import Struct, field
from msgspec.structs import asdict

from signoff import private_files
from signoff.canonical import parse_json
from signoff.filter import SAVED_FILTERS, Filtered, FilterError, SavedFilter, parse
from signoff_tui.state.inbox import Inbox, Order, RowKey

__all__ = [
    "ListState",
    "ListStates",
    "put_text",
    "read_bytes",
    "saved_with",
    "state_file",
    "state_of",
    "usable",
]


def read_bytes(file: Path, *, most: int) -> bytes:
    """Read a regular file: a device or FIFO may have no end, or never begin.

    Args:
        file: The file.
        most: The most bytes that it may have.

    Raises:
        OSError: The file cannot be read, or is not a regular one.
        ValueError: The file is larger.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
    with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor has no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{file} is no file")
        data = opened.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{file} is larger than {most} bytes")
    return data


def put_text(file: Path, text: str) -> None:
    """Replace a file by a text, whole or not at all; a new file is for its owner only.

    A link stays a link, and the permissions of a file stay.

    Args:
        file: The file; its folder is made if it is not there.
        text: The content, line ends as they are.

    Raises:
        OSError: The file cannot be written; it is as it was.
    """
    file = Path(os.path.realpath(file))
    private_files.make_directory(file.parent)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    private_files.put(file, text.encode(), mode=mode)


def state_file(kind: str, place: str, folder: Path | None = None) -> Path:
    """Return the file of some kind for one queue.

    Args:
        kind: The name of a folder in the person's state directory.
        place: The unique place of the queue.
        folder: Another folder for the files.
    """
    folder = folder or Path(platformdirs.user_state_path("signoff", appauthor=False)) / kind
    return folder / f"{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"


# -- The list of a queue as the person left it: order, closed groups, the row in focus and the border.
#
# It is kept apart from the settings, in the person's state directory, a file for each queue. Nothing depends on
# it: a file that cannot be read is ignored.

MOST_GROUPS = 200
"""The most closed groups that are kept; beyond them, the last."""

LARGEST_BYTES = 1_000_000
"""The largest size of the file, in bytes; a larger one was not written by signoff."""


class ListState(Struct, frozen=True):
    """The list as it was left.

    Attributes:
        order: The order of the rows.
        closed: Ids of the rows of groups that were closed.
        focus: Kind and id of the row in focus; None if there was none.
        borders: Cells of the list where the person moved its border, by columns of the screen.
    """

    order: Order = "arrival"
    closed: tuple[str, ...] = ()
    focus: tuple[str, str] | None = None
    borders: Mapping[int, int] = field(default_factory=dict)

    def applies_to(self, inbox: Inbox) -> None:
        """Restore the rows of a list."""
        if self.order != inbox.order:
            inbox.sort(self.order)
        known = {row.key for row in inbox.rows()}
        for group in self.closed:
            if (key := RowKey("group", group)) in known:
                inbox.set_open(key, open_=False)
        if self.focus is not None and (key := RowKey(*self.focus)) in known:  # type: ignore[arg-type]
            inbox.move_to(key)


def state_of(inbox: Inbox, borders: Mapping[int, int]) -> ListState:
    """Return the present state of a list.

    Args:
        inbox: The list.
        borders: Where the person moved its border, by columns of the screen.
    """
    groups = [row.key for row in inbox.rows() if row.key.kind == "group"]
    closed = tuple(key.id for key in groups if not inbox.group(key).open)[-MOST_GROUPS:]
    focus = None if inbox.cursor is None else (inbox.cursor.kind, inbox.cursor.id)
    return ListState(inbox.order, closed, focus, dict(borders))


class ListStates:
    """The file with the state of one queue's list.

    Args:
        place: The unique place of the queue.
        folder: The folder of the files; the person's state directory if left out.
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        self._file = state_file("lists", place, folder)
        self._saved = ListState()

    def load(self) -> ListState:
        """Return the saved state; the initial one if it is not known."""
        try:
            self._saved = _read(parse_json(read_bytes(self._file, most=LARGEST_BYTES)))
        except (OSError, ValueError):
            return ListState()
        return self._saved

    def save(self, state: ListState) -> None:
        """Save the state of the list, if that is possible."""
        if state == self._saved:
            return
        try:
            put_text(self._file, json.dumps(asdict(state)) + "\n")
        except OSError:
            return
        self._saved = state


def _read(found: Any) -> ListState:
    """Read the saved state.

    Raises:
        ValueError: The file has another form.
    """
    if not isinstance(found, dict) or set(found) != set(ListState.__struct_fields__):
        raise ValueError("not the state of a list")
    order, closed, focus, borders = (found[name] for name in ("order", "closed", "focus", "borders"))
    if order not in get_args(Order) or not _are_texts(closed) or not isinstance(borders, dict):
        raise ValueError("not the state of a list")
    if focus is not None and not (_are_texts(focus) and len(focus) == 2 and focus[0] in ("group", "request")):
        raise ValueError("not the state of a list")
    known = {int(columns): cells for columns, cells in borders.items() if isinstance(cells, int)}
    return ListState(order, tuple(closed), None if focus is None else (focus[0], focus[1]), known)


def _are_texts(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(each, str) for each in cast("Sequence[Any]", found))


# -- Filters to choose from: `f`, on every list that can be filtered.


def saved_with(own: Sequence[str]) -> tuple[SavedFilter, ...]:
    """Return the filters that everybody has, and a person's own.

    Args:
        own: Filters as they would be typed.
    """
    return (*SAVED_FILTERS, *(SavedFilter(query, query) for query in own))


def usable(saved: Sequence[SavedFilter], filtered: Filtered, agent: str | None) -> tuple[SavedFilter, ...]:
    """Return the filters that fit a kind of things; for the inbox, those on waiting requests.

    Args:
        saved: All filters.
        filtered: The kind of things.
        agent: Name of the selected agent; None if there is none.
    """
    inbox = filtered is Filtered.INBOX
    return tuple(
        each
        for each in saved
        if _is_known(each.text("agent"), filtered)
        and not (inbox and each.decided)
        and not (agent is None and each.needs_agent)
    )


def _is_known(text: str, filtered: Filtered) -> bool:
    try:
        parse(text, filtered)
    except FilterError:
        return False
    return True
