"""A request or a call in one row: short id, kind, tool, and its command or file.

The agent's description is shown only if there is nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from signoff.present.kinds import PresentationKind
from signoff.present.reveal import clipped, one_line
from signoff.present.snapshot.steps import FileChange, SnapshotError
from signoff.present.subject import SERVER_SIGN, is_removal, step_kind, steps_of

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryRecord
    from signoff.queue.records import Submission

__all__ = ["cell_of", "kind_of", "short_id", "tool_of", "upcoming_calls", "what_of"]

_SHORT_ID = 8


def short_id(request_id: str) -> str:
    """Return the part of an id that people read and type."""
    return request_id[:_SHORT_ID]


def kind_of(submission: Submission) -> str:
    """Return the kind of a call in a word; ``mixed`` if it has several."""
    try:
        steps = steps_of(submission.snapshot)
    except SnapshotError:
        return "damaged"
    if is_removal(steps):
        return "removal"
    kinds = set(map(step_kind, steps))
    if len(kinds) > 1:
        return "mixed"
    return _word(kinds.pop() if kinds else PresentationKind.STRUCTURED)


def _word(kind: PresentationKind) -> str:
    match kind:
        case PresentationKind.DIFF:
            return "edit"
        case PresentationKind.FILE_CONTENT:
            return "new file"
        case PresentationKind.COMMAND:
            return "command"
        case PresentationKind.BINARY:
            return "binary"
        case PresentationKind.STRUCTURED | PresentationKind.TEXT:
            return "call"
        case _:
            assert_never(kind)


def tool_of(call: Submission | HistoryRecord, longest: int | None = None) -> str:
    """Return the name of the tool of a call, after that of its server, safe to print.

    Args:
        call: The call.
        longest: The most characters of each of the two names.
    """
    names = [one_line(name, "tool_name") for name in (call.server, call.tool_name) if name]
    return SERVER_SIGN.join(names if longest is None else [clipped(name, longest) for name in names])


def what_of(call: Submission | HistoryRecord, hidden: Redactor | None = None) -> str:
    """Return a call as one line, safe to print.

    Args:
        call: The call.
        hidden: The rules of what to hide; those that hold for everybody if left out.
    """
    from signoff.masked_subject import declared_subject, described  # late: an empty list has nothing to mask
    from signoff.policy.redaction.masking import DEFAULT_REDACTION

    hidden = hidden or DEFAULT_REDACTION
    declared = declared_subject(call, hidden)
    return one_line(described(call, hidden), "description") if declared is None else one_line(declared, "command")


def cell_of(call: Submission | HistoryRecord, hidden: Redactor | None = None) -> tuple[str, bool]:
    """Return a call as one line, safe to print, and True if it is a path; a declared effect needs no tool's name.

    Args:
        call: The call.
        hidden: As for `what_of`.
    """
    try:
        steps = steps_of(call.snapshot)
    except SnapshotError:
        steps = ()
    what = what_of(call, hidden)
    if not steps or call.server is not None:
        return f"{tool_of(call)}: {what}", False
    return what, isinstance(steps[0], FileChange) and (len(steps) == 1 or is_removal(steps))


def upcoming_calls(submission: Submission, hidden: Redactor) -> list[str]:
    """Return the calls that follow in the agent's turn, each as one line that is safe to print."""
    from signoff.masked_subject import announced_subjects

    return [one_line(each) for each in announced_subjects(submission, hidden)]
