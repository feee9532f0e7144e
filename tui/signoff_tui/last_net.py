"""The last net before the terminal: whatever slips past `reveal` is dropped here.

Text is made safe, and its hidden characters visible, long before. This filter only makes sure that a mistake
elsewhere cannot reach the terminal. It drops instead of showing, because the width of the row is fixed by now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

__all__ = ["DropControls", "InOnePass"]

_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


class DropControls(LineFilter):
    """Drops control, bidirectional and invisible characters, and links, from what is written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Filter one line."""
        written = "".join([text for text, _, _ in segments])
        if not _holds_forbidden(written) and not any(_links(style) for _, style, _ in segments):
            return segments
        return [
            Segment(_FORBIDDEN.sub("", text), _without_link(style), control) for text, style, control in segments
        ]


class InOnePass(LineFilter):
    """Several filters as one: each for itself would copy every row, and look for its copy at each paint.

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
    return not (text.isascii() and text.isprintable()) and _FORBIDDEN.search(text) is not None


def _links(style: Style | None) -> bool:
    return style is not None and style.link is not None


def _without_link(style: Style | None) -> Style | None:
    return style.update_link(None) if style is not None and style.link is not None else style
