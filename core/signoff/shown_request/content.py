"""The content of a request: its documents and commands, made from the records of the queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.build import documents_for
from signoff.present.document.rows import RowKind
from signoff.present.snapshot.snapshot import Snapshot
from signoff.shown_commands import shown_commands

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.present.document.model import Document
    from signoff.queue.records import StoredRequest
    from signoff.shown_commands import ShownCommand

__all__ = ["SIGN_OF_ROW", "CallContent", "content_of"]

SIGN_OF_ROW: Mapping[RowKind, str] = {
    RowKind.ADDED: "+",
    RowKind.REMOVED: "-",
    RowKind.HUNK: "@",
    RowKind.FILE: "=",
    RowKind.FOLD: ":",
    RowKind.FACT: "*",
    RowKind.SANDBOX: "*",
    RowKind.PLACE: "@",
    RowKind.COMMAND: "$",
    RowKind.NOTE: "#",
}
"""The sign before each row, so that labels and lines of the content cannot be taken for each other."""


@dataclass(frozen=True, slots=True)
class CallContent:
    """The shown content of a call.

    Attributes:
        documents: The documents; at least one.
        complete: True if the documents show everything.
        commands: The commands in it, whose parts are shown as well.
        context: Unchanged lines around each change.
    """

    documents: tuple[Document, ...]
    complete: bool
    commands: tuple[ShownCommand, ...]
    context: int


def content_of(
    request: StoredRequest, load: Callable[[str], bytes], context: int, hidden: Redactor = DEFAULT_REDACTION
) -> CallContent:
    """Make the documents of a request.

    Args:
        request: The request.
        load: Returns a stored content by its hash.
        context: Unchanged lines around each change.
        hidden: The rules of what to hide.

    Raises:
        SnapshotError: The snapshot is damaged.
        QueueError: A stored content cannot be loaded.
    """
    submission = request.submission
    masks = hidden.also(submission.masked_keys)
    snapshot = None if submission.snapshot is None else Snapshot.from_json(submission.snapshot, load)
    made = documents_for(snapshot, submission.presentation, submission.arguments, submission.cwd, masks=masks)
    documents = tuple(document.with_context(context) for document in made)
    commands = shown_commands(request, len(documents))
    return CallContent(documents, all(document.complete for document in documents), commands, context)
