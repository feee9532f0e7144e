"""Read marks: the lines that were on the screen, kept for the next start and for other screens of the reviewer.

They are bound to request, revision and digest, so a request that changes is to be read again. The file is private
and authenticated with the reviewer's key: marks that somebody else wrote, or that cannot be checked, do not count.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from signoff import private_files
from signoff.canonical import canonical, parse_json
from signoff.queue.errors import ReviewerKeysError
from signoff.queue.keys.identity import own_code
from signoff_tui.state.documents import ContentKey
from signoff_tui.state.persistence import read_bytes, state_file

__all__ = ["ReadMark", "ReadMarks"]

KEPT_US = 24 * 60 * 60 * 1_000_000
"""The time for which marks stay after their request was last seen waiting, in microseconds."""

MOST = 2_000
"""The most contents with marks; beyond them, the newest."""

LARGEST_BYTES = 10_000_000
"""The largest size of the file, in bytes; a larger one was not written by signoff."""

_PURPOSE = "read marks 1"


class ReadMark(Struct, frozen=True):
    """The lines of one content that were on the screen.

    Attributes:
        units: The number of its coverage units.
        shown: The units that were shown.
        at: The time at which its request was last known to wait, microseconds since the epoch.
    """

    units: int
    shown: frozenset[int]
    at: int

    def with_others(self, other: ReadMark | None) -> ReadMark:
        """Return the marks of both, if they are of the same content."""
        if other is None or other.units != self.units:
            return self
        return ReadMark(self.units, self.shown | other.shown, max(self.at, other.at))


class ReadMarks:
    """The file with the marks of one reviewer of one queue.

    Args:
        place: The unique place of the queue.
        reviewer: Name under which decisions are recorded.
        folder: The folder of the files; the person's state directory if left out.
        read_only: True if nothing is decided here: then no key is ever made for the marks.
    """

    def __init__(self, place: str, reviewer: str, folder: Path | None = None, *, read_only: bool = False) -> None:
        self._who = [place, reviewer]
        self._read_only = read_only
        self.path = state_file("read", json.dumps(self._who), folder)
        """The path of the file, which need not exist."""

    def load(self) -> Mapping[ContentKey, ReadMark]:
        """Return the marks; none if the file cannot be read or is not the reviewer's."""
        try:
            found = parse_json(read_bytes(self.path, most=LARGEST_BYTES))
            marks = found["marks"]
            code = own_code(_PURPOSE, self._statement(marks))
            if code is None or not hmac.compare_digest(code, found["code"]):
                return {}
            return dict(map(_read, marks))
        except (OSError, ValueError, TypeError, KeyError, ReviewerKeysError):
            return {}

    def add(self, marks: Mapping[ContentKey, ReadMark], now: int, *, closing: bool = False) -> None:
        """Add marks to those in the file, and forget those of requests that ended long ago; if that is possible.

        Without a key nothing is kept: it is made with the first approval, or here by a screen that closes.

        Args:
            marks: What was shown here.
            now: Microseconds since the epoch.
            closing: True for the last marks of a screen.
        """
        try:
            private_files.make_directory(self.path.parent)
            with private_files.locked(self.path.with_suffix(".lock")):
                there = self.load()
                both = {key: mark.with_others(there.get(key)) for key, mark in marks.items()}
                every = {**there, **both}
                kept = sorted((each for each in every.items() if now - each[1].at < KEPT_US), key=_age)[-MOST:]
                if dict(kept) == there:
                    return
                written = [_written(key, mark) for key, mark in kept]
                code = own_code(_PURPOSE, self._statement(written), make=closing and not self._read_only)
                if code is not None:
                    private_files.put(self.path, json.dumps({"code": code, "marks": written}).encode())
        except (OSError, ReviewerKeysError):
            return

    def _statement(self, marks: Any) -> bytes:
        return canonical({"who": self._who, "marks": marks}).encode()


def _age(each: tuple[ContentKey, ReadMark]) -> int:
    return each[1].at


def _written(key: ContentKey, mark: ReadMark) -> list[Any]:
    return [*key, mark.units, list(_stretches(sorted(mark.shown))), mark.at]


def _stretches(units: Sequence[int]) -> Iterator[list[int]]:
    """Units that follow each other, as the first and the last of them."""
    if not units:
        return
    first = units[0]
    for unit, following in pairwise(units):
        if following != unit + 1:
            yield [first, unit]
            first = following
    yield [first, units[-1]]


def _read(found: Any) -> tuple[ContentKey, ReadMark]:
    """Read the marks of one content.

    Raises:
        ValueError: They have another form.
    """
    match found:
        case [str(id_), int(revision), str(digest), int(units), list(stretches), int(at)]:
            shown = frozenset(unit for first, last in stretches for unit in range(first, min(last, units - 1) + 1))
            return (id_, revision, digest), ReadMark(units, shown, at)
        case _:
            raise ValueError("no read marks")
