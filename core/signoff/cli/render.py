"""A request on the command line: as text with nothing cut, on one line, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from signoff.canonical import canonical
from signoff.cli.output import Page, clipped, one_line
from signoff.history_export import decision_facts, record_facts
from signoff.masked_subject import declared_subject, described
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.verdict import RISK_WORD
from signoff.present.document.build import documents_for
from signoff.present.document.rows import RowKind
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import reveal_line
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import SnapshotError
from signoff.present.subject import SERVER_SIGN, step_kind, steps_of
from signoff.queue.grant_coverage import reach_of, session_text
from signoff.shown_commands import shown_commands
from signoff.text.outcome import outcome_text
from signoff.text.time import iso, length_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from signoff.policy.redaction.masking import Redactor
    from signoff.present.document.model import Document
    from signoff.present.reveal import Field
    from signoff.queue.history import HistoryRecord
    from signoff.queue.records import Risk, StoredRequest, Submission
    from signoff.shown_commands import ShownCommand


__all__ = [
    "SEEN_DIGITS",
    "SIGN_OF_ROW",
    "CallContent",
    "approve_call",
    "content_of",
    "end_of",
    "fact_lines",
    "kind_of",
    "record_facts",
    "request_facts",
    "request_text",
    "risk_word",
    "seen_token",
    "session_reach",
    "short_id",
    "target_line",
    "tool_of",
    "warnings_of",
    "what_of",
]


_LABEL = 11

SIGN_OF_ROW: Mapping[RowKind, str] = {
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
"""The sign before each row, so that labels and lines of the content cannot be taken for each other."""


def risk_word(risk: Risk) -> str:
    """Return the word for a risk; only HIGH is in capitals."""
    return RISK_WORD[risk]


def target_line(request: StoredRequest) -> str:
    """Name a request on one line: short id, agent, tool and subject."""
    submission = request.submission
    return (
        f"{short_id(request.id)}  {one_line(request.asked_by.name, 'agent')}  "
        f"{tool_of(submission)}: {what_of(submission)}"
    )


def approve_call(request: StoredRequest, *, complete: bool) -> str:
    """Return the command that approves exactly the shown request."""
    rest = "" if complete else " --incomplete"
    return f"signoff approve {short_id(request.id)} --seen {seen_token(request)}{rest}"


def warnings_of(request: StoredRequest) -> list[str]:
    """Return the warnings about the texts around the content, each with the name of its text."""
    return [
        f"{label}: {finding.message}"
        for label, text, field in _agent_texts(request)
        for finding in reveal_line(text, field).findings
        if finding.warn
    ]


def request_text(
    request: StoredRequest,
    content: CallContent,
    now: int,
    *,
    width: int | None,
    hidden: Redactor = DEFAULT_REDACTION,
) -> str:
    """Write a request as text. The parts of its commands are worked out, which may take seconds.

    Args:
        request: The request.
        content: The documents of the request.
        now: The present, in microseconds since the epoch.
        width: Columns to fold lines at, or None to leave them whole.
        hidden: The rules of what to hide in the texts around the content, and in the parts of commands.
    """
    page = Page(width)
    for label, text in fact_lines(request, now, hidden):
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


def _add_parts(page: Page, command: ShownCommand, request: StoredRequest, hidden: Redactor, context: int) -> None:
    from signoff.cli.command_text import add_parts  # late: most requests have no command
    from signoff.command_review import told_command

    add_parts(page, told_command(command, request, hidden.also(request.submission.masked_keys)), context)


def _agent_texts(request: StoredRequest) -> Iterator[tuple[str, str, Field]]:
    """The texts around the content that the agent wrote: name, text, and field."""
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


def fact_lines(request: StoredRequest, now: int, hidden: Redactor) -> Iterator[tuple[str, str]]:
    """Return the facts of a request that are not its content: a label and a text that is safe to print.

    Args:
        request: The request.
        now: The present, in microseconds since the epoch.
        hidden: The rules of what to hide.
    """
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
        wide = "; wants --wide" if reach_of(submission).breadth.careless else ""
        yield "--session", f"would also approve {session_reach(request)}{wide}"


def _state(request: StoredRequest, now: int) -> str:
    if request.pending:
        words = f"waiting {length_text(now - request.created_at)}"
        expires = request.submission.expires_at
        return words if expires is None else f"{words}, expires in {length_text(expires - now)}"
    decision = request.decision
    said = "" if decision is None else (decision.note or "").replace("\n", " ")
    note = f": {one_line(said)}" if said else ""
    words = f"; {one_line(decision.instead.words)}" if decision is not None and decision.instead else ""
    return f"{end_of(request)}{note}{words}"


def end_of(request: StoredRequest) -> str:
    """Return the end of a request with its decider, or the reason why nobody decided."""
    decision = request.decision
    words = outcome_text(request.state, decision, "message")
    if decision is None:
        reason = one_line(request.state_note or "")
        return reason if reason.startswith(words) else f"{words}: {reason}"
    return f"{words} by {one_line(decision.by, 'agent')} ({decision.source})"


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
        page.add(row.text.text, label=f"  | {SIGN_OF_ROW.get(row.kind, ' ')} ", fold="  | > ")


# -- The content of a request, made from the records of the queue.


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


def kind_of(submission: Submission) -> str:
    """Return the kind of a call in a word; ``mixed`` if it has several."""
    try:
        kinds = set(map(step_kind, steps_of(submission.snapshot)))
    except SnapshotError:
        return "damaged"
    if len(kinds) > 1:
        return "mixed"
    return _word(kinds.pop() if kinds else PresentationKind.STRUCTURED)


def _word(kind: PresentationKind) -> str:
    match kind:
        case PresentationKind.DIFF:
            return "edit"
        case PresentationKind.FILE_CONTENT:
            return "new file"
        case PresentationKind.COMMAND:
            return "command"
        case PresentationKind.BINARY:
            return "binary"
        case PresentationKind.STRUCTURED | PresentationKind.TEXT:
            return "call"
        case _:
            assert_never(kind)


# -- A call on one line: its command or file; the agent's description only if there is nothing else.


def tool_of(call: Submission | HistoryRecord, longest: int | None = None) -> str:
    """Return the name of the tool of a call, after that of its server, safe to print.

    Args:
        call: The call.
        longest: The most characters of each of the two names.
    """
    names = [one_line(name, "tool_name") for name in (call.server, call.tool_name) if name]
    return SERVER_SIGN.join(names if longest is None else [clipped(name, longest) for name in names])


def what_of(call: Submission | HistoryRecord, hidden: Redactor = DEFAULT_REDACTION) -> str:
    """Return a call as one line, safe to print.

    Args:
        call: The call.
        hidden: The rules of what to hide.
    """
    declared = declared_subject(call, hidden)
    return one_line(described(call, hidden), "description") if declared is None else one_line(declared, "command")


# -- Requests as JSON objects, in the shape that ``--json`` promises.

SEEN_DIGITS = 12
"""Hexadecimal digits of the digest that `show` prints, and that `approve --seen` needs at least."""

_SHORT_ID = 8


def short_id(request_id: str) -> str:
    """Return the part of an id that people read and type."""
    return request_id[:_SHORT_ID]


def seen_token(request: StoredRequest) -> str:
    """Return the token for `approve --seen`: the revision that was read, and the beginning of its digest.

    The revision is part of it because an author of two contents can make twelve digits alone match; a revision
    never changes.
    """
    return f"{request.revision}:{request.submission.digest[:SEEN_DIGITS]}"


def request_facts(
    request: StoredRequest, kind: str, now: int, hidden: Redactor = DEFAULT_REDACTION
) -> dict[str, Any]:
    """Return a request as a JSON object.

    Args:
        request: The request.
        kind: Its kind in a word.
        now: The present, in microseconds since the epoch.
        hidden: The rules of what to hide.
    """
    asked, submission = request.asked_by, request.submission
    end = request.decided_at if request.decided_at is not None else now
    return {
        "id": request.id,
        "revision": request.revision,
        "digest": submission.digest,
        "state": request.state,
        "state_note": request.state_note,
        "risk": submission.risk,
        "risk_reasons": list(submission.risk_reasons),
        "kind": kind,
        "tool": submission.tool_name,
        "server": submission.server,
        "description": hidden.mask_text(submission.description).text,
        "agent": asked.name,
        "session": asked.session,
        "pid": asked.pid,
        "host": asked.host,
        "via": asked.via,
        "caller": asked.caller,
        "program": asked.program,
        "cwd": submission.cwd,
        "group": submission.group_id,
        "batch": submission.batch_id,
        "why": hidden.mask_text(submission.why).text,
        "created_at": iso(request.created_at),
        "expires_at": iso(submission.expires_at),
        "decided_at": iso(request.decided_at),
        "waiting_seconds": max(0, end - request.created_at) // 1_000_000,
        "decision": decision_facts(request.decision, hidden),
    }


def session_reach(request: StoredRequest) -> str:
    """Return the coverage of an approval for the session, safe to print."""
    call = request.submission
    return session_text(call, tool_of(call), one_line(request.asked_by.session))
