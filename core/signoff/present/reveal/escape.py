"""The rewriting of a text: escapes for hidden characters, counts for padding, marks for tabs and ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, chain
from typing import Generic, TypeVar, overload

from msgspec import Struct

from signoff.present.reveal.findings import (
    PADDING,
    Rules,
    collapsed_runs,
    counted,
    extent,
    may_pad,
    pads,
    with_padding,
)
from signoff.present.reveal.unicode_table import (
    COMPOSED,
    HIDDEN,
    HIDDEN_SIGNS,
    LINE_END,
    MARKED,
    REPEATED,
    REPEATS,
    VOWEL,
    Table,
    escaped,
    escaped_runs,
    is_plain,
    marked_runs,
    shape,
)
from signoff.present.reveal.widths import cells

__all__ = [
    "PADDING",
    "Later",
    "Rewritten",
    "TextLayout",
    "drawn_otherwise",
    "is_dense",
    "replacement",
    "replacements",
    "rewrite",
    "typeable",
    "with_letters",
    "written",
]


# -- Texts in which much is hidden: written character by character; the spans are worked out on demand.
#
# Cutting such a text at every run would make several objects for each of them: millions for an attack of some
# megabytes, and nobody looks at more than a screenful.

_RUN_AND_REST = 8
"""The average length of a hidden run with the text after it below which a text is dense."""

_ESCAPE, _MARK = 1, 2
_HOW = bytes(
    _MARK if chr(sign) in MARKED else _ESCAPE if re.match(f"[{HIDDEN}{COMPOSED}]", chr(sign)) else 0
    for sign in range(0x100)
)
"""The treatment of each sign's character, when it is written by itself."""
_MANY_HIDDEN = b"\x01" * REPEATS
_TOGETHER = re.compile(f"[{HIDDEN}]{{{REPEATS},}}|{COMPOSED}+|{PADDING}+")

_PIECE = 1 << 12
"""The number of characters written at once: so few that their memory is used again."""


_TABLES = {
    **dict.fromkeys(MARKED, marked_runs),
    COMPOSED: Table[str]({}, lambda run: unicodedata.normalize("NFC", run)),
    PADDING: collapsed_runs,
}


def is_dense(shape: str) -> bool:
    """True if a text has so many hidden runs that `written` is faster.

    Args:
        shape: Its shape, in which padding may be marked.
    """
    flags = _flags(shape)
    return flags.count(b"\x01\x00") + flags.count(b"\x02\x00") > len(shape) // _RUN_AND_REST


def drawn_otherwise(shape: str) -> bool:
    """True if a text has runs that are replaced by something other than escapes."""
    return any(sign in shape for sign in (PADDING, COMPOSED, *MARKED))


def replacement(run: str, sign: str) -> str:
    """The replacement of a run of characters.

    Args:
        run: The characters.
        sign: The sign of the first of them.
    """
    return replacements([run], sign)[0]


def replacements(runs: Iterable[str], signs: Iterable[str]) -> list[str]:
    """The replacements of many runs; see `replacement`."""
    table_of = _TABLES.get
    return [
        escaped(run) if (table := table_of(sign)) is None else table[run]
        for run, sign in zip(runs, signs, strict=True)
    ]


def written(text: str, shape: str) -> str:
    """Return the text with escapes for hidden characters and counts for padding, run by run.

    Args:
        text: The text as it came.
        shape: Its shape, in which padding may be marked.
    """
    flags = _flags(shape)
    parts: list[str] = []
    at = 0
    if _MANY_HIDDEN in flags or PADDING in shape or COMPOSED in shape:
        for start, end, sign in _runs(text, shape):
            parts += [*_dense_characters(text, flags, at, start), sign]
            at = end
    return "".join([*parts, *_dense_characters(text, flags, at, len(text))])


def _flags(shape: str) -> bytes:
    """The treatment of each character, 0 for none."""
    return shape.encode("latin-1", "replace").translate(_HOW)


def _runs(text: str, shape: str) -> Iterator[tuple[int, int, str]]:
    """Runs that are not written one by one: padding, syllables, and many escapes of one kind in a row."""
    for run in _TOGETHER.finditer(shape):
        begin, stop = run.span()
        if shape[begin] in (PADDING, COMPOSED):
            yield begin, stop, replacement(text[begin:stop], shape[begin])
        else:
            for repeated in REPEATED.finditer(text, begin, stop):
                yield *repeated.span(), escaped(repeated[0])


