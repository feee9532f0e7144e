"""The hunks that the refusing key acts on: those under a heading that is on the screen, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession
from signoff_tui.widgets.document.view import DocumentView

__all__ = ["Pointed", "hunks_named", "pointed_in"]


class Pointed(Struct, frozen=True):
    """The hunks pointed at in a request whose hunks may be refused one by one.

    Attributes:
        numbers: The hunks, from 0; none while no heading is on the screen.
        of: The number of all hunks.
        refused: True if the key approves them again.
        above: Says, while no heading is on the screen, which hunk begins above it.
    """

    numbers: tuple[int, ...]
    of: int
    refused: bool = False
    above: str = ""

    @property
    def named(self) -> str:
        """The hunks that are pointed at, or why there are none."""
        return f"{hunks_named(self.numbers)} of {self.of}" if self.numbers else self.above or "no hunk begins here"

    @property
    def verb(self) -> str:
        """The effect of the key on them, in words."""
        return "approve it again" if self.refused else "refuse it"


def pointed_in(document: DocumentView, desk: ReviewSession, entry: Entry) -> Pointed | None:
    """Return the hunks pointed at in a content; None if the hunks of its request cannot be refused one by one."""
    if not desk.changes.may_choose(entry):
        return None
    choosing = document.hunks.choosing
    if choosing is None or choosing.choice is None:
        return None
    numbers, hidden = document.hunks.chosen_from, document.hunks.hidden_above
    refused = bool(choosing.choice.refused.intersection(numbers))
    begins = "is" if len(hidden) == 1 else "are"
    return Pointed(
        numbers, len(choosing.hunks), refused, f"{hunks_named(hidden)} {begins} above" if hidden else ""
    )


def hunks_named(numbers: Sequence[int]) -> str:
    """Return hunks by their numbers as people count: ``hunk 2``, ``hunks 2 to 4``."""
    first, last = numbers[0] + 1, numbers[-1] + 1
    return f"hunk {first}" if first == last else f"hunks {first} to {last}"
