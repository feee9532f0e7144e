"""`signoff reviewers`: the reviewers whose approvals the agents of this user believe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.options import json_option
from signoff.cli.output import complain, print_json
from signoff.cli.page import Column, Page, TableCell
from signoff.present.reveal import one_line

if TYPE_CHECKING:
    from signoff.queue.keys.trust import TrustedReviewer

__all__ = ["reviewers"]


@click.group(
    cls=VerbGroup,
    no_args_is_help=False,
    short_help="Say whose approvals your agents believe.",
    epilog="\b\nExample:\n  signoff reviewers show\n  signoff reviewers trust 'ed25519 7k3v...= anna@ada'",
)
def reviewers() -> None:
    """Approvals are signed. Agents run a call only if a reviewer signed the yes whom they trust.

    Whoever decides on the machine of the agents and under the same name has nothing to do here. Otherwise: the
    reviewer runs `show`, and where the agents run, that line is given to `trust`. No queue is needed for either.
    """


@reviewers.command(epilog="\b\nExample:\n  signoff reviewers show")
def show() -> int:
    """Print your public line, for agents elsewhere to trust; a key is made if you have none."""
    from signoff.queue.keys.folder import keys_folder
    from signoff.queue.keys.identity import load_or_make

    print(load_or_make(keys_folder()).public.line())
    return ExitCode.OK


@reviewers.command("list", short_help="List whose approvals are believed.")
@json_option
def list_trusted(*, as_json: bool) -> int:
    """List the reviewers whose approvals agents of this user believe."""
    from signoff.queue.keys.folder import keys_folder
    from signoff.queue.keys.trust import load

    found = load(keys_folder())
    if as_json:
        print_json([{"key": each.key_id, "name": each.name, "line": each.line()} for each in found])
        return ExitCode.OK
    page = Page.on(sys.stdout)
    page.add(
        f"{len(found)} trusted" if found else "nobody is trusted yet; your own key is made with your first yes"
    )
    columns = (Column("key", whole=True), Column("name"))
    page.add_table(
        columns, [(TableCell(each.key_id, "muted"), TableCell(one_line(each.name, "agent"))) for each in found]
    )
    page.write(sys.stdout)
    return ExitCode.OK


@reviewers.command(short_help="Believe the approvals of a reviewer.")
@click.argument("words", metavar="LINE", nargs=-1, required=True)
def trust(*, words: tuple[str, ...]) -> int:
    """Believe the approvals of the reviewer whose `signoff reviewers show` printed LINE.

    Make sure that the line comes from that person: agents will run what its key says yes to.
    """
    from signoff.queue.keys.folder import keys_folder
    from signoff.queue.keys.trust import read_line
    from signoff.queue.keys.trust import trust as put

    try:
        reviewer = read_line(" ".join(words))
    except ValueError as error:
        raise click.UsageError(f"nobody was trusted: {error}") from error
    added = put(keys_folder(), reviewer)
    print(f"{'trusted' if added else 'was trusted before'}: {_words(reviewer)}")
    return ExitCode.OK


@reviewers.command(short_help="Stop believing a reviewer.")
@click.argument("key_id", metavar="KEY")
def forget(*, key_id: str) -> int:
    """Stop believing the approvals and grants of a reviewer; KEY is in the list, its beginning is enough.

    Agents that run notice. What was approved and already run stays as it is in the history.
    """
    from signoff.queue.keys.folder import keys_folder
    from signoff.queue.keys.trust import forget as drop

    begin = key_id.strip().lower()
    if not begin:
        raise click.UsageError("say which key; see: signoff reviewers list")
    meant = drop(keys_folder(), begin)
    if not meant:
        complain(f"no trusted key begins with {begin!r}")
        return ExitCode.NOT_FOUND
    if len({each.key_id for each in meant}) > 1:
        complain(f"{len(meant)} trusted keys begin with {begin!r}; give more of it")
        return ExitCode.NOT_FOUND
    print(f"forgotten: {_words(meant[0])}")
    return ExitCode.OK


def _words(reviewer: TrustedReviewer) -> str:
    return f"{reviewer.key_id}  {one_line(reviewer.name, 'agent')}"
