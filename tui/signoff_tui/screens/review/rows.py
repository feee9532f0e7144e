"""How the rows of the inbox and of a group look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from signoff.present.reveal import SafeText
from signoff.queue.records import Risk
from signoff.text.time import age_text, left_text
from signoff_tui.state.delivery import unconfirmed_text
from signoff_tui.state.inbox import Entry, Group, InboxRow, RowKey
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, fullest
from signoff_tui.text.look import Glyphs
from signoff_tui.text.summary import RISK_WORD, ended_text, summarize

__all__ = [
    "RowStyle",
    "counts_text",
    "expires_text",
    "inbox_heading",
    "inbox_row",
    "member_heading",
    "member_row",
    "seen_text",
]

AGENT_COLUMN = 64
"""From this many cells on, rows have a column with the agent's name."""

LEAST_NOTE = 7
"""Cells below which a word about the risk is left out rather than cut."""

NEAR = 600.0
"""Seconds before the sender's deadline from which on the row says so."""


class _Columns(Struct, frozen=True):
    """Cells of the columns at the right end."""

    counts: int
    wait: int
    seen: int


_ROOMY, _TIGHT = _Columns(10, 7, 7), _Columns(8, 7, 6)

_AGENT = 12
_RISK = 5
_SEEN = 7
_STATE = 13
_STATE_NARROW = 9
_NARROW = 60
"""Cells below which columns give way to names."""
_LEAST_NAME = 4


class RowStyle(Struct, frozen=True):
    """What rows need besides the desk.

    Attributes:
        glyphs: Signs that the terminal can draw.
        now: Wall clock, microseconds since the epoch.
        two_lines: Narrow panes: what on the first line, who and how long on the second.
        held_text: Says ``held 1s`` for a held request, else nothing.
    """

    glyphs: Glyphs
    now: int
    two_lines: bool
    held_text: Callable[[str], str]

    def age(self, since: int) -> str:
        """Time since a moment in microseconds."""
        return age_text((self.now - since) / 1e6)

    def time_left(self, entry: Entry) -> float | None:
        """Seconds to the sender's own deadline; None if it set none, or the request ended."""
        expires = entry.request.expires_at
        return None if expires is None or entry.closed else (expires - self.now) / 1e6


def expires_text(left: float) -> str:
    """Return how long a sender still waits, in words; nobody has ended it while the queue is away."""
    return f"expires {left_text(left)}" if left >= 0 else "its time is up"


# -- the inbox ---------------------------------------------------------------------------------------------


def inbox_heading(width: int) -> Line:
    """Names of the columns."""
    agent = [_column("  agent", _AGENT)] if width >= AGENT_COLUMN else []
    cells = _cells_of_columns(width)
    columns = (_right("wait", cells.wait), _right("seen", cells.seen), chunk(" "))
    right = [_right("change", cells.counts), *agent, *columns]
    left = (_column("  risk", 2 + _RISK), chunk("what"))
    return Line(tuple(_muted(piece) for piece in left), tuple(_muted(piece) for piece in right))


def inbox_row(
    desk: ReviewSession, row: InboxRow, style: RowStyle, width: int, *, focused: bool
) -> tuple[Line, ...]:
    """The lines of one row."""
    if row.key.kind == "group":
        lines = _group_row(desk, desk.inbox.group(row.key), style, width, focused=focused)
    else:
        lines = _request_row(desk, desk.inbox.entry(row.key.id), row.depth, style, width, focused=focused)
    return tuple(_row(line, focused=focused) for line in lines)


