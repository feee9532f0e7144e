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
        hints += [KeyHint("Esc", "back"), KeyHint("]/[", "hunk")]
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
    reasons = "  ".join(f"{name_of(desk, item.ref)} {_why(item)}" for item in left_out)
    return (
        line(
            chunk(" (Y) ", "notyet", keep=True),
            chunk("nothing approved: no request of the group is ready", "warn"),
        ),
        line(chunk(" left out: ", "muted", keep=True), foreign(reasons)),
        *flow([KeyHint("Space", "read next unseen"), KeyHint("Esc", "back")], bar.width, max(bar.rows - 2, 1)),
    )


def ready_lines(desk: Desk, members: Eligibility) -> tuple[Line, ...]:
    """What `Y` covers, by name, and what it leaves out."""
    if not members.ready:
        covered = line(chunk(" [Y] covers nothing yet: read first", "muted"))
    else:
        covered = line(
            chunk(f" [Y] approves exactly these {len(members.ready)}:  ", "ok", keep=True),
            foreign(names_of(desk, members.ready)),
        )
    open_items = [item for item in members.left_out if item.reason is not Omission.CLOSED]
    if not open_items:
        return (covered,)
    left = "  ".join(f"{name_of(desk, item.ref)} {_why(item)}" for item in open_items)
    return (covered, line(chunk(" left out: ", "muted", keep=True), foreign(left, "muted")))


def remember_sheet(preview: RememberPreview, bar: Bar, *, armed: bool) -> tuple[Line, ...]:
    """What remembering would cover, in words, before anybody agrees."""
    summary = summarize(preview.entry.request)
    reach = preview.reach
    careless = reach.breadth.careless
    confirm = "!" if careless else "y"
    lines = [
        line(chunk(" Remember for this session?", "strong"), chunk("  From now on this runs WITHOUT asking you:")),
        line(chunk("   agent    ", "muted", keep=True), Chunk(summary.agent), chunk(", session ", keep=True), Chunk(summary.session), chunk(" only")),
        line(chunk("   tool     ", "muted", keep=True), Chunk(summary.tool)),
        line(chunk("   matches  ", "muted", keep=True), *_matches(preview), right=(chunk(f" breadth: {reach.breadth} ", "danger" if careless else "muted", keep=True),)),
        line(chunk("   ends     ", "muted", keep=True), chunk("with the session; HIGH risk still asks")),
        line(chunk("   now      ", "muted", keep=True), chunk(f"approves only this request; {preview.matching} other waiting match and stay")),
    ]  # fmt: skip
    hints = [
        KeyHint(confirm, "remember anyway" if careless else "yes, remember", live=armed, token="strong"),
        KeyHint("Esc", "no, back"),
    ]
    return (*lines, *flow(hints, bar.width, 1))


def _matches(preview: RememberPreview) -> tuple[Chunk, ...]:
    reach = preview.reach
    if reach.breadth is Breadth.EVERYTHING:
        return (chunk("ANY call of this tool: it names nothing that must be equal", "danger"),)
    fixed = [
        piece
        for name, value in reach.fixed
        for piece in (foreign(name, keep=True), chunk(" = ", keep=True), Chunk(_value(value)), chunk("  "))
    ]  # fmt: skip
    if not reach.free:
        return tuple(fixed)
    free = [chunk("any ", "warn", keep=True)]
    for name in reach.free:
        free += [foreign(name, "warn"), chunk(" ")]
    return (*fixed, *free)


def _value(value: object) -> SafeText:
    return reveal(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "arg_key")


def stop_sheet(desk: Desk, names: Sequence[Ref], bar: Bar, *, armed: bool) -> tuple[Line, ...]:
    """Stopping everything an agent waits for names its reach first."""
    return (
        line(chunk(f" STOP: reject all {len(names)} requests this agent waits for:", "danger")),
        line(chunk("   "), foreign(names_of(desk, names))),
        *flow([KeyHint("!", "stop it", live=armed, token="danger"), KeyHint("Esc", "no, back")], bar.width, 1),
    )


def editor_lines(desk: Desk, offer: Offer, *, hard: bool) -> tuple[Line, ...]:
    """What the text box is about: soft or hard, and how far it reaches."""
    reach = f"{len(offer.refs)} requests" if len(offer.refs) != 1 else "this request"
    if hard:
        title = line(
            chunk(" STOP: ", "danger", keep=True),
            chunk(f"reject {reach} and the later ones of its batch. The agent's batch ends. Message (optional):"),
        )
        hints = [KeyHint("Enter", "stops it"), KeyHint("Tab", "soft reject instead"), KeyHint("Esc", "back")]
    else:
        title = line(
            chunk(" Reject ", "no", keep=True),
            chunk(f"{reach}; the agent goes on. Tell it what to do instead (optional):"),
        )
        hints = [KeyHint("Enter", "sends"), KeyHint("Esc", "back, text is kept")]
    return (title, *flow(hints, 120, 1))


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
