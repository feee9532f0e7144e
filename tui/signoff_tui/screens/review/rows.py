"""The rows of the list: risk, kind, what, change, state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from signoff.effects import Risk
from signoff.present.reveal import SafeText
from signoff.queue.records import RequestState, StoredRequest
from signoff.queue.wording import was_not_run
from signoff.text.risk import risk_reasons
from signoff.text.time import left_text
from signoff_tui.layout import AGENT_COLUMN
from signoff_tui.screens.review.names import group_label
from signoff_tui.state.amendments import EDITED
from signoff_tui.state.delivery import is_unconfirmed
from signoff_tui.state.documents import content_key
from signoff_tui.state.inbox import Entry, Group, InboxRow, RowKey
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, foreign
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import RISK_WORD, ended_text, summarize

__all__ = [
    "RowCache",
    "RowStyle",
    "cells_needed",
    "counts_text",
    "inbox_row",
    "late_words",
    "size_of",
    "state_word",
    "time_left",
]

SOON = 60.0
"""Seconds before the sender's deadline from which on the row counts them."""

LEAST_NAME = 14
"""Cells of a name that the change leaves to it."""

FILES = "MADB"
"""Kinds of changes of files."""

MEASURED = 200
"""The most members of a group that are looked at to name their kind."""

KEPT = 1_000
"""The most rows that are kept as they were made: more than any screen shows."""

_RISK, _STATE, _AGENT = 4, 6, 14
_BEFORE = 1 + _RISK + 1
"""Cells before the kind: focus, risk, mark."""


_NOT_IN_FILTER = chunk("not in filter", "warn")
"""The state of a HIGH request that no filter hides though it does not match; its name loses words for it."""


_WORDS_BEFORE_OTHERS = frozenset({"after", "by", "for", "of", "with", "its", "the", "a", "newer", "NOT"})
"""Words that say nothing without the next one."""


class RowStyle(Struct, frozen=True):
    """The signs, the time and the words for held decisions that rows are drawn with.

    Attributes:
        glyphs: Signs that the terminal can draw.
        now: Wall clock, microseconds since the epoch.
        held_text: Returns ``2 s`` for a request with a held decision, else nothing.
        muted: True while the queue is lost: the rows are as they were.
    """

    glyphs: Glyphs
    now: int
    held_text: Callable[[str], str]
    muted: bool = False


def time_left(entry: Entry, now: int) -> float | None:
    """Return the seconds to the sender's own deadline; None if it set none, or the request ended."""
    expires = entry.request.expires_at
    return None if expires is None or entry.closed else (expires - now) / 1e6


class RowCache:
    """The lines of rows, made anew only where something that they say has changed.

    Args:
        desk: The session.
    """

    def __init__(self, desk: ReviewSession) -> None:
        self._desk = desk
        self._made: dict[RowKey, tuple[tuple[object, ...], tuple[Line, ...]]] = {}

    def line(self, row: InboxRow, style: RowStyle, width: int, *, focused: bool) -> tuple[Line, ...]:
        """Return the line of a row."""
        if row.key.kind == "group":
            return inbox_row(self._desk, row, style, width, focused=focused)
        facts = (*_facts(self._desk, row.key, style), row.depth, style.glyphs, style.muted, width, focused)
        known = self._made.get(row.key)
        if known is not None and known[0] == facts:
            return known[1]
        if len(self._made) >= KEPT:
            self._made.clear()
        made = inbox_row(self._desk, row, style, width, focused=focused)
        self._made[row.key] = facts, made
        return made


def _facts(desk: ReviewSession, row: RowKey, style: RowStyle) -> tuple[object, ...]:
    """Return everything that the line of a request is made of. Cheap: every row of every picture asks for it."""
    entry = desk.inbox.entry(row.id)
    request = entry.request
    change, key, drift = desk.changes.of(entry), content_key(request), desk.drift
    coverage = desk.coverages.of(key if change is None else change.content.key)
    return (
        request,
        (entry.held, entry.sent, entry.later, entry.replaced, entry.answered),
        change,
        drift if drift is not None and drift.key == key else None,
        desk.contents.get(key),
        None if coverage is None else coverage.state,
        request.id in desk.tags,
        desk.inbox.has_arrived(row),
        desk.is_late(request.id),
        desk.inbox.is_in_filter(request.id),
        style.held_text(request.id) if entry.held else "",
        request.decision is not None and is_unconfirmed(request, desk.reviewer, style.now),
        request.expires_at is not None and _counted_down(entry, style.now),
    )


