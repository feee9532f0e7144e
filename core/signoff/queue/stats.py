"""How much waits: what a status line says."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Stats"]


class Stats(NamedTuple):
    """Counts for a status line.

    Attributes:
        pending: How many requests wait.
        pending_high: How many of them are of HIGH risk.
        oldest_pending_at: When the oldest of them was asked, microseconds since the epoch; None if none waits.
        agents: How many agents are connected.
        grants: How many remembered approvals are in force.
        approving: How many agents say that they run everything without asking.
        refusing: How many agents say that they refuse everything without asking.
        screen_open: Whether a reviewer's screen is open, and awake.
        history_loss: What the history has lost of what a reviewer had seen of it, in words; "" if nothing.
    """

    pending: int
    pending_high: int
    oldest_pending_at: int | None
    agents: int
    grants: int
    approving: int = 0
    refusing: int = 0
    screen_open: bool = False
    history_loss: str = ""
