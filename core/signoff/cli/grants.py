"""`signoff grants`: lists, revokes and widens remembered approvals, in words and for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from signoff.canonical import NotJsonError, canonical, parse_json
from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import at_terminal, complain, counted, print_json, typed_answer
from signoff.cli.page import Column, Page, TableCell, TableLine
from signoff.present.reveal import clipped, one_line
from signoff.queue.errors import UnknownRequestError
from signoff.queue.grant_coverage import STILL_ASKED, is_about, never_granted, preview_words, reach_of_pattern
from signoff.queue.grant_pattern import AnyValue, GrantPattern, Matcher, OneOf, PatternError, Under
from signoff.shown_request.row import short_id, tool_of, what_of
from signoff.text.time import iso, local_time, when_text

if TYPE_CHECKING:
    from signoff.queue.history import HistoryRecord, PatternPreview
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import Grant, StoredRequest, Submission

__all__ = ["add_grant_text", "grants"]

_WIDTH = 100
_NAME_WIDTH = 40
_UNSIGNED = "by no reviewer: only the process that gave it uses it"


@click.group(
    cls=VerbGroup,
    invoke_without_command=True,
    short_help="List, revoke and widen what is approved for sessions.",
    epilog="\b\nExample:\n  signoff grants\n  signoff grants revoke 1a2b3c4d",
)
@queue_option
@json_option
@click.pass_context
def grants(context: click.Context, *, as_json: bool) -> int:
    """List what is approved for sessions, oldest first; or revoke it, or widen it."""
    if context.invoked_subcommand is not None:
        if as_json:
            raise click.UsageError("--json without a verb lists the grants; put it behind the verb")
        return ExitCode.OK
    with open_for_review() as queue:
        found, now = queue.grants(), queue.now
    if as_json:
        print_json([_grant_facts(grant) for grant in found])
        return ExitCode.OK
    page = Page.on(sys.stdout)
    page.add(f"{counted(len(found), 'grant')} in force")
    if page.coloured:
        page.add_table(_COLUMNS, _rows(found, now))
    else:
        for grant in found:
            page.add("")
            add_grant_text(page, grant)
    page.write(sys.stdout)
    return ExitCode.OK


_COLUMNS = (
    Column("id", whole=True),
    Column("since", whole=True),
    Column("request", whole=True, spare=True),
    Column("uses", whole=True, right=True),
    Column("last", whole=True, spare=True),
    Column("by", spare=True),
    Column("agent", spare=True),
    Column("session"),
)


def _rows(found: Sequence[Grant], now: int) -> Iterator[Sequence[TableCell] | TableLine]:
    """A row for each grant, and below it all that it covers."""
    for grant in found:
        last = grant.last_used_at
        yield (
            TableCell(short_id(grant.id), "muted"),
            TableCell(when_text(grant.created_at, now, "row")),
            TableCell(short_id(grant.origin_request), "muted"),
            TableCell(str(grant.uses)),
            TableCell("" if last is None else when_text(last, now, "row")),
            TableCell(one_line(grant.created_by, "agent")),
            TableCell(one_line(grant.agent_name, "agent")),
            TableCell(one_line(grant.session)),
        )
        yield TableLine(grant.words(), "  covers  ")
        if grant.damage is not None:
            yield TableLine(one_line(grant.damage), "  damage  ", "warn")
        elif grant.seal is None:
            yield TableLine(_UNSIGNED, "  signed  ", "warn")


@grants.command(short_help="Take one grant back, or all of a session, or all.")
@click.argument("grant_id", metavar="[ID]", required=False)
@click.option("--session", metavar="S", help="All grants of this session.")
@click.option("--all", "everything", is_flag=True, help="All grants of all sessions.")
@queue_option
def revoke(*, grant_id: str | None, session: str | None, everything: bool) -> int:
    """Take grants back. Agents that run see it before their next call."""
    if [grant_id is not None, session is not None, everything].count(True) != 1:
        raise click.UsageError("say which grants: an ID, or --session, or --all")
    with open_for_review() as queue:
        if grant_id is not None:
            return _revoke_one(queue, grant_id)
        number = queue.revoke_all(session)
    whose = "" if session is None else f" of session {one_line(session)}"
    print(f"revoked {counted(number, 'grant')}{whose}")
    return ExitCode.OK


def _revoke_one(queue: ReviewQueue, beginning: str) -> int:
    grant = _find(queue, beginning)
    if not queue.revoke(grant.id):
        complain(f"{short_id(grant.id)} was revoked before")
        return ExitCode.OK
    page = Page.on(sys.stdout)
    page.add(grant.words(), label=f"revoked {short_id(grant.id)}: it covered ")
    page.write(sys.stdout)
    return ExitCode.OK


def _find(queue: ReviewQueue, beginning: str) -> Grant:
    """Return the grant whose id begins so.

    Raises:
        UnknownRequestError: No grant, or more than one, begins so.
    """
    begin = beginning.strip().lower()
    found = [grant for grant in queue.grants(include_revoked=True) if begin and grant.id.startswith(begin)]
    if not found:
        raise UnknownRequestError(f"no grant id begins with {beginning!r}")
    if len(found) > 1:
        raise UnknownRequestError(f"{len(found)} grant ids begin with {beginning!r}; give more of it")
    return found[0]


@grants.command(
    short_help="Approve more than one call for a session, after a preview.",
    epilog="\b\nExample:\n  signoff grants widen 1a2b3c4d --under path=docs --any content",
)
@click.argument("request_id", metavar="REQUEST_ID")
@click.option("--any", "anything", multiple=True, metavar="KEY", help="This entry of the payload may be anything.")
@click.option("--under", multiple=True, metavar="KEY=DIR", help="It may be any path below the directory.")
@click.option("--one-of", multiple=True, metavar="KEY=JSON", help="It may also be this value; repeatable.")
@click.option("--last", type=click.IntRange(0, 100_000), default=200, show_default=True, metavar="N")
@click.option("--wide", is_flag=True, help="Although no argument of the covered calls is limited.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@queue_option
@json_option
def widen(
    *,
    request_id: str,
    anything: Sequence[str],
    under: Sequence[str],
    one_of: Sequence[str],
    last: int,
    wide: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Approve for the session of a request all calls like it, with some entries of its payload left open.

    What is not widened has to be equal. First the command says what would be covered, and which of the last N
    calls of the session it would have matched; then it asks. The request itself stays undecided.
    """
    with open_for_review() as queue:
        request = queue.find(request_id)
        pattern = _pattern(request, anything, under, one_of)
        why_not = _refusal(request, pattern, wide=wide)
        if why_not is not None:
            complain(f"nothing was granted: {why_not}")
            return ExitCode.REFUSED
        session = request.asked_by.session
        _show(request, pattern, queue.preview(pattern, session, last))
        if not yes and not _confirmed(request):
            complain("not confirmed; nothing was granted")
            return ExitCode.NO
        _report(queue.add_pattern(pattern, session=session, origin=request.id), as_json=as_json)
    return ExitCode.OK


