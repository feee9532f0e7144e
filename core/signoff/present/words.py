"""The word diff: which parts of a changed line differ from the line it replaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from signoff.present.diff import diff_items

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_WORDS", "Span", "diff_words"]

MAX_WORDS = 2_000
"""Words, blanks and signs of one line above which the whole line is marked."""

_MAX_CHARACTERS = 40_000
"""Characters of one line above which it is not even taken apart."""

_WORD_BUDGET = 20_000
"""Steps of the search in one pair of lines: a few milliseconds."""

_LEAST_KEPT = 4
"""One part in this many of the shorter line must be kept, else marks would be confetti."""

_WORD = re.compile(r"\w+|[^\S\r\n]+|\r|\n|[^\w\s]")

Span = tuple[int, int]
"""Start and stop of a part of a line, in characters."""


def diff_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Compare two lines word by word.

    Words, runs of blanks and single signs are compared as they are. If the lines have little in
    common, or are too long to be compared, each is one span.

    Args:
        old: The line before.
        new: The line after.

    Returns:
        The spans that differ, in the old and in the new line; both empty for equal lines.
    """
    if old == new:
        return (), ()
    whole = _span(old), _span(new)
    if max(len(old), len(new)) > _MAX_CHARACTERS:
        return whole
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if max(len(old_words), len(new_words)) > MAX_WORDS:
        return whole
    diff = diff_items(old_words, new_words, budget=_WORD_BUDGET)
    kept = sum(_visible(old_words[op.a0 : op.a1]) for op in diff.opcodes if op.tag == "equal")
    if _LEAST_KEPT * kept < min(_visible(old_words), _visible(new_words)):
        return whole
    changed = [op for op in diff.opcodes if op.tag != "equal"]
    return (
        _spans(old_words, ((op.a0, op.a1) for op in changed)),
        _spans(new_words, ((op.b0, op.b1) for op in changed)),
    )


def _span(line: str) -> tuple[Span, ...]:
    """The whole line as spans."""
    return ((0, len(line)),) if line else ()


def _visible(words: list[str]) -> int:
    """Number of characters that are not blank."""
    return sum(len(word) for word in words if not word.isspace())


def _spans(words: list[str], changed: Iterable[Span]) -> tuple[Span, ...]:
    """Turn ranges of words into spans of characters."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return tuple((starts[first], starts[last]) for first, last in changed if first < last)
