"""Keys that revoke or trust at once, told from typing that was meant for another window.

No request is approved with them. To revoke is the safe direction, so it is not held and asked again; but a word
typed into the wrong window should not empty the list, nor trust a file. A key acts only when it was pressed
after its row or bar was painted, and after a pause: of a word, at most the first letter can do anything, so it
revokes one grant at most.
"""

from __future__ import annotations

import math

from signoff_tui.guard.arming import Cause
from signoff_tui.guard.results import Ignored, Reason
from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.typing import KeyMeanings, KeyWatch

__all__ = ["DeliberateKeys"]


class DeliberateKeys:
    """The keys of a screen, of which the last one is told from typing.

    Args:
        settings: Times of the decision guard.
        keys: The meaning of the keys on the screen.
    """

    def __init__(self, settings: GuardSettings, keys: KeyMeanings) -> None:
        self._settings = settings
        self._watch = KeyWatch(settings, keys)
        self._quiet_from = -math.inf
        self._pressed_at = -math.inf
        self._key = ""
        self._calm = False
        self._painted_at: dict[str, float] = {}

    def press(self, key: str, at: float, now: float) -> None:
        """Take note of a key.

        Args:
            key: The character, or the name of a key that prints none.
            at: The time of the press, monotonic seconds.
            now: The time of reading it.
        """
        seen = self._watch.press(key, at)
        self._key = key
        if seen.typing_since is not None:
            self._quiet_from = at + self._settings.burst_quiet
        self._calm = (
            at >= self._quiet_from
            and seen.repeating_since is None
            and seen.quiet >= self._settings.quiet_before
            and now - at <= self._settings.late
        )
        if at < self._quiet_from:
            self._quiet_from = max(self._quiet_from, at + self._settings.burst_quiet)
        self._pressed_at = at

    def painted(self, what: str, at: float) -> None:
        """Note when the subject of a key was painted; the first paint counts."""
        self._painted_at.setdefault(what, at)

    def gone(self, what: str) -> None:
        """Note that a subject left the screen."""
        self._painted_at.pop(what, None)

    def forget_all(self) -> None:
        """Let nothing count as painted: the program stood still, and the screen was somebody else's."""
        self._painted_at.clear()

    def is_painted(self, what: str) -> bool:
        """True if a subject is on the screen."""
        return what in self._painted_at

    def armed_at(self, what: str, cause: Cause) -> float:
        """Return the time from which keys count for a subject; infinity if it was not painted."""
        return self._painted_at.get(what, math.inf) + cause.wait(self._settings)

    def take(self, key: str, what: str, cause: Cause) -> Ignored | None:
        """Take the last key for an act; another key right after it makes both a word.

        Args:
            key: The key of the act. The act may have been chosen by its name, where nothing was asked or shown.
            what: The subject.
            cause: The reason that it is on the screen.

        Returns:
            The refusal, or None if the key was taken.
        """
        if self._key != key:
            return Ignored(Reason.NOTHING, f"press {key} itself")
        if not self._calm or self._pressed_at < self.armed_at(what, cause):
            text = f"{key} was not taken: too soon, or typed among other keys. Press it once more"
            return Ignored(Reason.TOO_EARLY, text)
        self._watch.decided(key, self._pressed_at)
        return None
