"""Keys on the action bar, laid out in its rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from signoff_tui.text.lines import Chunk, Line, chunk, foreign

__all__ = ["BarRoom", "KeyHint", "flow"]


class BarRoom(Struct, frozen=True):
    """The room of a bar: width in cells and number of rows."""

    width: int
    rows: int


class KeyHint(Struct, frozen=True):
    """One key on the action bar.

    Attributes:
        key: The key as it is typed.
        label: Its action and the target. May hold names that others chose.
        live: False for a key that does not work now, which is drawn muted.
        token: Style of the label.
        gap: Cells between it and the next.
    """

    key: str
    label: str
    live: bool = True
    token: str = "text"
    gap: int = 2

    def chunks(self) -> tuple[Chunk, Chunk]:
        """The key, which stands out while it works, and its label."""
        return _chunks(self)

    @property
    def width(self) -> int:
        """Cells that it takes."""
        return sum(piece.width for piece in self.chunks())


@lru_cache(maxsize=128)
def _chunks(hint: KeyHint) -> tuple[Chunk, Chunk]:
    """Cached: the same keys are drawn again and again."""
    key = chunk(hint.key, "key" if hint.live else "notyet", keep=True)
    label = foreign(f" {hint.label}{' ' * hint.gap}", hint.token if hint.live else "notyet")
    return key, label


def flow(hints: Sequence[KeyHint], room: BarRoom) -> tuple[Line, ...]:
    """Lay hints out in order of importance, on as few rows as they need.

    Hints without room are left out; the last one always has a place: it leads to the full list.
    """
    *others, last = hints
    rows, used = _filled(others, room, last.width)
    if used + last.width > room.width and len(rows) < room.rows:
        rows.append([])
    rows[-1].append(last)
    return tuple(map(_row, rows))


def _filled(hints: Sequence[KeyHint], room: BarRoom, kept: int) -> tuple[list[list[KeyHint]], int]:
    """Hints in rows, some cells of the last row kept free, and the cells that the last row takes."""
    rows: list[list[KeyHint]] = [[]]
    used = 1
    for hint in hints:
        free = room.width - used
        if hint.width > free and used > 1 and len(rows) < room.rows:
            rows.append([])
            used, free = 1, room.width - 1
        if len(rows) == room.rows:
            free -= kept
        if hint.width <= free or used == 1:
            alone = hint.width > free and len(rows) < room.rows
            fits = _in_words(replace(hint, gap=0) if alone else hint, free)
            rows[-1].append(fits)
            used += hint.width if alone else fits.width
    return rows, used


def _in_words(hint: KeyHint, cells: int) -> KeyHint:
    """The hint in some cells: words at its end are cut, with dots. The first word always stays."""
    words = hint.label.split(" ")
    while hint.width > cells and len(words) > 1:
        words.pop()
        hint = replace(hint, label=" ".join([*words, "..."]))
    return hint


def _row(hints: Sequence[KeyHint]) -> Line:
    return Line((chunk(" ", keep=True), *(piece for hint in hints for piece in hint.chunks())))