def inbox_row(
    desk: ReviewSession, row: InboxRow, style: RowStyle, width: int, *, focused: bool
) -> tuple[Line, ...]:
    """Return the line of a row."""
    if row.key.kind == "group":
        cells = _group_cells(desk, desk.inbox.group(row.key), style, focused=focused)
    else:
        cells = _request_cells(desk, desk.inbox.entry(row.key.id), row.depth, style, focused=focused)
    drawn = cells.line(width)
    left, right = (map(_muted, each) if style.muted else each for each in (drawn.left, drawn.right))
    return (Line(tuple(left), tuple(right), "focus-bg" if focused else "background", bold=focused),)


def _muted(piece: Chunk) -> Chunk:
    return replace(piece, token="muted")


def cells_needed(desk: ReviewSession, rows: Sequence[InboxRow]) -> int:
    """Return the cells that the longest of some rows needs."""
    return max((_cells_of(desk, row) for row in rows), default=0)


def _cells_of(desk: ReviewSession, row: InboxRow) -> int:
    if row.key.kind == "group":
        group = desk.inbox.group(row.key)
        name, change, depth = Chunk(group_label(desk, group)).width, len(size_of(desk, group)), 0
    else:
        entry = desk.inbox.entry(row.key.id)
        name, change, depth = (
            summarize(desk.request(entry)).shown().width,
            len(counts_text(desk, entry)),
            row.depth,
        )
    return _BEFORE + 2 * depth + 2 + name + (change + 2 if change else 0) + _STATE + 1


class RowCells(Struct, frozen=True):
    """The columns of a row, from left to right.

    Attributes:
        before: Focus, risk, mark, indent and kind.
        name: The name, which gives way to what has to be kept.
        notes: Words about it, in fewer and fewer; the first that leave room for the name are shown, or the last if
            they have to be kept.
        change: The lines or members that it is about, if `LEAST_NAME` cells of the name have room beside it.
        agent: The agent, on rows of `AGENT_COLUMN` cells.
        state: The state; words at its end are left out if there is no room.
    """

    before: tuple[Chunk, ...]
    name: Chunk
    notes: Sequence[Chunk]
    change: Chunk | None
    agent: SafeText
    state: Chunk

    def line(self, width: int) -> Line:
        """Return the row in some cells."""
        agent = _agent(self.agent) if width >= AGENT_COLUMN else ()
        taken = sum(piece.width for piece in (*self.before, *agent))
        ends = (*agent, *_state(_in_words(self.state, width - taken - self.name.width - 1)))
        room = width - sum(piece.width for piece in (*self.before, *ends))
        told: tuple[Chunk, ...] = ()
        if self.change is not None and room - min(self.name.width, LEAST_NAME) > self.change.width:
            told = (chunk(" ", keep=True), self.change)
            room -= self.change.width + 1
        room -= self.name.width
        note = next((each for each in self.notes if each.width < room), self.notes[-1] if self.notes else None)
        if note is not None and (note.keep or note.width < room):
            told = (chunk(" ", keep=True), replace(note, keep=True), *told)
        return Line((*self.before, self.name), (*told, *ends))


# -- groups and requests -----------------------------------------------------------------------------------