def _pattern(
    request: StoredRequest, anything: Sequence[str], under: Sequence[str], one_of: Sequence[str]
) -> GrantPattern:
    call = request.submission
    pattern = GrantPattern.exactly(call.tool_name, call.payload, server=call.server)
    widened: set[str] = set()
    try:
        for key, matcher in _matchers(call.payload, anything, under, one_of):
            if key in widened:
                raise click.UsageError(f"{canonical(key)} is widened twice; say one thing about each entry")
            widened.add(key)
            pattern = pattern.widened(key, matcher)
    except (PatternError, NotJsonError) as error:
        raise click.UsageError(str(error)) from error
    if not widened:
        raise click.UsageError("say what to widen, with --any, --under or --one-of; see also: approve --session")
    if not is_about(pattern, call):
        raise click.UsageError("the request itself would not be covered; look at its payload: signoff show --json")
    return pattern


def _refusal(request: StoredRequest, pattern: GrantPattern, *, wide: bool) -> str | None:
    """The reason for which a pattern must not be granted for a request, or None if it may."""
    call, why_not = request.submission, never_granted(request)
    if why_not is not None or wide:
        return why_not
    if reach_of_pattern(pattern, call.payload, call.arguments).breadth.careless:
        return f"it would cover {pattern.words()}. No argument is compared as given; to grant all that, add --wide"
    return None


