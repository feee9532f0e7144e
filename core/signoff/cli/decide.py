"""`signoff approve` and `signoff reject`: decide exactly the request that the person read, or nothing."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import at_terminal, complain, print_json, typed_answer
from signoff.cli.page import Page
from signoff.cli.render import SEEN_DIGITS, add_request, target_line
from signoff.present.snapshot.snapshot import SnapshotError
from signoff.queue.grant_coverage import never_remembered, reach_of
from signoff.queue.records import DecideResult, Decision, VerdictKind
from signoff.shown_request.content import content_of
from signoff.shown_request.facts import session_reach
from signoff.shown_request.row import short_id

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import StoredRequest
    from signoff.shown_request.content import CallContent

__all__ = ["EXIT_CODE_OF_VERDICT", "approve", "reject"]

EXIT_CODE_OF_VERDICT = {
    VerdictKind.ACCEPTED: ExitCode.OK,
    VerdictKind.TOO_LATE: ExitCode.TOO_LATE,
    VerdictKind.CHANGED: ExitCode.CHANGED,
    VerdictKind.GONE: ExitCode.NOT_FOUND,
    VerdictKind.REFUSED: ExitCode.REFUSED,
}

_CONTEXT = 3
_SHORTEST_ID = 8
_SEEN = re.compile(rf"([1-9][0-9]{{0,8}}):([0-9a-f]{{{SEEN_DIGITS},64}})")


class _NotDecidedError(Exception):
    """The command ends without a decision; the message says why."""

    def __init__(self, code: ExitCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class _Reach:
    """The wanted reach of an approval; see ``signoff approve --help``."""

    session: bool
    wide: bool
    incomplete: bool


def _full_enough(_: click.Context, __: click.Parameter, text: str) -> str:
    if len(text.strip()) < _SHORTEST_ID:
        raise click.BadParameter(
            f"to decide, give at least {_SHORTEST_ID} characters of the id (see: signoff list)"
        )
    return text


@click.command(epilog="\b\nExample:\n  signoff show 1a2b3c4d\n  signoff approve 1a2b3c4d --seen 1:0b5f3c9e77a1")
@click.argument("request_id", metavar="ID", callback=_full_enough)
@click.option("--seen", metavar="R:DIGEST", help="What `signoff show` printed: revision and digest you have read.")
@click.option("--note", metavar="TEXT", help="Words for the agent.")
@click.option("--session", is_flag=True, help="Also approve later calls of the session; `show` says which.")
@click.option("--wide", is_flag=True, help="With --session: although no argument of those calls has to be equal.")
@click.option("--incomplete", is_flag=True, help="Approve although not everything can be shown; is recorded.")
@queue_option
@json_option
def approve(
    *,
    request_id: str,
    seen: str | None,
    note: str | None,
    session: bool,
    wide: bool,
    incomplete: bool,
    as_json: bool,
) -> int:
    """Approve one request: what you read, and nothing else.

    With --seen at once. Without it the request is shown in full, and approved when you type its id.
    """
    if wide and not session:
        raise click.UsageError("--wide says how far --session may go; add --session, or leave it out")
    with open_for_review() as queue:
        request = queue.find(request_id)
        content = None
        try:
            if request.pending:
                content = _content(request, queue)
                _refuse_early(request, content, _Reach(session, wide, incomplete))
                _make_sure(request, content, seen, queue.now, session=session)
        except _NotDecidedError as error:
            complain(str(error))
            return error.code
        complete = content is not None and content.complete
        decision = Decision(
            approved=True,
            note=note or None,
            remember=session,
            shown=1.0 if complete and seen is None else None,
            deliberate=not complete,
        )
        return _report(_decide(queue, request, decision), request, decision, as_json=as_json)


@click.command(
    short_help="Reject one request, with a note.",
    epilog='\b\nExample:\n  signoff reject 1a2b3c4d --note "keep the old name"',
)
@click.argument("request_id", metavar="ID", callback=_full_enough)
@click.option("--note", metavar="TEXT", help="What the agent is told.")
@click.option("--hard", is_flag=True, help="Stop the agent's batch: what follows in it is rejected as well.")
@queue_option
@json_option
def reject(*, request_id: str, note: str | None, hard: bool, as_json: bool) -> int:
    """Reject one request. The agent is told and goes on, unless --hard."""
    with open_for_review() as queue:
        request = queue.find(request_id)
        decision = Decision(approved=False, note=note or None, hard=hard)
        return _report(_decide(queue, request, decision), request, decision, as_json=as_json)


def _content(request: StoredRequest, queue: ReviewQueue) -> CallContent:
    try:
        return content_of(request, queue.blob, _CONTEXT)
    except SnapshotError as error:
        raise _NotDecidedError(ExitCode.QUEUE, f"this request cannot be shown: {error}") from error


def _refuse_early(request: StoredRequest, content: CallContent, reach: _Reach) -> None:
    """Refuse what cannot be approved before the person has read and typed in vain."""
    why_not = never_remembered(request.submission) if reach.session else None
    if why_not is not None:
        raise _NotDecidedError(
            ExitCode.REFUSED, f"{why_not}; nothing was decided. Without --session it is approved once"
        )
    if reach.session and not reach.wide and reach_of(request.submission).breadth.careless:
        raise _NotDecidedError(
            ExitCode.REFUSED,
            f"--session would approve {session_reach(request)}; nothing was decided. To approve all that,"
            " add --wide. Without --session the call is approved once",
        )
    if not content.complete and not reach.incomplete:
        raise _NotDecidedError(
            ExitCode.REFUSED,
            "not everything in this request can be shown; nothing was decided. To approve it all the same,"
            " add --incomplete",
        )


def _make_sure(request: StoredRequest, content: CallContent, seen: str | None, now: int, *, session: bool) -> None:
    """Tie the decision to the request that the person read: by the token of `show`, or by showing it now."""
    if seen is not None:
        _compare(request, seen)
        return
    if not at_terminal(sys.stdin, sys.stderr):
        raise click.UsageError(
            "without a terminal to read on, say what you have read: add --seen with what `signoff show` prints"
        )
    _confirm(request, content, now, session=session)


def _compare(request: StoredRequest, seen: str) -> None:
    parts = _SEEN.fullmatch(seen.strip().lower())
    if parts is None:
        raise click.UsageError("--seen takes what `signoff show` prints, such as 1:0b5f3c9e77a1")
    revision, digest = int(parts[1]), parts[2]
    if revision != request.revision:
        raise _NotDecidedError(
            ExitCode.CHANGED,
            f"nothing was decided: you have read revision {revision}, it is now at revision {request.revision};"
            f" look again: signoff show {short_id(request.id)}",
        )
    if not request.submission.digest.startswith(digest):
        raise _NotDecidedError(
            ExitCode.CHANGED,
            "nothing was decided: --seen does not match this request;"
            f" look again: signoff show {short_id(request.id)}",
        )


def _confirm(request: StoredRequest, content: CallContent, now: int, *, session: bool) -> None:
    ident = short_id(request.id)
    talk = sys.stderr
    page = Page.on(talk)
    add_request(page, request, content, now)
    page.write(talk)
    if session:
        talk.write("\nThis approves the call, and what stands behind --session above.\n")
    if typed_answer(f"\nType {ident} to approve exactly this; anything else leaves it waiting: ") != ident:
        raise _NotDecidedError(ExitCode.NO, "not confirmed; nothing was decided")


def _decide(queue: ReviewQueue, request: StoredRequest, decision: Decision) -> DecideResult:
    return queue.decide(request.id, request.revision, request.submission.digest, decision)


def _report(verdict: DecideResult, request: StoredRequest, decision: Decision, *, as_json: bool) -> int:
    if as_json:
        print_json(
            {
                "accepted": verdict.accepted,
                "verdict": verdict.kind,
                "message": verdict.message,
                "id": request.id,
                "revision": request.revision,
            }
        )
    elif verdict.accepted:
        page = Page.on(sys.stdout)
        page.add(target_line(request), label=f"{verdict.message}: ")
        if decision.remember:
            page.add(session_reach(request), label="it covers ")
        page.write(sys.stdout)
    if verdict.kind is not VerdictKind.ACCEPTED:
        complain(f"nothing was decided: {verdict.message}")
    return EXIT_CODE_OF_VERDICT[verdict.kind]
