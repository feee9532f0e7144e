"""The whole record: everything that it holds, nothing of it cut."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.masked_subject import declared_subject, described
from signoff.queue import HistoryRecord, Risk, StoredRequest
from signoff.text.risk import risk_reasons
from signoff.text.time import local_time
from signoff_tui.screens.history.wording import Deciders, changed_text, outcome, share, took_words
from signoff_tui.text.lines import Line, chunk, wrapped
from signoff_tui.text.summary import RISK_WORD

__all__ = ["record_lines"]

Fact = tuple[str, str, str]
"""Name, words, style of the words."""


def record_lines(
    record: HistoryRecord,
    deciders: Deciders,
    width: int,
    *,
    request: StoredRequest | None = None,
    details: bool = False,
    chain: str = "",
) -> Sequence[Line]:
    """Everything the record holds.

    Args:
        record: The record.
        deciders: Who and what decides here.
        width: Cells.
        request: The request it is about, once it was read.
        details: Also what few people need: ids and whole hashes.
        chain: What a check of the chain found, in words; empty if nobody asked.
    """
    # What was decided stands first: on low screens there is room for little more.
    facts = [*_call(record), *_decision(record, deciders), *_agent(record, request, details=details)]
    facts += [*_asking(record), *_stored(record, request, details=details)]
    if chain:
        facts.append(("chain", chain, "text"))
    return [row for name, words, token in facts for row in _fact(name, words, token, width)]


def _call(record: HistoryRecord) -> Sequence[Fact]:
    about = declared_subject(record)
    facts = [("request", record.tool_name if about is None else f"{record.tool_name}  {about}", "strong")]
    if record.server is not None:
        facts.append(("server", record.server, "strong"))
    if about is None:
        facts.append(("what", described(record), "text"))
    if record.risk is not Risk.LOW or record.risk_reasons:
        reasons = f": {', '.join(risk_reasons(record.risk_reasons))}" if record.risk_reasons else ""
        facts.append(("risk", f"{RISK_WORD[record.risk]}{reasons}", f"risk-{record.risk}"))
    return facts


def _asking(record: HistoryRecord) -> Sequence[Fact]:
    facts: list[Fact] = []
    if record.group_id is not None:
        facts.append(("group", record.group_id, "text"))
    if record.batch_id is not None:
        facts.append(("batch", record.batch_id, "text"))
    if declared_subject(record) is not None and described(record):
        facts.append(("it says", described(record), "muted"))
    if record.why:
        facts.append(("why asked", record.why, "text"))
    return facts


def _agent(record: HistoryRecord, request: StoredRequest | None, *, details: bool) -> Sequence[Fact]:
    facts = [("agent", f"{record.agent_name}   session {record.session}", "text")]
    if details and request is not None:
        asked = request.asked_by
        program = "" if asked.program in ("", asked.name) else f" in {asked.program}"
        facts.append(("process", f"pid {asked.pid} on {asked.host}, {asked.via}{program}", "text"))
        if asked.caller not in ("", asked.name):
            facts.append(("caller", asked.caller, "text"))
    if details and record.cwd:
        facts.append(("in", record.cwd, "text"))
    return facts


def _decision(record: HistoryRecord, deciders: Deciders) -> Sequence[Fact]:
    words, token = outcome(record)
    decision = record.decision
    facts: list[Fact] = [
        ("decision", words, token),
        ("by", deciders.in_full(record), "text"),
    ]
    if decision is not None and decision.note:
        lines = decision.note.split("\n")
        facts += [("feedback" if not number else "", words, "strong") for number, words in enumerate(lines)]
    if decision is not None and decision.instead is not None:
        facts.append(("changed", changed_text(decision.instead, record.masked_keys), "warn"))
    if record.reason:
        facts.append(("reason", record.reason, "text"))
    if decision is not None and decision.shown is not None:
        deliberate = ", approved with ! although not all was shown" if decision.deliberate else ""
        facts.append(("shown", f"{share(record)} of the content{deliberate}", "text"))
    end = "decided" if decision is not None else "ended"
    times = (
        f"{local_time(record.at - record.took_us)}, {end} {local_time(record.at, 'clock')}, {took_words(record)}"
    )
    facts.append(("asked", times, "text"))
    return facts


def _stored(record: HistoryRecord, request: StoredRequest | None, *, details: bool) -> Sequence[Fact]:
    held = "" if record.decision is None else f" after {record.decision.held_us / 1e6:.1f}s hold"
    facts: list[Fact] = []
    if request is not None and request.delivered_at is not None:
        facts.append(("delivered", f"{local_time(request.delivered_at, 'clock')}{held}", "text"))
    short = slice(None) if details else slice(16)
    if details and record.request_id is not None:
        facts.append(("id", record.request_id, "muted"))
    if record.revision:
        facts.append(("content", f"rev {record.revision}  sha256 {record.digest[short]}", "muted"))
    facts.append(("record", f"#{record.seq}  sha256 {record.hash[short]}", "muted"))
    return facts


def _fact(name: str, words: str, token: str, width: int) -> Sequence[Line]:
    return wrapped(words, width, token, head=chunk(f" {name:<10}", "muted", keep=True))
