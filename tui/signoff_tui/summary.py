"""One request in a few words: kind, what, state. Nothing is read or computed beyond the stored request."""

from __future__ import annotations

import os.path
from dataclasses import dataclass

from signoff.present.reveal import SafeText, reveal

from signoff.present.snapshot import CommandRun, FileChange, Snapshot, SnapshotError
from signoff.queue.records import RequestState, Risk, StoredRequest

__all__ = ["RISK_WORD", "Summary", "age_text", "ended_text", "summarize"]

RISK_WORD = {Risk.LOW: "low", Risk.MEDIUM: "med", Risk.HIGH: "HIGH"}


@dataclass(frozen=True, slots=True)
class Summary:
    """What a row, a header and the target line say about a request.

    Attributes:
        kind: ``D`` edited file, ``N`` new file, ``$`` command, ``{`` structured call, ``T`` text, ``B`` binary.
        tool: Name of the tool.
        what: Path relative to the working directory, command, or description; one line.
        path: The path again if it is about files, for names that are cut in the middle.
        agent: Name of the agent.
        session: Session of the agent.
        outside: Whether a path lies outside the working directory.
    """

    kind: str
    tool: SafeText
    what: SafeText
    path: bool
    agent: SafeText
    session: SafeText
    outside: bool


def summarize(request: StoredRequest) -> Summary:
    """Summarize a stored request.

    A damaged snapshot is no error here: the request is described by what the tool said, and opening it says
    what is wrong.
    """
    submission = request.submission
    kind, what, path, outside = _subject(request)
    return Summary(
        kind=kind,
        tool=reveal(submission.tool_name, "tool_name"),
        what=what,
        path=path,
        agent=reveal(request.asked_by.name, "agent"),
        session=reveal(request.asked_by.session, "agent"),
        outside=outside,
    )


def _subject(request: StoredRequest) -> tuple[str, SafeText, bool, bool]:
    submission = request.submission
    steps = _steps(request)
    if len(steps) == 1 and isinstance(step := steps[0], CommandRun):
        return "$", _one_line(step.command, "command"), False, False
    if steps and isinstance(step := steps[0], FileChange):
        path, outside = _relative(step.path, submission.cwd)
        more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        shown = reveal(path + more, "path")
        return _file_kind(step), shown, True, outside
    presentation = submission.presentation or {}
    if presentation.get("type") == "text":
        return "T", _one_line(submission.description, "description"), False, False
    if presentation.get("type") == "command":
        return "$", _one_line(str(presentation.get("content", "")), "command"), False, False
    return "{", _one_line(submission.description or submission.tool_name, "description"), False, False


def _steps(request: StoredRequest) -> tuple[FileChange | CommandRun, ...]:
    if request.submission.snapshot is None:
        return ()
    try:
        return Snapshot.from_json(dict(request.submission.snapshot), _no_contents).steps
    except SnapshotError:
        return ()


def _no_contents(sha256: str) -> bytes:
    raise SnapshotError(f"content {sha256} is not needed for a summary")


def _file_kind(change: FileChange) -> str:
    if change.binary:
        return "B"
    return "D" if change.before.exists else "N"


def _relative(path: str, cwd: str) -> tuple[str, bool]:
    relative = os.path.relpath(path, cwd)
    if relative.split(os.sep, 1)[0] == os.pardir:
        return path, True
    return relative, False


def _one_line(text: str, field: str) -> SafeText:
    # A row has one line; the reading view shows the lines as they are.
    joined = " ; ".join(part for part in text.split("\n") if part.strip()) if field == "command" else text
    return reveal(joined.replace("\n", " "), "path" if field != "command" else "command")


def age_text(seconds: float) -> str:
    """``MM:SS`` under an hour, ``1h02m`` above."""
    whole = max(int(seconds), 0)
    if whole < 3600:
        return f"{whole // 60:02}:{whole % 60:02}"
    return f"{whole // 3600}h{whole % 3600 // 60:02}m"


def ended_text(request: StoredRequest) -> str:
    """How a request ended, in the program's own words; empty while it waits."""
    by = reveal(request.decision.by, "agent").text if request.decision is not None else ""
    match request.state:
        case RequestState.PENDING:
            return ""
        case RequestState.APPROVED:
            return f"approved by {by}"
        case RequestState.REJECTED:
            decision = request.decision
            if decision is not None and decision.source == "cascade":
                return "stopped with its batch"
            return f"{'stopped' if decision is not None and decision.hard else 'rejected'} by {by}"
        case RequestState.EXPIRED:
            return "expired, nobody decided"
        case RequestState.WITHDRAWN:
            return "withdrawn: the agent is gone" if _agent_gone(request) else "withdrawn by the agent"
        case RequestState.SUPERSEDED:
            return "superseded by a newer revision"


def _agent_gone(request: StoredRequest) -> bool:
    return "gone" in (request.state_note or "") or "ended" in (request.state_note or "")
