"""Texts in which much is hidden: written character by character, and told where only when somebody asks.

Cutting such a text at every run would make several objects for each of them: millions for an attack of some
megabytes, and nobody looks at more than a screenful.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from signoff.present._padding import PADDING, collapsed_runs
from signoff.present._unicode import (
    COMPOSED,
    HIDDEN,
    MARKED,
    REPEATED,
    REPEATS,
    Table,
    escaped,
    escaped_runs,
    marked_runs,
)

__all__ = ["PADDING", "drawn_otherwise", "is_dense", "replacement", "replacements", "written"]

_RUN_AND_REST = 8
"""A text is dense if a hidden run and what follows it have fewer characters than this, on average."""

_ESCAPE, _MARK = 1, 2
_HOW = bytes(
    _MARK if chr(sign) in MARKED else _ESCAPE if re.match(f"[{HIDDEN}{COMPOSED}]", chr(sign)) else 0
    for sign in range(0x100)
)
"""What each sign makes of its character, if it is written by itself."""
_MANY_HIDDEN = b"\x01" * REPEATS
_TOGETHER = re.compile(f"[{HIDDEN}]{{{REPEATS},}}|{COMPOSED}+|{PADDING}+")

_PIECE = 1 << 12
"""Characters that are written in one go: so few that the memory for them is used again for the next ones."""


_TABLES = {
    **dict.fromkeys(MARKED, marked_runs),
    COMPOSED: Table[str]({}, lambda run: unicodedata.normalize("NFC", run)),
    PADDING: collapsed_runs,
}


def is_dense(shape: str) -> bool:
    """Whether a text has so many hidden runs that `written` is the quicker way.

    Args:
        shape: Its shape, in which padding may be marked.
    """
    flags = _flags(shape)
    return flags.count(b"\x01\x00") + flags.count(b"\x02\x00") > len(shape) // _RUN_AND_REST


def drawn_otherwise(shape: str) -> bool:
    """Whether a text has runs that are replaced by something else than escapes."""
    return any(sign in shape for sign in (PADDING, COMPOSED, *MARKED))


def replacement(run: str, sign: str) -> str:
    """What stands for a run of characters that are replaced together.

    Args:
        run: The characters.
        sign: The sign of the first of them.
    """
    return replacements([run], sign)[0]


def replacements(runs: Iterable[str], signs: Iterable[str]) -> list[str]:
    """What stands for each of many runs; see `replacement`."""
    table_of = _TABLES.get
    return [
        escaped(run) if (table := table_of(sign)) is None else table[run]
        for run, sign in zip(runs, signs, strict=True)
    ]


def written(text: str, shape: str) -> str:
    """The text with an escape for what is hidden and a count for padding, as if each run were replaced.

    Args:
        text: The text as it came.
        shape: Its shape, in which padding may be marked.
    """
    flags = _flags(shape)
    parts: list[str] = []
    at = 0
    if _MANY_HIDDEN in flags or PADDING in shape or COMPOSED in shape:
        for start, end, sign in _runs(text, shape):
            parts += [*_one_by_one(text, flags, at, start), sign]
            at = end
    return "".join([*parts, *_one_by_one(text, flags, at, len(text))])


def _flags(shape: str) -> bytes:
    """For each character what becomes of it, else 0."""
    return shape.encode("latin-1", "replace").translate(_HOW)


def _runs(text: str, shape: str) -> Iterator[tuple[int, int, str]]:
    """What is not written character by character: padding, syllables, and many escapes of one kind in a row."""
    for run in _TOGETHER.finditer(shape):
        begin, stop = run.span()
        if shape[begin] in (PADDING, COMPOSED):
            yield begin, stop, replacement(text[begin:stop], shape[begin])
        else:
            for repeated in REPEATED.finditer(text, begin, stop):
                yield *repeated.span(), escaped(repeated[0])


def _one_by_one(text: str, flags: bytes, begin: int, stop: int) -> Iterator[str]:
    """The characters from `begin` to before `stop`, with an escape or a mark for each that needs one."""
    signs = (escaped_runs, escaped_runs, marked_runs)
    for start in range(begin, stop, _PIECE):
        piece = slice(start, min(start + _PIECE, stop))
        chars = zip(text[piece], flags[piece], strict=True)
        if _MARK in flags[piece]:
            yield "".join([signs[how][char] if how else char for char, how in chars])
        else:
            yield "".join([escaped_runs[char] if how else char for char, how in chars])
