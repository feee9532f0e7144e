"""Presentations of requests: made from declared effects for a callback, made by authors, and shortened by tools.

The screen makes its own from the snapshot. A callback gets the same rows as text, made only when it is about to
be asked, and safe to print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.present.document.rows import RowKind
from signoff.types import ApprovalPresentation, ApprovalRequest, PresentationType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.present.document.model import Document
    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.queue.records import Submission

__all__ = ["same_but_shown", "shown_to_callback", "truncate_for_display"]

_SIGNS = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.CONTEXT: " "}
_TYPES: dict[str, PresentationType] = {
    "diff": "diff",
    "file_content": "file_content",
    "command": "command",
}


def truncate_for_display(content: str, max_lines: int = 50) -> str:
    """Shorten a text for an `ApprovalPresentation`; its last line then says how many lines are missing.

    Put the whole text into ``metadata["full_content"]``: without it a reviewer is told that the rest cannot be
    shown, and approving what was not fully shown is recorded as such.

    Args:
        content: The whole text.
        max_lines: Most lines that are kept.

    Raises:
        ValueError: `max_lines` is negative.
    """
    if max_lines < 0:
        raise ValueError(f"max_lines is a number of lines, not {max_lines}")
    lines = content.split("\n")
    missing = len(lines) - max_lines
    return content if missing <= 0 else "\n".join([*lines[:max_lines], "", f"... [{missing} more lines]"])


def same_but_shown(request: ApprovalRequest, enriched: object) -> ApprovalRequest:
    """The request with the presentation that the hook of a controller made for it.

    Args:
        request: What the tool asks.
        enriched: What ``_enrich_presentation`` returned.

    Raises:
        TypeError: It is no request, or differs in more than its presentation, so that it is not what runs.
    """
    if not isinstance(enriched, ApprovalRequest):
        raise TypeError(f"_enrich_presentation returned {type(enriched).__name__}; return the ApprovalRequest")
    shown = request.model_copy(update={"presentation": enriched.presentation})
    if shown != enriched:
        raise TypeError(
            "_enrich_presentation changed more than the presentation; copy the request with model_copy"
        )
    return shown


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
    from signoff.policy.redaction.masking import DEFAULT_REDACTION
    from signoff.present.document.build import documents_for

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
