"""The look of this run: the theme, and the glyphs that the terminal can draw."""

from __future__ import annotations

from typing import Protocol, cast, runtime_checkable

from msgspec import Struct
from textual.widget import Widget

from signoff_tui.text.themes import Theme

__all__ = ["ASCII", "UNICODE", "Appearance", "Glyphs", "look_of"]


class Glyphs(Struct, frozen=True):
    """The few signs that are not letters."""

    rule: str
    column: str
    ellipsis: str
    wrap: str
    focus: str
    opened: str
    closed: str


UNICODE = Glyphs(rule="─", column="│", ellipsis="…", wrap="↪", focus="▌", opened="▾", closed="▸")
ASCII = Glyphs(rule="-", column="|", ellipsis="~", wrap="\\", focus=">", opened="v", closed=">")


class Appearance(Struct, frozen=True):
    """Theme and glyphs of this run."""

    theme: Theme
    glyphs: Glyphs


@runtime_checkable
class _HasLook(Protocol):
    look: Appearance


def look_of(widget: Widget) -> Appearance:
    """The look of the app a widget lives in."""
    return cast("_HasLook", widget.app).look