def _dense_characters(text: str, flags: bytes, begin: int, stop: int) -> Iterator[str]:
    """The characters from `begin` to before `stop`, with an escape or a mark for each that needs one."""
    signs = (escaped_runs, escaped_runs, marked_runs)
    for start in range(begin, stop, _PIECE):
        piece = slice(start, min(start + _PIECE, stop))
        chars = zip(text[piece], flags[piece], strict=True)
        if _MARK in flags[piece]:
            yield "".join([signs[how][char] if how else char for char, how in chars])
        else:
            yield "".join([escaped_runs[char] if how else char for char, how in chars])


Span = tuple[int, int]

_SMALL = 1_000
"""The length in characters up to which the spans of a text are worked out at once."""

_OTHERS = MARKED + COMPOSED + PADDING
# One search for all others: searching for one of two is faster than for one of four.
_REPLACED = re.compile(f"([{HIDDEN}]+|(?=[{_OTHERS}])(?:[{MARKED}]+|{COMPOSED}+|{PADDING}+))")


class TextLayout(Struct, frozen=True):
    """The layout of the rows of a text.

    Attributes:
        tab_width: Columns from one tab stop to the next in a text of one row; 0 where tabs and rows stay.
        mark_trailing: Show the blanks at the end.
    """

    tab_width: int = 0
    mark_trailing: bool = False

    @property
    def one_row(self) -> bool:
        """True if the text is one row of the screen."""
        return self.tab_width > 0


class Rewritten(Struct, frozen=True):
    """A text after the rewriting; see `SafeText` for the attributes."""

    text: str
    hidden: Sequence[Span]
    replaced: Sequence[int]


@dataclass(slots=True)
class _Draft:
    """Safe text in the making."""

    parts: list[str] = field(default_factory=list)
    hidden: list[Span] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    _size: int = 0
    _column: int = 0
    _measured: int = 0

    def keep(self, raw: str) -> None:
        """Add characters as they are."""
        if raw:
            self.parts.append(raw)
            self._size += len(raw)

    def hide(self, sign: str, count: int) -> None:
        """Add a sign that stands for a number of characters."""
        self.parts.append(sign)
        end = self._size + len(sign)
        self.hidden.append((self._size, end))
        self.replaced.append(count)
        self._size = end

    def column(self) -> int:
        """Width in cells of a draft that has one row."""
        self._column += sum(map(cells, self.parts[self._measured :]))
        self._measured = len(self.parts)
        return self._column


def rewrite(text: str, signs: str | None, rules: Rules, layout: TextLayout, note: str) -> Rewritten:
    """Replace the characters that must not stay as they are.

    Args:
        text: The text as it came.
        signs: Its shape; None for printable ASCII, newlines and tabs that stay.
        rules: The rules of its field.
        layout: The layout of its rows.
        note: A text that is added at the end, as a sign.
    """
    shape = text if signs is None else signs
    padded = may_pad(shape, rules, one_row=layout.one_row)
    if _shows_blanks(shape, layout) or (padded and not (rules.rows and not layout.one_row)):
        return _one_by_one(text, shape, rules, layout, note)
    if padded:
        shape = with_padding(shape, rules)
    elif signs is None and not note:
        return Rewritten(text, (), ())
    if len(shape) <= _SMALL or not is_dense(shape):
        return _in_bulk(text, shape, note)
    later = cache(lambda: _in_bulk(text, shape, note))
    return Rewritten(
        written(text, shape) + note,
        Later(lambda: tuple(later().hidden)),
        Later(lambda: tuple(later().replaced)),
    )


def _in_bulk(text: str, shape: str, note: str) -> Rewritten:
    """Replace hidden characters and padding, run by run."""
    lengths = list(map(len, _REPLACED.split(shape)))  # of kept and replaced characters, by turns
    ends = list(accumulate(lengths))
    parts = list(map(text.__getitem__, map(slice, chain((0,), ends), ends)))
    if drawn_otherwise(shape):
        parts[1::2] = replacements(parts[1::2], map(shape.__getitem__, ends[0:-1:2]))
    else:
        parts[1::2] = map(escaped, parts[1::2])
    counts = lengths[1::2]
    if note:
        parts.append(note)
        counts.append(0)
    borders = list(accumulate(map(len, parts)))
    hidden = _spans(borders) if len(shape) <= _SMALL else Later(lambda: _spans(borders))
    return Rewritten("".join(parts), hidden, tuple(counts))


