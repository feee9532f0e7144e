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

__all__ = ["with_presentation"]

_SIGNS = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.CONTEXT: " "}
_TYPES: dict[str, PresentationType] = {
    "diff": "diff",
    "file_content": "file_content",
    "command": "command",
}


def with_presentation(request: ApprovalRequest, snapshot: Snapshot) -> ApprovalRequest:
    """Add a presentation to a request that declares effects and has none.

    Args:
        request: What the tool asks.
        snapshot: Taken from its effects.

    Returns:
        The request itself if it has a presentation or nothing to make one from. The type is that of the
        only step; several steps are one text.
    """
    if request.presentation is not None or not snapshot.steps:
        return request
    from signoff.present.documents import documents_for

    documents = documents_for(snapshot, None, {}, "/")
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
