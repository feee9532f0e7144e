"""Lines of text in which words of others cannot pass for ours.

Everything printed begins with a label of ours, and so does every row that a terminal would have wrapped:
no content, however long, puts its own words at the edge of the screen.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator
from typing import TextIO

__all__ = ["Page", "at_terminal", "cells", "width_of"]

_NARROWEST = 20


def at_terminal(*streams: TextIO | None) -> bool:
    """Whether all of these are a terminal; a standard stream that was closed is None."""
    return all(stream is not None and stream.isatty() for stream in streams)


def width_of(stream: TextIO | None) -> int | None:
    """Columns of the terminal that a stream writes to, or None if it writes to something else."""
    if not at_terminal(stream):
        return None
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def cells(text: str) -> int:
    """Columns of a line of safe text."""
    return sum(map(_cells, text))


class Page:
    """A text in the making.

    Args:
        width: Columns at which lines are folded, or None to leave them whole.
    """

    def __init__(self, width: int | None) -> None:
        self._width = width
        self._lines: list[str] = []

    def add(self, text: str, *, label: str = "", fold: str | None = None) -> None:
        """Add one line.

        Args:
            text: Safe text without a newline.
            label: Our words before it.
            fold: What stands before the rows that the line is folded into; blanks by default.
        """
        if self._width is None:
            self._lines.append(f"{label}{text}".rstrip(" "))
            return
        begin, room = label, max(1, self._width - len(label))
        for piece in _pieces(text, room):
            self._lines.append(f"{begin}{piece}".rstrip(" "))
            begin = (" " * len(label) if fold is None else fold.ljust(len(label)))[: len(label)]

    def text(self) -> str:
        """All lines, each with its end."""
        return "".join(f"{line}\n" for line in self._lines)


def _pieces(text: str, room: int) -> Iterator[str]:
    """Cut a text into parts of at most so many columns."""
    start = used = 0
    for index, character in enumerate(text):
        wide = _cells(character)
        if used and used + wide > room:
            yield text[start:index]
            start, used = index, 0
        used += wide
    yield text[start:]


def _cells(character: str) -> int:
    """Columns of a character, rather one too many: terminals differ about the ambiguous ones."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WFA" else 1
