"""What was approved in place of what was asked, before and after: for whoever looks at a decision later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redaction
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind, fixed, joined
from signoff.present.reveal import SafeText, reveal
from signoff.queue.amendment import Instead
from signoff.queue.errors import QueueError
from signoff.queue.records import StoredRequest

__all__ = ["arguments_diff", "changed_documents", "spelled"]

_ARGUMENTS = "arguments.json"
_ASKED = "ASKED: not what ran"


def spelled(arguments: Mapping[str, Any]) -> str:
    """Arguments as a text to edit and to compare: ASCII only, so that nothing in them acts on a terminal."""
    return json.dumps(arguments, indent=2, ensure_ascii=True) + "\n"


def arguments_diff(asked: Mapping[str, Any], arguments: Mapping[str, Any], masks: Redaction) -> Document:
    """The difference between two sets of arguments, entry by entry."""
    return diff_document(spelled(asked).encode(), spelled(arguments).encode(), _ARGUMENTS, masks=masks)


def changed_documents(
    request: StoredRequest, asked: Sequence[Document], instead: Instead, load: Callable[[str], bytes]
) -> tuple[Document, ...]:
    """What the reviewer changed, each under a heading, and last what was asked. May take long: runs in a thread.

    Args:
        request: What was asked.
        asked: Its documents.
        instead: What was approved in its place.
        load: Returns a stored content by its hash.
    """
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    return (*_changes(request, asked, instead, load, masks), _heading(_ASKED), *asked)


def _changes(
    request: StoredRequest,
    asked: Sequence[Document],
    instead: Instead,
    load: Callable[[str], bytes],
    masks: Redaction,
) -> Iterator[Document]:
    if instead.arguments is not None:
        yield _heading("CHANGED by the reviewer: - asked, + ran")
        # Whole values are hidden by their names before they are texts, where names say nothing.
        before, after = (
            masks.mask_value(dict(each)) for each in (request.submission.arguments, instead.arguments)
        )
        yield arguments_diff(before, after, masks)
    for path, sha256 in instead.contents.items():
        name = reveal(path, "path")
        document = next((each for each in asked if each.path == path), None)
        try:
            written = load(sha256)
        except QueueError as error:
            yield _heading(
                joined("CHANGED by the reviewer: ", name),
                f"what was written is not stored any more: {error}",
            )
            continue
        yield _heading(joined("CHANGED by the reviewer: - asked, + written: ", name))
        before = None if document is None else "".join(document.source("new")).encode()
        yield diff_document(before, written, path, masks=masks)


def _heading(words: SafeText | str, note: str = "") -> Document:
    notes = [fixed(RowKind.NOTE, reveal(note, "content"))] if note else []
    return Document("text", [fixed(RowKind.FILE, words), *notes])
