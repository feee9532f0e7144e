"""`signoff grants`: lists and revokes remembered approvals."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.grants_text import add_grant_text, counted, grant_facts
from signoff.cli.grants_widen import widen
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import Page, complain, one_line, print_json, width_of
from signoff.cli.render import short_id
from signoff.queue.errors import UnknownRequestError

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import Grant

__all__ = ["grants"]


@click.group(
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
        found = queue.grants()
    if as_json:
        print_json([grant_facts(grant) for grant in found])
        return ExitCode.OK
    page = Page(width_of(sys.stdout))
    page.add(f"{counted(len(found), 'grant')} in force")
    for grant in found:
        page.add("")
        add_grant_text(page, grant)
    print(page.text(), end="")
    return ExitCode.OK


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
    page = Page(width_of(sys.stdout))
    page.add(grant.words(), label=f"revoked {short_id(grant.id)}: it covered ")
    print(page.text(), end="")
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


grants.add_command(widen)
