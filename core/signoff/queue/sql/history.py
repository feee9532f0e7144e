"""The append-only history: its records, their chain of hashes, and how they are read and searched."""

from __future__ import annotations

import contextlib
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from signoff.canonical import canonical
from signoff.effects import Risk
from signoff.queue.codec import (
    LONGEST_NAME,
    asked_by_to_text,
    decision_to_json,
    decision_to_text,
    submission_to_text,
)
from signoff.queue.errors import DamagedRecordError, QueueUnavailableError
from signoff.queue.history import HistoryFilter, HistoryRecord, Pruning
from signoff.queue.records import AskedBy, Decision, RequestState, StoredRequest, Submission
from signoff.queue.sql.engine import Engine, Look, Query, Row, Transaction
from signoff.queue.sql.history_head import history_end, history_start
from signoff.queue.sql.rows import history_from_row, text_or_damage
from signoff.queue.text_escape import pack_text

__all__ = [
    "COLUMNS",
    "END",
    "LONGEST_SEARCHED",
    "LONGEST_WORD",
    "SOURCE",
    "SearchWords",
    "all_of",
    "append_call",
    "append_damaged",
    "append_end",
    "append_pruning",
    "file_history",
    "file_records",
    "filed_under",
    "history_end",
    "history_start",
    "last_filed",
    "newest_rows",
    "note_end",
    "note_filed",
    "page",
    "record_hash",
    "unfiled",
    "wanted",
    "words_of",
]


_DAMAGED = "(damaged record)"
_HISTORY = "(history)"


def append_end(transaction: Transaction, ended: StoredRequest, reason: str = "") -> None:
    """Record that a request ended.

    Args:
        transaction: The one that ends it.
        ended: The request in its final state.
        reason: The reason, if nobody decided.
    """
    # A superseded revision keeps its decision; that decision has a record of its own.
    decided = ended.state in (RequestState.APPROVED, RequestState.REJECTED)
    record = HistoryRecord.about(
        ended.asked_by,
        ended.submission,
        ended.state,
        at=transaction.now,
        request_id=ended.id,
        revision=ended.revision,
        decision=ended.decision if decided else None,
        reason=reason,
        took_us=max(0, transaction.now - ended.created_at),
    )
    _insert(transaction, record, ended.asked_by, request_seq=ended.seq)


def append_call(
    transaction: Transaction,
    asked_by: AskedBy,
    submission: Submission,
    state: RequestState,
    decision: Decision,
) -> None:
    """Record a call that was answered without ever being a request."""
    record = HistoryRecord.about(asked_by, submission, state, at=transaction.now, decision=decision)
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def append_damaged(transaction: Transaction, row: Row, reason: str) -> None:
    """Record the end of a request that cannot be read, with what its row still says of it."""
    submission = _statement(_DAMAGED)
    asked_by = AskedBy(row["agent_id"], _DAMAGED, row["session"][:LONGEST_NAME], 0, "", "")
    record = HistoryRecord.about(
        asked_by,
        submission,
        RequestState.WITHDRAWN,
        at=transaction.now,
        request_id=row["id"],
        reason=reason,
        took_us=max(0, transaction.now - row["created_at"]),
    )
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def append_pruning(transaction: Transaction, pruning: Pruning, by: str) -> None:
    """Record that old records are being deleted: who does it, how many, and up to which one.

    It is the only kind of record with neither a request nor a decision, so no agent can write one.

    Args:
        transaction: The one before the first that deletes.
        pruning: The records to delete.
        by: Name of the reviewer.
    """
    arguments = {"count": pruning.count, "first": pruning.first, "last": pruning.last, "hash": pruning.hash}
    records = f"records {pruning.first} to {pruning.last}" if pruning.count > 1 else f"record {pruning.first}"
    submission = _statement(_HISTORY, f"{records} of the history deleted", arguments)
    asked_by = AskedBy("", by[:LONGEST_NAME], "", 0, "", "")
    reason = f"{by[:LONGEST_NAME]} deleted the oldest {pruning.count}, up to number {pruning.last}"
    record = HistoryRecord.about(asked_by, submission, RequestState.WITHDRAWN, at=transaction.now, reason=reason)
    _insert(transaction, record, asked_by, content=submission_to_text(submission))


