"""One picture instead of two where the contents of a request are about to be there.

To draw the screen without contents, and once more with them, takes longer than to make most contents, and nobody
would look at the first of the two. So a picture waits for the contents, for less time than anybody notices.
"""

from __future__ import annotations

from signoff_tui.state.documents import ContentKey

__all__ = ["PATIENCE_SECONDS", "Patience"]

PATIENCE_SECONDS = 0.1


class Patience:
    """Says whether a picture waits: once for each content, and never for two without a picture between them."""

    def __init__(self) -> None:
        self._for: ContentKey | None = None
        self._until = 0.0
        self._waits = False
        self._painted = True

    @property
    def waits(self) -> bool:
        """Whether a picture is owed: what is on the screen is not what the cursor is on."""
        return self._waits

    def begins(self, missing: ContentKey | None, now: float) -> bool:
        """Decide whether the picture that is due waits.

        Args:
            missing: The contents that it would have to say are being prepared; None if there are none.
            now: Monotonic seconds.
        """
        if missing is not None and missing != self._for and self._painted:
            self._for, self._until, self._painted = missing, now + PATIENCE_SECONDS, False
        self._waits = missing is not None and missing == self._for and now < self._until
        return self._waits

    def ends(self) -> None:
        """The picture is wanted now, whatever is missing."""
        self._until = 0.0

    def painted(self) -> None:
        """A picture of what the cursor is on was painted."""
        self._painted = True
