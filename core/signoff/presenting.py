"""What a callback is shown: the presentation of a request, made from its declared effects.

The screen makes its own from the snapshot. A callback gets the same rows as text, made only when it is about to
be asked, and safe to print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.present.rows import RowKind
from signoff.types import ApprovalPresentation, ApprovalRequest, PresentationType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.present.document import Document
    from signoff.present.snapshot import Snapshot
    from signoff.queue.records import Submission

__all__ = ["shown_to_callback"]

_SIGNS = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.CONTEXT: " "}
_TYPES: dict[str, PresentationType] = {
    "diff": "diff",
    "file_content": "file_content",
    "command": "command",
}


def shown_to_callback(request: ApprovalRequest, snapshot: Snapshot, submission: Submission) -> ApprovalRequest:
    """Show what the declared effects of a request would do.

    Args:
        request: What the tool asks.
        snapshot: Taken from its effects.
        submission: The call as it would be posted: its arguments and working directory.

    Returns:
        The request with a presentation of the effects, then of the arguments that those do not show, then of
        what the tool sent, labeled as such. Marks stand in place of secrets. The type is that of the only part;
        several parts are one text.
        Without effects it is the request itself.
    """
    if not snapshot.steps:
        return request
    from signoff.policy.redaction import DEFAULT_REDACTION
    from signoff.present.documents import documents_for

    masks = DEFAULT_REDACTION.also(submission.masked_keys)
    documents = documents_for(snapshot, submission.presentation, submission.arguments, submission.cwd, masks=masks)
    only = documents[0] if len(documents) == 1 else None
    shown = ApprovalPresentation(
        type="text" if only is None else _TYPES.get(only.kind, "text"),
        content="\n".join(line for document in documents for line in _lines(document)),
        language=None if only is None else only.language_name,
    )
    return request.model_copy(update={"presentation": shown})


def _lines(document: Document) -> Iterator[str]:
    signed = document.kind == "diff"
    for row in document:
        yield f"{_SIGNS.get(row.kind, '')}{row.text.text}" if signed else row.text.text
