"""Names of requests, short enough for lists of them, and never the same for two of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rich.cells import cell_len

from signoff.amended_call import is_edited
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.reveal import SafeText, reveal, reveal_line
from signoff.queue.records import Decision, StoredRequest
from signoff_tui.guard import LeftOut, Omission, Ref
from signoff_tui.state.amendments import EDITED
from signoff_tui.state.coverage import ALMOST
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import Entry, Group
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Line, chunk, crop, foreign, line
from signoff_tui.text.summary import Summary, group_name, summarize

__all__ = [
    "LEAST_NAME",
    "NAME",
    "agents_of",
    "as_listed",
    "as_many",
    "group_label",
    "held_words",
    "left_out_names",
    "listed",
    "name_of",
    "names_of",
]

LEAST_NAME = 12
"""Cells below which a cut name says nothing."""

NAME = 32
"""Most cells for a name that somebody else chose, beside other words."""

_BETWEEN = "  "


def name_of(desk: ReviewSession, ref: Ref) -> str:
    """Return the short name of a request, other than those of the rest of its group."""
    return names_of(desk, [ref])[0]


def names_of(desk: ReviewSession, refs: Sequence[Ref]) -> list[str]:
    """Return the short names of several requests, in order; each differs from all others of its group."""
    known = [desk.inbox.entry(ref.id) for ref in refs if ref.id in desk.inbox]
    groups = {entry.group: None for entry in known if entry.group is not None}
    around = [member for group in groups for member in desk.inbox.members(group)]
    requests = {entry.id: desk.request(entry) for entry in (*around, *known)}
    names = told_apart(list(requests.values()))
    return [names.get(ref.id, "(gone)") for ref in refs]


def group_label(desk: ReviewSession, group: Group) -> SafeText:
    """Return the name of a group: as its sender gave it, else what it does."""
    members = desk.inbox.listed(group.key) or desk.inbox.members(group.key)
    return group_name(group.label, [entry.request.submission for entry in members])


def as_listed(desk: ReviewSession, refs: Sequence[Ref]) -> list[Ref]:
    """Return requests in the order in which they came, as the list has them; those that are gone come last."""
    inbox = desk.inbox
    gone = max((inbox.entry(ref.id).request.seq for ref in refs if ref.id in inbox), default=0) + 1
    return sorted(refs, key=lambda ref: inbox.entry(ref.id).request.seq if ref.id in inbox else gone)


def as_many(names: Sequence[str], cells: int, *, rest: str = "", none: str | None = None) -> str:
    """Return as many names as there is room for, and the number of the others.

    Args:
        names: The names to list.
        cells: Room for everything.
        rest: Says where the others are, after their number.
        none: The words where there is room for no name; None for their number.
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
    """Return the name of the agent that asks, or the names of all with their number."""
    # Groups are large and agents few: each name is made safe once, whenever anything is drawn.
    agents = dict.fromkeys(entry.request.asked_by.name for entry in entries)
    names = list(dict.fromkeys(reveal(name, "agent").text for name in agents))
    return names[0] if len(names) == 1 else f"{len(names)} agents: {', '.join(names)}"


def held_words(decision: Decision, names: Sequence[str], room: int) -> str:
    """Return what is held, in words: ``approved ls``, ``rejected 3: ls  pwd +1 more``; without names if none fits.

    A yes that is remembered is ``allowed``.

    Args:
        decision: The decision.
        names: The requests that it is about, and those that follow a stop.
        room: Cells.
    """
    yes = "allowed" if decision.remember else "approved"
    verb = "stopped" if decision.hard else yes if decision.approved else "rejected"
    edited = decision.instead is not None and is_edited(decision.instead)
    parts = decision.instead is not None and not edited
    changed = f" {foreign(decision.instead.summary).text.text}:" if decision.instead and parts else ""
    count = f" {len(names)}" if names[1:] else ""
    head = f"{verb}{changed or count}{':' if count else ''} "
    end = f"  {EDITED}" if edited else ""
    room -= cell_len(head) + len(end)
    told = as_many(names, room, none=crop(names[0], room, "end", ellipsis="...") if room >= LEAST_NAME else "")
    return f"{head}{told}{end}" if told else f"{verb}{changed.removesuffix(':') or count}{end}"


def left_out_names(desk: ReviewSession, left_out: Sequence[LeftOut]) -> list[str]:
    """Return the names of the members that a group approval leaves out, each with the reason.

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


def listed(
    title: str, names: Sequence[str], width: int, *, head: str, body: str, most: int | None = None, rest: str = ""
) -> list[Line]:
    """Return names after a title, on as many lines as they need.

    Args:
        title: Stands before the first name; the others are indented as far.
        names: The names to list.
        width: Cells of a line.
        head: Style of the title.
        body: Style of the names.
        most: Lines for names; one more says how many names there are besides. None leaves none out.
        rest: Says which these are.
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
    if item.reason is Omission.UNSEEN and item.coverage < ALMOST:
        return f"{int(item.coverage * 100)} %"
    return str(item.reason)


