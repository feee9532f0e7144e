"""The counts that a status line shows."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Stats"]


class Stats(NamedTuple):
    """Counts for a status line.

    Attributes:
        pending: Number of requests that wait.
        pending_high: Number of them that are of HIGH risk as their agents sent them.
        oldest_pending_at: Time of the oldest of them, microseconds since the epoch; None if none waits.
        agents: Number of connected agents.
        grants: Number of remembered approvals in force.
        approving: Number of agents that report running everything without asking.
        refusing: Number of agents that report refusing everything without asking.
        screen_open: True if a reviewer's screen is open, and awake; None where that cannot be seen.
        now: The time by the clock of the queue, microseconds since the epoch.
        history_loss: The records that a reviewer saw and that are gone from the history, in words; "" if none.
    """

    pending: int
    pending_high: int
    oldest_pending_at: int | None
    agents: int
    grants: int
    approving: int = 0
    refusing: int = 0
    screen_open: bool | None = False
    now: int = 0
    history_loss: str = ""
