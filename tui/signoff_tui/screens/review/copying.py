"""What of a request can be copied: as it is shown, or as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from signoff.present.document.model import Document
from signoff.present.snapshot.snapshot import SnapshotError
from signoff.present.subject import step_text, steps_of
from signoff.queue.records import StoredRequest

__all__ = ["COPIES", "as_shown", "copied_text"]

COPIES = {"t": "text as shown", "a": "text as it is", "p": "path or command", "i": "id of the request"}
"""The keys of the question, and what they copy."""

_SIGNS = {"added": "+", "removed": "-"}


def copied_text(what: str, request: StoredRequest, documents: Sequence[Document]) -> str:
    """Return the text that a key of `COPIES` copies; empty if the request has none of that.

    As it is shown: made safe, with masks, one row a line. As it is: what would be written or run, unchanged.
    """
    match what:
        case "i":
            return request.id
        case "p":
            return _subject(request)
        case "t":
            return "\n".join(row for each in documents for row in as_shown(each))
        case _:
            return "".join(line for each in documents for line in each.source("new") or each.source("old"))


def as_shown(document: Document) -> Iterator[str]:
    """The rows of a document with their signs, made safe, with marks for secrets."""
    return (f"{_SIGNS.get(row.kind, ' ')} {row.text.text}" for row in document)


def _subject(request: StoredRequest) -> str:
    """The paths and commands of a request, one a line."""
    try:
        return "\n".join(step_text(step, "") for step in steps_of(request.submission.snapshot))
    except SnapshotError:
        return ""
