"""Lines of the screen: pieces of safe text with a style token, laid out into strips.

Everything on the screen is made of these. A `Chunk` holds `SafeText` only, so text that did not go through
`reveal` cannot be drawn; words of signoff are `SafeText.own`.
"""

from __future__ import annotations

import json
import textwrap
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from signoff.present.reveal import SafeText, reveal, reveal_line
from signoff_tui.text.themes import Theme

__all__ = [
    "Chunk",
    "Cut",
    "Line",
    "chopped",
    "chunk",
    "crop",
    "crop_middle",
    "fitting",
    "folded",
    "foreign",
    "fullest",
    "line",
    "paint",
    "rule",
    "sign_tokens",
    "signs_between",
    "splits_flag",
    "value_lines",
    "wrapped",
]


LEAST_ROW = 10
"""The least cells for the words of a line, however far they are indented."""

Cut = Literal["front", "middle", "end"]
"""The place where a long text is cut: a path at its front, a command or a sentence at its end, after a word."""


class Chunk(Struct, frozen=True):
    """A piece of safe text in one style.

    Attributes:
        text: The text.
        token: Style token, see `signoff_tui.text.themes.STYLES`.
        keep: True if it must not be cut in a narrow line; others are cut first.
        most: The most cells, however wide the line: names of others may be of any length.
        least: The least cells, also for a shorter text: for columns.
        cut: The place where it is cut.
        enough: Cells with which it can still be understood; None if it should not be cut at all.
    """

    text: SafeText
    token: str = "text"
    keep: bool = False
    most: int | None = None
    least: int = 0
    cut: Cut = "middle"
    enough: int | None = None

    @property
    def width(self) -> int:
        """Width in cells, if nothing is cut."""
        width = max(cell_len(self.text.text), self.least)
        return width if self.most is None else min(width, self.most)

    @property
    def needed(self) -> int:
        """Width in cells below which a shorter wording is better."""
        return self.width if self.enough is None else min(self.width, self.enough)

    def fitted(self, ellipsis: str) -> str:
        """The text in exactly `width` cells."""
        text = self.text.text
        cut = text if self.most is None else crop(text, self.most, self.cut, ellipsis=ellipsis)
        return cut + " " * (self.least - cell_len(cut))


class Line(Struct, frozen=True):
    """One row: chunks from the left, chunks pushed to the right end, one background.

    Attributes:
        left: Drawn from the left edge.
        right: Drawn so that they end at the right edge; they are never cut.
        background: Color token of the row.
        bold: True to emphasize the whole row.
        fill: The character drawn between the two ends.
    """

    left: tuple[Chunk, ...] = ()
    right: tuple[Chunk, ...] = ()
    background: str = "background"
    bold: bool = False
    fill: str = " "

    @property
    def width(self) -> int:
        """The cells of everything in full."""
        return sum(piece.width for piece in (*self.left, *self.right))

    @property
    def needed(self) -> int:
        """The cells below which a shorter wording is better."""
        return sum(piece.needed for piece in (*self.left, *self.right))


def chunk(words: str | SafeText, token: str = "text", *, keep: bool = False) -> Chunk:
    """Return a chunk of safe text, or of words of signoff.

    Raises:
        ValueError: The words hold characters that must be revealed: they are not signoff's.
    """
    return Chunk(words, token, keep) if isinstance(words, SafeText) else _own_chunk(words, token, keep=keep)


@lru_cache(maxsize=4096)
def _own_chunk(words: str, token: str, *, keep: bool) -> Chunk:
    """Cached: rows are made anew all the time, mostly of the same words."""
    return Chunk(SafeText.own(words), token, keep)


def foreign(text: str, token: str = "text", *, keep: bool = False) -> Chunk:
    """Return a chunk of a text that an agent may have written, made safe here.

    Blanks at the ends are layout, not content: they stay blanks.
    """
    core = text.strip(" ")
    safe = reveal(core, "arg_key")
    lead = len(text) - len(text.lstrip(" ")) if core else len(text)
    tail = len(text) - lead - len(core)
    hidden = tuple((start + lead, end + lead) for start, end in safe.hidden)
    padded = SafeText(" " * lead + safe.text + " " * tail, hidden, safe.findings, safe.replaced)
    return Chunk(padded, token, keep)


