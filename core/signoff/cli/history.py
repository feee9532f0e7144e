"""`signoff history`, and its `verify` and `prune`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.history_export import export
from signoff.cli.history_query import filter_options, query_option, read_time, viewpoint
from signoff.cli.history_text import add_records
from signoff.cli.options import json_option, open_for_review, queue_option, reveal_option
from signoff.cli.output import at_terminal, complain, print_json, typed_answer
from signoff.cli.page import Page
from signoff.history_export import record_facts
from signoff.queue.history import HistoryHead
from signoff.text.time import iso, local_time

if TYPE_CHECKING:
    from signoff.filter import Query
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryCheck, HistoryFilter, HistoryRecord, Pruning, SignedApprovals
    from signoff.queue.protocol import ReviewQueue


__all__ = [
    "history",
    "prune",
    "verify",
]


# -- `signoff history verify` and `prune`: check that the history is whole, and delete old records.


def _read_hash(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    word = text.strip().lower()
    if len(word) != 64 or not set(word) <= set("0123456789abcdef"):
        raise click.BadParameter("give the 64 hexadecimal digits that an earlier verify printed")
    return word


@click.command(
    short_help="Find a record that was changed, is missing or out of order.",
    epilog="\b\nExample:\n  signoff history verify\n  signoff history verify --expect 1204",
)
@click.option("--expect", type=click.IntRange(0), metavar="N", help="There must be a record of this number.")
@click.option("--expect-head", callback=_read_hash, metavar="HASH", help="There must be a record of this hash.")
@click.option("--accept", is_flag=True, help="What is missing of what you had seen shall not be told any more.")
@queue_option
@json_option
def verify(*, expect: int | None, expect_head: str | None, accept: bool, as_json: bool) -> int:
    """Check that no record was changed, is missing or stands in another place, and who signed the approvals.

    Nothing in the queue can tell that its end was cut off. So the newest record that your programs have seen is
    noted beside your keys, and compared. For other machines, note the number and the hash that are printed, and
    give them later with --expect and --expect-head.
    """
    with open_for_review() as queue:
        check = queue.check_history(HistoryHead(expect, expect_head) if expect or expect_head else None)
        missing = queue.recall_history(accept=accept)
    if as_json:
        print_json({**_check_facts(check), "history_loss": missing})
    else:
        checked = "1 record is" if check.checked == 1 else f"{check.checked} records are"
        print(f"{checked} whole, from number {check.first} on")
        print(f"the last of them: number {check.head.seq}, {check.head.hash}")
        _say_who_signed(check.approvals)
    if missing:
        complain(missing)
    if check.fault is None:
        return ExitCode.BROKEN if missing and not accept else ExitCode.OK
    complain(f"the history is broken at record {check.broken}: {check.fault}; {check.message}")
    return ExitCode.BROKEN


def _check_facts(check: HistoryCheck) -> dict[str, object]:
    return {
        "whole": check.fault is None,
        "checked": check.checked,
        "first": check.first,
        "head_seq": check.head.seq,
        "head_hash": check.head.hash,
        "fault": check.fault,
        "broken": check.broken,
        "message": check.message,
        "approvals_signed": check.approvals.trusted,
        "approvals_signed_by_others": check.approvals.unknown,
        "approvals_unsigned": check.approvals.unsigned,
    }


def _say_who_signed(found: SignedApprovals) -> None:
    if found.trusted + found.unknown + found.unsigned == 0:
        return
    print(f"approvals of requests: {found.trusted} signed by a reviewer who is trusted here", end="")
    print(f", {found.unknown} by somebody else" if found.unknown else "", end="")
    print(f", {found.unsigned} not signed" if found.unsigned else "")


@click.command(
    short_help="Delete the oldest records.",
    epilog="\b\nExample:\n  signoff history prune --older-than 90d\n  signoff history prune --keep 100000 --yes",
)
@click.option(
    "--older-than", callback=read_time, metavar="TIME", help="Only what is older: 90d, or an ISO 8601 time."
)
@click.option("--keep", type=click.IntRange(0), metavar="N", help="Keep the newest N records.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@queue_option
@json_option
def prune(*, older_than: int | None, keep: int | None, yes: bool, as_json: bool) -> int:
    """Delete the oldest records, with the requests and contents that only they refer to.

    With both options a record goes only if both let it go. The deletion itself is put into the history.
    """
    if older_than is None and keep is None:
        raise click.UsageError("say how much to keep: --older-than TIME, or --keep N")
    if older_than is not None and older_than > time.time_ns() // 1_000:
        raise click.UsageError("--older-than names a time that is yet to come")
    with open_for_review() as queue:
        found = queue.prune(before=older_than, keep=keep, dry_run=True)
        if found.count and not yes and not _confirmed(found):
            complain("not confirmed; nothing was deleted")
            return ExitCode.NO
        if found.count:
            found = queue.prune(before=older_than, keep=keep, through=found.last)
    if as_json:
        print_json(_pruning_facts(found))
    else:
        print(f"deleted: {_words(found)}" if found.count else "nothing to delete")
    return ExitCode.OK


def _confirmed(found: Pruning) -> bool:
    if not at_terminal(sys.stdin, sys.stderr):
        raise click.UsageError(f"this would delete {_words(found)}; without a terminal to ask on, add --yes")
    print(f"This deletes {_words(found)}.", file=sys.stderr)
    return typed_answer("Type yes to delete them; there is no way back: ") == "yes"


def _words(found: Pruning) -> str:
    if found.count == 1:
        return f"record {found.first}, of {local_time(found.oldest_at or 0)}"
    times = f"{local_time(found.oldest_at or 0)} to {local_time(found.newest_at or 0)}"
    return f"{found.count} records, numbers {found.first} to {found.last}, {times}"


def _pruning_facts(found: Pruning) -> dict[str, object]:
    return {
        "count": found.count,
        "first": found.first,
        "last": found.last,
        "hash": found.hash,
        "oldest_at": iso(found.oldest_at),
        "newest_at": iso(found.newest_at),
    }


_PAGE = 500


@click.group(
    cls=VerbGroup,
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
    hidden: Redactor,
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
        now = queue.now
    if as_json:
        print_json([record_facts(record, hidden) for record in records])
    else:
        page = Page.on(sys.stdout)
        add_records(page, records, hidden, now)
        page.write(sys.stdout)
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
    """Refuse an option that a verb would ignore: it must not seem to count."""
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name != "queue":
            raise click.UsageError(f"put {parameter.opts[0]} behind {context.invoked_subcommand}")


def _collect(
    queue: ReviewQueue, which: HistoryFilter, before: int | None, limit: int
) -> tuple[list[HistoryRecord], bool]:
    """Read pages until there are more than enough; the flag tells if there are more."""
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
    """Find the records that a filter keeps; also returns if there are more, and where the search gave up."""
    from signoff.filter import search_history

    found = search_history(queue, query, viewpoint(queue), which, before=before, limit=limit)
    return [*found.records], found.more, found.stopped_at