def _matchers(
    payload: Mapping[str, Any], anything: Sequence[str], under: Sequence[str], one_of: Sequence[str]
) -> Iterator[tuple[str, Matcher]]:
    for key in anything:
        yield key, AnyValue()
    for key, directory in map(_split, under):
        yield key, Under(directory.removesuffix("/") or directory)
    values: dict[str, list[object]] = {}
    for key, text in map(_split, one_of):
        values.setdefault(key, []).append(parse_json(text))
    for key, others in values.items():
        yield key, OneOf.of(*([payload[key]] if key in payload else []), *others)


def _split(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{text!r} lacks the value: write KEY=VALUE")
    return key, value


def _show(request: StoredRequest, pattern: GrantPattern, found: PatternPreview) -> None:
    talk = sys.stderr
    page = Page.on(talk)
    page.add(one_line(request.asked_by.session), label="in session ")
    page.add(pattern.words(), label="covers ")
    page.add(STILL_ASKED, label="asks still ")
    _add_preview_text(page, found)
    page.write(talk)
    talk.flush()


def _confirmed(request: StoredRequest) -> bool:
    if not at_terminal(sys.stdin, sys.stderr):
        raise click.UsageError("without a terminal to ask at, nothing is granted; add --yes if this is wanted")
    ident = short_id(request.id)
    question = f"\nType {ident} to approve all that for the session; anything else grants nothing: "
    return typed_answer(question) == ident


def _report(grant: Grant, *, as_json: bool) -> None:
    if as_json:
        print_json(_grant_facts(grant))
        return
    page = Page.on(sys.stdout)
    page.add(grant.words(), label=f"granted {short_id(grant.id)}: ")
    page.add(f"signoff grants revoke {short_id(grant.id)}", label="take it back with: ")
    page.write(sys.stdout)


# -- Grants, and the calls that a wider one would answer, in words and for programs.


def _grant_facts(grant: Grant) -> dict[str, Any]:
    """Return a grant for programs."""
    return {
        "id": grant.id,
        "kind": grant.kind,
        "session": grant.session,
        "agent": grant.agent_name,
        "tool": grant.tool_name,
        "server": grant.server,
        "payload": grant.payload,
        "pattern": None if grant.pattern is None else grant.pattern.to_json(),
        "covers": grant.words(),
        "origin": grant.origin_request or None,
        "created_at": iso(grant.created_at),
        "created_by": grant.created_by,
        "uses": grant.uses,
        "last_used_at": iso(grant.last_used_at),
        "signed": grant.seal is not None,
        "damage": grant.damage,
    }


def add_grant_text(page: Page, grant: Grant) -> None:
    """Add a grant: its id, session, coverage in full, age, request, and uses."""
    session, agent = one_line(grant.session), one_line(grant.agent_name, "agent")
    page.add(
        f"{grant.kind:7}  session {clipped(session, _NAME_WIDTH)}  {clipped(agent, _NAME_WIDTH)}",
        label=f"{short_id(grant.id)}  ",
    )
    page.add(grant.words(), label="  covers  ")
    if grant.damage is not None:
        page.add(one_line(grant.damage), label="  damage  ")
        return
    origin = f", for request {short_id(grant.origin_request)}" if grant.origin_request else ""
    page.add(
        f"{local_time(grant.created_at)} by {one_line(grant.created_by, 'agent')}{origin}", label="  since   "
    )
    if grant.seal is None:
        page.add(_UNSIGNED, label="  signed  ")
    last = "" if grant.last_used_at is None else f", last {local_time(grant.last_used_at)}"
    page.add(f"{grant.uses}{last}", label="  uses    ")


def _add_preview_text(page: Page, found: PatternPreview) -> None:
    """Add the calls that a grant would have answered, each by name, and those that it would not."""
    words = preview_words(found)
    page.add(words["matched"] + (":" if found.matched else ""))
    for record in found.matched:
        ident = short_id(record.request_id) if record.request_id else "-"
        page.add(_what(record), label=f"  {local_time(record.at)}  {ident:8}  {record.state:10}  ")
    for left_out in ("asked", "unreadable"):
        if left_out in words:
            page.add(words[left_out])
    page.add(words["waiting"] + (":" if found.waiting else ""))
    for request in found.waiting:
        page.add(_what(request.submission), label=f"  {short_id(request.id)}  ")


def _what(call: Submission | HistoryRecord) -> str:
    return f"{tool_of(call, _NAME_WIDTH)}: {clipped(what_of(call), _WIDTH)}"
