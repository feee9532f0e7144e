"""Texts in which much is hidden: written character by character, and told where only when somebody asks.

Cutting such a text at every run would make several objects for each of them: millions for an attack of some
megabytes, and nobody looks at more than a screenful.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from signoff.present._padding import PADDING, collapsed_runs
from signoff.present._unicode import HIDDEN, HIDDEN_SIGNS, REPEATED, REPEATS, escaped, escaped_runs

__all__ = ["is_dense", "written"]

_RUN_AND_REST = 8
"""A text is dense if a hidden run and what follows it have fewer characters than this, on average."""

_IS_HIDDEN = bytes(chr(sign) in HIDDEN_SIGNS for sign in range(0x100))
_MANY_HIDDEN = b"\x01" * REPEATS
_COUNTED_OR_PADDING = re.compile(f"[{HIDDEN}]{{{REPEATS},}}|{PADDING}+")

_PIECE = 1 << 12
"""Characters that are written in one go: so few that the memory for them is used again for the next ones."""


def is_dense(shape: str) -> bool:
    """Whether a text has so many hidden runs that `written` is the quicker way.

    Args:
        shape: Its shape, in which padding may be marked.
    """
    return _flags(shape).count(b"\x01\x00") > len(shape) // _RUN_AND_REST


def written(text: str, shape: str) -> str:
    """The text with an escape for what is hidden and a count for padding, as if each run were replaced.

    Args:
        text: The text as it came.
        shape: Its shape, in which padding may be marked.
    """
    flags = _flags(shape)
    parts: list[str] = []
    at = 0
    if _MANY_HIDDEN in flags or PADDING in shape:
        for start, end, sign in _runs(text, shape):
            parts += [*_one_by_one(text, flags, at, start), sign]
            at = end
    return "".join([*parts, *_one_by_one(text, flags, at, len(text))])


def _flags(shape: str) -> bytes:
    """For each character 1 if it is hidden, else 0."""
    return shape.encode("latin-1", "replace").translate(_IS_HIDDEN)


def _runs(text: str, shape: str) -> Iterator[tuple[int, int, str]]:
    """What is not written character by character: padding, and many hidden characters of one kind in a row."""
    for run in _COUNTED_OR_PADDING.finditer(shape):
        begin, stop = run.span()
        if shape[begin] == PADDING:
            yield begin, stop, collapsed_runs[text[begin:stop]]
        else:
            for repeated in REPEATED.finditer(text, begin, stop):
                yield *repeated.span(), escaped(repeated[0])


def _one_by_one(text: str, flags: bytes, begin: int, stop: int) -> Iterator[str]:
    """The characters from `begin` to before `stop`, with an escape for each that is hidden."""
    for start in range(begin, stop, _PIECE):
        piece = slice(start, min(start + _PIECE, stop))
        chars = zip(text[piece], flags[piece], strict=True)
        yield "".join([escaped_runs[char] if hidden else char for char, hidden in chars])
