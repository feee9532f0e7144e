"""The sample of a theme: its name, a changed line, and the words that colors go with."""

from __future__ import annotations

from collections.abc import Sequence

from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line
from signoff_tui.text.themes import AUTO_THEME, Theme, builtin_themes

__all__ = ["ROWS", "sample_lines"]

ROWS = 3
"""Rows of a sample."""

_NAME = 18
_WORDS = (chunk("HIGH ", "risk-high"), chunk(" medium ", "risk-medium"), chunk(" [y] ", "armed"))


def sample_lines(choice: str, theme: Theme, focus: str, width: int, *, focused: bool) -> Sequence[Line]:
    """Return the rows of one theme; they are to be painted with it.

    Args:
        choice: The name under which it is chosen; auto leaves that to the terminal.
        theme: The theme.
        focus: The sign of the focused row.
        width: Cells.
        focused: True if the cursor is on it.
    """
    mark = chunk(f"{focus} " if focused else "  ", "accent", keep=True)
    name = foreign(choice, "strong" if focused else "text")
    kind = chunk(" " * max(_NAME - name.width, 1), keep=True), foreign(_kind(choice, theme), "muted")
    background = "focus-bg" if focused else "background"
    heads = [line(mark, name, *kind, right=_WORDS[:most], background=background) for most in (3, 1, 0)]
    return (
        fullest([*heads, line(mark, name, background=background)], width),
        line(mark, *_changed("del", "- ", "3")),
        line(mark, *_changed("add", "+ ", "5")),
    )


def _changed(token: str, sign: str, number: str) -> Sequence[Chunk]:
    return (
        chunk(sign, f"{token}-sign", keep=True),
        chunk("retries = ", token),
        chunk(number, f"{token}-emph"),
        chunk("  # before it gives up          ", token),
    )


def _kind(choice: str, theme: Theme) -> str:
    """Return the description of a choice in a few words."""
    if choice == AUTO_THEME:
        return f"as the terminal is: now {theme.name}"
    return theme.description if theme.name in builtin_themes() else f"yours, {theme.description}"
