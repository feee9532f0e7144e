"""One request in a few words: kind, subject, state. Only the stored request is read."""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, assert_never

from msgspec import Struct

from signoff.amended_call import amended, is_edited
from signoff.masked_subject import described
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.verdict import RISK_WORD
from signoff.present.document.rows import joined
from signoff.present.kinds import PresentationKind, sent_command, undeclared_kind
from signoff.present.reveal import SafeText, reveal, reveal_line
from signoff.present.snapshot.steps import FileChange, SnapshotError, Step
from signoff.present.subject import SERVER_SIGN, is_outside, is_removal, step_kind, step_text, steps_of
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.history import HistoryRecord
from signoff.queue.records import (
    DecideResult,
    DecisionSource,
    Grant,
    RequestState,
    StoredRequest,
    Submission,
    VerdictKind,
)
from signoff.queue.wording import agent_exited, lost_its_connection, was_not_run
from signoff.text.outcome import expired_text, outcome_text
from signoff_tui.text.lines import Chunk, Cut

__all__ = [
    "LONGEST",
    "RISK_WORD",
    "Summary",
    "already_ended_text",
    "ended_text",
    "group_name",
    "letter_of",
    "refused_text",
    "summarize",
    "tool_text",
]

LONGEST = 1_000
"""The most characters of a command or description in a row; no row is so wide."""


class Summary(Struct, frozen=True):
    """The words for a request in a row and a head.

    Attributes:
        letter: The letter of the kind, see `letter_of`.
        tool: Name of the tool, after that of its server if it has one.
        what: Path relative to the working directory, command, or description; one line, after the server of the
            tool if it has one.
        named: The same where the call is read: words that declare no effect are the agent's own, so they stand
            behind the name of the tool, unless they begin with it.
        path: True for a path, of which the last part may stand for the whole.
        agent: Name of the agent.
        session: Session of the agent.
        outside: True if a file is outside the working directory.
        cut: The place where `what` is cut, so that the program of a command, or the file name, stays.
    """

    letter: str
    tool: SafeText
    what: SafeText
    named: SafeText
    path: bool
    agent: SafeText
    session: SafeText
    outside: bool
    cut: Cut

    def shown(self, token: str = "text", *, enough: int | None = None) -> Chunk:
        """Return `what`, ready to be drawn."""
        return Chunk(self.what, token, cut=self.cut, enough=enough)


def summarize(request: StoredRequest) -> Summary:
    """Summarize a stored request.

    A damaged snapshot is no error here: the request is described by the tool's words, and opening it shows the
    fault.
    """
    return _summarized(_Same(request))


class _Same:
    """A request as a key: the same object, since equal ones cost more to compare than to summarize."""

    def __init__(self, request: StoredRequest) -> None:
        self.request = request

    def __hash__(self) -> int:
        return id(self.request)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.request is other.request


@lru_cache(maxsize=512)
def _summarized(same: _Same) -> Summary:
    request = same.request
    decision = request.decision
    if decision is not None and decision.instead is not None:
        request = replace(request, submission=amended(request.submission, decision.instead))
    submission = request.submission
    kind, what, path, outside = _subject(request)
    steps, tool, own_words = _steps(request), tool_text(submission), what
    name = reveal(submission.tool_name, "tool_name").text
    said = own_words.text == name or own_words.text.startswith((f"{name} ", f"{name}(", f"{name}:"))
    letter = "D" if is_removal(steps) else letter_of(kind)
    if submission.server is not None:  # rows do not name the tool
        what, path = joined(reveal(submission.server, "tool_name"), ": ", what), False
    return Summary(
        letter=letter,
        tool=tool,
        what=what,
        named=what if steps or said else joined(tool, ": ", own_words),
        path=path,
        agent=reveal(request.asked_by.name, "agent"),
        session=reveal(request.asked_by.session, "agent"),
        outside=outside,
        cut="front" if kind.is_file else "end",
    )


def tool_text(call: Submission | HistoryRecord | Grant | GrantPattern) -> SafeText:
    """Return the name of a tool, after that of its server if it has one."""
    tool = reveal(call.tool_name, "tool_name")
    return tool if call.server is None else joined(reveal(call.server, "tool_name"), SERVER_SIGN, tool)


def group_name(group_id: str, calls: Sequence[Submission | HistoryRecord]) -> SafeText:
    """Return the name of a group: that which its sender gave, without ids, or what its calls do.

    Args:
        group_id: The name that its sender gave; empty for none.
        calls: Its members; at least one.
    """
    given = _ID_AT_THE_END.sub("", group_id).strip()
    if given and not _ID.fullmatch(given):
        return reveal_line(given, "arg_key")
    return _what_several_do(calls)


_ID = re.compile(r"(?=\S*\d)\S*[0-9a-fA-F-]{6,}\S*|\d+")
"""A name that a program made: one word with a long number in it."""

_ID_AT_THE_END = re.compile(r"[,:\s]+(?=\S*\d)#?[0-9a-fA-F-]{6,}$")


def _what_several_do(calls: Sequence[Submission | HistoryRecord]) -> SafeText:
    number, plural = len(calls), "" if len(calls) == 1 else "s"
    steps = [_steps_in(call.snapshot) for call in calls]
    tools = {call.tool_name for call in calls}
    if all(steps) and all(isinstance(step, FileChange) for each in steps for step in each):
        paths = [step.path for each in steps for step in each if isinstance(step, FileChange)]
        folder = _folder_of(paths, calls[0].cwd)
        where = (" in ", reveal(f"{folder}/", "path")) if folder else ()
        return joined(f"write {number} file{plural}", *where)
    if all(steps) and not any(isinstance(step, FileChange) for each in steps for step in each):
        return SafeText.own(f"run {number} command{plural}")
    if len(tools) == 1:
        return joined(f"{number} call{plural} of ", reveal(calls[0].tool_name, "tool_name"))
    return SafeText.own(f"{number} calls in one turn")


