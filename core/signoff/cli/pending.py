"""`signoff list`: lists the requests that wait for a decision."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import counted, print_json
from signoff.cli.page import RISK_STYLE, Column, Page, Span, TableCell, TableLine
from signoff.effects import Risk
from signoff.policy.verdict import RISK_WORD
from signoff.present.reveal import clipped, one_line
from signoff.queue.records import StoredRequest
from signoff.shown_request.row import cell_of, kind_of, short_id, tool_of, what_of
from signoff.text.time import length_text

__all__ = ["list_pending"]

_WIDTH = 100
_NAME_WIDTH = 40

_Groups = dict[tuple[str, str], list[StoredRequest]]
"""Requests by session and name of their group, or by id."""


@click.command(
    "list",
    short_help="List the requests that wait.",
    epilog="\b\nExample:\n  signoff list --json | jq -r '.[] | select(.risk == \"high\") | .id'",
)
@queue_option
@json_option
def list_pending(*, as_json: bool) -> int:
    """List the requests that wait, oldest first, with their groups together."""
    with open_for_review() as queue:
        requests = queue.pending()
        now = queue.now
    if as_json:
        from signoff.cli.render import request_facts  # late: the table needs no documents and no history

        print_json([request_facts(request, kind_of(request.submission), now) for request in requests])
    else:
        _print(requests, now)
    return ExitCode.OK


def _print(requests: Sequence[StoredRequest], now: int) -> None:
    groups = _by_group(requests)
    page = Page.on(sys.stdout)
    page.add(_summary(requests, groups))
    if page.coloured:
        page.add_table(_COLUMNS, _rows(groups, now))
    else:
        _add_lines(page, groups, now)
    page.write(sys.stdout)


def _add_lines(page: Page, groups: _Groups, now: int) -> None:
    for (_, name), members in groups.items():
        if name:
            page.add("")
            page.add(_heading(name, members), label="group ")
        for request in members:
            label = f"{short_id(request.id)}  "
            page.add(_line(request, now), label=f"  {label}" if name else label)


_COLUMNS = (
    Column("id", whole=True),
    Column("risk", whole=True),
    Column("kind", whole=True, spare=True),
    Column("waits", whole=True, right=True),
    Column("agent", spare=True),
    Column("what"),
)


def _rows(groups: _Groups, now: int) -> Iterator[Sequence[TableCell] | TableLine]:
    for (_, name), members in groups.items():
        if name:
            yield TableLine(_heading(name, members), "group ", "head")
        for request in members:
            submission = request.submission
            what, path = cell_of(submission)
            yield (
                TableCell(f"{'  ' if name else ''}{short_id(request.id)}", "muted"),
                TableCell(RISK_WORD[submission.risk], RISK_STYLE[submission.risk]),
                TableCell(kind_of(submission)),
                TableCell(length_text(now - request.created_at), "muted"),
                TableCell(one_line(request.asked_by.name, "agent")),
                TableCell(what, path=path),
            )


def _by_group(requests: Sequence[StoredRequest]) -> _Groups:
    """Sort requests into groups, each in the place of its first member; groups of two sessions stay apart."""
    groups: _Groups = {}
    for request in requests:
        name = request.submission.group_id
        key = (request.asked_by.session, name) if name else (request.id, "")
        groups.setdefault(key, []).append(request)
    return groups


def _summary(requests: Sequence[StoredRequest], groups: _Groups) -> list[Span]:
    if not requests:
        return [("nothing is waiting", "")]
    high = sum(request.submission.risk is Risk.HIGH for request in requests)
    named = sum(1 for _, name in groups if name)
    return [
        (f"{len(requests)} waiting, ", ""),
        *([(f"{high} HIGH", RISK_STYLE[Risk.HIGH]), (", ", "")] if high else ()),
        (counted(named, "group"), ""),
    ]


def _heading(name: str, members: Sequence[StoredRequest]) -> str:
    size = members[0].submission.group_size
    announced = f", {size} announced" if size is not None and size != len(members) else ""
    return f"{clipped(one_line(name), _NAME_WIDTH)}: {counted(len(members), 'request')}{announced}"


def _line(request: StoredRequest, now: int) -> str:
    submission = request.submission
    what = clipped(what_of(submission), _WIDTH)
    return (
        f"{RISK_WORD[submission.risk]:4}  {kind_of(submission):8}  {length_text(now - request.created_at):>6}  "
        f"{clipped(one_line(request.asked_by.name, 'agent'), _NAME_WIDTH)}  "
        f"{tool_of(submission, _NAME_WIDTH)}: {what}"
    )
