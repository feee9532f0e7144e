"""What is said when the screen ends by a fault of its own."""

from __future__ import annotations

__all__ = ["ScreenFaultError", "fault_of"]


class ScreenFaultError(Exception):
    """The screen ended by a fault of its own: the cause. The message says what became of held decisions."""


def fault_of(error: BaseException, held: int) -> ScreenFaultError:
    """Say what happened, and what of it matters to the person.

    Args:
        error: The fault.
        held: Requests whose decision was held back.
    """
    if held:
        waits = "its request still waits" if held == 1 else "their requests still wait"
        became = f"{held} {'decision was' if held == 1 else 'decisions were'} held: nothing was sent, {waits}"
    else:
        became = "no decision was held"
    return ScreenFaultError(f"the screen ended, {became}; {type(error).__name__}: {error}")
