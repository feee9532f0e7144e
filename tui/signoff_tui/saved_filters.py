"""Filters under a digit: `f`, then the digit, on every list that can be filtered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signoff.filtering import SAVED_FILTERS, Filtered, FilterError, SavedFilter, parse
from signoff_tui.flow import KeyHint, Room, flow

__all__ = ["OWN_DIGITS", "saved_by_digit", "saved_hints", "saved_with", "usable"]

OWN_DIGITS = (6, 7, 8, 9)
"""Digits that are the person's own to give."""

_LABELS = (60, 18, 12, 7, 0)
"""Most characters of what is said of each, the more room the more."""


def saved_with(own: Mapping[int, str]) -> tuple[SavedFilter, ...]:
    """The filters that everybody has, and a person's own.

    Args:
        own: Filters as they would be typed, by their digit.
    """
    return (*SAVED_FILTERS, *(SavedFilter(digit, query, query) for digit, query in sorted(own.items())))


def usable(saved: Sequence[SavedFilter], filtered: Filtered) -> tuple[SavedFilter, ...]:
    """Those that ask only for what is known of such things."""
    return tuple(each for each in saved if _is_known(each.text("agent"), filtered))


def saved_by_digit(saved: Sequence[SavedFilter], key: str | None) -> SavedFilter | None:
    """The filter that a key stands for."""
    return next((each for each in saved if str(each.digit) == key), None)


def saved_hints(saved: Sequence[SavedFilter], room: Room) -> tuple[KeyHint, ...]:
    """Each digit with what it shows; where there is little room, fewer words of it, or only the digits."""
    for most in _LABELS:
        hints = (*(KeyHint(str(each.digit), _short(each.label, most)) for each in saved), KeyHint("Esc", "none"))
        if sum(len(row.left) // 2 for row in flow(hints, room)) == len(hints):
            return hints
    return (KeyHint("".join(str(each.digit) for each in saved), "filters"), KeyHint("Esc", "none"))


def _short(label: str, most: int) -> str:
    if len(label) <= most:
        return label
    return f"{label[: most - 2].rstrip()}.." if most else ""


def _is_known(text: str, filtered: Filtered) -> bool:
    try:
        parse(text, filtered)
    except FilterError:
        return False
    return True
