"""The output filter before the terminal: it drops control characters that were not made safe before.

Text is made safe, and its hidden characters visible, long before. This filter only makes sure that a mistake
elsewhere cannot reach the terminal. It drops instead of showing, because the width of the row is fixed by now;
characters with a width are replaced by as many question marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from signoff.present.reveal import has_no_one_width

__all__ = ["DropControls", "InOnePass", "whole_flags"]

_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)

_REGIONAL = 0x1F1E6
_FLAGS = re.compile("[\U0001f1e6-\U0001f1ff]{1,2}")


def whole_flags(data: str) -> str:
    """Replace each half of a flag by its letter.

    All terminals give a flag two cells, but some give two to each half as well. A cut row, or a change of style,
    may fall between two halves.

    Args:
        data: The data, with its escape sequences.
    """
    return data if data.isascii() else _FLAGS.sub(_flag, data)


def _flag(found: re.Match[str]) -> str:
    return found[0] if len(found[0]) == 2 else chr(ord(found[0]) - _REGIONAL + ord("A"))


class DropControls(LineFilter):
    """Drops control, bidirectional and invisible characters, and links, from the output.

    It also drops characters of disputed width, lone halves of flags excepted; see `whole_flags`.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Filter one line."""
        written = "".join([text for text, _, _ in segments])
        links = [style.link for _, style, _ in segments if style is not None]
        if not _holds_forbidden(written) and not any(links):
            return segments
        return [
            Segment(_without_forbidden(text), _without_link(style), control) for text, style, control in segments
        ]


class InOnePass(LineFilter):
    """Several filters as one: each by itself would copy every row, and look for its copy at each paint.

    Args:
        filters: The filters, in their order.
    """

    def __init__(self, filters: Sequence[LineFilter]) -> None:
        super().__init__()
        self.filters = tuple(filters)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Filter one line."""
        for each in self.filters:
            segments = each.apply(segments, background)
        return segments


def _holds_forbidden(text: str) -> bool:
    return not (text.isascii() and text.isprintable()) and any(map(_is_forbidden, set(text)))


@lru_cache(maxsize=10_000)
def _is_forbidden(char: str) -> bool:
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        return False
    return _FORBIDDEN.match(char) is not None or has_no_one_width(char)


def _without_forbidden(text: str) -> str:
    """The text without forbidden characters, in as many cells."""
    clean = "".join("?" * cell_len(char) if _is_forbidden(char) else char for char in text)
    return clean if clean == text else set_cell_size(clean, cell_len(text))


def _without_link(style: Style | None) -> Style | None:
    return style.update_link(None) if style is not None and style.link is not None else style