def _folder_of(paths: Sequence[str], cwd: str) -> str:
    """The folder that holds some files; empty for the working directory, and if it is not known."""
    if not all(map(os.path.isabs, paths)):  # no tool sends that, but whoever writes to the queue can
        return ""
    folder = os.path.relpath(os.path.commonpath([str(Path(path).parent) for path in paths]), cwd or "/")
    return "" if folder == "." else folder


def letter_of(kind: PresentationKind) -> str:
    """Return the letter of a kind: that of a file is one of its change."""
    match kind:
        case PresentationKind.DIFF:
            return "M"
        case PresentationKind.FILE_CONTENT:
            return "A"
        case PresentationKind.COMMAND:
            return "$"
        case PresentationKind.STRUCTURED:
            return "{"
        case PresentationKind.TEXT:
            return "T"
        case PresentationKind.BINARY:
            return "B"
        case _:
            assert_never(kind)


def _subject(request: StoredRequest) -> tuple[PresentationKind, SafeText, bool, bool]:
    submission = request.submission
    steps = _steps(request)
    if steps:
        return _first_of(steps, submission.cwd)
    presentation = submission.presentation or {}
    if (command := sent_command(presentation)) is not None:
        what = _one_line(command, "command")
    else:
        what = _one_line(described(submission) or submission.tool_name, "description")
    return undeclared_kind(presentation), what, False, False


def _steps(request: StoredRequest) -> Sequence[Step]:
    return _steps_in(request.submission.snapshot)


def _steps_in(snapshot: Mapping[str, Any] | None) -> Sequence[Step]:
    try:
        return steps_of(snapshot)
    except SnapshotError:
        return ()


def _first_of(steps: Sequence[Step], cwd: str) -> tuple[PresentationKind, SafeText, bool, bool]:
    """The text of the first step, with the number of further ones at the end that is never cut."""
    outside = any(isinstance(step, FileChange) and is_outside(step.path, cwd) for step in steps)
    several = len(steps) > 1 and not is_removal(steps)
    first = steps[0]
    kind, text = step_kind(first), step_text(first, cwd)
    if kind.is_file:
        more = f" and {len(steps) - 1} more" if several else ""
        return kind, joined(reveal(text, "path"), more), not several, outside
    first_of = f"1 of {len(steps)}: " if several else ""
    return kind, joined(first_of, _one_line(text, "command")), False, outside


@lru_cache(maxsize=256)
def _one_line(text: str, field: Literal["command", "description"]) -> SafeText:
    """A text on one line, without its middle if it is long: the reading view shows it in full.

    Secrets are marks here, whatever the reading view shows.
    """
    text = DEFAULT_REDACTION.mask_text(text, command=field == "command").text
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    lines = [part.strip(" \t") for part in text.split("\n") if part.strip()]
    return reveal_line((" ; " if field == "command" else " ").join(lines), field)


def ended_text(request: StoredRequest, reviewer: str | None = None) -> str:
    """Return the end of a request in words of signoff, the verb first; empty while it waits.

    Args:
        request: The request.
        reviewer: The reader, whose own decisions are worded as such. None names everybody.
    """
    decision, state = request.decision, request.state
    if request.pending:
        return ""
    if state is RequestState.EXPIRED and request.expires_at is not None:
        return expired_text(request.expires_at - request.created_at, "row")
    if state is RequestState.WITHDRAWN and lost_its_connection(request.state_note):
        return "agent lost its connection"
    note = request.state_note
    words = outcome_text(state, decision, "row", gone=agent_exited(note), unrun=was_not_run(state, note))
    if decision is None or state not in (RequestState.APPROVED, RequestState.REJECTED):
        return words
    mine, told = decision.by == reviewer, state is RequestState.APPROVED and decision.remember
    if state is RequestState.APPROVED and decision.instead is not None:
        if is_edited(decision.instead):
            return f"approved, edited by {'you' if mine else reveal(decision.by, 'agent').text}"
        told, words = True, f"approved {_one_line(decision.instead.summary, 'description').text or 'with changes'}"
    elif decision.source in (DecisionSource.GRANT, DecisionSource.CASCADE):
        return words
    if mine and told:  # one's own name is left out if there is more to report
        return words
    return f"{words} by {'you' if mine else reveal(decision.by, 'agent').text}"


def already_ended_text(request: StoredRequest, reviewer: str | None = None) -> str:
    """Return the answer to a key that came too late: the end of the request; empty while it waits.

    Args:
        request: The request.
        reviewer: The name of the person who pressed the key.
    """
    return f"{'' if request.decision is None else 'already '}{ended_text(request, reviewer)}"


def refused_text(answer: DecideResult, reviewer: str) -> str:
    """Return why the queue did not take a decision, in words.

    Args:
        answer: Its answer.
        reviewer: The name of the person who decided.
    """
    current = answer.current
    if answer.kind is not VerdictKind.TOO_LATE or current is None:
        return answer.message
    decision = current.decision
    if decision is not None and decision.source is DecisionSource.REVIEWER and decision.by != reviewer:
        return f"{reveal(decision.by, 'agent').text} was first"
    return already_ended_text(current, reviewer)
