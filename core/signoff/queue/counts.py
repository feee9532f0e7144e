"""How much waits: what a status line says."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Stats"]


class Stats(NamedTuple):
    """Counts for a status line."""

    pending: int
    pending_high: int
    oldest_pending_at: int | None
    agents: int
    grants: int
