"""What a request would do, made from what the queue holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.build import documents_for
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import CommandRun, FileChange, SnapshotError
from signoff.present.subject import steps_of
from signoff.shown_commands import shown_commands

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redaction
    from signoff.present.document.model import Document
    from signoff.queue.records import StoredRequest, Submission
    from signoff.shown_commands import ShownCommand

__all__ = ["Content", "content_of", "kind_of"]


@dataclass(frozen=True, slots=True)
class Content:
    """All that is shown of a call.

    Attributes:
        documents: At least one.
        complete: Whether reading them all is reading everything.
        commands: Commands in it, of which the parts are told as well.
        context: Unchanged lines around each change.
    """

    documents: tuple[Document, ...]
    complete: bool
    commands: tuple[ShownCommand, ...]
    context: int


def content_of(
    request: StoredRequest, load: Callable[[str], bytes], context: int, hidden: Redaction = DEFAULT_REDACTION
) -> Content:
    """Make the documents of a request.

    Args:
        request: The request.
        load: Returns a stored content by its hash.
        context: Unchanged lines around each change.
        hidden: What is hidden of it.

    Raises:
        SnapshotError: What was stored is damaged.
        QueueError: A stored content cannot be had.
    """
    submission = request.submission
    masks = hidden.also(submission.masked_keys)
    snapshot = None if submission.snapshot is None else Snapshot.from_json(submission.snapshot, load)
    made = documents_for(snapshot, submission.presentation, submission.arguments, submission.cwd, masks=masks)
    documents = tuple(document.with_context(context) for document in made)
    commands = shown_commands(request, len(documents))
    return Content(documents, all(document.complete for document in documents), commands, context)


def kind_of(submission: Submission) -> str:
    """What a call would do, in a word; ``mixed`` if it does several kinds of things."""
    try:
        kinds = set(_kinds(submission))
    except SnapshotError:
        return "damaged"
    if len(kinds) > 1:
        return "mixed"
    return kinds.pop() if kinds else "call"


def _kinds(submission: Submission) -> Iterator[str]:
    for step in steps_of(submission.snapshot):
        match step:
            case CommandRun():
                yield "command"
            case FileChange(binary=True):
                yield "binary"
            case FileChange():
                yield "edit" if step.before.exists else "new file"