def line(*left: Chunk, right: Iterable[Chunk] = (), background: str = "background") -> Line:
    """A line from chunks."""
    return Line(tuple(left), tuple(right), background)


def fullest(wordings: Sequence[Line], width: int) -> Line:
    """Return the first of several wordings, fullest first, that has enough cells; else the last one."""
    return next((wording for wording in wordings if wording.needed <= width), wordings[-1])


def wrapped(words: str, width: int, token: str = "text", *, head: Chunk) -> list[Line]:
    """Return words that an agent may have written, on as many lines as they need.

    Args:
        words: The words; made safe here. Blanks at line breaks are left out.
        width: Cells of a line.
        token: Style of the words.
        head: The text before the first line; the others are indented as far.
    """
    room = max(width - head.width - 1, LEAST_ROW)
    # The lines that come first are of so many characters: those with wide ones have more cells.
    rows = [row for found in textwrap.wrap(foreign(words).text.text, room) for row in chopped(found, room)]
    return _indented([SafeText(row) for row in rows or [""]], token, head)


def folded(text: SafeText, width: int, token: str = "text", *, head: Chunk) -> list[Line]:
    """Return text of which every character counts, on as many lines as it needs. See `wrapped`."""
    rows = chopped(text.text, max(width - head.width - 1, LEAST_ROW)) or [""]
    return _indented([SafeText(row) for row in rows], token, head)


def value_lines(value: object, width: int, head: Chunk, *, longest: int, indent: str) -> list[Line]:
    """Return a JSON value, of which every character counts, and the number of those that are not shown.

    Args:
        value: The value; a text is shown without quotes.
        width: Cells.
        head: The words before it.
        longest: The most characters that are shown.
        indent: The blanks before the number of the others.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    rows = folded(reveal_line(text[:longest], "arg_value", mark_trailing=True), width, "strong", head=head)
    if len(text) > longest:
        rows.append(line(chunk(f"{indent}and exactly {len(text) - longest:,} more characters", "warn")))
    return rows


def _indented(rows: Sequence[SafeText], token: str, head: Chunk) -> list[Line]:
    indent = chunk(" " * head.width, keep=True)
    return [line(indent if index else head, Chunk(row, token)) for index, row in enumerate(rows)]


def sign_tokens(text: SafeText) -> tuple[str, ...]:
    """Return the style of each span of `hidden`: escapes stand out, marks of ends and joined emoji do not."""
    return _tokens(text, 0, len(text.hidden))


def signs_between(text: SafeText, start: int, end: int) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the spans of `hidden` that touch a part of a text, with styles: a long line may have millions."""
    hidden = text.hidden
    first = max(bisect_right(hidden, (start, start)) - 1, 0)
    last = bisect_left(hidden, (end, end))
    return zip(hidden[first:last], _tokens(text, first, last), strict=True)


def _tokens(text: SafeText, first: int, last: int) -> tuple[str, ...]:
    if not text.replaced:
        return ("hidden",) * (last - first)
    return tuple(
        "hidden" if text.replaced[span] and not text.is_mark(span) else "muted" for span in range(first, last)
    )


def rule(char: str = "─") -> Line:
    """Return a horizontal rule over the whole width."""
    return Line(fill=char)


def crop(text: str, width: int, cut: Cut, *, ellipsis: str = "…") -> str:
    """Shorten text to a number of cells, with an ellipsis for the missing part."""
    if cell_len(text) <= width:
        return text
    if cut == "middle":
        return crop_middle(text, width, ellipsis=ellipsis)
    room = width - cell_len(ellipsis)
    if room <= 0:
        return set_cell_size(ellipsis, max(width, 0))
    if cut == "end":
        return _without_cut_word(_first_cells(text, room), text) + ellipsis
    # The beginning and the end of a long name tell it from others.
    name = text.rpartition("/")[2]
    return (
        crop_middle(name, width, ellipsis=ellipsis)
        if cell_len(name) > room
        else ellipsis + _last_cells(text, room)
    )


