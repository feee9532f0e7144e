"""The layout of the screens for a size of the terminal: wide, narrow, or too small to decide."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["AGENT_COLUMN", "LEAST_COLUMNS", "LEAST_ROWS", "Layout"]

LEAST_COLUMNS, LEAST_ROWS = 40, 10
"""The smallest pane in which decision keys work."""

WIDE = 100
"""Columns from which the content stands beside the list."""

LEAST_LIST, MOST_LIST = 34, 56
"""Cells of the list beside the content, unless the person moved its border."""

LEAST_CONTENT = 40
"""Cells that the content keeps, however far the border is moved."""

AGENT_COLUMN = MOST_LIST + 1
"""Cells of the list from which its rows name the agent: beside the content, the name of a call needs them more."""

BORDER_STEP = 4
"""Cells by which a key moves the border."""


class Layout(Struct, frozen=True):
    """A size of the terminal in cells, and what it allows."""

    columns: int
    rows: int

    @property
    def too_small(self) -> bool:
        """True if what would be approved cannot be shown, so that decision keys are off."""
        return self.columns < LEAST_COLUMNS or self.rows < LEAST_ROWS

    @property
    def wide(self) -> bool:
        """True if the content stands beside the list."""
        return self.columns >= WIDE

    @property
    def low(self) -> bool:
        """True if everything around list and content has to be as short as possible."""
        return self.rows < 16

    @property
    def high(self) -> bool:
        """True if there are rows to spare."""
        return self.rows >= 30

    @property
    def sheet_rows(self) -> int:
        """The most rows of a question, which leaves the rest of the screen to what it is about."""
        return max(self.rows // 2, 4)

    @property
    def message_rows(self) -> int:
        """The most rows of a message while it is written."""
        return 2 if self.low else 4 if not self.high else 8

    @property
    def edited_rows(self) -> int:
        """The most rows of a call while it is edited: with title, count and keys half of the screen."""
        return max(self.rows // 2 - 3, 1)

    @property
    def head_rows(self) -> int:
        """The most rows above the content, so that there is always some content below them."""
        return 1 if self.low else max(2, self.rows // 3)

    def list_width(self, longest: int, chosen: int | None = None) -> int:
        """Return the cells of the list beside the content.

        Args:
            longest: Cells that its longest row needs.
            chosen: Where the person put the border; None for nowhere.
        """
        if chosen is not None:
            return max(LEAST_LIST, min(chosen, self.columns - LEAST_CONTENT - 1))
        return max(LEAST_LIST, min(longest, self.columns // 3, MOST_LIST))