def _group_row(desk: ReviewSession, group: Group, style: RowStyle, width: int, *, focused: bool) -> list[Line]:
    listed = desk.inbox.listed(group.key)
    members = listed or desk.inbox.members(group.key)
    pending = [entry for entry in members if entry.request.pending]
    seen = sum((coverage := desk.coverage(entry)) is not None and coverage.complete for entry in pending)
    agent = _group_agents(members)
    left = (
        _focus(style, _mark(desk, group.key), focused=focused),
        _risk(_highest(pending)) if pending else _ended(),
        chunk(f"G{style.glyphs.opened if group.open else style.glyphs.closed} ", "accent", keep=True),
    )
    label = foreign(group.label, "strong" if pending else "closed")
    size = _size(group, len(listed), len(pending))
    # The name of the group goes before what its number counts.
    wordings = [
        (*left, label, chunk(f"  {words}", "muted", keep=True)) for words in (size, size.rpartition(" ")[0])
    ]
    cells = _cells_of_columns(width, two_lines=style.two_lines)
    oldest = min((entry.request.created_at for entry in pending), default=None)
    wait = _right("" if oldest is None else style.age(oldest), cells.wait)
    share = _right(f"{seen}/{len(pending)}" if pending else "--", cells.seen)
    if style.two_lines:
        about = Chunk(agent, "muted")
        first = fullest([Line(words) for words in wordings], width)
        return [first, Line((chunk(" " * 8, keep=True), about), (wait, share, chunk(" ")))]
    right = (*_agent(agent, width), wait, share, chunk(" "))
    return [fullest([Line(words, right) for words in wordings], width)]


