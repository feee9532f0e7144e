"""Documents of what a tool says about its own call: shown, labeled, and never believed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from signoff.canonical import NotJsonError, parse_json
from signoff.present.diff import split_lines
from signoff.present.document import Document, DocumentKind, Sources
from signoff.present.language import language_or_none
from signoff.present.masking import Masks
from signoff.present.rows import RowKind, Run, fixed, joined, number_of, quoted_path
from signoff.present.structured import structured_document

__all__ = ["SENT_BY_TOOL", "presentation_documents"]

SENT_BY_TOOL = "sent by the tool"

_CUT_MARK = re.compile(r"\.\.\. \[(\d{1,9}) more lines\]\s*\Z", re.ASCII)
_KINDS: dict[str, DocumentKind] = {
    "command": "command",
    "diff": "diff",
    "file_content": "file_content",
    "structured": "structured",
    "text": "text",
}
_ROW_KINDS: dict[DocumentKind, RowKind] = {"command": RowKind.COMMAND}
_SIGNS = {"+": RowKind.ADDED, "-": RowKind.REMOVED, " ": RowKind.CONTEXT}
_SIGNED = frozenset(_SIGNS.values())


def presentation_documents(
    presentation: Mapping[str, Any], masks: Masks | None = None, *, cwd: str | None = None
) -> tuple[Document, ...]:
    """Show what a tool sent: its content, and the full content if it kept some back.

    A command has the directory that the tool says, or else that of the call, in a row before it. Structured
    content that is JSON is a tree; any other is shown as it came.

    Args:
        presentation: Mapping with "type", "content", "language" and "metadata". "metadata" may hold
            "full_content", "truncated_lines", "redacted", the number of secrets hidden, and "cwd", the working
            directory of a command.
        masks: Says what of it is hidden; None hides nothing.
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
    kind = _KINDS.get(str(presentation.get("type")), "text")
    if kind == "structured" and complete and (values := _values(content)):
        return structured_document(values, notes=notes, rows=notes, masks=masks)
    place = (
        [fixed(RowKind.PLACE, joined("cwd: ", quoted_path(cwd)), counts=True)] if kind == "command" and cwd else []
    )
    lines = split_lines(content)
    kinds = [_ROW_KINDS.get(kind, RowKind.PLAIN)] * len(lines)
    if kind == "diff":
        kinds = _diff_kinds(lines)
        lines = [line[1:] if row in _SIGNED else line for line, row in zip(lines, kinds, strict=True)]
    return Document(
        kind,
        [*(fixed(RowKind.NOTE, note) for note in notes), *place, *_runs(kinds)],
        Sources(new=lines, field="command" if kind == "command" else "content", masks=masks),
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


def _runs(kinds: Sequence[RowKind]) -> Iterator[Run]:
    """Rows for lines of these kinds; every one counts, and none has a number we could vouch for."""
    at = 0
    for kind, group in groupby(kinds):
        length = sum(1 for _ in group)
        yield Run(kind, length, counts=True, new=at, numbered=False)
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
    """What of the content is missing, in words; None if the tool does not say that any is."""
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
