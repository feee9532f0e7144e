"""Records of the history in text, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from signoff.cli.page import RISK_STYLE, Column, Page, Style, TableCell, TableLine
from signoff.policy.verdict import RISK_WORD
from signoff.present.reveal import clipped, one_line
from signoff.queue.records import DecisionSource, RequestState
from signoff.shown_request.row import cell_of, short_id, tool_of, what_of
from signoff.text.time import local_time, when_text

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryRecord
    from signoff.queue.records import Decision

__all__ = ["add_records"]

_WIDTH = 100
_NAME_WIDTH = 40


def add_records(page: Page, records: Sequence[HistoryRecord], hidden: Redactor, now: int) -> None:
    """Add records to a page, as a table if it is in colour.

    Args:
        page: The page.
        records: The records in the order of the list.
        hidden: The rules of what to hide.
        now: The present, in microseconds since the epoch.
    """
    if page.coloured:
        page.add_table(_COLUMNS, _rows(records, hidden, now))
        return
    for record in records:
        what = clipped(what_of(record, hidden), _WIDTH)
        page.add(
            f"{record.state:10}  {_by(record)}  {clipped(one_line(record.agent_name, 'agent'), _NAME_WIDTH)}  "
            f"{tool_of(record, _NAME_WIDTH)}: {what}",
            label=f"{local_time(record.at)}  {_id(record):8}  ",
        )
        for line in _words(record, hidden):
            page.add(line, label=_INDENT)


_COLUMNS = (
    Column("at", whole=True),
    Column("id", whole=True),
    Column("risk", whole=True),
    Column("state", whole=True),
    Column("by", spare=True),
    Column("agent", spare=True),
    Column("what"),
)
_STYLE_OF_STATE: Mapping[str, Style] = {RequestState.APPROVED: "yes", RequestState.REJECTED: "no"}


def _rows(
    records: Sequence[HistoryRecord], hidden: Redactor, now: int
) -> Iterator[Sequence[TableCell] | TableLine]:
    for record in records:
        what, path = cell_of(record, hidden)
        decision = record.decision
        yield (
            TableCell(when_text(record.at, now)),
            TableCell(_id(record), "muted"),
            TableCell(RISK_WORD[record.risk], RISK_STYLE[record.risk]),
            TableCell(record.state, _STYLE_OF_STATE.get(record.state, "muted")),
            TableCell("" if decision is None else _source(decision).removeprefix(f"{DecisionSource.REVIEWER} ")),
            TableCell(one_line(record.agent_name, "agent")),
            TableCell(what, path=path),
        )
        yield from (TableLine(line, _INDENT) for line in _words(record, hidden))


_INDENT = "    "


def _words(record: HistoryRecord, hidden: Redactor) -> Iterator[str]:
    """The note, or the reason of an end without decision; and what was approved instead."""
    decision = record.decision
    note = record.reason if decision is None else decision.note
    if note:
        yield from map(one_line, note.split("\n"))
    if decision is not None and decision.instead is not None:
        yield one_line(hidden.mask_text(decision.instead.words).text)


def _id(record: HistoryRecord) -> str:
    return short_id(record.request_id) if record.request_id else "-"


def _by(record: HistoryRecord) -> str:
    decision = record.decision
    return "undecided" if decision is None else f"by {_source(decision)}"


def _source(decision: Decision) -> str:
    return f"{decision.source} {one_line(decision.by, 'agent')}".rstrip(" ")
