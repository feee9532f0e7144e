"""Filters under a digit: `f`, then the digit, on every list that can be filtered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signoff.filter import SAVED_FILTERS, Filtered, FilterError, SavedFilter, parse

__all__ = ["OWN_DIGITS", "elsewhere", "saved_by_digit", "saved_with", "usable"]

OWN_DIGITS = (6, 7, 8, 9)
"""Digits that are the person's own to give."""


def saved_with(own: Mapping[int, str]) -> tuple[SavedFilter, ...]:
    """The filters that everybody has, and a person's own.

    Args:
        own: Filters as they would be typed, by their digit.
    """
    return (*SAVED_FILTERS, *(SavedFilter(digit, query, query) for digit, query in sorted(own.items())))


def usable(saved: Sequence[SavedFilter], filtered: Filtered) -> tuple[SavedFilter, ...]:
    """Those that ask only for what is known of such things; for the inbox, those that what waits may fit."""
    inbox = filtered is Filtered.INBOX
    return tuple(
        each for each in saved if _is_known(each.text("agent"), filtered) and not (inbox and each.decided)
    )


def elsewhere(saved: Sequence[SavedFilter], listed: Sequence[SavedFilter]) -> str:
    """Why digits are missing in the inbox, after the words that ask for one; nothing if none is.

    Args:
        saved: All there are.
        listed: Those that the inbox can use.
    """
    digits = ", ".join(str(each.digit) for each in saved if each not in listed)
    return f" ({digits} only in the history)" if digits else ""


def saved_by_digit(saved: Sequence[SavedFilter], key: str | None) -> SavedFilter | None:
    """The filter that a key stands for."""
    return next((each for each in saved if str(each.digit) == key), None)


def _is_known(text: str, filtered: Filtered) -> bool:
    try:
        parse(text, filtered)
    except FilterError:
        return False
    return True
