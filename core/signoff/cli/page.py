"""Lines and tables of the command line: whole in a pipe; folded, fitted and in colour at a terminal.

Words of others cannot pass for signoff's: every printed line begins with a label, and so does every row that a
terminal would have wrapped: no content, however long, puts its own words at the edge of the screen. All text is
safe before it comes here (`signoff.present.reveal`), and never markup. Colours are those of the terminal's own
palette, which suits its background.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple, TextIO

from signoff.cli.output import at_terminal, width_of
from signoff.effects import Risk

__all__ = ["RISK_STYLE", "Column", "Page", "Span", "Style", "TableCell", "TableLine", "cells", "fitted"]

Style = Literal["", "head", "muted", "high", "warn", "yes", "no", "place", "command", "hidden"]

_STYLES: Mapping[Style, str] = {
    "head": "bold",
    "muted": "dim",
    "high": "bold red",
    "warn": "bold magenta",
    "yes": "green",
    "no": "red",
    "place": "cyan",
    "command": "bold",
    "hidden": "magenta",
}

RISK_STYLE: Mapping[Risk, Style] = {Risk.LOW: "muted", Risk.MEDIUM: "", Risk.HIGH: "high"}

Span = tuple[str, Style]
"""A piece of safe text, with its style."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        head: Its heading.
        whole: True if its cells are never cut.
        right: True if they stand at its right edge.
        spare: True if it is left out of a table that does not fit otherwise.
    """

    head: str
    whole: bool = False
    right: bool = False
    spare: bool = False


class TableCell(NamedTuple):
    """A cell of a table.

    Attributes:
        text: Safe text on one line.
        style: Its style.
        path: True for a path, which loses its beginning where there is no room.
    """

    text: str
    style: Style = ""
    path: bool = False


class TableLine(NamedTuple):
    """A line between the rows of a table, folded like any other.

    Attributes:
        text: Safe text on one line.
        label: The label before it.
        style: The style of both.
    """

    text: str = ""
    label: str = ""
    style: Style = ""


class Page:
    """A text that lines and tables are added to.

    Args:
        width: Columns at which lines are folded, or None to leave them whole.
        coloured: True if it is written with its styles.
    """

    def __init__(self, width: int | None, *, coloured: bool = False) -> None:
        self._width = width
        self.coloured = coloured
        self._lines: list[list[Span]] = []

    @classmethod
    def on(cls, stream: TextIO) -> Page:
        """Begin a page that suits what a stream writes to."""
        return cls(width_of(stream), coloured=_takes_colour(stream))

    def add(
        self,
        text: str | Sequence[Span],
        *,
        label: str = "",
        fold: str | None = None,
        at_words: bool = False,
        style: Style = "",
        label_style: Style = "",
    ) -> None:
        """Add one line.

        Args:
            text: Safe text without a newline, or pieces of it with their styles.
            label: The label before it.
            fold: The text before the rows that the line is folded into; blanks by default.
            at_words: True to fold it between words.
            style: The style of a text without one.
            label_style: The style of the label.
        """
        spans: Sequence[Span] = [(text, style)] if isinstance(text, str) else text
        if self._width is None:
            self._lines.append([(label, label_style), *spans])
            return
        begin, room = label, max(1, self._width - len(label))
        whole = "".join(piece for piece, _ in spans)
        for row in _split(spans, map(len, _pieces(whole, room, at_words=at_words))):
            self._lines.append([(begin, label_style), *row])
            begin = (" " * len(label) if fold is None else fold.ljust(len(label)))[: len(label)]

    def add_table(self, columns: Sequence[Column], rows: Iterable[Sequence[TableCell] | TableLine]) -> None:
        """Add rows below their headings, as wide as the terminal; without colours the mere cells.

        Args:
            columns: The columns; the cells of the first are words of signoff.
            rows: Rows of cells, with lines between them.
        """
        rows = list(rows)
        table = [row for row in rows if not isinstance(row, TableLine)]
        room = self._width or sys.maxsize
        widths = _widths(columns, table, room)
        if self.coloured and table:
            rows.insert(0, [TableCell(column.head, "head") for column in columns])
        for row in rows:
            if isinstance(row, TableLine):
                self.add(row.text, label=row.label, at_words=True, style=row.style, label_style=row.style)
            elif self.coloured:
                (label, label_style), *spans = _laid_out(columns, row, widths, room)
                self.add(spans, label=label, at_words=True, label_style=label_style)
            else:
                self.add(_GAP.join(cell.text for cell in row[1:]), label=f"{row[0].text}{_GAP}")

    def text(self) -> str:
        """All lines, each with its end and without styles."""
        return "".join(f"{_plain(line)}\n" for line in self._lines)

    def write(self, stream: TextIO) -> None:
        """Write all lines."""
        stream.write(self.in_colour() if self.coloured else self.text())

    def in_colour(self) -> str:
        """All lines, each with its end and in its styles."""
        from rich.color import ColorSystem
        from rich.style import Style as RichStyle

        styles = {name: RichStyle.parse(words) for name, words in _STYLES.items()}

        def styled(line: Sequence[Span]) -> Iterator[str]:
            for style, spans in groupby(line, key=itemgetter(1)):
                text = "".join(text for text, _ in spans)
                yield styles[style].render(text, color_system=ColorSystem.STANDARD) if style else text
            yield "\n"

        return "".join(piece for line in self._lines for piece in styled(line))


def _takes_colour(stream: TextIO) -> bool:
    """True for a terminal that has colours and every character, of somebody who wants colours."""
    return (
        at_terminal(stream)
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") not in ("", "dumb", "unknown")
        and stream.encoding.lower().replace("-", "") == "utf8"
    )


def _plain(line: Sequence[Span]) -> str:
    return "".join(text for text, _ in line).rstrip(" ")


# -- Folding.


def cells(text: str) -> int:
    """Return the columns of a line of safe text."""
    return sum(map(_cells, text))


def _cells(character: str, ambiguous: int = 2) -> int:
    """The columns of a character; ambiguous ones count as wide, since terminals differ about them."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    width = unicodedata.east_asian_width(character)
    return ambiguous if width == "A" else 2 if width in "WF" else 1


