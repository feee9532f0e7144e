"""A request on the command line: as text with nothing cut, on one line, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.cli.page import RISK_STYLE, Page, Span, Style
from signoff.history_export import decision_facts
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.rows import PROSE, RowKind
from signoff.present.reveal import clipped, one_line
from signoff.queue.grant_coverage import reach_of
from signoff.shown_request.content import SIGN_OF_ROW
from signoff.shown_request.facts import fact_lines, session_reach, warnings_of
from signoff.shown_request.row import short_id, tool_of, upcoming_calls, what_of
from signoff.text.time import iso

if TYPE_CHECKING:
    from collections.abc import Mapping

    from signoff.policy.redaction.masking import Redactor
    from signoff.present.document.model import Document
    from signoff.present.reveal import SafeText
    from signoff.queue.records import StoredRequest
    from signoff.shown_commands import ShownCommand
    from signoff.shown_request.content import CallContent

__all__ = ["SEEN_DIGITS", "add_request", "approve_call", "request_facts", "seen_token", "target_line"]


_LABEL = 11
_LONGEST_NEXT = 100

SEEN_DIGITS = 12
"""Hexadecimal digits of the digest that `show` prints, and that `approve --seen` needs at least."""


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


def seen_token(request: StoredRequest) -> str:
    """Return the token for `approve --seen`: the revision that was read, and the beginning of its digest.

    The revision is part of it because an author of two contents can make twelve digits alone match; a revision
    never changes.
    """
    return f"{request.revision}:{request.submission.digest[:SEEN_DIGITS]}"


def add_request(
    page: Page, request: StoredRequest, content: CallContent, now: int, hidden: Redactor = DEFAULT_REDACTION
) -> None:
    """Add a request in full to a page. The parts of its commands are worked out, which may take seconds.

    Args:
        page: The page.
        request: The request.
        content: The documents of the request.
        now: The present, in microseconds since the epoch.
        hidden: The rules of what to hide in the texts around the content, and in the parts of commands.
    """
    submission = request.submission
    for label, text in fact_lines(request, now, hidden):
        style = RISK_STYLE[submission.risk] if label == "risk" else ""
        page.add(text, label=label.ljust(_LABEL), style=style, label_style="muted")
    if request.pending and submission.may_be_remembered:
        wide = "; wants --wide" if reach_of(submission).breadth.careless else ""
        words = f"would also approve {session_reach(request)}{wide}"
        page.add(words, label="--session".ljust(_LABEL), at_words=True, label_style="muted")
    label = "next in this turn: "
    for following in upcoming_calls(submission, hidden):
        page.add(clipped(following, _LONGEST_NEXT), label=label, label_style="muted")
        label = "then: ".rjust(len(label))
    for warning in warnings_of(request):
        page.add(warning, label="!".ljust(_LABEL), style="warn", label_style="warn")
    for number, document in enumerate(content.documents, start=1):
        page.add("")
        page.add(_heading(document), label=f"[{number} of {len(content.documents)}] ", style="head")
        _add_document(page, document)
        for command in content.commands:
            if command.after == number:
                page.add("")
                _add_parts(page, command, request, hidden, content.context)
    if not content.complete:
        page.add("")
        page.add("not everything can be shown; see the notes above", label="! ", style="warn", label_style="warn")


def _add_parts(page: Page, command: ShownCommand, request: StoredRequest, hidden: Redactor, context: int) -> None:
    from signoff.command_review import told_command  # late: most requests have no command
    from signoff.shown_request.command_parts import parts_heading, parts_lines

    told = told_command(command, request, hidden.also(request.submission.masked_keys))
    page.add(parts_heading(told), label="[parts] ")
    for line in parts_lines(told, context):
        page.add(line, label="  # ")


def _heading(document: Document) -> str:
    parts = [document.kind.replace("_", " ")]
    if document.path is not None:
        parts.append(one_line(document.path, "path"))
    if document.added or document.removed:
        parts.append(f"+{document.added} -{document.removed}")
    return "  ".join(parts)


_REMARKS = 8
"""More rows than remarks of signoff ever stand before the content."""


def _add_document(page: Page, document: Document) -> None:
    first = [document.row(number) for number in range(min(len(document), _REMARKS))]
    remarks = {row.text.text for row in first if row.kind is RowKind.NOTE}
    for note in document.notes:
        if note not in remarks:
            page.add(note, label="  # ")
    for alert in document.scan():
        page.add(alert.message, label="  ! ", style="warn", label_style="warn")
    for row in document:
        label, style = f"  | {SIGN_OF_ROW.get(row.kind, ' ')} ", _STYLE_OF_ROW.get(row.kind, "")
        spans = _with_hidden(row.text, style)
        page.add(spans, label=label, fold="  | > ", at_words=row.kind in PROSE, label_style=style)


_STYLE_OF_ROW: Mapping[RowKind, Style] = {
    RowKind.ADDED: "yes",
    RowKind.REMOVED: "no",
    RowKind.HUNK: "place",
    RowKind.FILE: "place",
    RowKind.PLACE: "place",
    RowKind.FOLD: "muted",
    RowKind.COMMAND: "command",
}


def _with_hidden(text: SafeText, style: Style) -> list[Span]:
    """The pieces of a text: what stands for hidden characters has a style of its own."""
    spans: list[Span] = []
    end = 0
    for number, (start, stop) in enumerate(text.hidden):
        if not text.replaced or (text.replaced[number] and not text.is_mark(number)):
            spans += (text.text[end:start], style), (text.text[start:stop], "hidden")
            end = stop
    return [*spans, (text.text[end:], style)]


# -- Requests as JSON objects, in the shape that ``--json`` promises.


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
        "expires_at": iso(request.expires_at),
        "decided_at": iso(request.decided_at),
        "waiting_seconds": max(0, end - request.created_at) // 1_000_000,
        "decision": decision_facts(request.decision, hidden),
    }
