"""The subject of a call in one text, without its secrets: what it declared, or its agent's description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.subject import subject_text

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryRecord
    from signoff.queue.records import Submission

__all__ = ["declared_subject", "described", "subject_of"]


def subject_of(call: Submission | HistoryRecord, masks: Redactor = DEFAULT_REDACTION) -> str:
    """Return what a call declared, or what its agent says of it if that is all there is; not safe to draw yet.

    Args:
        call: The call.
        masks: Hides secrets in it.
    """
    return declared_subject(call, masks) or described(call, masks)


def declared_subject(call: Submission | HistoryRecord, masks: Redactor = DEFAULT_REDACTION) -> str | None:
    """Return the command or the path that a call declared, or None; not safe to draw yet."""
    text = subject_text(call.snapshot, call.cwd)
    return None if text is None else masks.mask_text(text, command=True).text


def described(call: Submission | HistoryRecord, masks: Redactor = DEFAULT_REDACTION) -> str:
    """Return what the agent says of a call; not safe to draw yet."""
    return masks.mask_text(call.description).text
