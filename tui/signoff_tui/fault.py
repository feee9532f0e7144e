"""The messages for a screen that ends by a fault of its own or by a signal."""

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
        """The exit code of the program, as shells count it."""
        return 128 + self.number

    def __str__(self) -> str:
        name = "the terminal went away" if self.number == signal.SIGHUP else signal.Signals(self.number).name
        return f"the screen ended: {name}; {_became(self.held)}"


class ScreenFaultError(Exception):
    """The screen ended by a fault of its own, the cause. The message tells about held decisions."""


def fault_of(error: BaseException, held: int) -> ScreenFaultError:
    """Return the error with a message on the fault and on held decisions.

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
