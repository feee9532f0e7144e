"""What is said about a filter that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["FilterError", "nearest", "quoted"]

_LONGEST_SHOWN = 40


class FilterError(ValueError):
    """A filter cannot be used. Whoever shows a list keeps the last good one.

    Args:
        column: How many characters stand before the place, from 0 to the length of the text.
        message: What is wrong, and what to write instead.
    """

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.message = message


def quoted(text: str) -> str:
    """Words of the filter in quotes, short, and without anything that cannot be seen."""
    short = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
    return repr(short)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """What was probably meant, or None."""
    found = get_close_matches(word.lower(), [*known], 1)
    return found[0] if found else None
