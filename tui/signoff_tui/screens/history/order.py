"""What is odd between a record and the next older one: missing records, and a clock that was set back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from signoff.queue import HistoryRecord
from signoff.text.time import local_time

__all__ = ["oddities"]

BACK_US = 1_000_000
"""So much, in microseconds, processes may disagree about the time without anybody having changed a clock."""


def oddities(records: Sequence[HistoryRecord], *, whole: bool) -> dict[int, str]:
    """What to say below records, by their seq.

    Args:
        records: Newest first, which is the order of the queue whatever the clock said.
        whole: Whether every record is listed: a filter leaves gaps of its own.
    """
    said: dict[int, str] = {}
    for newer, older in pairwise(records):
        words: list[str] = []
        missing = newer.seq - older.seq - 1
        if whole and missing:
            named = f"{missing} records" if missing > 1 else "1 record"
            words.append(f"-- {named} missing between {older.seq} and {newer.seq} --")
        if newer.at < older.at - BACK_US:
            words.append(f"clock changed {local_time(newer.at, 'minute')}")
        if words:
            said[newer.seq] = "; ".join(words)
    return said
