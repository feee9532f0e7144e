"""The choice of documents that a reviewer reads for one request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, assert_never

from msgspec.structs import replace

from signoff.canonical import NotJsonError, parse_json
from signoff.present.diff.engine import split_lines
from signoff.present.document.diff import FileFacts, diff_document
from signoff.present.document.masking import Masks
from signoff.present.document.media import language_or_none
from signoff.present.document.model import Document, Sources
from signoff.present.document.rows import RowKind, RowRun, fixed, joined, number_of, quoted_path
from signoff.present.document.structured import structured_document
from signoff.present.document.text import command_document
from signoff.present.kinds import PresentationKind, sent_kind
from signoff.present.reveal import Field, reveal
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import CommandRun, FileChange
from signoff.present.subject import is_outside, is_removal, step_text

__all__ = [
    "SENT_BY_TOOL",
    "documents_for",
    "file_facts",
    "leftover_arguments",
    "presentation_documents",
]


def documents_for(
    snapshot: Snapshot | None,
    presentation: Mapping[str, Any] | None,
    arguments: Mapping[str, Any],
    cwd: str,
    *,
    masks: Masks | None = None,
    headed: bool = False,
) -> tuple[Document, ...]:
    """Choose the documents for a request, most trustworthy first.

    A snapshot holds the files and commands that would be executed, so it comes first and is always shown, with
    the arguments that it does not show. The presentation of the tool is labeled and follows, unless it repeats
    the snapshot. Without a snapshot the arguments would be executed, and are always shown.

    Args:
        snapshot: Files and commands of the call, taken now or restored; None or empty if it
            declared none.
        presentation: The presentation that the tool sent, None if it sent none.
        arguments: Arguments of the call, as JSON values.
        cwd: Absolute working directory of the call.
        masks: The rules of what to hide; None hides nothing.
        headed: True if a heading above them names the file of a call that changes one.

    Returns:
        At least one document.

    Raises:
        SnapshotError: A stored content is damaged.
    """
    documents: list[Document] = []
    if snapshot is not None:
        documents.extend(_snapshot_documents(snapshot, masks, cwd if headed else None))
    taken = bool(documents)
    if snapshot is not None and taken and (more := leftover_arguments(snapshot, arguments, cwd)):
        apart = () if _only_tells(more) else ("further arguments of the call",)
        documents.append(structured_document(more, notes=apart, rows=apart, masks=masks))
    if presentation is not None and not (taken and _says_the_same(presentation, documents)):
        documents.extend(presentation_documents(presentation, masks, cwd=cwd))
    if not taken:
        rows = ("arguments of the call",) if documents else ()  # what a tool sent could pass for some of them
        documents.append(structured_document(dict(arguments), rows=rows, masks=masks))
    return tuple(documents)


LONGEST_HEADED = 60
"""The longest path, in characters, that a heading names in full at any width."""


def _snapshot_documents(snapshot: Snapshot, masks: Masks | None, headed: str | None) -> Iterator[Document]:
    """One document for each step; with a heading above them that names a file below a directory."""
    removal = is_removal(snapshot.steps)
    one = len(snapshot.steps) == 1 or removal
    for step in snapshot.steps:
        if isinstance(step, FileChange):
            named = headed is not None and one and _is_named_in_full(step, headed)
            yield _file_document(step, snapshot.blobs, masks, removed=removal, headed=named)
        elif isinstance(step, CommandRun):
            yield command_document(
                step.command,
                step.cwd,
                step.env,
                real_cwd=step.real_cwd,
                confinement=step.confinement,
                masks=masks,
            )
        else:
            assert_never(step)


def _file_document(
    change: FileChange, blobs: Mapping[str, bytes], masks: Masks | None, *, removed: bool, headed: bool
) -> Document:
    sha256 = change.before.sha256
    before = blobs[sha256] if sha256 is not None else None
    facts = replace(file_facts(change), removed=removed, headed=headed)
    return diff_document(before, blobs[change.after_sha256], change.path, facts=facts, masks=masks)


def _is_named_in_full(change: FileChange, cwd: str) -> bool:
    """True if a heading can say the path: plain, not too long, and below the directory that it starts from."""
    named = reveal(step_text(change, cwd), "path")
    below = bool(cwd) and not is_outside(change.path, cwd)
    return below and len(named) <= LONGEST_HEADED and not named.hidden and not named.findings


def file_facts(change: FileChange) -> FileFacts:
    """The facts about the file of a step besides its content."""
    state = change.before
    return FileFacts(
        mode_before=state.mode,
        mode_after=change.after_mode,
        link_target=state.link_target,
        real_path=state.real_path,
        follows=change.follows,
    )


def _says_the_same(presentation: Mapping[str, Any], documents: Sequence[Document]) -> bool:
    """True if a tool sent nothing but a content or a command that is shown already."""
    kind, content = sent_kind(presentation), presentation.get("content")
    match kind:
        case PresentationKind.COMMAND | PresentationKind.FILE_CONTENT:
            return not presentation.get("metadata") and any(
                document.kind is kind and "".join(document.source("new")) == content for document in documents
            )
        case PresentationKind.DIFF | PresentationKind.STRUCTURED | PresentationKind.TEXT | None:
            return False
        case _:
            assert_never(kind)


# -- Arguments of a call that its declared effects do not show.
#
# A decision binds the full arguments, so those that the diff or the command does not show must be shown beside it.
# Names decide: an argument counts as shown only if its name is one that tools commonly give to a part of an
# effect, and its value is that part. Each part of an effect accounts for one argument; another one with the same
# value may mean something else, so it is left over.

_PATH = ("path", "file_path", "filepath", "filename", "file")
_CONTENT = ("content", "contents", "file_text", "text")
_EDIT = (("old", "new"), ("old_str", "new_str"), ("old_string", "new_string"), ("old_text", "new_text"))
_COMMAND = ("command", "cmd")
_CWD = ("cwd", "workdir", "working_directory")
_TELLING = frozenset({"description"})
"""Names of texts that tell a person what a call is for, and need no warning."""


def _only_tells(arguments: Mapping[str, Any]) -> bool:
    return all(name in _TELLING and isinstance(value, str) for name, value in arguments.items())


def leftover_arguments(snapshot: Snapshot, arguments: Mapping[str, Any], cwd: str) -> dict[str, Any]:
    """Return the arguments that nothing in the snapshot shows, in their order.

    Args:
        snapshot: The steps that the call declares; its contents are read.
        arguments: Full arguments of the call.
        cwd: Absolute working directory that relative paths start from.

    Raises:
        SnapshotError: A stored content is damaged.
    """
    left = dict(arguments)
    for step in snapshot.steps:
        if isinstance(step, CommandRun):
            _take_command(left, step, cwd)
        else:
            _take_file(left, step, snapshot.blobs, cwd)
    return left


def _take_command(left: dict[str, Any], step: CommandRun, cwd: str) -> None:
    _take(left, _COMMAND, lambda value: value == step.command)
    _take(left, _CWD, lambda value: _leads_to(value, cwd, (step.cwd, step.real_cwd)))


def _take_file(left: dict[str, Any], step: FileChange, blobs: Mapping[str, bytes], cwd: str) -> None:
    _take(left, _PATH, lambda value: _leads_to(value, cwd, (step.path, step.before.real_path)))
    if step.binary or not any(name in left for name in (*_CONTENT, *(old for old, _ in _EDIT))):
        return
    before = b"" if step.before.sha256 is None else blobs[step.before.sha256]
    after = blobs[step.after_sha256]
    _take(left, _CONTENT, lambda value: _bytes(value) == after)
    _take_edit(left, before, after)


def _take(left: dict[str, Any], names: Iterable[str], shows: Callable[[str], bool]) -> None:
    """Remove the first argument of these names that is shown."""
    for name in names:
        value = left.get(name)
        if isinstance(value, str) and shows(value):
            del left[name]
            return


def _take_edit(left: dict[str, Any], before: bytes, after: bytes) -> None:
    """Remove the two arguments of an edit: replacing one by the other gives exactly the shown content."""
    for old_name, new_name in _EDIT:
        old, new = left.get(old_name), left.get(new_name)
        if isinstance(old, str) and isinstance(new, str) and _edits(before, _bytes(old), _bytes(new), after):
            del left[old_name], left[new_name]
            return


def _edits(before: bytes, old: bytes, new: bytes, after: bytes) -> bool:
    return bool(old) and before.count(old) == 1 and before.replace(old, new) == after


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _leads_to(path: str, cwd: str, places: Iterable[str]) -> bool:
    """True if a path plainly names one of these places; a path with ".." would depend on links."""
    whole = PurePosixPath(cwd, path)
    return bool(path) and any(whole == PurePosixPath(place) for place in places)


# -- Documents of presentations: the tool's word on its own call is shown, labeled, and never believed.

SENT_BY_TOOL = "sent by the tool"

_CUT_MARK = re.compile(r"\.\.\. \[(\d{1,9}) more lines\]\s*\Z", re.ASCII)
_SIGNS = {"+": RowKind.ADDED, "-": RowKind.REMOVED, " ": RowKind.CONTEXT}
_SIGNED = frozenset(_SIGNS.values())


def presentation_documents(
    presentation: Mapping[str, Any], masks: Masks | None = None, *, cwd: str | None = None
) -> tuple[Document, ...]:
    """Show the presentation of a tool: its content, and the full content if it kept some back.

    A command has the directory that the tool names, or else that of the call, in a row before it. Structured
    content that is JSON is a tree; any other is shown as it came.

    Args:
        presentation: Mapping with "type", "content", "language" and "metadata". "metadata" may hold
            "full_content", "truncated_lines", "redacted", the number of secrets hidden, and "cwd", the working
            directory of a command.
        masks: The rules of what to hide; None hides nothing.
        cwd: Working directory of the call, None if it is not known.

    Returns:
        One document, or two. The first is not complete if the tool cut it and sent no full content.
    """
    content = presentation.get("content")
    content = content if isinstance(content, str) else ""
    metadata = presentation.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    full = metadata.get("full_content")
    full = full if isinstance(full, str) and full != content else None
    missing = _missing(content, metadata)
    secrets = _count(metadata.get("redacted"))
    hidden = (f"{number_of(secrets, 'secret')} hidden by the tool",) if secrets else ()
    place = metadata.get("cwd")
    cwd = place if isinstance(place, str) and place else cwd
    if full is not None:
        shortened = (SENT_BY_TOOL, "shortened, the full content follows", *hidden)
        whole = (SENT_BY_TOOL, "the full content", *hidden)
        return (
            _document(presentation, content, shortened, masks, cwd, complete=True),
            _document(presentation, full, whole, masks, cwd, complete=True),
        )
    cut = (f"TRUNCATED BY THE TOOL: {missing}",) if missing else ()
    notes = (SENT_BY_TOOL, *cut, *hidden)
    return (_document(presentation, content, notes, masks, cwd, complete=not missing),)


def _document(
    presentation: Mapping[str, Any],
    content: str,
    notes: tuple[str, ...],
    masks: Masks | None,
    cwd: str | None,
    *,
    complete: bool,
) -> Document:
    kind = sent_kind(presentation) or PresentationKind.TEXT
    lines = split_lines(content)
    kinds = [RowKind.PLAIN] * len(lines)
    place: list[RowRun] = []
    field: Field = "content"
    match kind:
        case PresentationKind.DIFF:
            kinds = _diff_kinds(lines)
            lines = [line[1:] if row in _SIGNED else line for line, row in zip(lines, kinds, strict=True)]
        case PresentationKind.COMMAND:
            kinds, field = [RowKind.COMMAND] * len(lines), "command"
            if cwd:
                place.append(fixed(RowKind.PLACE, joined("cwd: ", quoted_path(cwd)), counts=True))
        case PresentationKind.STRUCTURED if complete and (values := _values(content)):
            return structured_document(values, notes=notes, rows=notes, masks=masks)
        case PresentationKind.FILE_CONTENT | PresentationKind.STRUCTURED | PresentationKind.TEXT:
            pass
        case _:
            assert_never(kind)
    return Document(
        kind,
        [*(fixed(RowKind.NOTE, note) for note in notes), *place, *_runs(kinds)],
        Sources(new=lines, field=field, masks=masks),
        language_name=language_or_none(presentation.get("language")),
        added=kinds.count(RowKind.ADDED),
        removed=kinds.count(RowKind.REMOVED),
        complete=complete,
        notes=notes,
    )


def _values(content: str) -> Any:
    """The values that a content spells, if it is a list or an object of JSON; None if it is anything else."""
    try:
        values = parse_json(content)
    except NotJsonError:
        return None
    return values if isinstance(values, dict | list) else None


def _runs(kinds: Sequence[RowKind]) -> Iterator[RowRun]:
    """Rows for lines of these kinds; all count, and none has a line number, since a tool's could be wrong."""
    at = 0
    for kind, group in groupby(kinds):
        length = sum(1 for _ in group)
        yield RowRun(kind, length, counts=True, new=at, numbered=False)
        at += length
    if not kinds:
        yield fixed(RowKind.NOTE, "(empty text)", counts=True)


def _diff_kinds(lines: Sequence[str]) -> list[RowKind]:
    """Kinds of the lines of a unified diff, by their signs alone."""
    kinds: list[RowKind] = []
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        heads_old = line.startswith("--- ") and after.startswith("+++ ")
        heads_new = line.startswith("+++ ") and before.startswith("--- ")
        if heads_old or heads_new:
            kinds.append(RowKind.FILE)
        elif line.startswith("@@"):
            kinds.append(RowKind.HUNK)
        else:
            kinds.append(_SIGNS.get(line[:1], RowKind.PLAIN))
    return kinds


def _missing(content: str, metadata: Mapping[str, Any]) -> str | None:
    """The missing part of the content, in words; None if the tool does not say that any is missing."""
    count, shown = _count(metadata.get("truncated_lines")), content
    if not count and (mark := _CUT_MARK.search(content)):
        count, shown = int(mark[1]), content[: mark.start()].rstrip("\n")
    if count:
        here = len(split_lines(shown))
        return f"{here} of {number_of(here + count, 'line')}. The rest cannot be shown"
    return "it does not say how much" if metadata.get("truncated") else None


def _count(value: Any) -> int:
    """A number that a tool sent, 0 if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
