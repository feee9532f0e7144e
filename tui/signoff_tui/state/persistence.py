"""A person's own files: how the list was left, and filters under a digit."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import platformdirs
from msgspec import Struct
from msgspec.structs import asdict

from signoff import private_files
from signoff.canonical import parse_json
from signoff.filter import SAVED_FILTERS, Filtered, FilterError, SavedFilter, parse
from signoff_tui.state.inbox import Inbox, Order, RowKey

__all__ = [
    "OWN_DIGITS",
    "ListState",
    "ListStates",
    "elsewhere",
    "put_text",
    "read_bytes",
    "saved_by_digit",
    "saved_with",
    "state_file",
    "state_of",
    "usable",
]


def read_bytes(file: Path, *, most: int) -> bytes:
    """Read a file that is no device and no FIFO, which may have no end, or never begin.

    Args:
        file: The file.
        most: Bytes that it may have.

    Raises:
        OSError: It cannot be read, or is no file.
        ValueError: It is larger.
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
    """Put a text in the place of a file, whole or not at all; a new one is for its owner alone.

    A link stays a link, and who may read a file stays as it was.

    Args:
        file: The file; its folder is made if it is not there.
        text: What it shall hold, line ends as they are.

    Raises:
        OSError: It cannot be written; it is as it was.
    """
    file = Path(os.path.realpath(file))
    private_files.make_directory(file.parent)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    private_files.put(file, text.encode(), mode=mode)


def state_file(kind: str, place: str, folder: Path | None = None) -> Path:
    """The file in which something of one queue is kept.

    Args:
        kind: What is kept; the name of a folder in the person's state directory.
        place: Where the queue is, as nobody else's.
        folder: Where the files lie instead.
    """
    folder = folder or Path(platformdirs.user_state_path("signoff", appauthor=False)) / kind
    return folder / f"{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"


# -- How a person left the list of a queue: filter, order, closed groups and the row in focus.
#
# It is kept apart from the settings, in the person's state directory, a file for each queue. Nothing depends on
# it: what cannot be read is forgotten.

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


# -- Filters under a digit: `f`, then the digit, on every list that can be filtered.

OWN_DIGITS = (6, 7, 8, 9)
"""Digits that are the person's own to give."""


def saved_with(own: Mapping[int, str]) -> tuple[SavedFilter, ...]:
    """The filters that everybody has, and a person's own.

    Args:
        own: Filters as they would be typed, by their digit.
    """
    return (*SAVED_FILTERS, *(SavedFilter(digit, query, query) for digit, query in sorted(own.items())))


def usable(saved: Sequence[SavedFilter], filtered: Filtered) -> tuple[SavedFilter, ...]:
    """Those that ask only for what is known of such things; for the inbox, those that what waits may fit."""
    inbox = filtered is Filtered.INBOX
    return tuple(
        each for each in saved if _is_known(each.text("agent"), filtered) and not (inbox and each.decided)
    )


def elsewhere(saved: Sequence[SavedFilter], listed: Sequence[SavedFilter]) -> str:
    """Why digits are missing in the inbox, after the words that ask for one; nothing if none is.

    Args:
        saved: All there are.
        listed: Those that the inbox can use.
    """
    digits = ", ".join(str(each.digit) for each in saved if each not in listed)
    return f" ({digits} only in the history)" if digits else ""


def saved_by_digit(saved: Sequence[SavedFilter], key: str | None) -> SavedFilter | None:
    """The filter that a key stands for."""
    return next((each for each in saved if str(each.digit) == key), None)


def _is_known(text: str, filtered: Filtered) -> bool:
    try:
        parse(text, filtered)
    except FilterError:
        return False
    return True