def _pieces(text: str, room: int, *, at_words: bool) -> Iterator[str]:
    """Cut a text into parts of at most so many columns."""
    start = used = 0
    for index, character in enumerate(text):
        wide = _cells(character)
        if used and used + wide > room:
            end = (text.rfind(" ", start, index) + 1 if at_words else 0) or index
            yield text[start:end]
            start, used = end, sum(map(_cells, text[end:index]))
            if used and used + wide > room:  # the word alone is too long
                yield text[start:index]
                start, used = index, 0
        used += wide
    yield text[start:]


def _split(spans: Sequence[Span], lengths: Iterable[int]) -> Iterator[list[Span]]:
    """Cut pieces of text at the same places as their whole."""
    piece = at = 0
    for length in lengths:
        row: list[Span] = []
        while length > 0:
            text, style = spans[piece]
            taken = text[at : at + length]
            row.append((taken, style))
            length -= len(taken)
            piece, at = (piece, at + len(taken)) if at + len(taken) < len(text) else (piece + 1, 0)
        yield row


# -- Tables.

_GAP = "  "
_LEAST = 12
"""A column that may be cut keeps so much room."""

_CUT = "…"


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[TableCell]], room: int) -> dict[int, int]:
    """The width of each column, by its number: what it needs; else the widest of those that may be cut give."""
    widths = {
        number: min(room, max([cells(column.head), *(cells(row[number].text) for row in rows)]))
        for number, column in enumerate(columns)
    }

    def needed(most: int) -> int:
        each = (width if columns[number].whole else min(width, most) for number, width in widths.items())
        return sum(each) + len(_GAP) * (len(widths) - 1)

    for number, column in reversed([*enumerate(columns)]):
        if column.spare and needed(_LEAST) > room:
            del widths[number]
    most = room
    while most > _LEAST and needed(most) > room:
        most -= 1
    return {number: width if columns[number].whole else min(width, most) for number, width in widths.items()}


def _laid_out(
    columns: Sequence[Column], row: Sequence[TableCell], widths: dict[int, int], room: int
) -> Iterator[Span]:
    """The cells of a row, fitted and padded; the last has what is left, and is folded if that is too little."""
    *others, last = widths
    for number in others:
        (text, style, path), width, right = row[number], widths[number], columns[number].right
        text = fitted(text, width, path=path)
        blanks = " " * (width - sum(_cells(character, ambiguous=1) for character in text))
        padded = f"{blanks if right else ''}{text}{'' if right else blanks}{_GAP}"
        yield padded, style
        room -= cells(padded)
    text, style, path = row[last]
    yield fitted(text, room, path=path) if room >= _LEAST else text, style


def fitted(text: str, room: int, *, path: bool = False) -> str:
    """Cut safe text to some columns: a path loses its beginning, other text whole words from its end.

    Args:
        text: The text.
        room: The most columns; more than the sign of a cut takes.
        path: True for a path.
    """
    if cells(text) <= room:
        return text
    room -= cells(_CUT)
    if not path:
        return next(_pieces(text, room, at_words=True)) + _CUT
    end = next(_pieces(text[::-1], room, at_words=False))[::-1]
    return _CUT + end[max(end.find("/", 0, -1), 0) :]
