"""The target line, the keys that work now, and the sheets that take their place.

The words here name exactly what a key will act on. They are the contract with the person, so every decision key is
followed by its object or by the reason why it does nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from signoff.policy.breadth import Breadth
from signoff.present.reveal import SafeText, reveal
from signoff.queue.records import Risk
from signoff_tui.desk import Desk, RememberPreview
from signoff_tui.guard import Eligibility, LeftOut, Offer, Omission, Ref, Status
from signoff_tui.inbox import Entry, Group
from signoff_tui.lines import Chunk, Line, chunk, foreign, line
from signoff_tui.screens.review.flow import KeyHint, flow
from signoff_tui.summary import RISK_WORD, summarize

__all__ = [
    "View",
    "action_lines",
    "careless",
    "editor_lines",
    "group_bar",
    "name_of",
    "names_of",
    "question_lines",
    "remember_sheet",
    "stop_sheet",
    "target_line",
    "unseen_bar",
]

View = Literal["inbox", "request", "group"]


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a bar is drawn: width in cells and number of rows."""

    width: int
    rows: int


# -- the target line ---------------------------------------------------------------------------------------


def target_line(desk: Desk, status: Status) -> Line:
    """What the decision keys act on, and whether they do."""
    token = {"armed": "armed", "closed": "closed", "locked": "danger"}.get(status.word, "held")
    right = (chunk(f" [{status.word}] ", token, keep=True),)
    entry = desk.inbox.focused_request()
    if entry is not None:
        return Line((chunk(" TARGET ", "muted", keep=True), *_target_of(entry)), right)
    group = desk.inbox.focused_group()
    if group is not None:
        waiting = sum(member.waiting for member in desk.inbox.members(group.key))
        agent = summarize(desk.inbox.members(group.key)[0].request).agent
        return Line(
            (
                chunk(" TARGET ", "muted", keep=True),
                chunk("group ", keep=True),
                foreign(group.label, "strong"),
                chunk(" ("),
                Chunk(agent),
                chunk(f"), {waiting} waiting", keep=True),
            ),
            right,
        )
    return line(chunk(" TARGET ", "muted"), chunk("none", "muted"))


def _target_of(entry: Entry) -> tuple[Chunk, ...]:
    summary = summarize(entry.request)
    high = entry.request.submission.risk is Risk.HIGH
    return (
        Chunk(summary.tool, keep=True),
        chunk(" "),
        Chunk(summary.what, "strong"),
        chunk(" (", keep=True),
        Chunk(summary.agent),
        chunk(f") rev {entry.request.revision}", keep=True),
        *((chunk(" HIGH", "risk-high", keep=True),) if high else ()),
    )


# -- the ordinary bar --------------------------------------------------------------------------------------


def action_lines(desk: Desk, view: View, bar: Bar, *, armed: bool) -> tuple[Line, ...]:
    """The keys that make sense for what the cursor is on."""
    entry = desk.inbox.focused_request()
    group = desk.inbox.focused_group()
    hints: list[KeyHint] = []
    if entry is not None:
        hints += _request_hints(desk, entry, armed=armed)
    if group is not None:
        hints += _group_hints(desk, group, on_heading=entry is None, armed=armed)
    if not hints:
        return flow([KeyHint("h", "history"), KeyHint("q", "quit"), KeyHint("?", "help")], bar.width, bar.rows)
    hints += _view_hints(view, entry, group)
    return flow(hints, bar.width, bar.rows)


def _request_hints(desk: Desk, entry: Entry, *, armed: bool) -> list[KeyHint]:
    if not entry.waiting:
        return []
    coverage = desk.coverage(entry)
    complete = desk.share(entry) >= 1
    high = entry.request.submission.risk is Risk.HIGH
    yes = KeyHint("y", "approve", live=armed, token="strong")
    hints = [yes]
    if not complete:
        why = "reading the request" if coverage is None else _missing(desk, entry)
        hints = [KeyHint("y", f"approve: {why}", live=False), KeyHint("Space", "show the rest")]
        if coverage is not None and coverage.complete:
            hints.pop()
    hints += [
        KeyHint("n", "reject, say why", live=armed),
        KeyHint("s", "never for HIGH", live=False) if high else KeyHint("s", "session", live=armed and complete),
        KeyHint("x", "stop the agent", live=armed),
    ]
    return hints


def _group_hints(desk: Desk, group: Group, *, on_heading: bool, armed: bool) -> list[KeyHint]:
    members = desk.eligibility(group)
    waiting = len(members.waiting)
    if not waiting:
        return []
    ready = len(members.ready)
    label = f"approve the {ready} ready" if ready else "approve group: nothing fully shown"
    hints = [
        KeyHint("Y", label, live=armed and bool(ready), token="strong"),
        KeyHint("N", f"reject all {waiting}", live=armed),
    ]
    if on_heading:
        return [KeyHint("Space", "read next unseen"), *hints, KeyHint("z", "later")]
    return hints


