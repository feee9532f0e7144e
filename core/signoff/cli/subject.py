"""A call on one line: its command or file, and what its agent says of it only where that is all there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.cli.output import one_line
from signoff.policy.redaction import DEFAULT_REDACTION
from signoff.present.subject import subject_text

if TYPE_CHECKING:
    from signoff.policy.redaction import Redaction
    from signoff.queue.history_records import HistoryRecord
    from signoff.queue.records import Submission

__all__ = ["what_of"]


def what_of(call: Submission | HistoryRecord, hidden: Redaction = DEFAULT_REDACTION) -> str:
    """Return the line, safe to print.

    Args:
        call: The call.
        hidden: What is hidden of it.
    """
    subject = subject_text(call.snapshot, call.cwd)
    if subject is None:
        return one_line(hidden.mask_text(call.description).text, "description")
    return one_line(hidden.mask_text(subject, command=True).text, "command")
