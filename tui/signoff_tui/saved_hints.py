"""What the row of keys says of filters under a digit, in the room there is."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.filter import SavedFilter
from signoff_tui.flow import KeyHint, Room, flow

__all__ = ["saved_hints"]

_LABELS = (60, 18, 12, 7, 0)
"""Most characters of what is said of each, the more room the more."""


def saved_hints(saved: Sequence[SavedFilter], room: Room) -> tuple[KeyHint, ...]:
    """Each digit with what it shows; where there is little room, fewer words of it, or only the digits."""
    for most in _LABELS:
        hints = (*(KeyHint(str(each.digit), _short(each.label, most)) for each in saved), KeyHint("Esc", "back"))
        if sum(len(row.left) // 2 for row in flow(hints, room)) == len(hints):
            return hints
    return (KeyHint("".join(str(each.digit) for each in saved), "filters"), KeyHint("Esc", "back"))


def _short(label: str, most: int) -> str:
    if len(label) <= most:
        return label
    return f"{label[: most - 2].rstrip()}.." if most else ""
