"""Looking for words in texts that are shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from signoff.present.words import Span

__all__ = ["Words"]


class Words:
    """What somebody looks for. Capitals count only if there is one among the words.

    Args:
        text: At least one character.

    Raises:
        ValueError: There is nothing to look for.
    """

    def __init__(self, text: str) -> None:
        if not text:
            raise ValueError("type what to look for")
        self.text = text
        self._exact = any(char.isupper() for char in text)
        self._wanted = text if self._exact else text.casefold()

    def may_be_in(self, line: str) -> bool:
        """Whether a line that is shown in other characters than its own may hold the words."""
        if not (line.isascii() and line.isprintable()):
            return True
        return self._wanted in (line if self._exact else line.lower())

    def spans(self, text: str) -> Iterator[Span]:
        """Where the words stand in a text, one after the other."""
        folded = text if self._exact else text.casefold()
        # Some characters fold to several: the ends of the folded ones say which character is meant.
        ends = None
        if len(folded) != len(text):
            ends = list(accumulate(len(char.casefold()) for char in text))
        at = folded.find(self._wanted)
        while at >= 0:
            stop = at + len(self._wanted)
            yield (at, stop) if ends is None else (bisect_right(ends, at), bisect_right(ends, stop - 1) + 1)
            at = folded.find(self._wanted, stop)
