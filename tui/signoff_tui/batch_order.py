"""What follows what in a batch, and so how far a stop reaches."""

from __future__ import annotations

from collections.abc import Sequence

from signoff_tui.guard import Ref
from signoff_tui.inbox import Entry, Inbox
from signoff_tui.refs import ref_of

__all__ = ["following_in_batch"]


def following_in_batch(inbox: Inbox, refs: Sequence[Ref]) -> tuple[Ref, ...]:
    """What waits and follows any of these in its batch: a hard rejection reaches that far."""
    stopped = [inbox.entry(ref.id) for ref in refs if ref.id in inbox]
    ids = {entry.id for entry in stopped}
    return tuple(
        ref_of(other)
        for other in inbox.entries()
        if other.request.pending and other.id not in ids and any(_follows(other, entry) for entry in stopped)
    )


def _follows(entry: Entry, stopper: Entry) -> bool:
    """Whether a request comes after another in the same batch, by the rule of the queue."""
    one, other = entry.request, stopper.request
    batch = other.submission.batch_id
    if batch is None or batch != one.submission.batch_id or one.asked_by.session != other.asked_by.session:
        return False
    position, stopped_at = one.submission.batch_position, other.submission.batch_position
    if position is None or stopped_at is None:
        return one.seq > other.seq
    return position > stopped_at
