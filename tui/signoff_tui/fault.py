"""What is said when the screen ends otherwise than by its key: by a fault of its own, or told from outside."""

from __future__ import annotations

import signal

from msgspec import Struct

__all__ = ["ScreenFaultError", "ScreenStopped", "fault_of"]


class ScreenStopped(Struct, frozen=True):
    """The screen was told to end, or its terminal is gone.

    Attributes:
        number: The signal; SIGHUP for the terminal.
        held: Requests whose decision was held back, and is not sent.
    """

    number: int
    held: int

    @property
    def exit_code(self) -> int:
        """How the program ends, as shells count it."""
        return 128 + self.number

    def __str__(self) -> str:
        name = "the terminal went away" if self.number == signal.SIGHUP else signal.Signals(self.number).name
        return f"the screen ended: {name}; {_became(self.held)}"


class ScreenFaultError(Exception):
    """The screen ended by a fault of its own: the cause. The message says what became of held decisions."""


def fault_of(error: BaseException, held: int) -> ScreenFaultError:
    """Say what happened, and what of it matters to the person.

    Args:
        error: The fault.
        held: Requests whose decision was held back.
    """
    return ScreenFaultError(f"the screen ended, {_became(held)}; {type(error).__name__}: {error}")


def _became(held: int) -> str:
    if not held:
        return "no decision was held"
    waits = "its request still waits" if held == 1 else "their requests still wait"
    return f"{held} {'decision was' if held == 1 else 'decisions were'} held: nothing was sent, {waits}"
