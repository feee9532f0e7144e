"""What has room on the review screen, by the size of the terminal."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from signoff_tui.widgets.document.layout import LEAST_WIDTH, WIDE

__all__ = ["LEAST_COLUMNS", "LEAST_ROWS", "LIST_WIDEST", "STEADY", "STEADY_WIDE", "WIDEST", "Extent", "View"]

LEAST_COLUMNS, LEAST_ROWS = 40, 10
"""The smallest pane in which decision keys work."""

LIST_WIDEST = 72
"""Cells of the list where there is all the room it needs, as the style sheet has it."""

STEADY, STEADY_WIDE = 120, 160
"""Columns from which keys keep their places whatever is in focus, if the bar has four rows; or only three."""

WIDEST = LIST_WIDEST + 1 + LEAST_WIDTH
"""Columns for the widest list, and beside it two columns of a change."""

AROUND_MEMBERS = 28
"""Rows for all that is not members of a group on the screen, with some of the content of one of them."""

View = Literal["inbox", "request", "group", "page"]
"""What has the screen on small terminals, or the attention on large ones."""


class Extent(Struct, frozen=True):
    """A size in cells, and what it allows."""

    columns: int
    rows: int

    @property
    def too_small(self) -> bool:
        """Whether what would be approved cannot be shown, so that decision keys are off."""
        return self.columns < LEAST_COLUMNS or self.rows < LEAST_ROWS

    @property
    def two_panes(self) -> bool:
        """Whether the content stands beside the list."""
        return self.columns >= 100

    @property
    def wide(self) -> bool:
        """Whether there is room for the list and for two columns of a change."""
        return self.columns >= WIDE

    @property
    def widest(self) -> bool:
        """Whether there is room for who asked in the list as well, beside two columns of a change."""
        return self.columns >= WIDEST

    @property
    def two_lines(self) -> bool:
        """Whether a row of the list takes two lines."""
        return self.columns < 60

    @property
    def low(self) -> bool:
        """Whether everything around list and content has to be as short as possible."""
        return self.rows < 16

    @property
    def high(self) -> bool:
        """Whether there are rows to spare."""
        return self.rows >= 30

    def previews(self, members: int) -> bool:
        """Whether there is room for the content of one member of a group below the names of all.

        Args:
            members: How many there are.
        """
        return self.rows >= members + AROUND_MEMBERS

    @property
    def action_rows(self) -> int:
        """Rows of the action bar. It has them whether they are needed or not, so that nothing shifts."""
        if self.rows < 24:
            return 2
        if not self.high:
            return 2 if self.columns >= STEADY_WIDE else 3
        return 3 if 60 <= self.columns < STEADY or self.columns >= STEADY_WIDE else 4

    @property
    def listed_rows(self) -> int:
        """Most rows for the names of requests that a sheet would release."""
        return 1 if self.rows < 24 else 2 if not self.high else 4

    @property
    def sheet_rows(self) -> int:
        """Most rows of a sheet that has to be seen whole; it may still grow by a few."""
        return self.rows - 8

    @property
    def message_rows(self) -> int:
        """Most rows of a message while it is written."""
        return 2 if self.low else 4 if not self.high else 8

    @property
    def strip_rows(self) -> int:
        """Rows about the focused request, below the list."""
        if self.low or (self.two_panes and not self.high):
            return 0
        return 5 if self.rows >= 40 else 2

    @property
    def header_rows(self) -> int:
        """Most rows above the content, so that there is always some content below them."""
        return 1 if self.low else max(2, self.rows // 3)