def _request_row(
    desk: ReviewSession, entry: Entry, depth: int, style: RowStyle, width: int, *, focused: bool
) -> list[Line]:
    summary = summarize(entry.request)
    left = (
        _focus(style, _mark(desk, RowKey("request", entry.id)), focused=focused),
        _ended() if entry.closed else _risk(entry.request.submission.risk),
        chunk("  " * depth, keep=True),
        chunk(f"{summary.letter} ", "muted" if entry.closed else "accent", keep=True),
        summary.shown("closed" if entry.closed else "text"),
    )
    late = unconfirmed_text(entry.request, desk.reviewer, style.now)
    state = chunk(f"sent, {late}", "warn") if late else _state(desk, entry, style)
    counts = counts_text(desk, entry)
    cells = _cells_of_columns(width, two_lines=style.two_lines)
    wait = _right("" if entry.closed else style.age(entry.request.created_at), cells.wait)
    seen = (_right(seen_text(desk, entry), cells.seen), chunk(" "))
    if style.two_lines:
        about = state or Chunk(summary.agent, "muted")
        notes = _row_notes(desk, entry, style)
        words = (about, chunk("  "), notes[0]) if notes else (about,)
        second = Line((chunk("  " * (4 + depth), keep=True), *words), (wait, *seen))
        return [Line(left, (_right(counts, cells.counts), chunk(" "))), second]
    if state is not None and entry.closed:
        told = [state] if late else [state, *_shorter(entry, state)]
        ends = [(chunk(" "), Chunk(each.text, each.token, keep=True, most=width // 2), *seen) for each in told]
        return [fullest([Line(left, end) for end in ends], width)]
    if state is not None:
        columns = _state_columns(state, summary.agent, seen_text(desk, entry), cells, width)
        change = (_right(counts, cells.counts),) if counts else ()
        return [Line(left, (chunk(" "), *change, *columns, chunk(" ")))]
    right = (*_agent(summary.agent, width), wait, *seen)
    return [_with_note(left, _row_notes(desk, entry, style), counts, right, width)]


def _state_columns(state: Chunk, agent: SafeText, seen: str, cells: _Columns, width: int) -> tuple[Chunk, ...]:
    """Who asked, what is said instead of the waiting time, and how much was seen: no column to their left moves.

    What the waiting time has no room for is taken from its neighbor.
    """
    over = max(state.width + 1 - cells.wait, 0)
    words = (chunk(" " * max(cells.wait - state.width, 1), keep=True), Chunk(state.text, state.token, keep=True))
    if width >= AGENT_COLUMN:
        return (*_agent(agent, width, less=over), *words, _right(seen, cells.seen))
    return (*words, _right(seen, max(cells.seen - over, len(seen) + 1)))


def _with_note(
    left: tuple[Chunk, ...], notes: Sequence[Chunk], counts: str, right: tuple[Chunk, ...], width: int
) -> Line:
    """A row whose name comes first: the note gets what is left, in the fullest wording that fits."""
    change = (_right(counts, _cells_of_columns(width).counts),) if counts else ()
    free = width - Line(left, (*change, *right)).width - 1
    note = next((note for note in notes if note.width <= free), notes[0] if notes else None)
    if note is None or free < min(note.width, LEAST_NOTE):
        return Line(left, (chunk(" "), *change, *right))
    words = Chunk(note.text, note.token, keep=True, most=free, cut="end")
    return Line(left, (chunk(" "), words, *change, *right))


# -- a group -----------------------------------------------------------------------------------------------


def member_heading(width: int) -> Line:
    """Names of the columns."""
    left = (_column("  decision", 2 + _state_cells(width)), _column("risk", _RISK), chunk("what"))
    right = (_right("change", _cells_of_columns(width).counts), _right("seen", _SEEN), chunk(" "))
    return Line(tuple(_muted(piece) for piece in left), tuple(_muted(piece) for piece in right))


def member_row(
    desk: ReviewSession, entry: Entry, style: RowStyle, width: int, *, focused: bool, several: bool = False
) -> tuple[Line, ...]:
    """The line of one member in the group's own view: decision first; who asked if that differs in the group."""
    summary = summarize(entry.request)
    state, cells = _state(desk, entry, style) or chunk("waiting"), _state_cells(width)
    state = _state_in(state, cells - 1)
    left = (
        _focus(style, _mark(desk, RowKey("request", entry.id)), focused=focused),
        Chunk(state.text, state.token, keep=True, most=cells - 1, cut="end"),
        chunk(" " * max(cells - state.width, 1), keep=True),
        _ended() if entry.closed else _risk(entry.request.submission.risk),
        chunk(f"{summary.letter} ", "muted" if entry.closed else "accent", keep=True),
        summary.shown("closed" if entry.closed else "text"),
        *((chunk("  "), Chunk(summary.agent, "muted", keep=True, most=_AGENT)) if several else ()),
    )
    right = (_right(seen_text(desk, entry), _SEEN), chunk(" "))
    late = unconfirmed_text(entry.request, desk.reviewer, style.now)
    note = chunk(late, "warn") if late else _note(entry)
    notes = _row_notes(desk, entry, style) if note is None else (note,)
    line = _with_note(left, notes, counts_text(desk, entry), right, width)
    return (_row(line, focused=focused),)


def _state_cells(width: int) -> int:
    """Room for the decision; on narrow screens the name of the file needs it more."""
    return _STATE if width >= _NARROW else _STATE_NARROW


# -- words -------------------------------------------------------------------------------------------------


def counts_text(desk: ReviewSession, entry: Entry) -> str:
    """``+12 -3``, or nothing while it is not known or does not apply."""
    content = desk.content(entry)
    if content is None or not (content.added or content.removed):
        return ""
    removed = f" -{content.removed}" if content.removed else ""
    return f"+{content.added}{removed}"


def seen_text(desk: ReviewSession, entry: Entry) -> str:
    """``new``, a percentage, or ``seen``; ``again`` for what was approved once; two dashes for what ended."""
    if entry.closed:
        return "--"
    coverage = desk.coverage(entry)
    if coverage is None or coverage.shown == 0:
        return "again" if entry.answered else "new"
    return "seen" if coverage.complete else f"{coverage.percent}%"


def _state(desk: ReviewSession, entry: Entry, style: RowStyle) -> Chunk | None:
    """What the row says instead of the waiting time."""
    if held := style.held_text(entry.id):
        return foreign(held, "held")
    if entry.held:  # by a stop of what comes before it
        return chunk("held", "held")
    if entry.sent:
        return chunk("sent", "held")
    if entry.closed:
        approved = entry.request.decision is not None and entry.request.decision.approved
        return foreign(ended_text(entry.request, desk.reviewer), "ok" if approved else "closed")
    return chunk("later", "muted") if entry.later else None


def _shorter(entry: Entry, state: Chunk) -> Sequence[Chunk]:
    """Of what was stopped with others, the verb alone: its name tells more than the rest of the words."""
    decision = entry.request.decision
    cascade = decision is not None and decision.source == "cascade" and not decision.approved
    return [chunk("stopped", state.token)] if cascade else []


def _state_in(state: Chunk, cells: int) -> Chunk:
    """The same in some cells: of who decided, only what does not take room from what was decided."""
    verb = state.text.text.split(" ", 1)[0].rstrip(",")
    if state.width <= cells or cells - len(verb) - len(" by ") >= _LEAST_NAME:
        return state
    return foreign(verb, state.token)


def _group_agents(members: Sequence[Entry]) -> SafeText:
    names = {entry.request.asked_by.name for entry in members}
    return summarize(members[0].request).agent if len(names) == 1 else SafeText.own(f"{len(names)} agents")


def _note(entry: Entry) -> Chunk | None:
    """The reviewer's words to the agent."""
    decision = entry.request.decision
    return None if decision is None or not decision.note else foreign(decision.note.replace("\n", " "), "muted")


def _row_notes(desk: ReviewSession, entry: Entry, style: RowStyle) -> Sequence[Chunk]:
    """The sender's deadline if it is near, else what the reviewer changed, else why the request is risky.

    Returns:
        One of these, the fullest wording first; nothing if there is none to tell.
    """
    left = style.time_left(entry)
    near = left is not None and left < NEAR
    if near and left is not None:
        return (chunk(expires_text(left), "warn"),)
    change = None if entry.closed else desk.changes.of(entry)
    if change is not None:
        return (foreign(change.summary, "warn"), foreign(change.short, "warn"))
    note = _risk_note(entry)
    return () if note is None else (note,)


def _risk_note(entry: Entry) -> Chunk | None:
    """The first reason, next to a risk above low."""
    submission = entry.request.submission
    if entry.closed or not submission.risk_reasons or submission.risk is Risk.LOW:
        return None
    return foreign(submission.risk_reasons[0], "muted")


def _highest(entries: list[Entry]) -> Risk:
    risks = {entry.request.submission.risk for entry in entries}
    return next((risk for risk in (Risk.HIGH, Risk.MEDIUM) if risk in risks), Risk.LOW)


def _size(group: Group, listed: int, pending: int) -> str:
    here = len(group.members)
    if listed != here:
        return f"{listed} of {here} listed"
    if pending != here:
        return f"{pending} of {here} waiting"
    if group.announced is not None and group.announced > here:
        return f"{here} of {group.announced} announced"
    return f"{here} {'request' if here == 1 else 'requests'}"


def _cells_of_columns(width: int, *, two_lines: bool = False) -> _Columns:
    """On narrow lists the names need the room more; a row of two lines has it."""
    return _TIGHT if width < _NARROW and not two_lines else _ROOMY


# -- pieces ------------------------------------------------------------------------------------------------


def _row(line: Line, *, focused: bool) -> Line:
    return Line(line.left, line.right, "focus-bg" if focused else "background", bold=focused)


def _focus(style: RowStyle, mark: str, *, focused: bool) -> Chunk:
    return chunk(f"{style.glyphs.focus if focused else ' '}{mark}", "accent", keep=True)


def _mark(desk: ReviewSession, key: RowKey) -> str:
    """A star for what is tagged, a plus for what was appended to a sorted list."""
    entries = desk.inbox.stands_for(key)
    if entries and any(entry.id in desk.tags for entry in entries):
        return "*"
    return "+" if desk.inbox.has_arrived(key) else " "


def _risk(risk: Risk) -> Chunk:
    return _column(RISK_WORD[risk], _RISK, f"risk-{risk}")


def _ended() -> Chunk:
    return _column("---", _RISK, "closed")


def _agent(name: SafeText, width: int, *, less: int = 0) -> tuple[Chunk, ...]:
    if width < AGENT_COLUMN:
        return ()
    cells = _AGENT - 2 - less
    return (chunk("  "), Chunk(name, "muted", keep=True, most=cells, least=cells))


def _column(text: str, width: int, token: str = "text") -> Chunk:
    return Chunk(SafeText.own(text), token, keep=True, least=width)


def _right(text: str, width: int) -> Chunk:
    token = {"": "muted", "--": "muted", "again": "warn"}.get(text, "text")
    return chunk(text.rjust(width), token, keep=True)


def _muted(piece: Chunk) -> Chunk:
    return Chunk(piece.text, "muted", keep=True, least=piece.least)
