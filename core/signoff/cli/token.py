"""`signoff token`: who may ask, read and decide over HTTP."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.options import json_option
from signoff.cli.output import complain
from signoff.cli.page import Column, Page, TableCell
from signoff.present.reveal import one_line
from signoff.text.time import iso

if TYPE_CHECKING:
    from signoff.server.tokens import Token

__all__ = ["token"]


@click.group(cls=VerbGroup)
def token() -> None:
    """Make, list and revoke the tokens of `signoff serve`."""


@token.command(epilog="\b\nExample:\n  signoff token new phone --scope read --scope decide")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(["ask", "read", "decide"]),
    help="What it is good for: start and cancel runs, see everything, approve and reject. Repeatable.",
)
def new(*, name: str, scopes: tuple[str, ...]) -> int:
    """Make a token and print it, this once. Decisions are recorded under its NAME."""
    from signoff.server.tokens import Scope, TokenError, TokenFile

    try:
        text = TokenFile().new(name, frozenset(Scope(scope) for scope in scopes))
    except TokenError as error:
        raise click.UsageError(str(error)) from error
    click.echo(text)
    return ExitCode.OK


@token.command("list")
@json_option
def list_tokens(*, as_json: bool) -> int:
    """List the tokens; their texts are not kept."""
    from signoff.cli.output import print_json
    from signoff.server.tokens import TokenError, TokenFile

    try:
        found = TokenFile().all()
    except TokenError as error:
        complain(str(error))
        return ExitCode.QUEUE
    if as_json:
        print_json([_facts(each) for each in found])
        return ExitCode.OK
    page = Page.on(sys.stdout)
    columns = (Column("id", whole=True), Column("scopes", whole=True), Column("name"))
    page.add_table(
        columns,
        [
            (
                TableCell(each.id[:8], "muted"),
                TableCell(", ".join(sorted(each.scopes))),
                TableCell(one_line(each.name)),
            )
            for each in found
        ],
    )
    if not found:
        page.add("there are no tokens")
    page.write(sys.stdout)
    return ExitCode.OK


@token.command()
@click.argument("token_id", metavar="ID")
def revoke(*, token_id: str) -> int:
    """Revoke a token, by the beginning of its id: it is refused from the next request on."""
    from signoff.server.tokens import TokenError, TokenFile

    try:
        revoked = TokenFile().revoke(token_id)
    except TokenError as error:
        complain(str(error))
        return ExitCode.NOT_FOUND
    complain(f"revoked {revoked.id[:8]}")
    return ExitCode.OK


def _facts(each: Token) -> dict[str, object]:
    return {
        "id": each.id,
        "name": each.name,
        "scopes": sorted(each.scopes),
        "created_at": iso(each.created_at),
    }
