"""How the rows of the inbox and of a group look."""

from __future__ import annotations

from collections.abc import Callable

from signoff.present.reveal import SafeText, reveal
from signoff.queue.records import Risk
from signoff_tui.desk import Desk
from signoff_tui.inbox import Entry, Group, Row
from signoff_tui.lines import Chunk, Line, chunk, foreign
from signoff_tui.look import Glyphs
from signoff_tui.summary import RISK_WORD, age_text, ended_text, summarize

__all__ = ["AGENT_COLUMN", "RowStyle", "counts_text", "inbox_heading", "inbox_row", "member_row", "seen_text"]

AGENT_COLUMN = 64
"""From this many cells on, rows have a column with the agent's name."""

ROOMY = 100
"""From this many cells on, rows show both the change and the reason of the risk."""

_AGENT = 10
_SEEN = 7
_WAIT = 7
_COUNTS = 10


class RowStyle:
    """What rows need besides the desk.

    Args:
        glyphs: Signs that the terminal can draw.
        now: Wall clock, microseconds since the epoch.
        two_lines: Narrow panes: what on the first line, who and how long on the second.
        held_text: Says ``held 1s`` for a held request, else nothing.
    """

    def __init__(self, glyphs: Glyphs, now: int, *, two_lines: bool, held_text: Callable[[str], str]) -> None:
        self.glyphs = glyphs
        self.now = now
        self.two_lines = two_lines
        self.held_text = held_text

    def age(self, since: int) -> str:
        """Time since a moment in microseconds."""
        return age_text((self.now - since) / 1e6)


def inbox_heading(width: int) -> Line:
    """Names of the columns."""
    right = [_right("change", _COUNTS)]
    if width >= AGENT_COLUMN:
        right.append(_column("  agent", _AGENT + 2))
    right += [_right("wait", _WAIT), _right("seen", _SEEN), chunk(" ")]
    return Line(
        tuple(chunk(text, "muted") for text in ("  risk ", "what")),
        tuple(Chunk(piece.text, "muted") for piece in right),
    )


def inbox_row(desk: Desk, row: Row, style: RowStyle, width: int, *, focused: bool) -> tuple[Line, ...]:
    """The lines of one row."""
    if row.key.kind == "group":
        return _group_row(desk, desk.inbox.group(row.key), style, width, focused=focused)
    return _request_row(desk, desk.inbox.entry(row.key.id), row.depth, style, width, focused=focused)


def member_row(desk: Desk, entry: Entry, style: RowStyle, width: int, *, focused: bool) -> tuple[Line, ...]:
    """The line of one member in the group's own view: decision first."""
    summary = summarize(entry.request)
    state, token = _state(entry, style)
    left = (
        _focus(style, focused=focused),
        foreign((state or "waiting").ljust(13), token or "text", keep=True),
        chunk(f"{summary.kind} ", "muted", keep=True),
        Chunk(summary.what, "closed" if entry.closed else "text"),
    )
    note = _note(entry)
    right = (
        *((Chunk(note, "muted"), chunk(" ")) if note is not None and width >= AGENT_COLUMN else ()),
        *_risk_note(entry),
        _right(counts_text(desk, entry), _COUNTS),
        _right(seen_text(desk, entry), _SEEN),
        chunk(" "),
    )
    return (Line(left, right, *_emphasis(focused=focused)),)


def counts_text(desk: Desk, entry: Entry) -> str:
    """``+12 -3``, or nothing while it is not known or does not apply."""
    content = desk.content(entry)
    if content is None or summarize(entry.request).kind not in {"D", "N"}:
        return ""
    removed = f" -{content.removed}" if content.removed else ""
    return f"+{content.added}{removed}"


def seen_text(desk: Desk, entry: Entry) -> str:
    """``new``, a percentage, or ``seen``; two dashes for what ended."""
    if entry.closed:
        return "--"
    coverage = desk.coverage(entry)
    if coverage is None or coverage.shown == 0:
        return "new"
    return "seen" if coverage.complete else f"{coverage.percent}%"


def _group_row(desk: Desk, group: Group, style: RowStyle, width: int, *, focused: bool) -> tuple[Line, ...]:
    members = desk.inbox.members(group.key)
    waiting = [entry for entry in members if entry.request.pending]
    seen = sum((coverage := desk.coverage(entry)) is not None and coverage.complete for entry in waiting)
    agent = summarize(members[0].request).agent
    risk = _highest(waiting)
    sign = style.glyphs.opened if group.open else style.glyphs.closed
    size = f"{len(waiting)} of {len(members)} waiting" if len(waiting) != len(members) else _size(group)
    first = (
        _focus(style, focused=focused),
        _risk(risk) if waiting else chunk("---  ", "closed", keep=True),
        chunk(f"G{sign} ", "accent", keep=True),
        foreign(group.label, "strong" if waiting else "closed"),
        chunk(f"  {size}", "muted"),
    )
    wait = _right(style.age(min(entry.request.created_at for entry in waiting)) if waiting else "", _WAIT)
    share = _right(f"{seen}/{len(waiting)}" if waiting else "--", _SEEN)
    background, bold = _emphasis(focused=focused)
    if style.two_lines:
        second = (chunk(" " * 8), Chunk(agent, "muted"))
        return (
            Line(first, (), background, bold),
            Line(second, (wait, share, chunk(" ")), background),
        )
    right = [] if width < AGENT_COLUMN else [_agent(agent)]
    return (Line(first, (*right, wait, share, chunk(" ")), background, bold),)


