"""The facts of a request that are not its content: labels and safe texts, warnings, its end, and its reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from signoff.policy.verdict import RISK_WORD
from signoff.present.reveal import one_line, reveal_line
from signoff.queue.grant_coverage import session_text
from signoff.queue.wording import was_not_run
from signoff.shown_request.row import tool_of
from signoff.text.outcome import outcome_text
from signoff.text.risk import risk_reasons
from signoff.text.time import length_text

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.present.reveal import Field
    from signoff.queue.records import StoredRequest

__all__ = ["end_of", "fact_lines", "session_reach", "warnings_of"]


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
    reasons = ", ".join(map(one_line, risk_reasons(submission.risk_reasons)))
    yield "risk", RISK_WORD[submission.risk] + (f": {reasons}" if reasons else "")
    for label, text, field in _agent_texts(request):
        yield label, one_line(hidden.mask_text(text).text, field)
    yield "process", f"{asked.pid} on {one_line(asked.host)}"
    if submission.group_size is not None:
        yield "group of", str(submission.group_size)
    if submission.batch_position is not None:
        yield "position", f"{submission.batch_position + 1} in its batch"


def warnings_of(request: StoredRequest) -> list[str]:
    """Return the warnings about the texts around the content, each with the name of its text."""
    return [
        f"{label}: {finding.message}"
        for label, text, field in _agent_texts(request)
        for finding in reveal_line(text, field).findings
        if finding.warn
    ]


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


def _state(request: StoredRequest, now: int) -> str:
    if request.pending:
        words = f"waiting {length_text(now - request.created_at)}"
        expires = request.expires_at
        return words if expires is None else f"{words}, expires in {length_text(expires - now)}"
    decision = request.decision
    said = "" if decision is None else (decision.note or "").replace("\n", " ")
    note = f": {one_line(said)}" if said else ""
    words = f"; {one_line(decision.instead.words)}" if decision is not None and decision.instead else ""
    return f"{end_of(request)}{note}{words}"


def end_of(request: StoredRequest) -> str:
    """Return the end of a request with its decider, or the reason why nobody decided."""
    decision, reason = request.decision, one_line(request.state_note or "")
    words = outcome_text(request.state, decision, "message")
    if decision is None:
        return reason if reason.startswith(words) else f"{words}: {reason}"
    by = f"by {one_line(decision.by, 'agent')} ({decision.source})"
    return f"{reason}; approved {by}" if was_not_run(request.state, reason) else f"{words} {by}"


def session_reach(request: StoredRequest) -> str:
    """Return the coverage of an approval for the session, safe to print."""
    call = request.submission
    return session_text(call, tool_of(call), one_line(request.asked_by.session))
