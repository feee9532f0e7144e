"""A request as plain text: everything a person needs to judge it, and nothing cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from signoff.canonical import canonical
from signoff.cli.facts import seen_token, short_id
from signoff.cli.output import one_line
from signoff.cli.page import Page
from signoff.cli.remembering import reach_of, session_reach
from signoff.cli.subject import tool_of, what_of
from signoff.lengths import clock
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.verdict import RISK_WORD
from signoff.present.document.rows import RowKind
from signoff.present.reveal import reveal_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from signoff.cli.request_content import Content
    from signoff.policy.redaction.masking import Redaction
    from signoff.present.document.model import Document
    from signoff.present.reveal import Field
    from signoff.queue.records import Risk, StoredRequest
    from signoff.shown_commands import ShownCommand

__all__ = ["approve_call", "request_text", "risk_word", "target_line", "warnings_of"]

_LABEL = 11

_SIGN: Mapping[RowKind, str] = {
    RowKind.ADDED: "+",
    RowKind.REMOVED: "-",
    RowKind.HUNK: "@",
    RowKind.FILE: "=",
    RowKind.FOLD: ":",
    RowKind.FACT: "*",
    RowKind.PLACE: "@",
    RowKind.COMMAND: "$",
    RowKind.NOTE: "#",
}
"""What stands before a row, so that rows of ours and lines of the content cannot be taken for each other."""


def risk_word(risk: Risk) -> str:
    """The risk as people read it; only HIGH is in capitals."""
    return RISK_WORD[risk]


def target_line(request: StoredRequest) -> str:
    """Name a request on one line: short id, agent, tool and what it is about."""
    submission = request.submission
    return (
        f"{short_id(request.id)}  {one_line(request.asked_by.name, 'agent')}  "
        f"{tool_of(submission)}: {what_of(submission)}"
    )


def approve_call(request: StoredRequest, *, complete: bool) -> str:
    """The command that approves exactly what is shown."""
    rest = "" if complete else " --incomplete"
    return f"signoff approve {short_id(request.id)} --seen {seen_token(request)}{rest}"


def warnings_of(request: StoredRequest) -> list[str]:
    """What is suspicious about the texts around the content, with the name of each."""
    return [
        f"{label}: {finding.message}"
        for label, text, field in _agent_texts(request)
        for finding in reveal_line(text, field).findings
        if finding.warn
    ]


def request_text(
    request: StoredRequest,
    content: Content,
    now: int,
    *,
    width: int | None,
    hidden: Redaction = DEFAULT_REDACTION,
) -> str:
    """Write a request down. The parts of its commands are worked out, which may take seconds.

    Args:
        request: The request.
        content: What it would do.
        now: The present, in microseconds since the epoch.
        width: Columns to fold lines at, or None to leave them whole.
        hidden: What is hidden of the texts around the content, and of the parts of commands.
    """
    page = Page(width)
    for label, text in _facts(request, now, hidden):
        page.add(text, label=label.ljust(_LABEL))
    for warning in warnings_of(request):
        page.add(warning, label="!".ljust(_LABEL))
    for number, document in enumerate(content.documents, start=1):
        page.add("")
        page.add(_heading(document), label=f"[{number} of {len(content.documents)}] ")
        _add_document(page, document)
        for command in content.commands:
            if command.after == number:
                page.add("")
                _add_parts(page, command, request, hidden, content.context)
    if not content.complete:
        page.add("")
        page.add("not everything can be shown; see the notes above", label="! ")
    return page.text()


def _add_parts(page: Page, command: ShownCommand, request: StoredRequest, hidden: Redaction, context: int) -> None:
    from signoff.cli.command_parts import add_parts  # late: most that is printed is about no command
    from signoff.command_review import told_command

    add_parts(page, told_command(command, request, hidden.also(request.submission.masked_keys)), context)


def _agent_texts(request: StoredRequest) -> Iterator[tuple[str, str, Field]]:
    """The texts around the content that the agent wrote: name, text, and how strictly it is read."""
    asked, submission = request.asked_by, request.submission
    if submission.server is not None:
        yield "server", submission.server, "tool_name"
    yield "tool", submission.tool_name, "tool_name"
    yield "what", submission.description, "content"
    yield "agent", asked.name, "agent"
    if asked.caller not in ("", asked.name):
        yield "caller", asked.caller, "agent"
    yield "session", asked.session, "content"
    yield "via", asked.via, "content"
    if asked.program not in ("", asked.name):
        yield "program", asked.program, "content"
    yield "directory", submission.cwd, "path"
    if submission.group_id is not None:
        yield "group", submission.group_id, "content"
    if submission.batch_id is not None:
        yield "batch", submission.batch_id, "content"
    if submission.why:
        yield "why", submission.why, "content"


def _facts(request: StoredRequest, now: int, hidden: Redaction) -> Iterator[tuple[str, str]]:
    asked, submission = request.asked_by, request.submission
    hidden = hidden.also(submission.masked_keys)
    yield "request", f"{request.id}, revision {request.revision}"
    yield "state", _state(request, now)
    reasons = ", ".join(one_line(reason) for reason in submission.risk_reasons)
    yield "risk", risk_word(submission.risk) + (f": {reasons}" if reasons else "")
    for label, text, field in _agent_texts(request):
        yield label, one_line(hidden.mask_text(text).text, field)
    yield "process", f"{asked.pid} on {one_line(asked.host)}"
    if submission.group_size is not None:
        yield "group of", str(submission.group_size)
    if submission.batch_position is not None:
        yield "position", f"{submission.batch_position + 1} in its batch"
    for following in submission.batch_remaining:
        yield "next", one_line(canonical(hidden.mask_value(following)))
    if submission.may_be_remembered:
        wide = "; wants --wide" if reach_of(request).breadth.careless else ""
        yield "--session", f"would also approve {session_reach(request)}{wide}"


def _state(request: StoredRequest, now: int) -> str:
    if request.pending:
        words = f"waiting {clock(now - request.created_at)}"
        expires = request.submission.expires_at
        return words if expires is None else f"{words}, expires in {clock(expires - now)}"
    decision = request.decision
    if decision is None:
        return f"{request.state}, nobody decided: {one_line(request.state_note or '')}"
    said = (decision.note or "").replace("\n", " ")
    note = f": {one_line(said)}" if said else ""
    words = f"; {one_line(decision.instead.words)}" if decision.instead else ""
    return f"{request.state} by {one_line(decision.by, 'agent')} ({decision.source}){note}{words}"


def _heading(document: Document) -> str:
    parts = [document.kind.replace("_", " ")]
    if document.path is not None:
        parts.append(one_line(document.path, "path"))
    if document.added or document.removed:
        parts.append(f"+{document.added} -{document.removed}")
    return "  ".join(parts)


def _add_document(page: Page, document: Document) -> None:
    for note in document.notes:
        page.add(note, label="  # ")
    for alert in document.scan():
        page.add(alert.message, label="  ! ")
    for row in document:
        page.add(row.text.text, label=f"  | {_SIGN.get(row.kind, ' ')} ", fold="  | > ")
