"""`signoff history`: what was decided, by whom or what, newest first."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from signoff.cli.durations import local_time, parse_since
from signoff.cli.exit_codes import ExitCode
from signoff.cli.facts import record_facts, short_id
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import clipped, complain, one_line, print_json
from signoff.cli.page import Page, width_of
from signoff.queue.records import HistoryFilter, RequestState

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import HistoryRecord

__all__ = ["history"]

_WIDTH = 100
_NAME_WIDTH = 40
_PAGE = 500
_ENDED = [state.value for state in RequestState if state.final]


def _since(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    try:
        return None if text is None else parse_since(text, time.time_ns() // 1_000)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command(epilog="\b\nExample:\n  signoff history --since 1h --state rejected --json")
@click.option("--agent", "agent_name", metavar="NAME", help="Only of this agent.")
@click.option("--session", metavar="ID", help="Only of this session.")
@click.option("--tool", "tool_name", metavar="NAME", help="Only of this tool.")
@click.option("--state", type=click.Choice(_ENDED), help="Only what ended so.")
@click.option("--since", callback=_since, metavar="TIME", help="90s, 30m, 1h, 2d, 1w ago, or an ISO 8601 time.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=100, show_default=True, metavar="N")
@queue_option
@json_option
def history(
    *,
    agent_name: str | None,
    session: str | None,
    tool_name: str | None,
    state: str | None,
    since: int | None,
    limit: int,
    as_json: bool,
) -> int:
    """List what was decided and what ended undecided, newest first."""
    which = HistoryFilter(
        session=session,
        agent_name=agent_name,
        tool_name=tool_name,
        state=None if state is None else RequestState(state),
        since=since,
    )
    with open_for_review() as queue:
        records, more = _collect(queue, which, limit)
    if as_json:
        print_json([record_facts(record) for record in records])
    else:
        print(_table(records, width_of(sys.stdout)), end="")
    if more:
        complain(f"there is more: these are the newest {limit}; raise --limit to see older ones")
    elif not records:
        complain("no such record in the history")
    return ExitCode.OK


def _collect(queue: ReviewQueue, which: HistoryFilter, limit: int) -> tuple[list[HistoryRecord], bool]:
    """Read pages until there are more than enough; says whether there are."""
    found: list[HistoryRecord] = []
    before = None
    while len(found) <= limit:
        page = queue.history(which, before=before, limit=min(_PAGE, limit + 1 - len(found)))
        if not page:
            break
        found.extend(page)
        before = page[-1].seq
    return found[:limit], len(found) > limit


def _table(records: list[HistoryRecord], width: int | None) -> str:
    page = Page(width)
    for record in records:
        ident = short_id(record.request_id) if record.request_id else "-"
        what = clipped(one_line(record.description), _WIDTH)
        page.add(
            f"{record.state:10}  {_by(record)}  {clipped(one_line(record.agent_name, 'agent'), _NAME_WIDTH)}  "
            f"{clipped(one_line(record.tool_name, 'tool_name'), _NAME_WIDTH)}: {what}",
            label=f"{local_time(record.at)}  {ident:8}  ",
        )
        note = record.decision.note if record.decision else record.reason
        if note:
            page.add(one_line(note), label="    ")
    return page.text()


def _by(record: HistoryRecord) -> str:
    decision = record.decision
    if decision is None:
        return "undecided"
    by = one_line(decision.by, "agent")
    return f"by {decision.source} {by}" if by else f"by {decision.source}"
