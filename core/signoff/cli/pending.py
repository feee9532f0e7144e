"""`signoff list`: lists the requests that wait for a decision."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option, open_for_review, queue_option
from signoff.cli.output import Page, counted, print_json, width_of
from signoff.policy.verdict import RISK_WORD
from signoff.present.reveal import clipped, one_line
from signoff.queue.records import Risk
from signoff.shown_request.row import kind_of, short_id, tool_of, what_of
from signoff.text.time import length_text

if TYPE_CHECKING:
    from signoff.queue.records import StoredRequest

__all__ = ["list_pending"]

_WIDTH = 100
_NAME_WIDTH = 40

_Group = tuple[str, str]


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
        _print_table(requests, now)
    return ExitCode.OK


def _print_table(requests: Sequence[StoredRequest], now: int) -> None:
    groups = _by_group(requests)
    page = Page(width_of(sys.stdout))
    page.add(_summary(requests, groups))
    for (_, name), members in groups.items():
        if name:
            page.add("")
            members_text = f"{counted(len(members), 'request')}{_announced(members)}"
            page.add(f"{clipped(one_line(name), _NAME_WIDTH)}: {members_text}", label="group ")
        for request in members:
            label = f"{short_id(request.id)}  "
            page.add(_row(request, now), label=f"  {label}" if name else label)
    print(page.text(), end="")


def _by_group(requests: Sequence[StoredRequest]) -> dict[_Group, list[StoredRequest]]:
    """Sort requests into groups, each in the place of its first member; groups of two sessions stay apart."""
    groups: dict[_Group, list[StoredRequest]] = {}
    for request in requests:
        name = request.submission.group_id
        key = (request.asked_by.session, name) if name else (request.id, "")
        groups.setdefault(key, []).append(request)
    return groups


def _summary(requests: Sequence[StoredRequest], groups: dict[_Group, list[StoredRequest]]) -> str:
    if not requests:
        return "nothing is waiting"
    parts = [f"{len(requests)} waiting"]
    high = sum(request.submission.risk is Risk.HIGH for request in requests)
    if high:
        parts.append(f"{high} HIGH")
    named = sum(1 for _, name in groups if name)
    parts.append(counted(named, "group"))
    return ", ".join(parts)


def _announced(members: Sequence[StoredRequest]) -> str:
    size = members[0].submission.group_size
    return f", {size} announced" if size is not None and size != len(members) else ""


def _row(request: StoredRequest, now: int) -> str:
    submission = request.submission
    what = clipped(what_of(submission), _WIDTH)
    return (
        f"{RISK_WORD[submission.risk]:4}  {kind_of(submission):8}  {length_text(now - request.created_at):>6}  "
        f"{clipped(one_line(request.asked_by.name, 'agent'), _NAME_WIDTH)}  "
        f"{tool_of(submission, _NAME_WIDTH)}: {what}"
    )
