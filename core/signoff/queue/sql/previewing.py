"""Comparing a pattern with what was asked before and with what waits."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.queue.codec import submission_from_text
from signoff.queue.errors import DamagedRecordError
from signoff.queue.history_records import HistoryRecord
from signoff.queue.packing import pack_text
from signoff.queue.patterns import GrantPattern
from signoff.queue.preview import PatternPreview
from signoff.queue.records import StoredRequest, Submission
from signoff.queue.sql.engine import Look, Row
from signoff.queue.sql.reading import COLUMNS, SOURCE
from signoff.queue.sql.rows import history_from_row

__all__ = ["preview"]

_MOST_RECORDS_OF_A_CALL = 2
"""A call has a record of its end, and one more if it was superseded after it had been decided."""


def preview(
    look: Look,
    pattern: GrantPattern,
    pending: Iterable[StoredRequest],
    *,
    session: str | None,
    last: int,
) -> PatternPreview:
    """Compare a pattern with the latest calls and with the requests that wait.

    Args:
        look: A look at the queue.
        pattern: What would be covered.
        pending: The requests that wait.
        session: Only calls of this session; None for all.
        last: How many calls of the history to look at.
    """
    matched: list[HistoryRecord] = []
    still_asked = unreadable = 0
    calls = _latest_calls(look, session, max(0, last))
    for row in calls:
        try:
            submission = submission_from_text(row["content"])
            record = history_from_row(row)
        except (DamagedRecordError, ValueError, TypeError, KeyError):
            unreadable += 1
            continue
        if _answers(pattern, submission):
            matched.append(record)
        elif _is_about(pattern, submission):
            still_asked += 1
    return PatternPreview(
        looked_at=len(calls),
        matched=tuple(matched),
        still_asked=still_asked,
        unreadable=unreadable,
        waiting=tuple(
            request
            for request in pending
            if session in (None, request.asked_by.session) and _answers(pattern, request.submission)
        ),
    )


def _answers(pattern: GrantPattern, submission: Submission) -> bool:
    """Whether a grant of the pattern would answer the call."""
    return submission.may_be_remembered and _is_about(pattern, submission)


def _is_about(pattern: GrantPattern, submission: Submission) -> bool:
    return pattern.matches(submission.tool_name, submission.payload, server=submission.server)


def _latest_calls(look: Look, session: str | None, last: int) -> list[Row]:
    """The newest record of each of the latest calls, newest first."""
    tests = {} if session is None else {"h.session = ?": pack_text(session)}
    where = f"WHERE {' AND '.join(tests)}" if tests else ""
    rows = look.rows(
        f"SELECT {COLUMNS} FROM {SOURCE} {where} ORDER BY h.seq DESC LIMIT ?",  # noqa: S608
        *tests.values(),
        _MOST_RECORDS_OF_A_CALL * last,
    )
    newest: dict[object, Row] = {}
    for row in rows:
        call = ("answered at once", row["seq"]) if row["request_seq"] is None else ("asked", row["request_seq"])
        newest.setdefault(call, row)
    return list(newest.values())[:last]
