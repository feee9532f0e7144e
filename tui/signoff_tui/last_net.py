"""The last net before the terminal: whatever slips past `reveal` is dropped here.

Text is made safe, and its hidden characters visible, long before. This filter only makes sure that a mistake
elsewhere cannot reach the terminal. It drops instead of showing, because the width of the row is fixed by now.
"""

from __future__ import annotations

import re

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

__all__ = ["DropControls"]

_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


class DropControls(LineFilter):
    """Drops control, bidirectional and invisible characters, and links, from what is written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Filter one line."""
        if not any(_FORBIDDEN.search(segment.text) or _links(segment.style) for segment in segments):
            return segments
        return [
            Segment(_FORBIDDEN.sub("", text), _without_link(style), control) for text, style, control in segments
        ]


def _links(style: Style | None) -> bool:
    return style is not None and style.link is not None


def _without_link(style: Style | None) -> Style | None:
    return style.update_link(None) if style is not None and style.link is not None else style
