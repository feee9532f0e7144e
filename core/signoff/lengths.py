"""How long something waits, as short as a clock shows it."""

from __future__ import annotations

__all__ = ["clock"]


def clock(microseconds: int) -> str:
    """Write a length of time as ``MM:SS``, from an hour on as ``1h02m``, from a day on as ``1d02h``."""
    minutes, seconds = divmod(max(0, microseconds) // 1_000_000, 60)
    if minutes < 60:
        return f"{minutes:02d}:{seconds:02d}"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours}h{minutes:02d}m"
    return f"{hours // 24}d{hours % 24:02d}h"
