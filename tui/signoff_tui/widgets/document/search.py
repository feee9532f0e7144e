"""The search for words in documents: the last row found, and the marks."""

from __future__ import annotations

from msgspec import Struct

from signoff.present.document.model import Words
from signoff_tui.widgets.document.layout import Reading, ViewPosition

__all__ = ["FoundWords"]


class _FoundRow(Struct, frozen=True):
    """The words of a search, and the row of the documents in which they were found."""

    words: Words
    row: int


class FoundWords:
    """Goes from one row with the words to the next."""

    def __init__(self) -> None:
        self._found: _FoundRow | None = None

    def look_for(self, words: Words, reading: Reading, row: int, *, forward: bool) -> ViewPosition | None:
        """Return the place of the next or previous row with the words; None if there is none.

        Args:
            words: The words; a repeated search goes on from the last row found.
            reading: The documents.
            row: The row of the documents at which a new search begins.
            forward: True to search downwards.
        """
        if self._found is not None and self._found.words.text == words.text:
            row = self._found.row + (1 if forward else 0)
        found = reading.find(words, row, forward=forward)
        self._found = None if found is None else _FoundRow(words, found)
        return None if found is None else reading.place_of(words, found)

    def forget(self) -> None:
        """Remove the marks."""
        self._found = None

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the spans of a text to be marked."""
        return () if self._found is None else tuple(self._found.words.spans(text))
