"""What the memory screen asks before it changes much, and from when on the keys of an answer count."""

from __future__ import annotations

import time

from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.calm import Calm
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
        self.calm = Calm(settings, keys, "memory", ("x", "R", "!"))
        self._settings = settings
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
        return self.calm.armed_at(self.subject, 0) <= time.monotonic()

    @property
    def armed(self) -> bool:
        """Whether the key that answers the question acts now."""
        return time.monotonic() >= self.calm.armed_at(self.subject, self._settings.arm_sheet)

    @property
    def arms_after(self) -> float:
        """Seconds from the paint of a question on, after which its key acts."""
        return self._settings.arm_sheet + self._settings.link_delay

    def take(self, sheet: Widening) -> None:
        """Offer patterns; what was shown of them before does not count."""
        self.close()
        self.sheet = sheet
        self.calm.gone(self.subject)

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
            self.calm.gone(self.subject)
        self.sheet, self.about_all = None, False

    def meant(self) -> bool:
        """Whether the last key was pressed on purpose, for what it acts on now."""
        delay = self._settings.arm_sheet if self.is_open else self._settings.arm_moved
        return self.calm.meant(self.subject, delay)
