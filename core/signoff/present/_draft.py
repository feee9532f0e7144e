"""The rewriting of a text: escapes for what is hidden, counts for padding, marks for tabs and ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, chain

from msgspec import Struct

from signoff.present._dense import PADDING, drawn_otherwise, is_dense, replacement, replacements, written
from signoff.present._padding import collapsed_runs, counted, extent, may_pad, pads, with_padding
from signoff.present._rules import Rules
from signoff.present._spans import Later
from signoff.present._unicode import COMPOSED, HIDDEN, LINE_END, MARKED, escaped
from signoff.present._widths import cells

__all__ = ["Layout", "Rewritten", "rewrite"]

Span = tuple[int, int]

_SMALL = 1_000
"""Characters of a text whose spans are worked out at once."""

_OTHERS = MARKED + COMPOSED + PADDING
# One look for all others: a search for one of two is faster than for one of four.
_REPLACED = re.compile(f"([{HIDDEN}]+|(?=[{_OTHERS}])(?:[{MARKED}]+|{COMPOSED}+|{PADDING}+))")


class Layout(Struct, frozen=True):
    """How the rows of a text are drawn.

    Attributes:
        tab_width: Columns from one tab stop to the next in a text of one row; 0 where tabs and rows stay.
        mark_trailing: Show the blanks at the end.
    """

    tab_width: int = 0
    mark_trailing: bool = False

    @property
    def one_row(self) -> bool:
        """Whether the text is one row of the screen."""
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


def rewrite(text: str, signs: str | None, rules: Rules, layout: Layout, note: str) -> Rewritten:
    """Replace what must not stay as it is.

    Args:
        text: The text as it came.
        signs: Its shape; None for printable ASCII, newlines and tabs that stay.
        rules: The rules of its field.
        layout: How its rows are drawn.
        note: What is added at the end, as a sign.
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
    lengths = list(map(len, _REPLACED.split(shape)))  # of what is kept and what is replaced, by turns
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


def _shows_blanks(shape: str, layout: Layout) -> bool:
    """Whether a row may have blanks that are made visible."""
    at_end = layout.mark_trailing and shape.rstrip(LINE_END).endswith((" ", "\t"))
    return at_end or (layout.one_row and "\t" in shape)


def _one_by_one(text: str, shape: str, rules: Rules, layout: Layout, note: str) -> Rewritten:
    """Replace whatever has to be, where what stands before a blank decides how it is shown."""
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
def _pattern(rules: Rules, layout: Layout) -> re.Pattern[str]:
    """What must not stay as it is, in shapes. No group can match at two starts of one run: time is linear."""
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
