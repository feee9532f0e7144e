"""What a decision about a row would name."""

from __future__ import annotations

from signoff_tui.guard import Ref
from signoff_tui.inbox import Entry

__all__ = ["ref_of"]


def ref_of(entry: Entry) -> Ref:
    """Exactly what a decision about the entry would name."""
    return Ref(entry.id, entry.request.revision, entry.request.submission.digest)
