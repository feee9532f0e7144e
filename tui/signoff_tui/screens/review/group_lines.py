"""The lines above the members of a group: its name and totals, and exactly what one approval would cover."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue.records import RequestState, Risk
from signoff_tui.guard import Eligibility, Omission
from signoff_tui.screens.review.extent import Extent
from signoff_tui.screens.review.naming import (
    NAME,
    agents_of,
    as_many,
    covers_nothing,
    left_out_names,
    listed,
    names_of,
)
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest, line
from signoff_tui.text.summary import summarize

__all__ = [
    "agents_chunk",
    "covered_lines",
    "group_lines",
    "group_title",
    "left_out_line",
    "ready_line",
    "totals_line",
]


def group_lines(desk: ReviewSession, group: Group, width: int, extent: Extent) -> tuple[Line, ...]:
    """Name and totals of a group, and exactly what one approval would cover."""
    title = group_title(desk, group, width)
    if extent.low:
        return (title,)
    rows = max((extent.header_rows - 2) // 2, 1)
    return (
        title,
        totals_line(desk, group, width),
        *covered_lines(desk, desk.eligibility(group.members), width, rows, ", below"),
    )


def group_title(desk: ReviewSession, group: Group, width: int, right: Sequence[Chunk] = ()) -> Line:
    """Name of a group, and who asks.

    Args:
        desk: Has the members.
        group: The group.
        width: Cells.
        right: What stands at the right end.
    """
    members = desk.inbox.members(group.key)
    return line(
        chunk(" G ", "accent", keep=True),
        foreign(group.label, "strong"),
        chunk("   "),
        agents_chunk(members, width),
        chunk(" / ", "muted"),
        Chunk(summarize(members[0].request).session, "muted", most=NAME),
        right=tuple(right),
    )


def totals_line(desk: ReviewSession, group: Group, width: int) -> Line:
    """How a group stands: facts give way whole, so that no number is cut."""
    members = desk.inbox.members(group.key)
    contents = [content for entry in members if (content := desk.content(entry)) is not None]
    added, removed = sum(item.added for item in contents), sum(item.removed for item in contents)
    states = [entry.request.state for entry in members]
    lines = [f"+{added} -{removed}"] if len(contents) == len(members) and (added or removed) else []
    decided = [
        f"{states.count(state)} {state}"
        for state in (RequestState.APPROVED, RequestState.REJECTED)
        if state in states
    ]
    waiting = [f"{states.count(RequestState.PENDING)} waiting"]
    hidden = len(members) - len(desk.inbox.listed(group.key))
    by_filter, short = ([f"{hidden} hidden{by}"] if hidden else [] for by in (" by the filter", ""))
    size = [_size(group)]
    high = sum(entry.request.pending and entry.request.submission.risk is Risk.HIGH for entry in members)
    wordings = [
        ([*size, *lines, *decided, *waiting, *by_filter], ": decide one by one"),
        ([*size, *lines, *decided, *waiting, *short], ": decide one by one"),
        ([*size, *lines, *decided, *waiting, *short], ""),
        ([*size, *decided, *waiting, *short], ""),
        ([*size, *waiting, *short], ""),
        ([*waiting, *short], ""),
    ]
    return fullest(
        [
            line(
                chunk(f" {'   '.join(facts)}", "muted"),
                *([chunk(f"   {high} HIGH{advice}", "risk-high", keep=True)] if high else []),
            )
            for facts, advice in wordings
        ],
        width,
    )


def _size(group: Group) -> str:
    here = len(group.members)
    if group.announced is not None and group.announced > here:
        return f"{here} of {group.announced} announced"
    return f"{here} {'request' if here == 1 else 'requests'}"


def covered_lines(desk: ReviewSession, members: Eligibility, width: int, rows: int, where: str) -> list[Line]:
    """What `Y` covers, by name, and what it leaves out.

    Args:
        desk: Knows the names.
        members: Who is ready, and who is not.
        width: Cells.
        rows: Lines for either; beyond them it says how many more there are.
        where: Where those are listed.
    """
    if members.ready:
        names = names_of(desk, members.ready)
        title = f" [{desk.keys.shown('approve_group')}] approves exactly {len(names)}: "
        seen = f"of those that say seen{where}"
        lines = listed(title, names, width, head="ok", body="text", most=rows, rest=seen)
    else:
        words = covers_nothing(desk.keys.shown("approve_group"), members.left_out, "listed of the group")
        lines = [line(chunk(f" {words}", "muted"))]
    left_out = [item for item in members.left_out if item.reason is not Omission.CLOSED]
    if left_out:
        names = left_out_names(desk, left_out)
        unread = all(item.reason is Omission.UNSEEN for item in left_out)
        others = f"{'unread' if unread else 'left out'}{where}"
        lines += listed(" left out: ", names, width, head="muted", body="muted", most=rows, rest=others)
    return lines


def ready_line(desk: ReviewSession, members: Eligibility, width: int) -> Line | None:
    """What `Y` covers on one line, as many names as it has room for; None if that is nothing."""
    if not members.ready:
        return None
    title = f" [{desk.keys.shown('approve_group')}] approves exactly {len(members.ready)}: "
    return _on_one_line(title, names_of(desk, members.ready), width, "ok", "text")


def left_out_line(desk: ReviewSession, members: Eligibility, width: int) -> Line | None:
    """What `Y` leaves out and why on one line, as many names as it has room for; None if that is nothing."""
    left_out = [item for item in members.left_out if item.reason is not Omission.CLOSED]
    if not left_out:
        return None
    return _on_one_line(" left out: ", left_out_names(desk, left_out), width, "muted", "muted")


def _on_one_line(title: str, names: Sequence[str], width: int, head: str, body: str) -> Line:
    told = foreign(as_many(names, width - len(title) - 1), body)
    return line(chunk(title, head, keep=True), told)


def agents_chunk(members: Sequence[Entry], width: int, token: str = "text") -> Chunk:
    """All agents of a group; as many cells as for one name, unless there are several."""
    agents = foreign(agents_of(members), token).text
    several = len({member.request.asked_by.name for member in members}) > 1
    return Chunk(agents, token, keep=True, most=max(width // 2, NAME) if several else NAME, cut="end")
