"""Arming of what is on screen: keys count long enough after it was painted."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct

from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.targets import Ref

__all__ = ["Arming", "Cause", "Frame", "Naming"]

Subject = TypeVar("Subject")


class Cause(StrEnum):
    """The cause of a change on screen."""

    MOVED = "moved"
    """The user went there with a key or a click."""
    ADVANCED = "advanced"
    """The program went on after a decision."""
    ARRIVED = "arrived"
    """It came into an empty inbox and became the target by itself."""
    CHANGED = "changed"
    """Its contents, risk, state or members changed."""
    FOCUS = "focus"
    """The terminal got the focus."""
    SHEET = "sheet"
    """A sheet or bar with its own keys opened."""

    def wait(self, settings: GuardSettings, *, high: bool = False) -> float:
        """Return the seconds from the paint to the first key that counts.

        Args:
            settings: Has a value for each cause.
            high: True if it is about a HIGH request, which asks for `arm_high` at least.
        """
        wait: float = getattr(settings, f"arm_{self}")
        return settings.link_delay + (max(wait, settings.arm_high) if high else wait)


class Frame(Struct, frozen=True):
    """A frame about to be written. Later frames have higher numbers."""

    number: int


class Arming(Generic[Subject]):
    """One subject on screen, when it was painted, and how long that must be ago."""

    def __init__(self) -> None:
        self.subject: Subject | None = None
        self._pending: Frame | None = None
        self._painted_at: float | None = None
        self._wait = 0.0
        self._least_wait = 0.0
        self._restarted_until = 0.0
        self._not_before = 0.0

    def clear(self) -> None:
        """Note that no subject is on screen."""
        self.subject = self._pending = self._painted_at = None

    def show(self, subject: Subject, frame: Frame, wait: float) -> None:
        """Await the picture of a subject: it is armed `wait` seconds after `frame` is painted."""
        self.subject = subject
        self._pending = frame
        self._painted_at = None
        self._wait = max(wait, self._least_wait)
        self._least_wait = 0.0
        self._restarted_until = 0.0

    def again(self, frame: Frame, wait: float = 0.0) -> None:
        """Await another picture of the same subject: it counts as shown once `frame` is painted."""
        if self.subject is not None:
            self.show(self.subject, frame, max(wait, self._wait))

    def painted(self, frame: Frame, t: float) -> None:
        """`frame` was written at `t`, and with it everything that was pending before it."""
        if self._pending is not None and self._pending.number <= frame.number:
            self._pending = None
            self._painted_at = t

    def restart(self, t: float) -> None:
        """Count the wait of this subject from `t` again."""
        self._restarted_until = max(self._restarted_until, t + self._wait)

    def delay(self, until: float) -> None:
        """Let no key count before `until`, whatever is shown."""
        self._not_before = max(self._not_before, until)

    def next_waits(self, wait: float) -> None:
        """Let whatever is shown next wait at least this long."""
        self._least_wait = wait

    @property
    def pending(self) -> Frame | None:
        """The frame whose paint is awaited."""
        return self._pending

    @property
    def painted_at(self) -> float | None:
        """Time when the subject was painted, anew if that was asked for; `None` before that."""
        return self._painted_at

    @property
    def armed_at(self) -> float | None:
        """Time when keys begin to count, or `None` while nothing is painted."""
        if self._painted_at is None:
            return None
        return max(self._painted_at + self._wait, self._restarted_until, self._not_before)


class Naming:
    """The times since which requests have been named on screen."""

    def __init__(self) -> None:
        self._pending: dict[Ref, Frame] = {}
        self._painted_at: dict[Ref, float] = {}

    def show(self, refs: frozenset[Ref], frame: Frame) -> None:
        """These are named once `frame` is painted, and no others."""
        self._painted_at = {ref: t for ref, t in self._painted_at.items() if ref in refs}
        self._pending = {ref: self._pending.get(ref, frame) for ref in refs if ref not in self._painted_at}

    def painted(self, frame: Frame, t: float) -> None:
        """`frame` was written at `t`, and with it everything that was pending before it."""
        for ref, pending in tuple(self._pending.items()):
            if pending.number <= frame.number:
                del self._pending[ref]
                self._painted_at[ref] = t

    @property
    def is_pending(self) -> bool:
        """True if a paint is awaited."""
        return bool(self._pending)

    def named_since(self, t: float) -> frozenset[Ref]:
        """Those that were named at `t` and ever since."""
        return frozenset(ref for ref, painted_at in self._painted_at.items() if painted_at <= t)
