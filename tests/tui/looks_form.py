"""Pictures of one view in many looks, as one text that is small, can be compared, and can be drawn again.

The text holds three blocks: what is written; which letter each cell is painted with; and what a letter means in
each look, as ``foreground/background`` and then b for bold, u for underlined, r for reversed. Cells that are
painted alike in every look share a letter, so another color in a theme changes one line, and nothing else.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from rich.color import ANSI_COLOR_NAMES, Color
from rich.segment import Segment
from rich.style import Style

Cell = tuple[str, str]
"""A character, and how it is painted."""

Shot = Sequence[Sequence[Cell]]
"""One picture: its rows."""

_LETTERS = (
    ".#"
    + string.ascii_lowercase
    + string.ascii_uppercase
    + string.digits
    + "+*=!$%&/?<>^~αβγδεζηθικλμνξπρστυφχψωбвгджзийлнптфцчшщъыьэюя"
)
_WRITTEN, _PAINTED, _MEANT = "-- written", "-- painted", "-- meant"
_NAMES = {number: name for name, number in reversed(ANSI_COLOR_NAMES.items())}
"""Numbers of a terminal's colors have several names."""

_ATTRIBUTES = {"b": "bold", "d": "dim", "i": "italic", "u": "underline", "r": "reverse", "s": "strike"}


def cells(row: Iterable[Segment]) -> list[Cell]:
    """The cells of a row. Of blanks only what can be seen is kept."""
    found: list[Cell] = []
    for text, style, _ in row:
        blank, other = (paint(style or Style(), blank=blank) for blank in (True, False))
        found += [(letter, blank if letter == " " else other) for letter in text]
    return found


@cache
def paint(style: Style, *, blank: bool = False) -> str:
    """How a cell is painted."""
    marks = "".join(mark for mark, name in _ATTRIBUTES.items() if getattr(style, name))
    if blank and not {"u", "r", "s"} & {*marks}:
        return f"-/{_color(style.bgcolor)}"
    return f"{_color(style.color)}/{_color(style.bgcolor)}{' ' if marks else ''}{marks}"


def _color(color: Color | None) -> str:
    if color is None:
        return "default"
    return color.name if color.number is None else _NAMES[color.number]


def style_of(painted: str) -> Style:
    """The style of a cell that is painted so."""
    colors, _, marks = painted.partition(" ")
    foreground, background = colors.split("/")
    named = {_ATTRIBUTES[mark]: True for mark in marks}
    return Style(color=None if foreground == "-" else foreground, bgcolor=background, **named)


def as_text(shots: Mapping[str, Shot]) -> str:
    """Pictures of the same view in several looks, as one text.

    Args:
        shots: The pictures by the names of the looks.

    Raises:
        ValueError: The looks do not show the same words.
    """
    first, *others = shots
    written = _written(shots[first])
    for name in others:
        if (other := _written(shots[name])) != written:
            changed = [pair for pair in zip(written, other, strict=False) if pair[0] != pair[1]]
            raise ValueError(f"{first} and {name} differ in words: {changed[0] if changed else 'rows'}")
    letters: dict[tuple[str, ...], str] = {}
    painted = []
    for rows in zip(*shots.values(), strict=True):
        kinds = [tuple(paint for _, paint in cell) for cell in zip(*rows, strict=True)]
        painted.append("".join(letters.setdefault(kind, _LETTERS[len(letters)]) for kind in kinds))
    columns = [list(column) for column in zip((" ", *letters.values()), *_table(shots, letters), strict=True)]
    blocks = [_WRITTEN, *(line.rstrip() for line in written), _PAINTED, *painted, _MEANT]
    return "\n".join([*blocks, *("  ".join(column).rstrip() for column in columns), ""])


def _table(shots: Iterable[str], letters: Iterable[tuple[str, ...]]) -> Iterator[list[str]]:
    for place, name in enumerate(shots):
        column = [name, *(kind[place] for kind in letters)]
        yield [entry.ljust(max(map(len, column))) for entry in column]


def _written(shot: Shot) -> list[str]:
    return ["".join(letter for letter, _ in row) for row in shot]


def from_text(text: str) -> dict[str, Shot]:
    """The pictures that a text holds, by the names of the looks."""
    lines = text.splitlines()
    painted_at, meant_at = lines.index(_PAINTED), lines.index(_MEANT)
    names = lines[meant_at + 1].split()
    meaning = {line[0]: _entries(line[1:]) for line in lines[meant_at + 2 :]}
    rows = list(zip(lines[1:painted_at], lines[painted_at + 1 : meant_at], strict=True))
    return {
        name: [
            [
                (letter, meaning[kind][place])
                for letter, kind in zip(written.ljust(len(painted)), painted, strict=True)
            ]
            for written, painted in rows
        ]
        for place, name in enumerate(names)
    }


def _entries(line: str) -> list[str]:
    """Entries stand two blanks apart, and hold one at most."""
    return [entry.strip() for entry in line.split("  ") if entry.strip()]