# -- Names that tell requests apart: of a file the end of its path, as long as it takes to differ from the others.
# Anything else is named by what it is, and by the first argument that differs where that is the same.

LONGEST = 40
"""Characters of a name among others."""

_LONGEST_VALUE = 24
_LEAST = 12

Names = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Requests, the same as others if they are the same revisions."""

    keys: tuple[object, ...]
    requests: tuple[StoredRequest, ...] = field(compare=False)


def told_apart(requests: Sequence[StoredRequest]) -> Mapping[str, str]:
    """Return names by request id; no two are the same."""
    keys = tuple((content_key(request), request.asked_by.name) for request in requests)
    return _names(_Asked(keys, tuple(requests)))


@lru_cache(maxsize=64)
def _names(asked: _Asked) -> Names:
    requests = asked.requests
    summaries = {request.id: summarize(request) for request in requests}
    names = {request.id: _short(summaries[request.id]) for request in requests}
    ways: tuple[Callable[[Sequence[StoredRequest]], Names], ...] = (
        lambda alike: _by_path(alike, summaries),
        lambda alike: _by_argument(alike, names),
        lambda alike: {item.id: f"{names[item.id]} ({summaries[item.id].agent.text})" for item in alike},
        lambda alike: {item.id: f"{names[item.id]} #{at}" for at, item in enumerate(alike, 1)},
    )
    for way in ways:
        for alike in _alike(requests, names):
            found = way(alike)
            if len(set(found.values())) > 1:
                names.update(found)
    return names


def _alike(requests: Iterable[StoredRequest], names: Names) -> list[list[StoredRequest]]:
    """Return the requests that share a name, name by name."""
    by_name: dict[str, list[StoredRequest]] = {}
    for request in requests:
        by_name.setdefault(names[request.id], []).append(request)
    return [same for same in by_name.values() if len(same) > 1]


def _short(summary: Summary) -> str:
    """Return the last part of a path, or the beginning of anything else."""
    if summary.path:
        name = summary.what.text.rsplit("/", 1)[-1]
        return name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}...{name[-LONGEST // 2 :]}"
    return _begin(summary.what.text, LONGEST)


def _begin(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _by_path(alike: Sequence[StoredRequest], summaries: dict[str, Summary]) -> Names:
    """Return names by path: as many parts from its end as it takes to tell them apart."""
    paths = {item.id: tuple(summaries[item.id].what.text.split("/")) for item in alike if summaries[item.id].path}
    distinct = {tuple(parts) for parts in paths.values()}
    longest = max(map(len, distinct), default=0)
    alike_at = [Counter(parts[-count:] for parts in distinct) for count in range(1, longest + 1)]
    return {request_id: _end(parts, alike_at) for request_id, parts in paths.items()}


def _end(parts: tuple[str, ...], alike_at: Sequence[Counter[tuple[str, ...]]]) -> str:
    """Return the shortest end of a path that no other path has."""
    count = next((at for at, ends in enumerate(alike_at, 1) if ends[parts[-at:]] == 1), len(parts))
    first, *others = parts[-count:]
    whole = "/".join((first, *others))
    return whole if len(whole) <= LONGEST or not others else f"{_begin(first, LONGEST // 2)}/.../{parts[-1]}"


def _by_argument(alike: Sequence[StoredRequest], names: Names) -> Names:
    """Return names by argument: the first of those by which most of them differ."""
    values = {item.id: _arguments(item) for item in alike}
    keys = dict.fromkeys(key for arguments in values.values() for key in arguments)
    if not keys:
        return {}

    def kinds(key: str) -> int:
        return len(Counter(arguments.get(key) for arguments in values.values()))

    best = max(keys, key=kinds)
    room = max(LONGEST - _LONGEST_VALUE, _LEAST)
    return {
        item.id: f"{_begin(names[item.id], room)} {_begin(best, _LEAST)}={values[item.id].get(best, '(none)')}"
        for item in alike
    }


def _arguments(request: StoredRequest) -> dict[str, str]:
    """Return each argument of a call in short, without its secrets."""
    submission = request.submission
    shown = DEFAULT_REDACTION.also(submission.masked_keys).mask_value(submission.arguments)
    return {
        reveal_line(key, "arg_key").text: _begin(_value(value), _LONGEST_VALUE) for key, value in shown.items()
    }


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return reveal_line(text[: 4 * _LONGEST_VALUE], "arg_value").text