def _spans(borders: list[int]) -> tuple[Span, ...]:
    return tuple(zip(borders[0::2], borders[1::2], strict=False))


def _shows_blanks(shape: str, layout: TextLayout) -> bool:
    """True if a row may have blanks that are made visible."""
    at_end = layout.mark_trailing and shape.rstrip(LINE_END).endswith((" ", "\t"))
    return at_end or (layout.one_row and "\t" in shape)


def _one_by_one(text: str, shape: str, rules: Rules, layout: TextLayout, note: str) -> Rewritten:
    """Replace characters one by one, where the text before a blank decides how it is shown."""
    draft = _Draft()
    at = 0
    for found in _pattern(rules, layout).finditer(shape):
        start, end = extent(found)
        raw = text[start:end]
        draft.keep(text[at:start])
        match found.lastgroup:
            case "hidden" | "marked" | "composed":
                sign = replacement(raw, shape[start])
            case "tab" | "trailing":
                sign = _marked(raw, draft.column(), layout.tab_width)
            case "edge":
                sign = counted(raw)
            case _:
                sign = collapsed_runs[raw]
        draft.hide(sign, end - start)
        at = end
    draft.keep(text[at:])
    if note:
        draft.hide(note, 0)
    return Rewritten("".join(draft.parts), tuple(draft.hidden), tuple(draft.replaced))


@cache
def _pattern(rules: Rules, layout: TextLayout) -> re.Pattern[str]:
    """A pattern for what must be replaced, in shapes. Time is linear: no group matches a run twice."""
    replaced = f"(?P<hidden>[{HIDDEN}]+)|(?P<marked>[{MARKED}]+)|(?P<composed>{COMPOSED}+)"
    groups = [replaced, pads(rules, one_row=layout.one_row).pattern]
    if layout.mark_trailing:
        groups.append(rf"(?P<trailing>(?<![ \t])[ \t]++(?={LINE_END}?\Z))")
    if layout.one_row:
        groups.append(r"(?P<tab>\t+)")
    return re.compile("|".join(groups))


def _marked(blanks: str, column: int, tab_width: int) -> str:
    """Visible tabs and spaces, the first of them in the given column."""
    signs = []
    for blank in blanks:
        sign = "~"
        if blank == "\t":
            sign = ">".ljust(tab_width - column % tab_width)
        signs.append(sign)
        column += len(sign)
    return "".join(signs)


# -- Spans of a text that are worked out on demand.

_Item = TypeVar("_Item")


class Later(Sequence[_Item], Generic[_Item]):
    """A tuple that is made at its first use.

    Args:
        make: Makes the tuple.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[_Item, ...]]) -> None:
        self._make = make
        self._made: tuple[_Item, ...] | None = None

    def _all(self) -> tuple[_Item, ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @overload
    def __getitem__(self, at: int) -> _Item: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, at: int | slice) -> _Item | tuple[_Item, ...]:
        return self._all()[at]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


# -- Text that may stand in a box for typing, where no escapes are shown.


def typeable(text: str, instead: str = "", *, vowels: bool = False) -> str:
    """Return the text without characters that `reveal` would replace, on one line.

    A box shows each character as it is, under the cursor: one that cannot be seen there must not get into it.

    Args:
        text: Any text.
        instead: A text in place of each character that is left out.
        vowels: Leave spacing vowel signs in: for a box that draws the letter of each, see `with_letters`.
    """
    if is_plain(text, ""):
        return text
    signs = shape(text, exact=True, kept="")
    left_out = HIDDEN_SIGNS - {VOWEL} if vowels else HIDDEN_SIGNS
    return "".join(
        char if char.isprintable() and sign not in left_out else instead
        for char, sign in zip(text, signs, strict=True)
    )


def with_letters(text: str) -> str:
    """Return the text with a letter for each spacing vowel sign, as `reveal` draws it; as long as before.

    Args:
        text: A result of `typeable`.
    """
    if text.isascii():
        return text
    signs = shape(text, exact=True, kept="")
    return "".join(marked_runs[char] if sign == VOWEL else char for char, sign in zip(text, signs, strict=True))
