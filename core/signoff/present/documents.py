"""Chooses the documents that a reviewer reads for one request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from signoff.present.document import Document
from signoff.present.document_diff import diff_document
from signoff.present.document_text import command_document
from signoff.present.facts import FileFacts
from signoff.present.leftover import leftover_arguments
from signoff.present.masking import Masks
from signoff.present.snapshot import Snapshot
from signoff.present.steps import CommandRun, FileChange
from signoff.present.structured import structured_document
from signoff.present.toolsent import presentation_documents

__all__ = ["documents_for", "file_facts"]


def documents_for(
    snapshot: Snapshot | None,
    presentation: Mapping[str, Any] | None,
    arguments: Mapping[str, Any],
    cwd: str,
    *,
    masks: Masks | None = None,
) -> tuple[Document, ...]:
    """Choose what to show for a request, most trustworthy first.

    What the snapshot holds is what would be executed, so it comes first and is always shown, with
    the arguments that it does not show. What the tool sent is labeled and follows, unless it says
    the same again. Without a snapshot the arguments are what would be executed, and are shown in
    any case.

    Args:
        snapshot: Files and commands of the call, taken now or restored; None or empty if it
            declared none.
        presentation: What the tool sent for the reviewer, None if nothing.
        arguments: Arguments of the call, as JSON values.
        cwd: Absolute working directory of the call.
        masks: Says what is hidden; None hides nothing.

    Returns:
        At least one document.

    Raises:
        SnapshotError: If a stored content is damaged.
    """
    documents: list[Document] = []
    if snapshot is not None:
        documents.extend(_snapshot_documents(snapshot, masks))
    taken = bool(documents)
    if snapshot is not None and taken and (more := leftover_arguments(snapshot, arguments, cwd)):
        documents.append(structured_document(more, notes=("further arguments of the call",), masks=masks))
    if presentation is not None and not (taken and _says_the_same(presentation, documents)):
        documents.extend(presentation_documents(presentation, masks, cwd=cwd))
    if not taken:
        documents.append(structured_document(dict(arguments), masks=masks))
    return tuple(documents)


def _snapshot_documents(snapshot: Snapshot, masks: Masks | None) -> Iterator[Document]:
    """One document for each step."""
    for step in snapshot.steps:
        if isinstance(step, FileChange):
            yield _file_document(step, snapshot.blobs, masks)
        elif isinstance(step, CommandRun):
            yield command_document(step.command, step.cwd, step.env, real_cwd=step.real_cwd, masks=masks)
        else:
            assert_never(step)


def _file_document(change: FileChange, blobs: Mapping[str, bytes], masks: Masks | None) -> Document:
    sha256 = change.before.sha256
    before = blobs[sha256] if sha256 is not None else None
    return diff_document(before, blobs[change.after_sha256], change.path, facts=file_facts(change), masks=masks)


def file_facts(change: FileChange) -> FileFacts:
    """What is known of the file of a step besides its content."""
    state = change.before
    return FileFacts(
        mode_before=state.mode,
        link_target=state.link_target,
        real_path=state.real_path,
        follows=change.follows,
    )


def _says_the_same(presentation: Mapping[str, Any], documents: Sequence[Document]) -> bool:
    """Tell whether a tool sent nothing but a content or a command that is shown already."""
    kind, content = presentation.get("type"), presentation.get("content")
    if presentation.get("metadata") or kind not in {"command", "file_content"}:
        return False
    return any(document.kind == kind and "".join(document.source("new")) == content for document in documents)