def _view_hints(view: View, entry: Entry | None, group: Group | None) -> list[KeyHint]:
    hints = []
    if view == "inbox":
        hints.append(KeyHint("Enter", "open"))
        if group is not None and entry is None:
            hints.append(KeyHint("Left/Right", "close/open"))
    else:
        hints += [KeyHint("Esc", "back"), KeyHint("] [", "hunk")]
        if group is not None:
            hints.append(KeyHint("J/K", "next/previous"))
    if entry is not None:
        hints.append(KeyHint("z", "later"))
    return [*hints, KeyHint("u", "undo"), KeyHint("h", "history"), KeyHint("o", "tidy"), KeyHint("?", "help")]


def _missing(desk: Desk, entry: Entry) -> str:
    coverage, content = desk.coverage(entry), desk.content(entry)
    assert coverage is not None
    assert content is not None
    if coverage.missing:
        return f"{coverage.missing} of {coverage.units} lines not shown yet"
    return "a part cannot be shown"


# -- sheets and bars that precede a decision ----------------------------------------------------------------


def unseen_bar(desk: Desk, ref: Ref, bar: Bar) -> tuple[Line, ...]:
    """Not everything was shown: the deliberate second act."""
    entry = desk.inbox.entry(ref.id)
    percent = int(desk.share(entry) * 100)
    first = line(
        chunk(" (y) ", "notyet", keep=True),
        chunk(
            f"not approved: {_missing(desk, entry) if desk.content(entry) else 'it was not opened yet'}", "warn"
        ),
    )
    hints = [
        KeyHint("Space", "show it"),
        KeyHint("!", f"approve anyway, recorded as {percent}% shown", token="warn"),
        KeyHint("Esc", "back"),
    ]
    return (first, *flow(hints, bar.width, max(bar.rows - 1, 1)))


def group_bar(desk: Desk, left_out: Sequence[LeftOut], bar: Bar) -> tuple[Line, ...]:
    """No member of the group is ready: say why for each."""
    reasons = [f"{name_of(desk, item.ref)} {_why(item)}" for item in left_out]
    return (
        line(
            chunk(" (Y) ", "notyet", keep=True),
            chunk("nothing approved: no request of the group is ready", "warn"),
        ),
        *_listed(" left out: ", reasons, bar.width, head="muted", body="text"),
        *flow([KeyHint("Space", "read next unseen"), KeyHint("Esc", "back")], bar.width, 1),
    )


def ready_lines(desk: Desk, members: Eligibility, width: int) -> tuple[Line, ...]:
    """What `Y` covers, by name, and what it leaves out. Names are never left out of these lists."""
    if members.ready:
        names = [name_of(desk, ref) for ref in members.ready]
        lines = _listed(f" [Y] approves exactly these {len(names)}: ", names, width, head="ok", body="text")
    else:
        lines = [line(chunk(" [Y] covers nothing yet: read first", "muted"))]
    left = [
        f"{name_of(desk, item.ref)} {_why(item)}"
        for item in members.left_out
        if item.reason is not Omission.CLOSED
    ]
    if left:
        lines += _listed(" left out: ", left, width, head="muted", body="muted")
    return tuple(lines)


def _listed(title: str, names: Sequence[str], width: int, *, head: str, body: str) -> list[Line]:
    """Names after a title, on as many lines as they need."""
    rows: list[str] = [""]
    for name in names:
        if rows[-1] and len(title) + len(rows[-1]) + len(name) + 2 > width:
            rows.append("")
        rows[-1] += f"{name}  "
    indent = " " * len(title)
    return [
        line(chunk(title if index == 0 else indent, head, keep=True), foreign(row, body))
        for index, row in enumerate(rows)
    ]


def remember_sheet(previews: Sequence[RememberPreview], bar: Bar, *, armed: bool) -> tuple[Line, ...]:
    """What remembering would cover, in words, before anybody agrees.

    Args:
        previews: One for each request that the sheet is about; at least one.
        bar: Where it is drawn.
        armed: Whether the confirming key works already.
    """
    summary = summarize(previews[0].entry.request)
    wide = careless(previews)
    waiting = sum(preview.matching for preview in previews)
    now = "this request" if len(previews) == 1 else f"these {len(previews)} requests"
    lines = [
        line(
            chunk(" Remember for this session?", "strong", keep=True),
            chunk("  From now on this runs WITHOUT asking you:"),
        ),
        _fact("agent", Chunk(summary.agent), chunk(", session "), Chunk(summary.session), chunk(" only")),
        *(_fact("matches", *_matches(preview), right=_breadth(preview)) for preview in previews),
        _fact("ends", chunk("with the session; HIGH risk still asks")),
        _fact("now", chunk(f"approves only {now}; {waiting} other waiting match and stay")),
    ]
    hints = [
        KeyHint("!" if wide else "y", "remember anyway" if wide else "yes, remember", live=armed),
        KeyHint("Esc", "no, back"),
    ]
    return (*lines, *flow(hints, bar.width, 1))


