"""The arguments of a call whose preview cannot be made: something to look at, and no proof of anything."""

from __future__ import annotations

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.model import Document
from signoff.present.document.structured import structured_document
from signoff.queue.records import StoredRequest

__all__ = ["raw_arguments"]


def raw_arguments(request: StoredRequest) -> Document:
    """The arguments as they were sent, without their secrets."""
    submission = request.submission
    return structured_document(dict(submission.arguments), masks=DEFAULT_REDACTION.also(submission.masked_keys))
