"""Reading the history: a page of it, or all of it in short looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from signoff.queue.errors import DamagedRecordError
from signoff.queue.history_records import HistoryFilter, HistoryRecord
from signoff.queue.packing import pack_text
from signoff.queue.records import RequestState, Risk
from signoff.queue.sql import history
from signoff.queue.sql.engine import Engine, Look, Row
from signoff.queue.sql.rows import history_from_row
from signoff.queue.sql.searching import wanted

__all__ = ["COLUMNS", "SOURCE", "all_of", "page"]

COLUMNS = "h.*, COALESCE(r.revision, 0) AS revision, COALESCE(h.submission, r.submission) AS content"
"""What `signoff.queue.sql.rows.history_from_row` needs, of `SOURCE`."""

SOURCE = "history h LEFT JOIN requests r ON r.seq = h.request_seq"

_AT_ONCE = 500
_DAMAGED = "(damaged record)"


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Which part of the history is looked at, and from which end; both ends are outside."""

    after: int | None = None
    before: int | None = None
    oldest_first: bool = False


def page(look: Look, which: HistoryFilter | None, before: int | None, limit: int) -> tuple[HistoryRecord, ...]:
    """Return a page of the history, newest first.

    Args:
        look: A look at the file.
        which: The records wanted; None for all.
        before: Only records with a lower seq.
        limit: Most records to return.
    """
    which = which or HistoryFilter()
    stretch = _narrowed(look, which, _Stretch(before=before))
    return () if stretch is None else tuple(map(_readable, _rows(look, which, stretch, limit)))


def all_of(engine: Engine, which: HistoryFilter | None) -> Iterator[HistoryRecord]:
    """Yield the records that are there now, oldest first; each look is short, however slow the reader is.

    Args:
        engine: An open engine.
        which: The records wanted; None for all.

    Raises:
        QueueUnavailableError: The queue cannot be read.
    """
    which = which or HistoryFilter()
    with engine.read() as look:
        newest, _ = history.head(look)
        stretch = _narrowed(look, which, _Stretch(0, newest + 1, oldest_first=True))
    while stretch is not None:
        with engine.read() as look:
            rows = _rows(look, which, stretch, _AT_ONCE)
        if not rows:
            return
        yield from map(_readable, rows)
        stretch = replace(stretch, after=rows[-1]["seq"])


def _rows(look: Look, which: HistoryFilter, stretch: _Stretch, limit: int) -> list[Row]:
    """The first rows of a stretch. Each of several states is asked for by itself, in the order of an index."""
    states: list[RequestState | None] = [*sorted(which.states)]
    rows = [
        row for state in states or [None] for row in _rows_in_state(look, which, state, stretch, max(0, limit))
    ]
    rows.sort(key=lambda row: int(row["seq"]), reverse=not stretch.oldest_first)
    return rows[: max(0, limit)]


def _rows_in_state(
    look: Look, which: HistoryFilter, state: RequestState | None, stretch: _Stretch, limit: int
) -> Sequence[Row]:
    words = wanted(which, state, by_terms=look.search.combines)
    source, key, joined = SOURCE, "h.seq", []
    values: tuple[object, ...] = ()
    if words is not None:
        # The index leads, in its own order; the tests then look only at what it found.
        found, values = look.search.matching(words.words, words.prefixes)
        source, key, joined = f"({found}) f CROSS JOIN {SOURCE}", "f.seq", ["h.seq = f.seq"]
    ends = {f"{key} > ?": stretch.after, f"{key} < ?": stretch.before}
    tests = {**{test: end for test, end in ends.items() if end is not None}, **_tests(which, state)}
    conditions = " AND ".join([*joined, *tests])
    return look.rows(
        f"SELECT {COLUMNS} FROM {source} {'WHERE' if conditions else ''} {conditions}"  # noqa: S608
        f" ORDER BY {key} {'ASC' if stretch.oldest_first else 'DESC'} LIMIT ?",
        *values,
        *tests.values(),
        limit,
    )


def _tests(which: HistoryFilter, state: RequestState | None) -> dict[str, object]:
    """The tests of a filter on single records, with their values."""
    texts = {
        "h.session = ?": which.session,
        "h.agent = ?": which.agent_name,
        "h.tool = ?": which.tool_name,
        "h.decided_by = ?": which.decided_by,
        "h.request_id = ?": which.request_id,
        "h.state = ?": state,
    }
    times = {"h.at >= ?": which.since, "h.at <= ?": which.until}
    return {
        **{test: pack_text(value) for test, value in texts.items() if value is not None},
        **{test: value for test, value in times.items() if value is not None},
    }


def _narrowed(look: Look, which: HistoryFilter, stretch: _Stretch) -> _Stretch | None:
    """The part of a stretch that lies within the times that are asked for, or None if there is none.

    Clocks are set back, so times need not rise with seq, and are tested as well. But without a bound by seq a page
    far back would look at everything that is newer.
    """
    window = {"at >= ?": which.since, "at <= ?": which.until}
    tests = {test: value for test, value in window.items() if value is not None}
    if not tests:
        return stretch
    # Adding 0 leaves only the index of times to be used; SQLite would else walk along seq until a time fits.
    ends = look.row(
        f"SELECT MIN(seq + 0) AS first, MAX(seq + 0) AS last FROM history WHERE {' AND '.join(tests)}",  # noqa: S608
        *tests.values(),
    )
    if ends is None or ends["first"] is None:
        return None
    first, behind = int(ends["first"]), int(ends["last"]) + 1
    after = first - 1 if stretch.after is None else max(first - 1, stretch.after)
    before = behind if stretch.before is None else min(behind, stretch.before)
    return replace(stretch, after=after, before=before)


def _readable(row: Row) -> HistoryRecord:
    """The record of a row; one that cannot be read is shown as damaged, and hides no other."""
    try:
        return history_from_row(row)
    except DamagedRecordError as damage:
        return HistoryRecord(
            seq=row["seq"],
            at=row["at"],
            request_id=row["request_id"],
            revision=row["revision"],
            agent_name=_DAMAGED,
            session=_DAMAGED,
            tool_name=_DAMAGED,
            description="",
            arguments={},
            group_id=None,
            batch_id=None,
            risk=Risk.MEDIUM,
            state=RequestState(row["state"]),
            decision=None,
            reason=str(damage),
            took_us=row["took_us"],
            digest="",
            hash=row["hash"],
        )