def careless(previews: Sequence[RememberPreview]) -> bool:
    """Whether the ordinary confirming key must not be enough."""
    return any(preview.reach.breadth.careless for preview in previews)


def _fact(name: str, *words: Chunk, right: tuple[Chunk, ...] = ()) -> Line:
    return Line((chunk(f"   {name:<9}", "muted", keep=True), *words), right)


def _breadth(preview: RememberPreview) -> tuple[Chunk, ...]:
    breadth = preview.reach.breadth
    return (chunk(f"  breadth: {breadth} ", "danger" if breadth.careless else "muted", keep=True),)


def _matches(preview: RememberPreview) -> tuple[Chunk, ...]:
    reach = preview.reach
    tool = Chunk(summarize(preview.entry.request).tool, keep=True)
    if reach.breadth is Breadth.EVERYTHING:
        return (tool, chunk(": ANY call, because the tool names nothing that must be equal", "danger"))
    words = [tool, chunk("  ", keep=True)]
    for name, value in reach.fixed:
        words += [foreign(f"{name} = ", "muted", keep=True), Chunk(_value(value), "strong"), chunk("  ")]
    if reach.free:
        words += [chunk("with ANY ", "warn", keep=True), foreign(", ".join(reach.free), "warn")]
    return tuple(words)


def _value(value: object) -> SafeText:
    return reveal(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "arg_key")


def stop_sheet(desk: Desk, names: Sequence[Ref], bar: Bar, *, armed: bool) -> tuple[Line, ...]:
    """Stopping everything an agent waits for names its reach first."""
    return (
        line(chunk(f" STOP: reject all {len(names)} requests this agent waits for:", "danger")),
        *_listed("   ", [name_of(desk, ref) for ref in names], bar.width, head="text", body="text"),
        *flow([KeyHint("!", "stop it", live=armed, token="danger"), KeyHint("Esc", "no, back")], bar.width, 1),
    )


def editor_lines(desk: Desk, offer: Offer, bar: Bar, *, hard: bool) -> tuple[Line, ...]:
    """What the text box is about: soft or hard, and how far it reaches."""
    reach = f"{len(offer.refs)} requests" if len(offer.refs) != 1 else name_of(desk, offer.refs[0])
    if hard:
        title = line(
            chunk(" STOP: ", "danger", keep=True),
            foreign(f"reject {reach} and what follows it in its batch. Message (optional):"),
        )
        hints = [KeyHint("Enter", "stops it"), KeyHint("Tab", "soft reject instead"), KeyHint("Esc", "back")]
    else:
        title = line(
            chunk(" Reject ", "no", keep=True),
            foreign(f"{reach}; the agent goes on. Tell it what to do instead (optional):"),
        )
        hints = [KeyHint("Enter", "sends"), KeyHint("Esc", "back, text is kept")]
    return (title, *flow(hints, bar.width, 1))


def question_lines(question: str, hints: Sequence[KeyHint], bar: Bar) -> tuple[Line, ...]:
    """A question of the program's own, such as before quitting."""
    return (line(chunk(f" {question}", "warn")), *flow(hints, bar.width, max(bar.rows - 1, 1)))


# -- names -------------------------------------------------------------------------------------------------


def name_of(desk: Desk, ref: Ref) -> str:
    """Short name of a request: the last part of its path, or what it is."""
    if ref.id not in desk.inbox:
        return "(gone)"
    summary = summarize(desk.inbox.entry(ref.id).request)
    return summary.what.text.rsplit("/", 1)[-1] if summary.path else summary.what.text


def names_of(desk: Desk, refs: Sequence[Ref]) -> str:
    """Names of several requests in the order of the list."""
    return "  ".join(name_of(desk, ref) for ref in refs)


def _why(item: LeftOut) -> str:
    if item.reason is Omission.UNSEEN:
        return f"{int(item.coverage * 100)}%"
    return str(item.reason)


def risk_words(entry: Entry) -> tuple[Chunk, ...]:
    """The risk as a word, with its reasons."""
    submission = entry.request.submission
    level = chunk(f"risk {RISK_WORD[submission.risk]}", f"risk-{submission.risk}", keep=True)
    if not submission.risk_reasons:
        return (level,)
    return (level, chunk(" "), foreign(", ".join(submission.risk_reasons), "muted"))
