"""The words that somebody looks for in documents: where they were found last, and where they are marked."""

from __future__ import annotations

from msgspec import Struct

from signoff.present.document.model import Words
from signoff_tui.widgets.document.layout import Reading, ViewPosition

__all__ = ["FoundWords"]


class _FoundRow(Struct, frozen=True):
    """What was looked for, and the row of the documents in which it was found."""

    words: Words
    row: int


class FoundWords:
    """Goes from one row that holds words to the next."""

    def __init__(self) -> None:
        self._found: _FoundRow | None = None

    def look_for(self, words: Words, reading: Reading, row: int, *, forward: bool) -> ViewPosition | None:
        """Where the next or previous row begins to hold words as they are shown; None when there is none.

        Args:
            words: What to look for; the same as before goes on from where it was found.
            reading: Where to look.
            row: The row of the documents from which other words are looked for.
            forward: Whether to look below.
        """
        if self._found is not None and self._found.words.text == words.text:
            row = self._found.row + (1 if forward else 0)
        found = reading.find(words, row, forward=forward)
        self._found = None if found is None else _FoundRow(words, found)
        return None if found is None else reading.place_of(words, found)

    def forget(self) -> None:
        """Mark nothing any more."""
        self._found = None

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where a text is to be marked."""
        return () if self._found is None else tuple(self._found.words.spans(text))
