"""`signoff policy replay`: judges the calls of the history by a settings file."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.history_query import filter_options
from signoff.cli.options import json_option, open_for_review, queue_option, reveal_option
from signoff.cli.output import print_json, width_of
from signoff.cli.page import Page
from signoff.cli.policy.replay_calls import Changed, Replayed, Was, is_call, replayed
from signoff.cli.policy.verdict_text import verdict_facts, why
from signoff.cli.settings_file import read_settings
from signoff.history_export import record_facts
from signoff.policy.verdict import Level
from signoff.present.reveal import clipped, one_line
from signoff.shown_request.row import short_id, tool_of, what_of
from signoff.text.time import local_time

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryFilter, HistoryRecord
    from signoff.queue.protocol import ReviewQueue

__all__ = ["replay"]

_PAGE = 500
_WIDTH = 100
_NAME_WIDTH = 40

_CHANGES = {
    (Was.ASKED, Level.ALLOW): ("asked_runs", "asked, would now run without a question"),
    (Was.ASKED, Level.BLOCK): ("asked_blocked", "asked, would now be blocked"),
    (Was.PASSED, Level.ASK): ("passed_asks", "passed without a person, would now ask"),
    (Was.PASSED, Level.BLOCK): ("passed_blocked", "passed without a person, would now be blocked"),
    (Was.STOPPED, Level.ALLOW): ("stopped_runs", "stopped without a person, would now run without a question"),
    (Was.STOPPED, Level.ASK): ("stopped_asks", "stopped without a person, would now ask"),
}
"""The difference between the old answer and the new verdict: its name for programs, and in words."""


@click.command(
    short_help="Say what a file would have done with the history.",
    epilog="\b\nExample:\n  signoff policy replay signoff.yaml --since 7d --agent refactor",
)
@click.argument("file", metavar="FILE")
@filter_options
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N of these records.")
@reveal_option
@queue_option
@json_option
def replay(*, file: str, which: HistoryFilter, last: int | None, hidden: Redactor, as_json: bool) -> int:
    """Say which calls of the history FILE would have answered differently, newest first.

    Links and files are looked at as they are now. Calls of which the history does not hold enough are counted as
    unknown. The mode is left out.
    """
    loaded = read_settings(file, as_json=as_json)
    if loaded is None:
        return ExitCode.USAGE
    with open_for_review() as queue:
        found = replayed(itertools.islice(_newest_first(queue, which), last), loaded.verdicts)
    if as_json:
        print_json(_facts(found, hidden))
    else:
        print(_text(found, hidden), end="")
    return ExitCode.OK


def _newest_first(queue: ReviewQueue, which: HistoryFilter) -> Iterator[HistoryRecord]:
    before = None
    while page := queue.history(which, before=before, limit=_PAGE):
        yield from filter(is_call, page)
        before = page[-1].seq


def _counts(found: Replayed) -> dict[str, int]:
    changes = Counter((call.was, call.now.level) for call in found.changed)
    counts = {name: changes[change] for change, (name, _) in _CHANGES.items()}
    return {"calls": found.calls, **counts, "same": found.same, "unknown": found.unknown.total()}


def _facts(found: Replayed, hidden: Redactor) -> dict[str, Any]:
    return {"counts": _counts(found), "changes": [_call_facts(call, hidden) for call in found.changed]}


def _call_facts(call: Changed, hidden: Redactor) -> dict[str, Any]:
    record = record_facts(call.record, hidden)
    kept = ("seq", "at", "id", "agent", "session", "tool", "server", "description", "arguments", "risk", "state")
    now = verdict_facts(call.now)
    # The parts are pieces of the arguments, in which secrets could not be told from words.
    now["parts"] = [{key: value for key, value in part.items() if key != "text"} for part in now["parts"]]
    return {**{key: record[key] for key in kept}, "was": call.was, **now}


def _text(found: Replayed, hidden: Redactor) -> str:
    page = Page(width_of(sys.stdout))
    page.add(f"{found.calls} calls: {found.same} as before, {found.unknown.total()} unknown")
    for change, (_, words) in _CHANGES.items():
        calls = [call for call in found.changed if (call.was, call.now.level) == change]
        if calls:
            page.add("")
            page.add(f"{len(calls)} {words}:")
        for call in calls:
            _add_call(page, call, hidden)
    if found.unknown:
        page.add("")
        page.add(f"{found.unknown.total()} unknown:")
        for reason, number in found.unknown.items():
            page.add(f"{number}: {reason}", label="  ")
    return page.text()


def _add_call(page: Page, call: Changed, hidden: Redactor) -> None:
    record = call.record
    ident = short_id(record.request_id) if record.request_id else "-"
    agent = clipped(one_line(record.agent_name, "agent"), _NAME_WIDTH)
    tool = tool_of(record, _NAME_WIDTH)
    what = clipped(what_of(record, hidden), _WIDTH)
    page.add(f"{agent}  {tool}: {what}", label=f"  {local_time(record.at)}  {ident:8}  ")
    page.add(f"{record.state}; now {why(call.now)}", label="    ")
