"""The lines beside the list about a record, or about several that ended together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from signoff.masked_subject import declared_subject, described
from signoff.queue import DecisionSource, HistoryRecord, Risk, StoredRequest
from signoff.text.risk import risk_reasons
from signoff.text.time import length_text, local_time
from signoff_tui.screens.history.listing import Item, Together
from signoff_tui.screens.history.outcomes import changed_text, exited, outcome, shown_percent
from signoff_tui.screens.history.rows import RecordRowStyle, member_row, title_of
from signoff_tui.state.documents import Content
from signoff_tui.text.lines import Line, chunk, line, wrapped
from signoff_tui.text.summary import RISK_WORD

__all__ = ["Agents", "Known", "item_lines", "member_lines"]

Agents = Mapping[tuple[str, str], int | None]
"""When agents exited, by name and session; None for one that is connected."""

Fact = tuple[str, str, str]
"""Name, words, style of the words."""

_NAME, _ROUNDED = 17, 1e-6
_NOTABLE_HOLD_US = 100_000
"""Microseconds from which it is told how long a decision was held."""


class Known(Struct, frozen=True):
    """Facts that were read besides the record.

    Attributes:
        request: The request that it is about.
        content: The content that was decided on.
        agents: When agents exited.
        chain: The result of a check of the chain, in words; empty if nobody asked.
    """

    request: StoredRequest | None = None
    content: Content | None = None
    agents: Agents = {}
    chain: str = ""


def item_lines(item: Item, style: RecordRowStyle, known: Known, width: int, *, details: bool) -> Sequence[Line]:
    """Return the lines about a record: in short, or everything.

    Args:
        item: The record, or several that ended together.
        style: As for its row.
        known: The facts read besides.
        width: Cells.
        details: True for everything: also why it was asked, ids and hashes.
    """
    record, together = item.record, item.together if item.heads else None
    facts = _common(together) if together is not None else []
    facts += _told(record if together is None else together)
    facts += _who_asked(record if together is None else together, known.agents)
    if together is None:
        facts += _reading(record, known)
        facts += _stored(record, known) if details else []
    if known.chain and details:
        facts.append(("chain", known.chain, "text"))
    rows = [row for name, words, token in facts for row in _fact(name, words, token, width)]
    return [_head(item, style), *_sentence(item, style, width), *rows]


def member_lines(together: Together, style: RecordRowStyle, rows: int | None) -> list[Line]:
    """Return as many of the records as there are rows for, and how many more there are; None for all."""
    members = together.as_asked
    shown = members if rows is None or len(members) <= max(rows - 1, 0) else members[: max(rows - 2, 0)]
    more = len(members) - len(shown)
    rest = [line(chunk(f"   and {more} more: Right lists them", "muted"))] if more else []
    return [Line(), *(member_row(record, style) for record in shown), *rest]


def _head(item: Item, style: RecordRowStyle) -> Line:
    """Return kind, name and change; at the right end the risk."""
    record = item.record
    together = item.together if item.heads else None
    change = style.changes.get(record.seq, "") if together is None or together.lead else ""
    left = (chunk(" ", keep=True), *title_of(item, style, opened=False))
    left = (*left, chunk(f"  {change}", "muted", keep=True)) if change else left
    if together is not None and together.lead is None:
        risk = (chunk(f"{together.high} HIGH ", "risk-high", keep=True),) if together.high else ()
    else:
        word = f"{RISK_WORD[record.risk]} risk" if record.risk is not Risk.HIGH else RISK_WORD[record.risk]
        risk = (chunk(f"  {word} ", f"risk-{record.risk}", keep=True),)
    return Line(left, risk, bold=True)


def _sentence(item: Item, style: RecordRowStyle, width: int) -> list[Line]:
    """Return the sentence about the outcome: by whom, when, and how long after it was asked."""
    record, together = item.record, item.together if item.heads else None
    first = record if together is None or together.lead is not None else together.least_shown
    words, token = outcome(first)
    decision = first.decision
    if decision is not None and decision.approved and token == "warn":
        words = f"approved, {words}"
    if together is not None and exited(first):
        words = f"{len(together.records)} withdrawn, agent exited"
    by = style.deciders.in_full(first)
    told = f"{words} {by}".rstrip() + f" at {local_time(record.at, 'clock')}"
    if together is None:
        told += f", {length_text(record.took_us, 'words')} after it was asked"
    if decision is not None and decision.remember:
        told += "; allowed for the session"
    if local_time(record.at, "day") != local_time(style.now, "day"):
        told = told.replace(" at ", f" on {local_time(record.at, 'day')} at ", 1)
    return wrapped(told, width, token, head=chunk(" ", keep=True))


def _common(together: Together) -> list[Fact]:
    listed, left_out = len(together.records), together.size - len(together.records)
    facts: list[Fact] = []
    if together.lead is None and together.group is not None:
        facts.append(("group", f"{together.group}, {together.size}", "text"))
    if left_out:
        facts.append(("listed", f"{listed} of {together.size}: the filter leaves out the others", "warn"))
    return facts


def _told(item: HistoryRecord | Together) -> list[Fact]:
    if isinstance(item, Together):
        lead = item.lead
        note = item.note if lead is None or lead.decision is None else lead.decision.note or ""
    else:
        decision = item.decision
        note = "" if decision is None or decision.source is DecisionSource.GRANT else decision.note or ""
    lines = note.split("\n") if note else []
    return [("" if number else "told the agent", words, "text") for number, words in enumerate(lines)]


def _who_asked(item: HistoryRecord | Together, agents: Agents) -> list[Fact]:
    if isinstance(item, Together):
        names = item.agents
        return [("agents" if names[1:] else "agent", ", ".join(names), "text")]
    ended = agents.get((item.agent_name, item.session))
    gone = "" if ended is None else f", exited {local_time(ended, 'minute')}"
    return [("agent", f"{item.agent_name}{gone}", "text")]


def _reading(record: HistoryRecord, known: Known) -> list[Fact]:
    facts: list[Fact] = []
    if record.group_id is not None:
        size = None if known.request is None else known.request.submission.group_size
        facts.append(("group", f"{record.group_id}, one of {size}" if size else record.group_id, "text"))
    decision = record.decision
    if decision is not None and decision.instead is not None:
        facts.append(("changed", changed_text(decision.instead, record.masked_keys), "warn"))
    if record.reason and not exited(record):
        facts.append(("reason", record.reason, "text"))
    if decision is not None and decision.shown is not None:
        lines = 0 if known.content is None else known.content.added + known.content.removed
        share = "all of it" if decision.shown >= 1 else shown_percent(record)
        seen = f"{int(decision.shown * lines + _ROUNDED)} of {lines} changed lines" if lines else share
        deliberate = ", approved with !" if decision.deliberate else ""
        facts.append(("read", f"{seen}{deliberate}", "warn" if decision.deliberate else "text"))
    return facts


def _stored(record: HistoryRecord, known: Known) -> list[Fact]:
    """Return the stored facts that few people need: tool, ids and hashes."""
    request, decision = known.request, record.decision
    tool = record.tool_name if record.server is None else f"{record.tool_name} of {record.server}"
    facts: list[Fact] = [("tool", tool, "text")]
    if record.risk_reasons:
        facts.append(("risk", ", ".join(risk_reasons(record.risk_reasons)), "text"))
    if record.why:
        facts.append(("why asked", record.why, "text"))
    if declared_subject(record) is not None and described(record):
        facts.append(("it says", described(record), "muted"))
    facts.append(("asked", local_time(record.at - record.took_us), "text"))
    if decision is not None and decision.held_us >= _NOTABLE_HOLD_US:
        key = length_text(record.took_us - decision.held_us, "words")
        facts.append(("held", f"{decision.held_us / 1e6:.1f} s, the key came after {key}", "text"))
    if decision is not None and decision.source is DecisionSource.GRANT and decision.note:
        facts.append(("note", decision.note, "text"))
    if record.batch_id is not None:
        facts.append(("turn", record.batch_id, "text"))
    facts.append(("session", record.session, "text"))
    if request is not None:
        asked = request.asked_by
        program = "" if asked.program in ("", asked.name) else f" in {asked.program}"
        facts.append(("process", f"pid {asked.pid} on {asked.host}, {asked.via}{program}", "text"))
        if asked.caller not in ("", asked.name):
            facts.append(("caller", asked.caller, "text"))
        if request.delivered_at is not None:
            facts.append(("delivered", local_time(request.delivered_at, "clock"), "text"))
    if record.cwd:
        facts.append(("in", record.cwd, "text"))
    if record.request_id is not None:
        facts.append(("id", record.request_id, "muted"))
    if record.revision:
        facts.append(("content", f"rev {record.revision}  sha256 {record.digest}", "muted"))
    facts.append(("record", f"#{record.seq}  sha256 {record.hash}", "muted"))
    return facts


def _fact(name: str, words: str, token: str, width: int) -> Sequence[Line]:
    return wrapped(words, width, token, head=chunk(f" {name:<{_NAME}}", "muted", keep=True))
