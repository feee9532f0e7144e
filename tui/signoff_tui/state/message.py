"""A message of several lines while it is written: text, cursor, and the effect of keys. No widgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from msgspec import Struct
from rich.cells import cell_len

from signoff.present.reveal.escape import typeable, with_letters

__all__ = ["LONGEST", "EarlierTexts", "Message", "Row", "as_message", "cells_of", "fits_in_a_box", "rows_of"]

LONGEST = 10_000
"""The most characters of a message: agents read all of it."""

_MOST_PASTED = 10 * LONGEST
"""The most characters of a paste that are searched for visible ones; more would take too long."""

_MOST_TEXTS = 50
"""The texts of a run that are kept for `EarlierTexts`."""

TAB = "    "
"""The replacement of a pasted tab: a box shows each character as it is."""

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_WORD = re.compile(r"\w+|[^\w\s]+")

Row = tuple[int, int]
"""A row of the box: its beginning and end in the text."""


def as_message(text: str) -> str:
    """Return the text with its lines, without characters that nobody could see in a box."""
    lines = _LINE_END.split(text.replace("\t", TAB))
    return "\n".join(typeable(each, vowels=True) for each in lines)


def fits_in_a_box(text: str) -> bool:
    """True if a box holds a text as it is, to the character."""
    return len(text) <= LONGEST and as_message(text) == text


def cells_of(text: str) -> int:
    """Return the number of cells of a piece of a message, as the box draws it."""
    return cell_len(with_letters(text))


def rows_of(text: str, width: int) -> tuple[Row, ...]:
    """Return the rows of a text in a box: each line broken at blanks, if it has some.

    Args:
        text: The text; a result of `as_message`.
        width: Cells of a row. The last of them is for a cursor after the text.

    Returns:
        At least one row. A blank at which a row is broken belongs to the row before.
    """
    rows: list[Row] = []
    start = 0
    for line in text.split("\n"):
        rows += ((start + first, start + last) for first, last in _folded(line, max(width - 1, 1)))
        start += len(line) + 1
    return tuple(rows)


def _folded(line: str, width: int) -> list[Row]:
    rows: list[Row] = []
    first = used = 0
    after_blank = 0
    drawn = with_letters(line)
    for at, char in enumerate(drawn):
        cells = cell_len(char)
        # A blank may be in the last cell, where the cursor would be: nobody misses it.
        if cells and used + cells > width + (char == " ") and at > first:
            last = after_blank if after_blank > first and char != " " else at
            rows.append((first, last))
            first, used = last, cell_len(drawn[last:at])
        used += cells
        if char == " ":
            after_blank = at + 1
    rows.append((first, len(line)))
    if used > width:
        rows.append((len(line), len(line)))  # a row for the cursor
    return rows


class Message(Struct, frozen=True):
    """A text and a cursor.

    Attributes:
        text: The text, lines apart by newlines. Nothing in it is invisible.
        at: The index of the character that the cursor is on; after the last one it is the length of the text.
    """

    text: str = ""
    at: int = 0

    @classmethod
    def of(cls, text: str) -> Message:
        """Return a message with the cursor at its end, to go on from."""
        clean = as_message(text)
        return cls(clean, len(clean))

    def inserted(self, text: str) -> Message:
        """Type or paste at the cursor; the message stays as it is if it would get too long."""
        if len(text) > _MOST_PASTED:
            return self
        before = as_message(self.text[: self.at] + text)
        whole = as_message(before + self.text[self.at :])
        return self if len(whole) > LONGEST else Message(whole, min(len(before), len(whole)))

    def moved(self, to: Literal["left", "right", "word_left", "word_right", "start", "end"]) -> Message:
        """Move the cursor along the text."""
        return Message(self.text, self._place(to))

    def erased(self, to: Literal["left", "right", "word_left", "word_right", "start", "end"]) -> Message:
        """Delete the text between the cursor and a place; at the end of a line, the line break."""
        first, last = sorted((self.at, self._place(to)))
        if first == last and to == "end":
            last = min(last + 1, len(self.text))
        return Message(self.text[:first] + self.text[last:], first)

    def row_moved(self, steps: int, width: int) -> Message | None:
        """Move the cursor some rows down, or up if negative; None if there is no such row."""
        rows = rows_of(self.text, width)
        here = self.row(width)
        if not 0 <= here + steps < len(rows):
            return None
        column = cells_of(self.text[rows[here][0] : self.at])
        first, last = rows[here + steps]
        # Not where the row is broken: the next row begins there.
        broken = here + steps + 1 < len(rows) and rows[here + steps + 1][0] == last
        most = last - 1 if broken else last
        widths = accumulate(map(cell_len, with_letters(self.text[first:most])))
        return Message(self.text, first + sum(used <= column for used in widths))

    def row(self, width: int) -> int:
        """Return the row of the cursor."""
        rows = rows_of(self.text, width)
        return max(index for index, (first, _) in enumerate(rows) if first <= self.at)

    def column(self, width: int) -> int:
        """Return the cells before the cursor in its row."""
        return cells_of(self.text[rows_of(self.text, width)[self.row(width)][0] : self.at])

    def _place(self, to: str) -> int:
        text, at = self.text, self.at
        match to:
            case "left":
                return max(at - 1, 0)
            case "right":
                return min(at + 1, len(text))
            case "word_left":
                return max((found.start() for found in _WORD.finditer(text) if found.start() < at), default=0)
            case "word_right":
                return next((found.end() for found in _WORD.finditer(text) if found.end() > at), len(text))
            case "start":
                return text.rfind("\n", 0, at) + 1
            case _:
                end = text.find("\n", at)
                return len(text) if end < 0 else end


class EarlierTexts:
    """The texts sent in this run, for going back to them with Up."""

    def __init__(self) -> None:
        self._sent: list[tuple[str, str]] = []

    def add(self, tool: str, text: str) -> None:
        """Note a text that was sent about a call of a tool."""
        text = text.strip()
        if text:
            self._sent = [known for known in self._sent if known != (tool, text)][-_MOST_TEXTS + 1 :]
            self._sent.append((tool, text))

    def for_tool(self, tool: str) -> Sequence[str]:
        """Return all texts, each once, the newest first; those about the same tool come before the others."""
        newest = list(reversed(self._sent))
        same = [text for about, text in newest if about == tool]
        return tuple(dict.fromkeys([*same, *(text for _, text in newest)]))
