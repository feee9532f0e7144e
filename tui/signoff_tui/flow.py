"""Keys on the action bar, flowed into as many rows as there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from signoff_tui.lines import Chunk, Line, chunk, foreign

__all__ = ["KeyHint", "Room", "flow"]


@dataclass(frozen=True, slots=True)
class Room:
    """Where a bar is drawn: width in cells and number of rows."""

    width: int
    rows: int


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One key on the action bar.

    Attributes:
        key: As it is typed.
        label: What it does, and to what. May hold names that others chose.
        live: False is shown as ``(y)``: it does not work yet, the label says why.
        token: Style of the label.
    """

    key: str
    label: str
    live: bool = True
    token: str = "text"

    def chunks(self) -> tuple[Chunk, Chunk]:
        """``[y] approve``, or ``(y) approve`` while dead."""
        return _chunks(self)

    @property
    def width(self) -> int:
        """Cells that it takes."""
        return sum(piece.width for piece in self.chunks())


@lru_cache(maxsize=128)
def _chunks(hint: KeyHint) -> tuple[Chunk, Chunk]:
    """The same keys are drawn again and again."""
    # Brackets around a bracket would be unreadable.
    shown = hint.key if "[" in hint.key else f"[{hint.key}]" if hint.live else f"({hint.key})"
    return (
        chunk(shown, "key" if hint.live else "notyet", keep=True),
        foreign(f" {hint.label}  ", hint.token if hint.live else "notyet"),
    )


def flow(hints: Sequence[KeyHint], room: Room) -> tuple[Line, ...]:
    """Lay hints out in order of importance, on exactly as many rows as there are.

    Those for which there is no room are left out; the last one always finds a place: it leads to the full list.
    """
    *others, last = hints
    rows: list[list[KeyHint]] = [[]]
    used = 1
    for hint in others:
        free = room.width - used
        if hint.width > free and used > 1 and len(rows) < room.rows:
            rows.append([])
            used, free = 1, room.width - 1
        if len(rows) == room.rows:
            free -= last.width
        if hint.width <= free or used == 1:
            rows[-1].append(hint)
            used += hint.width
    if used + last.width > room.width and len(rows) < room.rows:
        rows.append([])
    rows[-1].append(last)
    return tuple(_row(row) for row in rows) + (Line(),) * (room.rows - len(rows))


def _row(hints: Sequence[KeyHint]) -> Line:
    return Line((chunk(" ", keep=True), *(piece for hint in hints for piece in hint.chunks())))
