"""A call on one line: its command or file, and what its agent says of it only where that is all there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.cli.output import one_line
from signoff.present.subject import subject_text

if TYPE_CHECKING:
    from signoff.queue.history_records import HistoryRecord
    from signoff.queue.records import Submission

__all__ = ["what_of"]


def what_of(call: Submission | HistoryRecord) -> str:
    """Return the line, safe to print."""
    subject = subject_text(call.snapshot, call.cwd)
    return one_line(call.description, "description") if subject is None else one_line(subject, "command")
