"""Records of the history in text, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signoff.cli.output import Page
from signoff.present.reveal import clipped, one_line
from signoff.shown_request.row import short_id, tool_of, what_of
from signoff.text.time import local_time

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryRecord

__all__ = ["history_page"]

_WIDTH = 100
_NAME_WIDTH = 40


def history_page(records: Sequence[HistoryRecord], width: int | None, hidden: Redactor) -> str:
    """Write records, a line or two each.

    Args:
        records: The records in the order of the list.
        width: Columns to fold lines at, or None.
        hidden: The rules of what to hide.
    """
    page = Page(width)
    for record in records:
        ident = short_id(record.request_id) if record.request_id else "-"
        what = clipped(what_of(record, hidden), _WIDTH)
        page.add(
            f"{record.state:10}  {_by(record)}  {clipped(one_line(record.agent_name, 'agent'), _NAME_WIDTH)}  "
            f"{tool_of(record, _NAME_WIDTH)}: {what}",
            label=f"{local_time(record.at)}  {ident:8}  ",
        )
        note = record.decision.note if record.decision else record.reason
        if note:
            for line in note.split("\n"):
                page.add(one_line(line), label="    ")
        if record.decision and record.decision.instead:
            page.add(one_line(hidden.mask_text(record.decision.instead.words).text), label="    ")
    return page.text()


def _by(record: HistoryRecord) -> str:
    decision = record.decision
    if decision is None:
        return "undecided"
    by = one_line(decision.by, "agent")
    return f"by {decision.source} {by}" if by else f"by {decision.source}"
