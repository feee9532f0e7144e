"""`signoff queue`: the queue itself, for whoever operates its server."""

from __future__ import annotations

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.options import chosen_place, queue_option
from signoff.cli.output import complain

__all__ = ["queue"]


@click.group(cls=VerbGroup)
def queue() -> None:
    """Set a team's queue up, in PostgreSQL."""


@queue.command(
    epilog="\b\nExample:\n  signoff queue init --owner signoff_owner --ask signoff_ask --review signoff_review"
)
@queue_option
@click.option("--owner", metavar="ROLE", required=True, help="Owns the queue.")
@click.option("--ask", metavar="ROLE", required=True, help="Its members ask, and see their own sessions only.")
@click.option("--review", metavar="ROLE", required=True, help="Its members see everything and decide.")
@click.option(
    "--ask-connections",
    metavar="N",
    type=click.IntRange(min=1),
    help="Let each login role that asks have at most N connections.",
)
@click.option("--print", "only_print", is_flag=True, help="Print the SQL for psql, and change nothing.")
def init(*, owner: str, ask: str, review: str, ask_connections: int | None, only_print: bool) -> int:
    """Make a queue whose server keeps asking and deciding apart, or give these roles to one that is there.

    The roles must exist. Run it as a superuser or as a member of the owning role; doing it again changes nothing.
    """
    from signoff.queue import postgres_place
    from signoff.queue.errors import QueueUnavailableError

    place = postgres_place(chosen_place())
    from signoff.queue.postgres.roles import QueueRoles, set_up, set_up_statements

    try:
        roles = QueueRoles(owner, ask, review, ask_connections)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if only_print:
        print(set_up_statements(place.schema, roles), end="")
        return ExitCode.OK
    try:
        set_up(place, roles, complain)
    except QueueUnavailableError as error:
        complain(str(error))
        return ExitCode.QUEUE
    print(f"{place.name} belongs to {owner}; members of {ask} ask, members of {review} decide")
    return ExitCode.OK
