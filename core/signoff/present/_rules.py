"""The fields of a request, and how strictly the text in each is read."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["RULES", "Field", "Rules"]

Field = Literal["command", "path", "url", "tool_name", "arg_key", "arg_value", "agent", "description", "content"]
"""Where a text stands in a request: a path is read more strictly than the body of a file."""


class Rules(Struct, frozen=True):
    """How the text of one field is read.

    Attributes:
        exact: Every character counts: odd blanks and overlays are shown as escapes, look-alikes and mixed
            scripts are warned of.
        rows: The text may have more than one line: newline and tab are kept.
        blanks: Blanks in a row, behind other text, from which they are padding.
        indent: Blanks at the start of a line from which they are padding.
        gap: Blank lines in a row from which they are padding.
        length: Characters above which the end may go unread; None for no such limit.
        height: Lines above which the end may go unread; None for no such limit.
        decides: The text is a part of what runs: an end that goes unread is worth a badge.
        name: The text is a plain name, which is a disguise if all of its letters pass for ASCII ones.
        links: The text may hold URLs.
        windows_lines: CR before LF is an ordinary line ending, shown but not warned of.
    """

    exact: bool = False
    rows: bool = False
    blanks: int = 8
    indent: int = 8
    gap: int = 5
    length: int | None = None
    height: int | None = None
    decides: bool = True
    name: bool = False
    links: bool = False
    windows_lines: bool = False

    @property
    def kept(self) -> str:
        """Control characters that stay as they are."""
        return "\n\t" if self.rows else ""


_NAME = Rules(exact=True, name=True, length=100)

RULES: dict[Field, Rules] = {
    "command": Rules(exact=True, rows=True, blanks=20, indent=40, length=1_000, height=24, links=True),
    "path": Rules(exact=True, length=200),
    "url": Rules(exact=True, length=500, links=True),
    "tool_name": _NAME,
    "arg_key": _NAME,
    "agent": _NAME,
    "arg_value": Rules(rows=True, blanks=40, indent=80, gap=10, length=4_000, height=100, links=True),
    "description": Rules(rows=True, blanks=20, indent=40, length=2_000, height=40, decides=False, links=True),
    "content": Rules(rows=True, blanks=80, indent=120, gap=20, windows_lines=True),
}
"""The rules of every field. Lengths are about what the first screen of a small terminal holds."""
