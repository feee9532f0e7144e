"""Decisions that were made and are not sent yet.

Between the key and the queue every decision is held for a moment, in which it can be taken back for
certain. Nothing here is written down: if the program dies, nothing was decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.targets import Ref

__all__ = ["Act", "Held", "Holds", "Permit", "PermitError"]

Payload = TypeVar("Payload")

RETRY = 0.1
"""Seconds that a hold goes on after a look that came late, so that keys pressed while the program
was blocked are handled before the decision leaves."""

MOST_RETRIES = 3
"""A program that is always late must still be able to send."""


class PermitError(RuntimeError):
    """Something was to be decided that the guard did not allow, or does not allow any more."""


class Act(StrEnum):
    """The act of a decision."""

    APPROVE = "approve"
    APPROVE_GROUP = "approve group"
    APPROVE_UNSEEN = "approve unseen"
    REMEMBER = "remember"
    RELEASE = "remember and release"
    """Remember the first request named, and release the others, which it covers."""
    REJECT = "reject"
    STOP = "stop"
    STOP_ALL = "stop all"
    """Stop an agent: reject all that it waits for."""

    @property
    def approves(self) -> bool:
        """True if a call would run because of it."""
        return self in (Act.APPROVE, Act.APPROVE_GROUP, Act.APPROVE_UNSEEN) or self.remembers

    @property
    def remembers(self) -> bool:
        """True if later calls would run because of it."""
        return self in (Act.REMEMBER, Act.RELEASE)


class Permit(Struct, frozen=True):
    """The guard's leave to hold one decision. Only the guard makes it; it is good for one hold.

    Attributes:
        act: The decision.
        refs: The requests, each with its contents: all that may be named to the queue.
        key: The key that decided.
        pressed_at: The time of the press.
        shown: Least share of the contents that was shown of any of them, 0 to 1. Of a `RELEASE` only the first
            counts: the others were named.
    """

    act: Act
    refs: tuple[Ref, ...]
    key: str
    pressed_at: float
    shown: float


class Held(Struct, Generic[Payload], frozen=True):
    """A decision on its way.

    Attributes:
        permit: The guard's leave.
        payload: The decision itself, which the guard does not look into.
        until: The time to send it.
        retries: Times that sending was put off because the program was late.
    """

    permit: Permit
    payload: Payload
    until: float
    retries: int = 0

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The requests to name to the queue."""
        return self.permit.refs


class Holds(Generic[Payload]):
    """Held decisions, oldest first."""

    def __init__(self, settings: GuardSettings) -> None:
        self._settings = settings
        self._held: list[Held[Payload]] = []

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Held[Payload]]:
        return iter(tuple(self._held))

    def find(self, request_id: str) -> Held[Payload] | None:
        """The held decision about this request, if there is one."""
        for held in self._held:
            if any(ref.id == request_id for ref in held.refs):
                return held
        return None

    def hold(self, permit: Permit, payload: Payload, now: float) -> Held[Payload]:
        """Start to hold a decision. The guard calls this after it has checked the permit.

        Raises:
            ValueError: One of the requests has a held decision already.
        """
        for ref in permit.refs:
            if self.find(ref.id) is not None:
                raise ValueError(f"a decision about request {ref.id} is held already")
        length = self._settings.hold
        # Without a hold nothing can be taken back, so there is nothing to wait for.
        held = Held(permit, payload, now + length, retries=0 if length else MOST_RETRIES)
        self._held.append(held)
        return held

    def take_back_last(self) -> Held[Payload] | None:
        """Take back the decision made last."""
        return self._held.pop() if self._held else None

    def take_back_all(self) -> tuple[Held[Payload], ...]:
        """Take back everything, for `U` and for a lost queue."""
        return self.take_back_where(lambda _: True)

    def take_back_where(self, condition: Callable[[Permit], bool]) -> tuple[Held[Payload], ...]:
        """Take back the decisions whose permit meets a condition."""
        taken = tuple(held for held in self._held if condition(held.permit))
        self._held = [held for held in self._held if not condition(held.permit)]
        return taken

    def due(self, now: float) -> tuple[Held[Payload], ...]:
        """Hand out the decisions to send now, in the order they were made.

        A decision whose time ended long before this look stays a little longer: the program was
        blocked, and keys pressed meanwhile may still take it back.
        """
        due: list[Held[Payload]] = []
        kept: list[Held[Payload]] = []
        for held in self._held:
            late = now - held.until
            if late < 0:
                kept.append(held)
            elif self._comes_too_late(held, late):
                kept.append(replace(held, until=now + RETRY, retries=held.retries + 1))
            else:
                due.append(held)
        self._held = kept
        return tuple(due)

    def _comes_too_late(self, held: Held[Payload], late: float) -> bool:
        return late > self._settings.late and held.retries < MOST_RETRIES

    def release_all(self) -> tuple[Held[Payload], ...]:
        """Hand out everything at once: the reviewer chose to send it and quit."""
        return self.take_back_all()

    def next_due(self) -> float | None:
        """The time to send the next decision. `due` must be called then."""
        return min((held.until for held in self._held), default=None)

    def row_text(self, request_id: str, now: float) -> str:
        """The words in the row of a request: `2 s`, or nothing."""
        held = self.find(request_id)
        return "" if held is None else f"{max(0, math.ceil(held.until - now))} s"