def _request_row(
    desk: Desk, entry: Entry, depth: int, style: RowStyle, width: int, *, focused: bool
) -> tuple[Line, ...]:
    summary = summarize(entry.request)
    state, token = _state(entry, style)
    closed = entry.closed
    first = (
        _focus(style, focused=focused),
        chunk("---  ", "closed", keep=True) if closed else _risk(entry.request.submission.risk),
        chunk("  " * depth, keep=True),
        chunk(f"{summary.kind} ", "muted" if closed else "accent", keep=True),
        Chunk(summary.what, "closed" if closed else "text"),
    )
    wait = _right("", _WAIT) if closed else _right(style.age(entry.request.created_at), _WAIT)
    seen = _right(seen_text(desk, entry), _SEEN)
    counts = _right(counts_text(desk, entry), _COUNTS)
    background, bold = _emphasis(focused=focused)
    if style.two_lines:
        about = foreign(state, token or "muted") if state else Chunk(summary.agent, "muted")
        second = (chunk(" " * (8 + 2 * depth)), about, chunk("  "), *_risk_note(entry))
        return (
            Line(first, (counts, chunk(" ")), background, bold),
            Line(second, (wait, seen, chunk(" ")), background),
        )
    right: list[Chunk] = []
    if state:
        right.append(foreign(f" {state}", token or "muted", keep=True))
        if not closed:
            right += [counts]
        right += [seen, chunk(" ")]
    else:
        right += [*_risk_note(entry), counts] if width >= ROOMY else [_counts_or_note(desk, entry)]
        if width >= AGENT_COLUMN:
            right.append(_agent(summary.agent))
        right += [wait, seen, chunk(" ")]
    return (Line(first, tuple(right), background, bold),)


def _state(entry: Entry, style: RowStyle) -> tuple[str, str | None]:
    """What the row says instead of waiting time, with its style."""
    held = style.held_text(entry.id)
    if held:
        return held, "held"
    if entry.sent:
        return "sent", "held"
    if entry.closed:
        approved = entry.request.decision is not None and entry.request.decision.approved
        return ended_text(entry.request), "ok" if approved else "closed"
    if entry.later:
        return "later", "muted"
    return "", None


def _note(entry: Entry) -> SafeText | None:
    decision = entry.request.decision
    return reveal(decision.note.replace("\n", " "), "arg_key") if decision is not None and decision.note else None


def _risk_note(entry: Entry) -> tuple[Chunk, ...]:
    """The first reason, next to a risk above low."""
    reasons = entry.request.submission.risk_reasons
    if entry.closed or not reasons or entry.request.submission.risk is Risk.LOW:
        return ()
    return (foreign(reasons[0], "muted"), chunk(" "))


def _counts_or_note(desk: Desk, entry: Entry) -> Chunk:
    """Where there is no room for both: the size of the change, or the first reason of the risk."""
    counts = counts_text(desk, entry)
    reasons = entry.request.submission.risk_reasons
    if counts or not reasons:
        return _right(counts, _COUNTS)
    return foreign(f" {reasons[0]}".rjust(_COUNTS), "muted", keep=True)


def _highest(entries: list[Entry]) -> Risk:
    risks = {entry.request.submission.risk for entry in entries}
    return next((risk for risk in (Risk.HIGH, Risk.MEDIUM) if risk in risks), Risk.LOW)


def _risk(risk: Risk) -> Chunk:
    return _column(RISK_WORD[risk], 5, f"risk-{risk}")


def _size(group: Group) -> str:
    here = len(group.members)
    if group.announced is not None and group.announced > here:
        return f"{here} of {group.announced} announced"
    return f"{here} {'request' if here == 1 else 'requests'}"


def _agent(name: SafeText) -> Chunk:
    shown = name.text if len(name.text) <= _AGENT else name.text[: _AGENT - 1] + "~"
    return _column(f"  {shown}", _AGENT + 2, "muted")


def _focus(style: RowStyle, *, focused: bool) -> Chunk:
    return chunk(f"{style.glyphs.focus} " if focused else "  ", "accent", keep=True)


def _emphasis(*, focused: bool) -> tuple[str, bool]:
    return ("focus-bg", True) if focused else ("background", False)


def _column(text: str, width: int, token: str = "text") -> Chunk:
    return chunk(text.ljust(width), token, keep=True)


def _right(text: str, width: int) -> Chunk:
    return chunk(text.rjust(width), "text" if text not in {"", "--"} else "muted", keep=True)
