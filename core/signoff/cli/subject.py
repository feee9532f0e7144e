"""A call on one line: its command or file, and what its agent says of it only where that is all there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.cli.output import clipped, one_line
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.subject import SERVER_SIGN, subject_text

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redaction
    from signoff.queue.history import HistoryRecord
    from signoff.queue.records import Submission

__all__ = ["tool_of", "what_of"]


def tool_of(call: Submission | HistoryRecord, longest: int | None = None) -> str:
    """Name the tool of a call, and its server in front of it, safe to print.

    Args:
        call: The call.
        longest: Most characters of each of the two names.
    """
    names = [one_line(name, "tool_name") for name in (call.server, call.tool_name) if name]
    return SERVER_SIGN.join(names if longest is None else [clipped(name, longest) for name in names])


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
