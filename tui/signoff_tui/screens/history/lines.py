"""How history records look: a row in the list, and the whole record."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence

from signoff.queue import DecisionSource, HistoryRecord, RequestState
from signoff_tui.lines import Chunk, Line, chunk, foreign, line
from signoff_tui.look import Glyphs
from signoff_tui.summary import RISK_WORD, age_text

__all__ = ["heading", "outcome", "record_lines", "record_row", "totals"]

_WHO = {
    DecisionSource.REVIEWER: "",
    DecisionSource.CALLBACK: "callback",
    DecisionSource.GRANT: "memory",
    DecisionSource.RULE: "rule",
    DecisionSource.MODE: "mode",
    DecisionSource.CASCADE: "cascade",
    DecisionSource.EXPIRY: "nobody",
    DecisionSource.WITHDRAWAL: "nobody",
    DecisionSource.ERROR: "nobody",
}


def heading(width: int) -> Line:
    """Names of the columns."""
    right = "decision           by         took   seen "
    return line(
        chunk("   time     what", "muted"),
        right=(chunk(right if width >= 70 else "decision         by  ", "muted"),),
    )


def record_row(record: HistoryRecord, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line, ...]:
    """One line of the list, and the note on a second one."""
    words, token = outcome(record)
    left = (
        chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True),
        chunk(f"{_clock(record.at)} ", "muted", keep=True),
        foreign(_what(record)),
    )
    right: list[Chunk] = [
        chunk(" "),
        foreign(words.ljust(18), token, keep=True),
        foreign(_by(record).ljust(11)[:11], keep=True),
    ]
    if width >= 70:
        right += [
            chunk(age_text(record.took_us / 1e6).rjust(5), "muted", keep=True),
            chunk(_shown(record).rjust(7), "muted", keep=True),
        ]
    right.append(chunk(" "))
    note = record.decision.note if record.decision is not None else None
    about = note or record.reason
    background = "focus-bg" if focused else "background"
    first = Line(left, tuple(right), background, focused)
    return (first, Line((chunk(" " * 11), foreign(about.replace("\n", " "), "muted")), (), background))


def outcome(record: HistoryRecord) -> tuple[str, str]:
    """How it ended, in words, and the style of the words."""
    decision = record.decision
    match record.state:
        case RequestState.APPROVED:
            if decision is not None and decision.remember:
                return "approved, session", "ok"
            if decision is not None and decision.deliberate:
                return "approved, unseen", "warn"
            return "approved", "ok"
        case RequestState.REJECTED:
            if decision is not None and decision.source is DecisionSource.CASCADE:
                return "stopped", "no"
            return ("rejected, stop" if decision is not None and decision.hard else "rejected"), "no"
        case RequestState.PENDING:
            return "waiting", "muted"
        case other:
            return str(other), "closed"


def record_lines(record: HistoryRecord) -> Sequence[Line]:
    """Everything the record holds."""
    words, token = outcome(record)
    decision = record.decision
    facts: list[tuple[str, Chunk]] = [
        ("decision", foreign(words, token)),
        ("by", foreign(_by(record) or "nobody")),
        ("agent", foreign(f"{record.agent_name}   session {record.session}")),
        ("tool", foreign(record.tool_name)),
        ("what", foreign(record.description.replace("\n", " "))),
        ("risk", chunk(RISK_WORD[record.risk], f"risk-{record.risk}")),
        ("at", chunk(f"{_clock(record.at)}   took {age_text(record.took_us / 1e6)}")),
    ]
    if record.group_id is not None:
        facts.append(("group", foreign(record.group_id)))
    if decision is not None and decision.note:
        facts.append(("note", foreign(decision.note.replace("\n", " "), "strong")))
    if record.reason:
        facts.append(("reason", foreign(record.reason)))
    if decision is not None and decision.shown is not None:
        deliberate = ", approved with ! although not all was shown" if decision.deliberate else ""
        facts.append(("shown", chunk(f"{_shown(record)} of the content{deliberate}")))
    facts.append(("arguments", foreign(json.dumps(dict(record.arguments), ensure_ascii=False))))
    facts.append(("record", chunk(f"#{record.seq}  rev {record.revision}  sha256 {record.hash[:16]}", "muted")))
    return [line(chunk(f" {name:<10}", "muted", keep=True), words) for name, words in facts]


def totals(records: Sequence[HistoryRecord]) -> Line:
    """Counts over what is listed."""
    states = [record.state for record in records]
    approved, rejected = states.count(RequestState.APPROVED), states.count(RequestState.REJECTED)
    automatic = sum(
        record.decision is not None and record.decision.source is DecisionSource.GRANT for record in records
    )
    other = len(records) - approved - rejected
    return line(
        chunk(
            f" {len(records)} records: {approved} approved ({automatic} by memory), {rejected} rejected, {other} other",
            "muted",
        )
    )


def _what(record: HistoryRecord) -> str:
    return f"{record.description}".replace("\n", " ") or record.tool_name


def _by(record: HistoryRecord) -> str:
    decision = record.decision
    if decision is None:
        return "nobody"
    return _WHO[decision.source] or decision.by


def _shown(record: HistoryRecord) -> str:
    decision = record.decision
    if decision is None or decision.shown is None:
        return "--"
    return f"{int(decision.shown * 100)}%{'!' if decision.deliberate else ''}"


def _clock(at: int) -> str:
    return dt.datetime.fromtimestamp(at / 1e6, tz=dt.UTC).astimezone().strftime("%H:%M:%S")