def _group_cells(desk: ReviewSession, group: Group, style: RowStyle, *, focused: bool) -> RowCells:
    members = desk.inbox.listed(group.key) or desk.inbox.members(group.key)
    pending = [entry for entry in members if entry.request.pending]
    read = sum((coverage := desk.coverage(entry)) is not None and coverage.complete for entry in pending)
    late = late_words(desk, group)
    return RowCells(
        before=(
            _focus(style, focused=focused),
            _risk(_highest(desk, pending)) if pending else _ended(),
            _mark(desk, group.key),
            chunk(f"{style.glyphs.opened if group.open else style.glyphs.closed} ", "accent", keep=True),
        ),
        name=Chunk(group_label(desk, group), "strong" if pending else "closed", cut="end"),
        notes=(chunk(late, "warn"),) if late else (),
        change=chunk(size_of(desk, group), "muted", keep=True),
        agent=_agents(members),
        state=chunk(f"{read}/{len(pending)}") if pending else chunk(_how_many_ended(members), "closed"),
    )


def _request_cells(desk: ReviewSession, entry: Entry, depth: int, style: RowStyle, *, focused: bool) -> RowCells:
    summary, counts = summarize(desk.request(entry)), counts_text(desk, entry)
    return RowCells(
        before=(
            _focus(style, focused=focused),
            _ended() if entry.closed else _risk(desk.risk(entry)),
            _mark(desk, RowKey("request", entry.id)),
            chunk("  " * depth, keep=True),
            chunk(f"{summary.letter} ", "muted" if entry.closed else "accent", keep=True),
        ),
        name=summary.shown("closed" if entry.closed else "text"),
        notes=_notes(desk, entry),
        change=chunk(counts, keep=True) if counts else None,
        agent=summary.agent,
        state=_word(desk, entry, style),
    )


def counts_text(desk: ReviewSession, entry: Entry) -> str:
    """Return ``+12 -3``; empty while it is not known or does not apply."""
    content = desk.content(entry)
    return "" if content is None else content.lines_changed(new=summarize(entry.request).letter == "A")


# -- words -------------------------------------------------------------------------------------------------


def state_word(desk: ReviewSession, entry: Entry) -> str:
    """Return the share of a request that was shown: ``new``, ``69 %`` or ``read``.

    If no line is missing, it is ``checking`` until it was searched for hidden characters, and ``in part`` if there
    is more that cannot be shown.
    """
    coverage, content = desk.coverage(entry), desk.content(entry)
    if coverage is None or not coverage.shown:
        return "again" if entry.replaced else "new"
    if coverage.complete:
        return "read"
    if coverage.missing:
        return f"{coverage.percent} %"
    return "in part" if content is None or content.scanned else "checking"


def _in_words(told: Chunk, room: int) -> Chunk:
    """Return a state without its last words, of ``agent exited`` without the first, so that the name has room.

    A number keeps its unit: ``3 s``, ``69 %``.
    """
    if told.width <= room or told == _NOT_IN_FILTER or told.text.text[:1].isdecimal():
        return told
    words = told.text.text.split(", ")[0].removeprefix("agent ").split(" ")
    lengths = [length for length in range(len(words), 0, -1) if words[length - 1] not in _WORDS_BEFORE_OTHERS]
    kept = next((each for each in lengths if cell_len(" ".join(words[:each])) <= room), lengths[-1])
    return foreign(" ".join(words[:kept]), told.token)


def _word(desk: ReviewSession, entry: Entry, style: RowStyle) -> Chunk:
    if is_unconfirmed(entry.request, desk.reviewer, style.now):
        return chunk("sent, agent has not confirmed", "warn")
    if held := style.held_text(entry.id):
        return foreign(held, "held")
    if entry.held:  # by a stop of what comes before it
        return chunk("held", "held")
    if entry.sent:
        return chunk("sent", "held")
    if entry.closed:
        return foreign(ended_text(entry.request, desk.reviewer), _ended_token(entry.request))
    if entry.later:
        return chunk("later", "muted")
    if left := _counted_down(entry, style.now):
        return chunk(left, "warn")
    if not desk.inbox.is_in_filter(entry.id):
        return _NOT_IN_FILTER
    word = state_word(desk, entry)
    token = {"read": "muted", "new": "text", "again": "warn"}.get(word, "held")
    return chunk(word, token)


def _ended_token(request: StoredRequest) -> str:
    if request.state is RequestState.APPROVED:
        return "ok"
    return "warn" if was_not_run(request.state, request.state_note) else "closed"


