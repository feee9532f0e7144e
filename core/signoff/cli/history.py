"""`signoff history`: what was decided, by whom or what, newest first."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from signoff.cli.exit_codes import ExitCode
from signoff.cli.facts import record_facts
from signoff.cli.history_export import export
from signoff.cli.history_filters import filter_options
from signoff.cli.history_keeping import prune, verify
from signoff.cli.history_query import query_option, viewpoint
from signoff.cli.history_text import history_page
from signoff.cli.options import json_option, open_for_review, queue_option, reveal_option
from signoff.cli.output import complain, print_json
from signoff.cli.page import width_of

if TYPE_CHECKING:
    from signoff.filter import Query
    from signoff.policy.redaction.masking import Redaction
    from signoff.queue.history import HistoryFilter, HistoryRecord
    from signoff.queue.protocol import ReviewQueue

__all__ = ["history"]

_PAGE = 500


@click.group(
    invoke_without_command=True,
    short_help="List what was decided; export, verify or prune it.",
    epilog="\b\nExamples:\n  signoff history --since 1h --state rejected --json\n"
    '  signoff history --text "release notes"\n'
    "  signoff history --filter 'shown:<100 decision:approved by:you'\n"
    "  signoff history export --format csv --output decisions.csv",
)
@query_option
@filter_options
@click.option("--before", type=click.IntRange(1), metavar="SEQ", help="Only records with a lower number.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=100, show_default=True, metavar="N")
@reveal_option
@queue_option
@json_option
@click.pass_context
def history(
    context: click.Context,
    *,
    query: Query | None,
    which: HistoryFilter,
    before: int | None,
    limit: int,
    hidden: Redaction,
    as_json: bool,
) -> int:
    """List what was decided and what ended undecided, newest first."""
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return ExitCode.OK
    with open_for_review() as queue:
        if query is None:
            records, more, stopped_at = *_collect(queue, which, before, limit), None
        else:
            records, more, stopped_at = _search(queue, query, which, before, limit)
    if as_json:
        print_json([record_facts(record, hidden) for record in records])
    else:
        print(history_page(records, width_of(sys.stdout), hidden), end="")
    if more:
        complain(
            f"there is more: these are the newest {limit}; raise --limit to see older ones,"
            f" or go on with --before {records[-1].seq}"
        )
    elif stopped_at is not None:
        complain(f"there may be more: the search ended at record {stopped_at}; go on with --before {stopped_at}")
    elif not records:
        complain("no such record in the history")
    return ExitCode.OK


for command in (export, prune, verify):
    history.add_command(command)


def _refuse_options(context: click.Context) -> None:
    """An option that a verb would not see must not seem to count."""
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name != "queue":
            raise click.UsageError(f"put {parameter.opts[0]} behind {context.invoked_subcommand}")


def _collect(
    queue: ReviewQueue, which: HistoryFilter, before: int | None, limit: int
) -> tuple[list[HistoryRecord], bool]:
    """Read pages until there are more than enough; says whether there are."""
    found: list[HistoryRecord] = []
    while len(found) <= limit:
        page = queue.history(which, before=before, limit=min(_PAGE, limit + 1 - len(found)))
        if not page:
            break
        found.extend(page)
        before = page[-1].seq
    return found[:limit], len(found) > limit


def _search(
    queue: ReviewQueue, query: Query, which: HistoryFilter, before: int | None, limit: int
) -> tuple[list[HistoryRecord], bool, int | None]:
    """Find what a filter keeps; says whether there is more, and where the search gave up if it did."""
    from signoff.filter import search_history

    found = search_history(queue, query, viewpoint(queue), which, before=before, limit=limit)
    return [*found.records], found.more, found.stopped_at
