"""`signoff grants widen`: gives a grant wider than a call, after a look at what it would cover."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from signoff.canonical import NotJsonError, canonical, parse_json
from signoff.cli.exit_codes import ExitCode
from signoff.cli.grants_text import add_preview_text, grant_facts
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import Page, at_terminal, complain, one_line, print_json, typed_answer, width_of
from signoff.cli.render import short_id
from signoff.policy.grant_scope import refusal
from signoff.queue.grant_pattern import (
    AnyValue,
    GrantPattern,
    Matcher,
    OneOf,
    PatternError,
    Under,
)

if TYPE_CHECKING:
    from signoff.queue.history import PatternPreview
    from signoff.queue.records import Grant, StoredRequest

__all__ = ["widen"]


@click.command(
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
        why_not = refusal(request, pattern, wide=wide)
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
    tool_name, server, payload = (
        request.submission.tool_name,
        request.submission.server,
        request.submission.payload,
    )
    pattern = GrantPattern.exactly(tool_name, payload, server=server)
    widened: set[str] = set()
    try:
        for key, matcher in _matchers(payload, anything, under, one_of):
            if key in widened:
                raise click.UsageError(f"{canonical(key)} is widened twice; say one thing about each entry")
            widened.add(key)
            pattern = pattern.widened(key, matcher)
    except (PatternError, NotJsonError) as error:
        raise click.UsageError(str(error)) from error
    if not widened:
        raise click.UsageError("say what to widen, with --any, --under or --one-of; see also: approve --session")
    if not pattern.matches(tool_name, payload, server=server):
        raise click.UsageError("the request itself would not be covered; look at its payload: signoff show --json")
    return pattern


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
    page = Page(width_of(talk))
    page.add(one_line(request.asked_by.session), label="in session ")
    page.add(f"{pattern.words()}; never at HIGH risk", label="covers ")
    add_preview_text(page, found)
    talk.write(page.text())
    talk.flush()


def _confirmed(request: StoredRequest) -> bool:
    if not at_terminal(sys.stdin, sys.stderr):
        raise click.UsageError("without a terminal to ask at, nothing is granted; add --yes if this is wanted")
    ident = short_id(request.id)
    question = f"\nType {ident} to approve all that for the session; anything else grants nothing: "
    return typed_answer(question) == ident


def _report(grant: Grant, *, as_json: bool) -> None:
    if as_json:
        print_json(grant_facts(grant))
        return
    page = Page(width_of(sys.stdout))
    page.add(grant.words(), label=f"granted {short_id(grant.id)}: ")
    page.add(f"signoff grants revoke {short_id(grant.id)}", label="take it back with: ")
    print(page.text(), end="")