def _statement(tool_name: str, description: str = "", arguments: Mapping[str, Any] | None = None) -> Submission:
    """Something that was never asked, as far as a record needs it."""
    return Submission(
        key="",
        tool_name=tool_name,
        description=description,
        payload={},
        payload_key="{}",
        arguments=arguments or {},
        digest="",
        cwd="",
    )


def _insert(
    transaction: Transaction,
    record: HistoryRecord,
    asked_by: AskedBy,
    *,
    request_seq: int | None = None,
    content: str | None = None,
) -> None:
    if transaction.history_end is None or transaction.filed is None:
        note_end(transaction, *transaction.select(transaction.LAST_RECORD, _FILED))
    assert transaction.history_end is not None
    last, previous = transaction.history_end
    record = replace(record, seq=last + 1)
    record = replace(record, hash=record_hash(previous, record))
    transaction.history_end = (record.seq, record.hash)
    transaction.put(
        """
        INSERT INTO history (seq, at, request_seq, agent, session, tool, request_id, state, asked_by,
            submission, decision, reason, took_us, hash, decided_by)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        record.seq,
        record.at,
        request_seq,
        pack_text(record.agent_name),
        pack_text(record.session),
        pack_text(record.tool_name),
        record.request_id,
        record.state,
        asked_by_to_text(asked_by),
        content,
        None if record.decision is None else decision_to_text(record.decision),
        pack_text(record.reason),
        record.took_us,
        record.hash,
        None if record.decision is None else pack_text(record.decision.by),
    )
    if record.seq - (transaction.filed or 0) > _MOST_UNFILED and transaction.search.writable:
        file_records(transaction, 2)


_FILED: Query = ("SELECT value FROM counters WHERE name = 'filed'", ())

END: tuple[Query, ...] = (Transaction.LAST_RECORD, _FILED)
"""The queries whose rows `note_end` and `unfiled` take, for whoever may read the history."""


def note_end(transaction: Transaction, last: Sequence[Row], filed: Sequence[Row]) -> None:
    """Note where the history ends, for the records that a write adds.

    Args:
        transaction: A write in progress.
        last: The rows of the first query of `END`.
        filed: Those of the second.
    """
    transaction.history_end = (last[0]["seq"], last[0]["hash"]) if last else history_start(transaction)
    transaction.filed = filed[0]["value"]


# -- Reading the history: a page of it, or all of it in short looks.

COLUMNS = "h.*, COALESCE(r.revision, 0) AS revision, COALESCE(h.submission, r.submission) AS content"
"""Columns of `SOURCE` that `signoff.queue.sql.rows.history_from_row` needs."""

SOURCE = "history h LEFT JOIN requests r ON r.seq = h.request_seq"

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The part of the history that is looked at, and from which end; both ends are outside."""

    after: int | None = None
    before: int | None = None
    oldest_first: bool = False

    def narrowed(self, *, after: int | None = None, before: int | None = None) -> _Stretch:
        """The part of it that is behind one record and before another."""
        return replace(
            self,
            after=max((end for end in (after, self.after) if end is not None), default=None),
            before=min((end for end in (before, self.before) if end is not None), default=None),
        )


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


def newest_rows(look: Look, which: HistoryFilter, limit: int) -> list[Row]:
    """Return the rows of the newest records wanted, newest first."""
    return _rows(look, which, _Stretch(), limit)


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
        newest, _ = history_end(look)
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
    if words is None:
        return _selected(look, which, state, stretch, limit)
    filed = last_filed(look)
    found = [
        *_selected(look, which, state, stretch.narrowed(before=filed + 1), limit, words),
        *(row for row in _selected(look, which, state, stretch.narrowed(after=filed)) if _fits(row, words)),
    ]
    found.sort(key=lambda row: int(row["seq"]), reverse=not stretch.oldest_first)
    return found[:limit]


def _selected(
    look: Look,
    which: HistoryFilter,
    state: RequestState | None,
    stretch: _Stretch,
    limit: int | None = None,
    words: SearchWords | None = None,
) -> Sequence[Row]:
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
        f" ORDER BY {key} {'ASC' if stretch.oldest_first else 'DESC'} {'' if limit is None else 'LIMIT ?'}",
        *values,
        *tests.values(),
        *(() if limit is None else (limit,)),
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
    return stretch.narrowed(after=first - 1, before=behind)


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


# -- What the full-text search of the history knows of a record, and what a search asks for.
#
# Texts are taken apart here and not in the database, so that every engine finds the same, and so that nothing
# but letters and digits ever reaches a database's query language. Next to its words every record is filed under
# terms for its agent, session, tool, state and reviewer; a term holds a colon, which no word does. A search that
# is also filtered looks for these terms, instead of looking at every record that has the words.

LONGEST_SEARCHED = 4_000
"""Most characters of one text, and of all arguments of a call together, that can be found."""

LONGEST_WORD = 64
"""Words are compared up to so many characters."""

_MOST_UNFILED = 1_000
"""Behind so many, each new record files two, in case that nobody else files any."""

_FILED_AT_ONCE = 20
"""The most records that are filed in one write: whoever asks or decides meanwhile waits for its end."""

_FILING_PATIENCE_SECONDS = 0.2

_WORD = re.compile(r"[^\W_]+")
_ASKED = re.compile(r"([^\W_]+)(\*?)")


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The words that a found record is filed under.

    Attributes:
        words: Words and terms, all of them.
        prefixes: For each of them a word that begins so.
    """

    words: tuple[str, ...]
    prefixes: tuple[str, ...] = ()


def words_of(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, without regard to case, forms and decoration.

    The forms are those of Unicode normalization NFKC (https://unicode.org/reports/tr15/).
    """
    return [word[:LONGEST_WORD] for word in _WORD.findall(_plain(text))]


def filed_under(record: HistoryRecord) -> tuple[str, ...]:
    """Return the words and terms of a record, each once."""
    words: dict[str, None] = dict.fromkeys(_terms(record))
    for text in _texts(record):
        words.update(dict.fromkeys(words_of(text[:LONGEST_SEARCHED])))
    return tuple(words)


def file_history(engine: Engine, *, most_left: int = 0) -> None:
    """File what the search does not know yet. Never fails: what cannot be filed now is found all the same.

    Args:
        engine: An open engine.
        most_left: Most records that may stay unfiled.
    """
    with contextlib.suppress(QueueUnavailableError):
        while unfiled(*engine.select(*END)) > most_left:
            # Lost with the record or after it, if power is lost: it is filed again.
            with engine.write(durable=False, patience=_FILING_PATIENCE_SECONDS) as transaction:
                if not file_records(transaction, _FILED_AT_ONCE):
                    return


def file_records(transaction: Transaction, most: int) -> bool:
    """File the oldest records that the search does not know, if there are any."""
    rows = transaction.rows(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE h.seq > ? ORDER BY h.seq LIMIT ?",  # noqa: S608
        last_filed(transaction),
        most,
    )
    for row in rows:
        transaction.search.add(transaction, row["seq"], _row_filed_under(row))
    if rows:
        note_filed(transaction, rows[-1]["seq"])
    return bool(rows)


def last_filed(look: Look) -> int:
    """Return the seq of the last record that the search knows."""
    return look.number("SELECT value FROM counters WHERE name = 'filed'")


def note_filed(transaction: Transaction, seq: int) -> None:
    """Note that all records up to one are in the search, or in the history no more."""
    transaction.put("UPDATE counters SET value = ? WHERE name = 'filed' AND value < ?", seq, seq)
    transaction.filed = seq


def unfiled(last: Sequence[Row], filed: Sequence[Row]) -> int:
    """Return how many records the search does not know yet, by the rows of `END`."""
    return last[0]["seq"] - filed[0]["value"] if last else 0


def _fits(row: Row, words: SearchWords) -> bool:
    """True if a record that is not filed would be found."""
    under = _row_filed_under(row)
    return set(words.words).issubset(under) and all(
        any(word.startswith(prefix) for word in under) for prefix in words.prefixes
    )


def _row_filed_under(row: Row) -> tuple[str, ...]:
    """The words and terms of a record; of one that cannot be read the terms, as its columns tell them."""
    try:
        return filed_under(history_from_row(row))
    except DamagedRecordError:
        columns = {"agent": "agent", "session": "session", "tool": "tool", "state": "state", "by": "decided_by"}
        told = ((kind, row[column]) for kind, column in columns.items())
        return tuple(_term(kind, text_or_damage(value)) for kind, value in told if value is not None)


def wanted(which: HistoryFilter, state: RequestState | None, *, by_terms: bool) -> SearchWords | None:
    """Return what records must be filed under, or None if the search is of no use.

    Args:
        which: The records wanted.
        state: The one state wanted of them, or None for any.
        by_terms: True if the search is of use without words too, to find what fits several filters.
    """
    asked = [(word[:LONGEST_WORD], star) for word, star in _ASKED.findall(_plain(which.text))]
    # Whoever types a word has not finished the last one; with a blank behind it, it is finished.
    last = len(asked) - 1 if which.text[-1:].isalnum() else None
    prefixes = {word for place, (word, star) in enumerate(asked) if star or place == last}
    filters = {
        "agent": which.agent_name,
        "session": which.session,
        "tool": which.tool_name,
        "state": state,
        "by": which.decided_by,
    }
    terms = [_term(kind, value) for kind, value in filters.items() if value is not None]
    if not asked and not (by_terms and terms):
        return None
    return SearchWords((*terms, *sorted({word for word, _ in asked} - prefixes)), tuple(sorted(prefixes)))


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _terms(record: HistoryRecord) -> Iterator[str]:
    yield _term("agent", record.agent_name)
    yield _term("session", record.session)
    yield _term("tool", record.tool_name)
    yield _term("state", record.state)
    if record.decision is not None:
        yield _term("by", record.decision.by)


def _term(kind: str, value: str) -> str:
    """A term of bounded length, made of letters and digits whatever the value is."""
    return f"{kind}:{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _texts(record: HistoryRecord) -> Iterator[str]:
    yield record.request_id or ""
    yield record.description
    yield record.tool_name
    yield record.server or ""
    yield record.agent_name
    yield record.reason
    if record.decision is not None:
        yield record.decision.by
        yield record.decision.note or ""
    yield _arguments(record.arguments)


def _arguments(arguments: Mapping[str, object]) -> str:
    """Names and values of the arguments, in order, up to the limit; only as much as that is walked through."""
    parts: list[str] = []
    room = LONGEST_SEARCHED
    left: list[object] = [arguments]
    while left and room > 0:
        value = left.pop()
        if isinstance(value, Mapping):
            left.extend(part for item in reversed([*value.items()]) for part in reversed(item))
        elif isinstance(value, list | tuple):
            left.extend(reversed(value))
        elif isinstance(value, str) or _is_short_number(value):
            parts.append(str(value)[:room])
            room -= len(parts[-1]) + 1
    return " ".join(parts)


def _is_short_number(value: object) -> bool:
    if isinstance(value, int):  # Python refuses to write very long ones
        return not isinstance(value, bool) and value.bit_length() <= 128
    return isinstance(value, float)


# -- The chain that binds each history record to all before it.
#
# Whoever edits, drops or reorders a stored record breaks the chain at that place. It is a check against
# accidents and casual edits: someone who may write the file may also compute all hashes again.


def record_hash(previous: str, record: HistoryRecord) -> str:
    """Return the hash of a record: SHA-256 over the hash before it and its canonical form.

    Args:
        previous: Hash of the record before, `signoff.queue.sql.history_head.FIRST_HASH` for the first.
        record: The record; its own ``hash`` is not looked at.
    """
    body = canonical(
        {
            "seq": record.seq,
            "at": record.at,
            "request_id": record.request_id,
            "revision": record.revision,
            "agent_name": record.agent_name,
            "session": record.session,
            "tool_name": record.tool_name,
            "description": record.description,
            "arguments": record.arguments,
            "group_id": record.group_id,
            "batch_id": record.batch_id,
            "risk": record.risk.value,
            "state": record.state.value,
            "decision": None if record.decision is None else decision_to_json(record.decision),
            "reason": record.reason,
            "took_us": record.took_us,
            "digest": record.digest,
            **({"masked_keys": record.masked_keys} if record.masked_keys else {}),
            **({} if record.server is None else {"server": record.server}),
        }
    )
    return hashlib.sha256(f"{previous}{body}".encode("ascii")).hexdigest()
