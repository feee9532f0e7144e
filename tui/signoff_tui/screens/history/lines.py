"""How history records look: a row in the list, and the whole record."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.policy.redaction import DEFAULT_REDACTION
from signoff.present.subject import subject_text
from signoff.queue import DecisionSource, HistoryRecord, RequestState
from signoff.queue.wording import released
from signoff_tui.lines import Chunk, Line, chunk, foreign, line, wrapped
from signoff_tui.look import Glyphs
from signoff_tui.summary import RISK_WORD, age_text, clock_text

__all__ = ["heading", "height", "outcome", "record_lines", "record_row", "totals"]

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


_DECISION, _BY, _TOOK, _SHOWN = 18, 11, 6, 7
_ID = 8
ROOMY = 70
"""From this many cells on, rows also say how long it took and how much was shown."""


def heading(width: int) -> Line:
    """Names of the columns."""
    columns = "decision".ljust(_DECISION) + "by".ljust(_BY)
    if width >= ROOMY:
        columns += "took".rjust(_TOOK) + "seen".rjust(_SHOWN)
    return line(chunk("  time     what", "muted"), right=(chunk(f"{columns} ", "muted"),))


def record_row(record: HistoryRecord, glyphs: Glyphs, width: int, *, focused: bool) -> tuple[Line, ...]:
    """The lines of a record in the list: what, and the words that were said about it if there are any."""
    words, token = outcome(record)
    left = (
        chunk(f"{glyphs.focus} " if focused else "  ", "accent", keep=True),
        chunk(f"{clock_text(record.at)} ", "muted", keep=True),
        foreign(_what(record)),
    )
    right: list[Chunk] = [
        chunk(" "),
        foreign(words.ljust(_DECISION), token, keep=True),
        foreign(_by(record)[: _BY - 1].ljust(_BY), keep=True),
    ]
    if width >= ROOMY:
        right += [
            chunk(age_text(record.took_us / 1e6).rjust(_TOOK), "muted", keep=True),
            chunk(_shown(record).rjust(_SHOWN), "muted", keep=True),
        ]
    right.append(chunk(" "))
    background = "focus-bg" if focused else "background"
    first = Line(left, tuple(right), background, focused)
    said = _said(record)
    if not said:
        return (first,)
    return (first, Line((chunk(" " * 11), foreign(said.replace("\n", " "), "muted")), (), background))


def height(record: HistoryRecord) -> int:
    """How many lines `record_row` makes."""
    return 2 if _said(record) else 1


def _said(record: HistoryRecord) -> str:
    """The reviewer's words, or why nobody decided."""
    note = record.decision.note if record.decision is not None else None
    return note or record.reason


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


def record_lines(record: HistoryRecord, width: int, *, you: str) -> Sequence[Line]:
    """Everything the record holds, nothing of it cut; `you` is the name of who looks at it."""
    words, token = outcome(record)
    decision = record.decision
    facts = [
        ("decision", words + _by_memory(record, you), token),
        ("by", _by(record), "text"),
        ("agent", f"{record.agent_name}   session {record.session}", "text"),
        ("tool", record.tool_name, "text"),
        *_about(record),
        ("risk", RISK_WORD[record.risk], f"risk-{record.risk}"),
        ("at", f"{clock_text(record.at)}   took {age_text(record.took_us / 1e6)}", "text"),
    ]
    if record.group_id is not None:
        facts.append(("group", record.group_id, "text"))
    if decision is not None and decision.note:
        facts.append(("note", decision.note, "strong"))
    if record.reason:
        facts.append(("reason", record.reason, "text"))
    if decision is not None and decision.shown is not None:
        deliberate = ", approved with ! although not all was shown" if decision.deliberate else ""
        facts.append(("shown", f"{_shown(record)} of the content{deliberate}", "text"))
    facts.append(("record", f"#{record.seq}  rev {record.revision}  sha256 {record.hash[:16]}", "muted"))
    return [row for name, words, token in facts for row in _fact(name, words, token, width)]


def _fact(name: str, words: str, token: str, width: int) -> Sequence[Line]:
    return wrapped(words, width, token, head=chunk(f" {name:<10}", "muted", keep=True))


def totals(records: Sequence[HistoryRecord]) -> Line:
    """Counts over what is listed."""
    states = [record.state for record in records]
    approved, rejected = states.count(RequestState.APPROVED), states.count(RequestState.REJECTED)
    sources = [record.decision.source for record in records if record.decision is not None]
    counts = (
        f"{approved} approved ({sources.count(DecisionSource.GRANT)} by memory)",
        f"{rejected} rejected",
        f"{len(records) - approved - rejected} other",
    )
    word = "record" if len(records) == 1 else "records"
    return line(chunk(f" {len(records)} {word}: {', '.join(counts)}", "muted"))


def _what(record: HistoryRecord) -> str:
    """What the call was about; what its agent said of it only where that is all there is."""
    what = _subject(record) or _description(record) or record.tool_name
    return what.replace("\n", " ")


def _about(record: HistoryRecord) -> Sequence[tuple[str, str, str]]:
    subject = _subject(record)
    if subject is None:
        return [("what", _description(record), "text")]
    return [("what", subject, "strong"), ("it says", _description(record), "muted")]


def _subject(record: HistoryRecord) -> str | None:
    """The command or path of a call, without its secrets."""
    subject = subject_text(record.snapshot, record.cwd)
    return None if subject is None else DEFAULT_REDACTION.mask_text(subject, command=True).text


def _description(record: HistoryRecord) -> str:
    return DEFAULT_REDACTION.mask_text(record.description).text


def _by(record: HistoryRecord) -> str:
    decision = record.decision
    if decision is None:
        return "nobody"
    return _WHO[decision.source] or decision.by


def _by_memory(record: HistoryRecord, you: str) -> str:
    """Which remembered approval answered, and by whom a request that waited was released."""
    decision = record.decision
    if decision is None or decision.source is not DecisionSource.GRANT:
        return ""
    memory = f" by memory #{decision.by[:_ID]}"
    if record.request_id is None:
        return memory
    return f"{memory} (released by you)" if decision.note == released(you) else f"{memory} (released)"


def _shown(record: HistoryRecord) -> str:
    decision = record.decision
    if decision is None or decision.shown is None:
        return "--"
    return f"{int(decision.shown * 100)}%{'!' if decision.deliberate else ''}"