def _counted_down(entry: Entry, now: int) -> str:
    """Return the time to a deadline that is soon, as the head says it; empty if none is."""
    left = time_left(entry, now)
    return "" if left is None or left >= SOON else left_text(max(left, 0.0))


def _notes(desk: ReviewSession, entry: Entry) -> Sequence[Chunk]:
    """Return the reviewer's change, else the first reason of a risk above low; in fewer and fewer words."""
    submission = entry.request.submission
    if entry.closed:
        return ()
    if (change := desk.changes.of(entry)) is not None:
        words = (EDITED, EDITED.split()[0]) if change.choice is None else (change.short,)
        return [chunk(each, "warn", keep=True) for each in words]
    if not submission.risk_reasons or submission.risk is Risk.LOW:
        return ()
    return (foreign(risk_reasons(submission.risk_reasons)[0], "muted"),)


def late_words(desk: ReviewSession, group: Group) -> str:
    """Return ``+ new since you looked`` if requests joined a group after that; else nothing."""
    late = any(desk.is_late(entry.id) for entry in desk.inbox.listed(group.key) if entry.request.pending)
    return "+ new since you looked" if late else ""


def size_of(desk: ReviewSession, group: Group) -> str:
    """Return the number of members of a group: ``10 files``, ``4 so far``, ``2 of 10`` that are listed."""
    members = desk.inbox.listed(group.key) or desk.inbox.members(group.key)
    if group.announced is not None and group.announced > group.came:
        return f"{group.came} so far"
    if len(members) != len(group.members):
        return f"{len(members)} of {len(group.members)}"
    files = len(members) > MEASURED or all(summarize(entry.request).letter in FILES for entry in members)
    return f"{len(members)} {'file' if files else 'call'}{'' if len(members) == 1 else 's'}"


def _how_many_ended(members: Sequence[Entry]) -> str:
    approved = [entry for entry in members if entry.request.state is RequestState.APPROVED]
    changed = sum(
        entry.request.decision is not None and bool(entry.request.decision.instead) for entry in approved
    )
    told = f"{len(approved)} of {len(members)} approved" if approved else "ended"
    return f"{told}, {changed} changed" if changed else told


def _agents(members: Sequence[Entry]) -> SafeText:
    names = {entry.request.asked_by.name for entry in members}
    return summarize(members[0].request).agent if len(names) == 1 else SafeText.own(f"{len(names)} agents")


def _highest(desk: ReviewSession, entries: Sequence[Entry]) -> Risk:
    risks = {desk.risk(entry) for entry in entries}
    return next((risk for risk in (Risk.HIGH, Risk.MEDIUM) if risk in risks), Risk.LOW)


# -- pieces ------------------------------------------------------------------------------------------------


def _focus(style: RowStyle, *, focused: bool) -> Chunk:
    return chunk(style.glyphs.focus if focused else " ", "accent", keep=True)


def _mark(desk: ReviewSession, key: RowKey) -> Chunk:
    """Return a star for what is tagged, a plus for what joined a group late or was appended to a sorted list."""
    entries = desk.inbox.stands_for(key)
    tagged = any(entry.id in desk.tags for entry in entries)
    new = desk.inbox.has_arrived(key) or any(desk.is_late(entry.id) for entry in entries)
    return chunk("*" if tagged else "+" if new else " ", "accent", keep=True)


def _risk(risk: Risk) -> Chunk:
    """Return the risk in its column; a low one is not said."""
    words = "" if risk is Risk.LOW else RISK_WORD[risk]
    return Chunk(SafeText.own(words), f"risk-{risk}", keep=True, least=_RISK)


def _ended() -> Chunk:
    return Chunk(SafeText.own("---"), "closed", keep=True, least=_RISK)


def _agent(name: SafeText) -> Sequence[Chunk]:
    return (chunk("  ", keep=True), Chunk(name, "muted", keep=True, most=_AGENT, least=_AGENT, cut="end"))


def _state(words: Chunk) -> Sequence[Chunk]:
    blanks = max(_STATE - words.width, 1)
    return (chunk(" " * blanks, keep=True), Chunk(words.text, words.token, keep=True))
