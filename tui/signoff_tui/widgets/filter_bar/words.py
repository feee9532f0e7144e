"""A filter while it is typed: the last good one stays in force, and the one from before can come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from signoff.filter import (
    Completion,
    Field,
    Filtered,
    FilterError,
    complete,
    field_at,
    parse,
)
from signoff.present.reveal.escape import typeable

__all__ = ["FilterWords"]


class FilterWords:
    """What is typed, what of it is in force, and what could be typed next.

    Args:
        filtered: What is filtered.
    """

    def __init__(self, filtered: Filtered) -> None:
        self._filtered = filtered
        self.query = parse("", filtered)
        """The filter that is in force."""
        self.problem: FilterError | None = None
        """What is wrong with the words, if they are not in force."""
        self.offered: Completion | None = None
        """What Tab goes through."""
        self.chosen = 0
        """Which of the candidates stands in the words."""
        self._before = self.query
        self._source = ""
        self._completed = ("", 0)

    def begin(self) -> str:
        """Begin to type; returns the words to go on from."""
        self._before = self.query
        self.problem = self.offered = None
        # Nothing that cannot be seen gets into a text box, wherever the filter came from.
        return typeable(self.query.text, "?")

    def take(self, text: str) -> bool:
        """Take what is typed, and return whether another filter is in force now."""
        if self.offered is not None and text != self._completed[0]:
            self.offered = None
        try:
            query = parse(text, self._filtered)
        except FilterError as error:
            self.problem = error
            return False
        self.problem = None
        before, self.query = self.query, query
        return before.expression != query.expression

    def field_at(self, text: str, cursor: int) -> Field | None:
        """The field whose value is being typed. Arguments as for `complete`."""
        return field_at(text, cursor, self._filtered)

    def restore(self) -> bool:
        """Give up what was typed, and return whether another filter is in force now."""
        now, self.query = self.query, self._before
        self.problem = self.offered = None
        return now.expression != self.query.expression

    def complete(
        self, text: str, cursor: int, values: Mapping[str, Iterable[str]], *, step: int = 1
    ) -> tuple[str, int]:
        """Put a candidate where the cursor is; the next one if there is one already.

        Args:
            text: What is typed.
            cursor: How many characters stand before the cursor.
            values: Values that exist, by the name of their field.
            step: 1 for the next candidate, -1 for the one before.

        Returns:
            The words, and where the cursor goes.
        """
        if self.offered is None or (text, cursor) != self._completed:
            self._source = text
            self.offered = complete(text, cursor, self._filtered, values)
            self.chosen = 0 if step > 0 else len(self.offered.candidates) - 1
        elif self.offered.candidates:
            self.chosen = (self.chosen + step) % len(self.offered.candidates)
        if not self.offered.candidates:
            self._completed = (text, cursor)
        else:
            self._completed = self.offered.applied(self._source, self.chosen)
        return self._completed
