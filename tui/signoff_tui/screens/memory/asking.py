"""What the memory screen asks before it changes much, and from when on the keys of an answer count."""

from __future__ import annotations

import time

from signoff_tui.guard import Cause, DeliberateKeys, GuardSettings, Ignored
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.memory.widening import Widening

__all__ = ["ALL", "LIST", "Asking"]

LIST, ALL = "list", "all"
"""Names of what a key can act on: the list, and the question before all is revoked. A sheet has its own."""


class Asking:
    """At most one question is open: whether all is to be revoked, or which pattern is to be remembered.

    Args:
        settings: Times of the decision guard.
        keys: The keys of the person.
    """

    def __init__(self, settings: GuardSettings, keys: KeyMap) -> None:
        self.deliberate = DeliberateKeys(settings, keys.guard_keys("memory"))
        self.arms_after = Cause.SHEET.wait(settings)
        """Seconds from the paint of a question on, after which its key acts."""
        self.sheet: Widening | None = None
        """Which patterns are offered."""
        self.about_all = False
        """Whether it was asked to revoke all."""

    @property
    def is_open(self) -> bool:
        """Whether something is asked."""
        return self.about_all or self.sheet is not None

    @property
    def subject(self) -> str:
        """The name of what a key acts on now."""
        if self.about_all:
            return ALL
        return LIST if self.sheet is None else f"sheet {self.sheet.chosen.pattern.key}"

    @property
    def painted(self) -> bool:
        """Whether all of what a key acts on now was on the screen."""
        return self.deliberate.is_painted(self.subject)

    @property
    def armed(self) -> bool:
        """Whether the key that answers the question acts now."""
        return time.monotonic() >= self.deliberate.armed_at(self.subject, Cause.SHEET)

    def take(self, sheet: Widening) -> None:
        """Offer patterns; what was shown of them before does not count."""
        self.close()
        self.sheet = sheet
        self.deliberate.gone(self.subject)

    def told(self, sheet: Widening) -> None:
        """More is known of the patterns that are offered."""
        self.sheet = sheet

    def ask_all(self) -> None:
        """Ask before all is revoked."""
        self.close()
        self.about_all = True

    def close(self) -> None:
        """Ask nothing any more."""
        if self.is_open:
            self.deliberate.gone(self.subject)
        self.sheet, self.about_all = None, False

    def take_key(self, key: str) -> Ignored | None:
        """Take the last key for its subject, or return the refusal."""
        return self.deliberate.take(key, self.subject, Cause.SHEET if self.is_open else Cause.MOVED)
