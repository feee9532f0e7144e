"""What the memory screen changes. Each deed runs in a thread and says what was done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from signoff.queue import ReviewQueue
from signoff_tui.screens.memory import widening
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.screens.memory.face import Said

__all__ = ["Deed", "Revoking", "RevokingAll", "RevokingListed", "Saving"]


class Deed(Protocol):
    """Something that changes what is remembered."""

    failed: str
    """What is said first if it could not be done."""

    def do(self, queue: ReviewQueue) -> Said:
        """Do it.

        Raises:
            QueueError: The queue cannot be used, or refuses.
        """


class Revoking:
    """One remembered approval is taken back.

    Args:
        entry: Which.
    """

    failed = "NOT revoked"

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def do(self, queue: ReviewQueue) -> Said:
        """Revoke it."""
        number = self._entry.number
        if queue.revoke(self._entry.grant.id):
            return Said(f"#{number} revoked: the next such call asks again", "ok")
        return Said(f"#{number} had been revoked by somebody else before", "warn")


class RevokingAll:
    """All are taken back.

    Args:
        session: Only those of this session; None for all.
    """

    failed = "NOT revoked"

    def __init__(self, session: str | None) -> None:
        self._session = session

    def do(self, queue: ReviewQueue) -> Said:
        """Revoke them."""
        number = queue.revoke_all(self._session)
        return Said(f"{number} revoked: the next such calls ask again", "ok")


class RevokingListed:
    """Those are taken back that a filter lists, and no other.

    Args:
        entries: Which.
    """

    failed = "NOT all revoked"

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = tuple(entries)

    def do(self, queue: ReviewQueue) -> Said:
        """Revoke them."""
        number = sum(queue.revoke(entry.grant.id) for entry in self._entries)
        return Said(f"{number} revoked: the next such calls ask again", "ok")


class Saving:
    """A wider or narrower one is remembered.

    Args:
        sheet: Which was chosen, and for which it is.
    """

    failed = "NOT saved"

    def __init__(self, sheet: widening.Widening) -> None:
        self._sheet = sheet

    def do(self, queue: ReviewQueue) -> Said:
        """Remember it."""
        sheet = self._sheet
        what = widening.save(queue, sheet.entry.grant, sheet.chosen.pattern, narrows=sheet.narrows)
        return Said(f"#{sheet.entry.number}: {what}", "ok")
