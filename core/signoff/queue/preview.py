"""What a pattern would have answered, for the person who is about to allow it."""

from __future__ import annotations

from dataclasses import dataclass

from signoff.queue.history_records import HistoryRecord
from signoff.queue.records import StoredRequest

__all__ = ["PatternPreview"]


@dataclass(frozen=True, slots=True)
class PatternPreview:
    """What a pattern matches in the history and among the requests that wait.

    Attributes:
        looked_at: How many of the latest calls were compared, whatever their answer was.
        matched: Those that the pattern would have answered, newest first.
        still_asked: How many others match, and would be asked about all the same: HIGH risk, or what leads
            elsewhere.
        unreadable: How many of those looked at are damaged and could not be compared.
        waiting: The requests that wait now and match. A new grant does not answer these; it answers later calls.
    """

    looked_at: int
    matched: tuple[HistoryRecord, ...]
    still_asked: int
    unreadable: int
    waiting: tuple[StoredRequest, ...]