def crop_middle(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Shorten text to a number of cells by cutting its middle, so that both ends stay recognizable.

    For a path, the whole file name is kept if there is room for it.
    """
    if cell_len(text) <= width:
        return text
    if width <= cell_len(ellipsis):
        return set_cell_size(ellipsis, max(width, 0))
    room = width - cell_len(ellipsis)
    name = cell_len(text[text.rfind("/") :]) if "/" in text else 0
    tail = min(max(room - room // 3, name), room)
    return _first_cells(text, room - tail) + ellipsis + _last_cells(text, tail)


def _without_cut_word(first: str, text: str) -> str:
    """The beginning of a text without the word that it cuts; with it where that is a third of the beginning."""
    if text.startswith(f"{first} "):
        return first
    whole = first.rpartition(" ")[0].rstrip()
    return whole if 3 * cell_len(whole) >= 2 * cell_len(first) else first


def _first_cells(text: str, width: int) -> str:
    first = set_cell_size(text, width)
    end = len(first)
    if text.startswith(first) and splits_flag(text, end):
        return set_cell_size(text[: end - 1], width)
    return first


def _last_cells(text: str, width: int) -> str:
    start = len(text)
    used = 0
    while start > 0:
        used += cell_len(text[start - 1])
        if used > width:
            break
        start -= 1
    if splits_flag(text, start):
        start += 1
    return " " * (width - cell_len(text[start:])) + text[start:]


# -- Flags. Their halves are of no width that all terminals share, and belong together from the left: a row that
# begins with a second half would show other flags than the text has.


def splits_flag(text: str, at: int) -> bool:
    """True if a break before a character of a text falls between the halves of a flag."""
    if not 0 < at < len(text) or not _is_half(text[at]):
        return False
    first = at
    while first > 0 and _is_half(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1


def chopped(text: str, width: int) -> list[str]:
    """Return a text in pieces of at most so many cells, and no flag in two of them."""
    pieces = chop_cells(text, width)
    if text.isascii() or not any(map(_is_half, text)):
        return pieces
    pieces, start = [], 0
    while start < len(text):
        end = start + fitting(text, start, width)
        pieces.append(text[start:end])
        start = end
    return pieces


def fitting(text: str, start: int, width: int) -> int:
    """Return the number of characters from a place on that fit in so many cells; no half of a flag ends them."""
    found = len(chop_cells(text[start : start + width], width)[0])
    return found - 1 if found > 1 and splits_flag(text, start + found) else found


def _is_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def paint(content: Line, width: int, theme: Theme, *, ellipsis: str = "…") -> Strip:
    """Lay a line out to exactly `width` cells.

    The right end is kept whole; on the left, the pieces that may be cut are cut, longest first.
    """
    right_width = sum(piece.width for piece in content.right)
    left = _fitted(content.left, max(width - right_width, 0), ellipsis)
    segments: list[Segment] = []
    used = 0
    for text, piece in left:
        segments += _segments(text, piece, content, theme)
        used += cell_len(text)
    gap = max(width - right_width - used, 0)
    fill_style = theme.style("rule" if content.fill != " " else "text", background=content.background)
    segments.append(Segment(content.fill * gap, fill_style))
    for piece in content.right:
        segments += _segments(piece.fitted(ellipsis), piece, content, theme)
    return Strip(segments).adjust_cell_length(width, fill_style)


def _fitted(pieces: tuple[Chunk, ...], room: int, ellipsis: str) -> list[tuple[str, Chunk]]:
    texts = [piece.fitted(ellipsis) for piece in pieces]
    widths = [cell_len(text) for text in texts]
    over = sum(widths) - room
    while over > 0:
        loose = [index for index, piece in enumerate(pieces) if not piece.keep and widths[index] > 1]
        if not loose:
            break
        longest = max(loose, key=widths.__getitem__)
        others = [widths[index] for index in loose if index != longest]
        target = max(widths[longest] - over, min(max(others, default=1), widths[longest] - 1), 1)
        texts[longest] = crop(texts[longest], target, pieces[longest].cut, ellipsis=ellipsis)
        over -= widths[longest] - target
        widths[longest] = target
    return list(zip(texts, pieces, strict=True))


def _segments(text: str, piece: Chunk, content: Line, theme: Theme) -> Iterable[Segment]:
    style = theme.style(piece.token, background=content.background)
    if content.bold:
        style += Style(bold=True)
    at = 0
    # The places of signs after a cut in the middle are not known any more.
    if piece.text.hidden and text.startswith(piece.text.text):
        for (start, end), token in zip(piece.text.hidden, sign_tokens(piece.text), strict=True):
            yield Segment(text[at:start], style)
            yield Segment(text[start:end], theme.style(token, background=content.background))
            at = end
    yield Segment(text[at:], style)
