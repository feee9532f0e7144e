"""Texts in which much is hidden: written character by character, and told where only when somebody asks.

Cutting such a text at every run would make several objects for each of them: millions for an attack of some
megabytes, and nobody looks at more than a screenful.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from signoff.present._padding import PADDING, collapsed_runs
from signoff.present._unicode import HIDDEN, HIDDEN_SIGNS, REPEATED, escaped, escaped_runs

__all__ = ["is_dense", "written"]

_RUN_AND_REST = 8
"""A text is dense if a hidden run and what follows it have fewer characters than this, on average."""

_IS_HIDDEN = bytes(chr(sign) in HIDDEN_SIGNS for sign in range(0x100))
_HIDDEN_RUN = re.compile(f"[{HIDDEN}]+")
_PADDING_RUN = re.compile(f"{PADDING}+")


def is_dense(shape: str) -> bool:
    """Whether a text has so many hidden runs that `written` is the quicker way.

    Args:
        shape: Its shape, in which padding may be marked.
    """
    hidden = shape.encode("latin-1", "replace").translate(_IS_HIDDEN)
    return hidden.count(b"\x01\x00") > len(shape) // _RUN_AND_REST


def written(text: str, shape: str) -> str:
    """The text with an escape for what is hidden and a count for padding, as if each run were replaced.

    Args:
        text: The text as it came.
        shape: Its shape, in which padding may be marked.
    """
    parts: list[str] = []
    at = 0
    for start, end, sign in _runs(text, shape):
        parts += [_one_by_one(text[at:start], shape[at:start]), sign]
        at = end
    return "".join([*parts, _one_by_one(text[at:], shape[at:])])


def _runs(text: str, shape: str) -> Iterator[tuple[int, int, str]]:
    """What is not written character by character: padding, and many hidden characters of one kind in a row."""
    at = 0
    for padding in _PADDING_RUN.finditer(shape):
        start, end = padding.span()
        yield from _repeats(text, shape, at, start)
        yield start, end, collapsed_runs[text[start:end]]
        at = end
    yield from _repeats(text, shape, at, len(text))


def _repeats(text: str, shape: str, begin: int, end: int) -> Iterator[tuple[int, int, str]]:
    for repeated in REPEATED.finditer(text, begin, end):
        # Of marks on a letter, the first few stay.
        for run in _HIDDEN_RUN.finditer(shape, *repeated.span()):
            start, stop = run.span()
            yield start, stop, escaped(text[start:stop])


def _one_by_one(text: str, shape: str) -> str:
    return "".join(
        [escaped_runs[char] if sign in HIDDEN_SIGNS else char for char, sign in zip(text, shape, strict=True)]
    )
