"""Names of requests, short enough for lists of them, and never the same for two of them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from signoff.present.reveal import reveal
from signoff.queue.records import Decision
from signoff_tui.guard import LeftOut, Omission, Ref
from signoff_tui.screens.review.telling_apart import told_apart
from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Line, chunk, foreign, line

__all__ = [
    "NAME",
    "agents_of",
    "as_listed",
    "as_many",
    "covers_nothing",
    "held_words",
    "left_out_names",
    "listed",
    "name_of",
    "names_of",
]

NAME = 32
"""Most cells for a name that somebody else chose, beside other words."""

_BETWEEN = "  "


def name_of(desk: ReviewSession, ref: Ref) -> str:
    """Short name of a request, other than those of the rest of its group."""
    return names_of(desk, [ref])[0]


def names_of(desk: ReviewSession, refs: Sequence[Ref]) -> list[str]:
    """Short names of several requests, in their order; each differs from all others of its group."""
    known = [desk.inbox.entry(ref.id) for ref in refs if ref.id in desk.inbox]
    groups = {entry.group: None for entry in known if entry.group is not None}
    around = [member for group in groups for member in desk.inbox.members(group)]
    requests = {entry.id: entry.request for entry in (*around, *known)}
    names = told_apart(list(requests.values()))
    return [names.get(ref.id, "(gone)") for ref in refs]


def as_listed(desk: ReviewSession, refs: Sequence[Ref]) -> list[Ref]:
    """Requests in the order in which they came, as the list has them; what is not there any more comes last."""
    inbox = desk.inbox
    gone = max((inbox.entry(ref.id).request.seq for ref in refs if ref.id in inbox), default=0) + 1
    return sorted(refs, key=lambda ref: inbox.entry(ref.id).request.seq if ref.id in inbox else gone)


def as_many(names: Sequence[str], cells: int, *, rest: str = "", none: str | None = None) -> str:
    """As many names as there is room for, and how many more there are.

    Args:
        names: What to list.
        cells: Room for everything.
        rest: Says where the others are, after their number.
        none: What to say where there is room for no name; None for their number.
    """
    shown: list[str] = []
    for index, name in enumerate(names):
        left = len(names) - index - 1
        more = [f"+{left} more{rest}"] if left else []
        if cell_len(_BETWEEN.join([*shown, name, *more])) > cells:
            break
        shown.append(name)
    left = len(names) - len(shown)
    if not shown:
        return f"{left} of them{rest}" if none is None else none
    return _BETWEEN.join([*shown, f"+{left} more{rest}"] if left else shown)


def agents_of(entries: Sequence[Entry]) -> str:
    """Who asks: the name of the agent, or all of them with their number."""
    # Groups are large and agents few: each name is made safe once, whenever anything is drawn.
    agents = dict.fromkeys(entry.request.asked_by.name for entry in entries)
    names = list(dict.fromkeys(reveal(name, "agent").text for name in agents))
    return names[0] if len(names) == 1 else f"{len(names)} agents: {', '.join(names)}"


def held_words(decisions: Sequence[tuple[Decision, int]], following: int = 0) -> tuple[str, str]:
    """What is held, counted in requests, and the verb that fits: ``8 approvals``, ``send``.

    Args:
        decisions: Each with the number of requests that it is about.
        following: How many requests a stop would reject besides.
    """
    count = sum(about for _, about in decisions)
    approved = {decision.approved for decision, _ in decisions}
    if decisions and all(decision.hard for decision, _ in decisions):
        return _held_stops(len(decisions), count + following)
    word = "decision" if len(approved) > 1 else "approval" if approved == {True} else "rejection"
    changed = decisions[0][0].instead if count == 1 and decisions else None
    if changed is not None:
        return (f"1 approval of {foreign(changed.summary).text.text}", "sends")
    return (f"1 {word}", "sends") if count == 1 else (f"{count} {word}s", "send")


def _held_stops(stops: int, count: int) -> tuple[str, str]:
    words = "1 stop" if stops == 1 else f"{stops} stops"
    return (words if count == stops else f"{words} ({count} requests)"), ("sends" if stops == 1 else "send")


def left_out_names(desk: ReviewSession, left_out: Sequence[LeftOut]) -> list[str]:
    """Names of the members that a group approval leaves out, each with the reason.

    Several that a filter hides are only counted. They come first: where there is room for few names, the rest is
    counted by name.
    """
    hidden = sum(item.reason is Omission.HIDDEN for item in left_out)
    together = hidden > 1
    named = [item for item in left_out if not together or item.reason is not Omission.HIDDEN]
    names = names_of(desk, [item.ref for item in named])
    return [
        *([f"{hidden} {Omission.HIDDEN}"] if together else []),
        *(f"{name} {_why(item)}" for name, item in zip(names, named, strict=True)),
    ]


def covers_nothing(key: str, left_out: Sequence[LeftOut], which: str) -> str:
    """Why a key that approves several approves none, in one sentence.

    Args:
        key: The key.
        left_out: All that it is about, with the reasons.
        which: What they are, after *nothing*.
    """
    reasons = {item.reason for item in left_out} - {Omission.CLOSED, Omission.HIDDEN}
    if not reasons:
        return f"nothing {which} waits to be decided"
    return f"({key}) covers nothing yet: read first" if Omission.UNSEEN in reasons else f"({key}) covers nothing"


def listed(
    title: str, names: Sequence[str], width: int, *, head: str, body: str, most: int | None = None, rest: str = ""
) -> list[Line]:
    """Names after a title, on as many lines as they need.

    Args:
        title: Stands before the first name; the others are indented as far.
        names: What to list.
        width: Cells of a line.
        head: Style of the title.
        body: Style of the names.
        most: Lines for names; one more says how many names there are besides. None leaves none out.
        rest: Which these are.
    """
    rows: list[list[str]] = [[]]
    for name in names:
        # Made safe anew, names together may be longer than each of them: a host is told at the end of a row.
        if rows[-1] and len(title) + foreign(_BETWEEN.join([*rows[-1], name])).width > width:
            rows.append([])
        rows[-1].append(name)
    indent = " " * len(title)
    lines = [
        line(chunk(indent if index else title, head, keep=True), foreign(_BETWEEN.join(row), body))
        for index, row in enumerate(rows[:most])
    ]
    missing = sum(len(row) for row in rows[len(lines) :])
    return [*lines, line(chunk(f"   and {missing} more {rest}", "muted"))] if missing else lines


def _why(item: LeftOut) -> str:
    if item.reason is Omission.UNSEEN:
        return f"{int(item.coverage * 100)}%"
    return str(item.reason)
