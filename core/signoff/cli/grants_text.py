"""Grants, and the calls that a wider one would answer, in words and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.cli.output import clipped, one_line
from signoff.cli.render import short_id, tool_of, what_of
from signoff.text.time import iso, local_time

if TYPE_CHECKING:
    from signoff.cli.output import Page
    from signoff.queue.history import HistoryRecord, PatternPreview
    from signoff.queue.records import Grant, StoredRequest, Submission

__all__ = ["add_grant_text", "add_preview_text", "counted", "grant_facts"]

_WIDTH = 100
_NAME_WIDTH = 40


def grant_facts(grant: Grant) -> dict[str, Any]:
    """Return a grant for programs."""
    return {
        "id": grant.id,
        "kind": grant.kind,
        "session": grant.session,
        "agent": grant.agent_name,
        "tool": grant.tool_name,
        "server": grant.server,
        "payload": grant.payload,
        "pattern": None if grant.pattern is None else grant.pattern.to_json(),
        "covers": grant.words(),
        "origin": grant.origin_request or None,
        "created_at": iso(grant.created_at),
        "created_by": grant.created_by,
        "uses": grant.uses,
        "last_used_at": iso(grant.last_used_at),
        "signed": grant.seal is not None,
        "damage": grant.damage,
    }


def add_grant_text(page: Page, grant: Grant) -> None:
    """Add a grant: its id, session, coverage in full, age, request, and uses."""
    session, agent = one_line(grant.session), one_line(grant.agent_name, "agent")
    page.add(
        f"{grant.kind:7}  session {clipped(session, _NAME_WIDTH)}  {clipped(agent, _NAME_WIDTH)}",
        label=f"{short_id(grant.id)}  ",
    )
    page.add(grant.words(), label="  covers  ")
    if grant.damage is not None:
        page.add(one_line(grant.damage), label="  damage  ")
        return
    origin = f", for request {short_id(grant.origin_request)}" if grant.origin_request else ""
    page.add(
        f"{local_time(grant.created_at)} by {one_line(grant.created_by, 'agent')}{origin}", label="  since   "
    )
    if grant.seal is None:
        page.add("by no reviewer: only the process that gave it uses it", label="  signed  ")
    last = "" if grant.last_used_at is None else f", last {local_time(grant.last_used_at)}"
    page.add(f"{grant.uses}{last}", label="  uses    ")


def add_preview_text(page: Page, found: PatternPreview) -> None:
    """Add the calls that a grant would have answered, each by name, and those that it would not."""
    page.add(
        f"would have matched {len(found.matched)} of the last {counted(found.looked_at, 'call')} of the session"
        + (":" if found.matched else "")
    )
    for record in found.matched:
        ident = short_id(record.request_id) if record.request_id else "-"
        page.add(
            _what(record),
            label=f"  {local_time(record.at)}  {ident:8}  {record.state:10}  ",
        )
    if found.still_asked:
        page.add(f"{found.still_asked} more match and would still be asked: HIGH risk, or what leads elsewhere")
    if found.unreadable:
        page.add(f"{counted(found.unreadable, 'call')} could not be compared: the record is damaged")
    if not found.waiting:
        page.add("none of the requests that wait matches")
        return
    page.add(f"of the requests that wait, {len(found.waiting)} would match and stay undecided:")
    for request in found.waiting:
        page.add(_of(request), label=f"  {short_id(request.id)}  ")


def counted(number: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _of(request: StoredRequest) -> str:
    return _what(request.submission)


def _what(call: Submission | HistoryRecord) -> str:
    return f"{tool_of(call, _NAME_WIDTH)}: {clipped(what_of(call), _WIDTH)}"
