"""What several records have in common that one key made, and which they are."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue import Risk
from signoff.queue.history import HistoryRecord
from signoff.text.time import local_time
from signoff_tui.screens.history.together import Together
from signoff_tui.screens.history.wording import Deciders, counted, kind, outcome, share, took_words, what
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, line, wrapped
from signoff_tui.text.summary import letter_of

__all__ = ["member_lines", "together_lines"]

Fact = tuple[str, str, str]
"""Name, words, style of the words."""


def together_lines(
    together: Together,
    deciders: Deciders,
    width: int,
    *,
    members: bool = False,
    opened: bool = False,
    chain: str = "",
) -> Sequence[Line]:
    """What the records have in common.

    Args:
        together: The records.
        deciders: Who and what decides here.
        width: Cells.
        members: Name the records as well.
        opened: Whether they are listed below their row.
        chain: What a check of the chain found, in words; empty if nobody asked.
    """
    facts = _facts(together, deciders, opened=opened)
    if chain:
        facts.append(("chain", chain, "text"))
    lines = [row for name, words, token in facts for row in wrapped(words, width, token, head=_head(name))]
    return [*lines, Line(), *map(_member_line, together.as_asked)] if members else lines


def member_lines(together: Together, rows: int, *, opened: bool = False) -> Sequence[Line]:
    """As many of the records as there are rows for, and how many more there are."""
    room = max(rows - 2, 0)
    shown = together.as_asked if len(together.records) <= room + 1 else together.as_asked[:room]
    more = len(together.records) - len(shown)
    where = "in the list" if opened else "Enter lists them"
    rest = [line(chunk(f"   and {more} more: {where}", "warn"))] if more else []
    return [Line(), *map(_member_line, shown), *rest]


def _member_line(record: HistoryRecord) -> Line:
    """One of the records: what, and how much of it had been shown."""
    does = kind(record)
    subject = Chunk(foreign(what(record)).text, cut="front" if does.is_file else "end")
    risk = (chunk(" HIGH ", "risk-high", keep=True),) if record.risk is Risk.HIGH else ()
    ended = chunk(f" {share(record):>5} ", "muted", keep=True)
    return line(chunk(f"   {letter_of(does)} ", "muted", keep=True), subject, right=(*risk, ended))


def _facts(together: Together, deciders: Deciders, *, opened: bool) -> list[Fact]:
    first, act = together.records[0], together.act
    words, token = outcome(together.least_shown)
    listed, left_out = counted(together), together.size - len(together.records)
    facts = [("together", f"{listed}, decided by one key; Enter {'folds' if opened else 'lists'} them", "strong")]
    if left_out:
        facts.append(("", f"{left_out} more of them are not listed here", "warn"))
    facts += [("decision", words, token), ("by", deciders.in_full(first), "text")]
    facts += [("feedback" if not number else "", each, "strong") for number, each in enumerate(_lines(act.note))]
    if together.group is not None:
        facts.append(("group", together.group, "text"))
    facts.append(("agents" if len(together.agents) > 1 else "agent", ", ".join(together.agents), "text"))
    if together.high:
        facts.append(("risk", f"{together.high} of {len(together.records)} HIGH", "risk-high"))
    least = share(together.least_shown)
    if least != "--":
        facts.append(("shown", f"{least} of the content", "text"))
    facts.append(("decided", f"{local_time(act.at, 'clock')}, the longest {took_words(together.longest)}", "text"))
    return facts


def _lines(note: str | None) -> list[str]:
    return note.split("\n") if note else []


def _head(name: str) -> Chunk:
    return chunk(f" {name:<10}", "muted", keep=True)
