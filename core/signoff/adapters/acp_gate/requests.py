"""The request for a person about an action: its files compared with those on the disk."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal, NamedTuple

from signoff.adapters.acp_gate.actions import FROM_EDITOR, AgentAction, Diff
from signoff.adapters.hooks.text_files import line_feeds, read_text_file
from signoff.effects import FileWrite, SnapshotError
from signoff.present.snapshot.files import named
from signoff.types import ApprovalContext, ApprovalPresentation, ApprovalRequest

__all__ = ["AskedAction", "asked_action"]


class AskedAction(NamedTuple):
    """The request for a person.

    Attributes:
        request: The request.
        context: What the runner can do with the answer.
    """

    request: ApprovalRequest
    context: ApprovalContext


def asked_action(action: AgentAction) -> AskedAction:
    """Return the question about an action; reads the files that it names.

    Raises:
        NotJsonError: It holds something that is no JSON.
    """
    writes, told, doubts = _compared(action.diffs)
    lacks: set[Literal["hard", "note", "session"]] = set()
    if action.permission is not None:
        lacks.add("note")
        if doubts or not action.tells_all:
            lacks.add("session")
    if not action.session or action.message.method in FROM_EDITOR:
        lacks.add("hard")  # there is no turn to end
    words = "\n".join(filter(None, [action.words, told]))
    request = ApprovalRequest(
        tool_name=action.tool,
        description=action.title,
        payload=action.arguments,
        arguments=action.arguments,
        effects=(*action.effects, *writes),
        presentation=ApprovalPresentation(type="text", content=words) if words else None,
        server=action.server,
        why="; ".join(doubts),
    )
    context = ApprovalContext(
        tool_name=action.tool, args=action.arguments, server=action.server, lacks=frozenset(lacks)
    )
    return AskedAction(request, context)


def _compared(diffs: Sequence[Diff]) -> tuple[list[FileWrite], str, list[str]]:
    """The files that the diffs leave behind; else, all of them as the agent tells them, and why."""
    writes, doubts = [], []
    for diff in diffs:
        try:
            writes.append(_written(diff, diffs))
        except SnapshotError as error:
            doubts.append(f"shown as the agent tells it, not as the files are: {error}")
    if not doubts:
        return writes, "", []
    return [], "\n".join(map(_as_told, diffs)), doubts


def _written(diff: Diff, diffs: Sequence[Diff]) -> FileWrite:
    """The file that one of the diffs leaves behind.

    Raises:
        SnapshotError: The file is not what the diff was made from, or another diff changes it, too.
    """
    if sum(each.path == diff.path for each in diffs) > 1:
        raise SnapshotError(f"{named(diff.path)} is changed more than once")
    file, old = read_text_file(diff.path), line_feeds(diff.old)
    if file.is_mixed:
        raise SnapshotError(f"{named(diff.path)} has line ends of both kinds")
    if old == file.text:
        after = diff.new
    elif old and file.text.count(old) == 1:
        after = file.text.replace(old, diff.new)
    else:
        raise SnapshotError(f"the text before is not what is in {named(diff.path)}")
    return FileWrite(diff.path, file.encoded(after, crlf=file.crlf > 0), replaces=file.sha256)


def _as_told(diff: Diff) -> str:
    lines = difflib.unified_diff(
        diff.old.splitlines(), diff.new.splitlines(), diff.path, diff.path, lineterm="", n=3
    )
    return "\n".join(lines)
