"""Which hunk of a change the reader is at: to go to the next one, and to refuse the one that is pointed at."""

from __future__ import annotations

from signoff.present.document.model import Choosing
from signoff_tui.reading import Place, Reading
from signoff_tui.viewport import Viewport

__all__ = ["HunkPointer"]


class HunkPointer:
    """Points at the heading of a hunk in a viewport.

    Args:
        viewport: Where the reader is.
    """

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport

    def go(self, *, forward: bool) -> bool:
        """Go to the next or previous hunk, from the one that is pointed at if any; False when there is none."""
        reading = self._viewport.reading
        if reading is None:
            return False
        pointed = self._pointed
        if pointed is not None:
            # Of the last one, perhaps only the heading is on the screen: it is brought up.
            return self._point(pointed + (1 if forward else -1)) or (forward and self._bring_up(pointed))
        top = self._viewport.top
        place = reading.next_hunk(top) if forward else reading.previous_hunk(top)
        if place is not None and self.choosing is not None:
            return self._point(reading.hunk_at(place)[0] - 1)
        return place is not None and self._viewport.go(place)

    @property
    def at(self) -> tuple[int, int]:
        """Which hunk is at the top, from 1 (0 above the first), and how many there are; 0, 0 if all is visible.

        Where hunks are chosen and a heading is on the screen, it is the one that would be refused.
        """
        reading, top, pointed = self._viewport.reading, self._viewport.top, self._pointed
        if reading is not None and pointed is not None:
            return pointed + 1, reading.hunk_at(Place(0))[1]
        if reading is None or (top == Place(0) and self._viewport.at_end):
            return (0, 0)
        return reading.hunk_at(top)

    @property
    def choosing(self) -> Choosing | None:
        """How hunks are chosen of what is shown; None where they are not, or where others have hunks too."""
        reading = self._viewport.reading
        documents = () if reading is None else reading.documents
        found = [document for document in documents if document.hunks]
        return found[0].choosing if len(found) == 1 and found[0].choice is not None else None

    @property
    def chosen_from(self) -> tuple[int, ...]:
        """The hunks to be refused or approved, by number: those under the heading that is pointed at.

        There are none while no heading is on the screen: nobody refuses what cannot be told from the others.
        """
        choosing, pointed = self.choosing, self._pointed
        return () if choosing is None or pointed is None else choosing.numbers[pointed]

    @property
    def hidden_above(self) -> tuple[int, ...]:
        """The hunks by number whose lines are on the screen, while their heading is above it."""
        reading, choosing = self._viewport.reading, self.choosing
        if reading is None or choosing is None or self._pointed is not None:
            return ()
        above = reading.hunk_at(self._viewport.top)[0]
        return choosing.numbers[above - 1] if above else ()

    def is_pointed(self, row: int) -> bool:
        """Whether a row of the documents is the heading that is pointed at."""
        reading, number = self._viewport.reading, self._pointed
        place = None if reading is None or number is None else reading.hunk_place(number)
        return reading is not None and place is not None and row in reading.rows_at(place.row)

    @property
    def _pointed(self) -> int | None:
        """The heading that is pointed at, from 0: the one gone to, or the first on the screen.

        None where no hunks are chosen, and where no heading is on the screen.
        """
        reading, gone_to = self._viewport.reading, self._viewport.at_hunk
        if reading is None or self.choosing is None:
            return None
        if gone_to is not None and self._is_on_screen(reading, gone_to):
            return gone_to
        # A heading at the very top is counted as the one that the top is in.
        first = max(reading.hunk_at(self._viewport.top)[0] - 1, 0)
        return next((number for number in (first, first + 1) if self._is_on_screen(reading, number)), None)

    def _is_on_screen(self, reading: Reading, number: int) -> bool:
        """Whether the first line of a heading is visible: the one that is marked when it is pointed at."""
        place = reading.hunk_place(number)
        return place is not None and any(
            (line.row, line.part) == (place.row, place.part) for line in self._viewport.visible
        )

    def _point(self, number: int) -> bool:
        """Point at a heading, and bring it into the view; False if there is none of that number."""
        reading = self._viewport.reading
        place = reading.hunk_place(number) if reading is not None and number >= 0 else None
        if place is None:
            return False
        self._viewport.at_hunk = number
        self._viewport.go(place)
        return True

    def _bring_up(self, number: int) -> bool:
        """Point at a heading; False when that moves nothing."""
        before = self._viewport.top
        return self._point(number) and self._viewport.top != before
