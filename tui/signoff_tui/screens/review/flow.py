"""Keys on the action bar, flowed into as many rows as there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from signoff_tui.lines import Chunk, Line, chunk, key

__all__ = ["KeyHint", "flow"]


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One key on the action bar.

    Attributes:
        key: As it is typed.
        label: What it does, and to what.
        live: False is shown as ``(y)``: it does not work yet, the label says why.
        token: Style of the label.
    """

    key: str
    label: str
    live: bool = True
    token: str = "text"


def flow(hints: Sequence[KeyHint], width: int, rows: int) -> tuple[Line, ...]:
    """Lay hints out in order of importance; those for which there is no room are left out.

    The last hint always finds a place: it leads to the full list.
    """
    lines: list[list[Chunk]] = [[]]
    used = 1
    last = hints[-1] if hints else None
    reserve = _width(last) if last is not None else 0
    for hint in hints[:-1]:
        wide = _width(hint)
        final_row = len(lines) == rows
        room = width - used - (reserve if final_row else 0)
        if wide > room and used > 1:
            if final_row:
                continue
            lines.append([])
            used = 1
        lines[-1].extend(key(hint.key, hint.label, live=hint.live, label_token=hint.token))
        used += wide
    if last is not None:
        if used + reserve > width and len(lines) < rows:
            lines.append([])
        lines[-1].extend(key(last.key, last.label, live=last.live, label_token=last.token))
    margin = chunk(" ", keep=True)
    padded = [Line((margin, *chunks)) for chunks in lines]
    return tuple(padded + [Line()] * (rows - len(padded)))


def _width(hint: KeyHint) -> int:
    return sum(piece.width for piece in key(hint.key, hint.label, live=hint.live))
