"""Checking the history against its chain: what was written is there, unchanged and in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from signoff.queue.codec import submission_from_text
from signoff.queue.errors import DamagedRecordError, QueueUnavailableError
from signoff.queue.history import (
    HistoryCheck,
    HistoryFault,
    HistoryHead,
    HistoryRecord,
    SignedApprovals,
)
from signoff.queue.keys.signatures import content_hash, decision_statement
from signoff.queue.records import RequestState
from signoff.queue.sql import history
from signoff.queue.sql.engine import Engine, Row
from signoff.queue.sql.history import COLUMNS, SOURCE, record_hash
from signoff.queue.sql.rows import history_from_row
from signoff.queue.text_escape import pack_text

__all__ = ["check"]

_AT_ONCE = 500


def check(engine: Engine, expected: HistoryHead | None = None, through: int | None = None) -> HistoryCheck:
    """Check the history from where it begins. The search index plays no part in it.

    Args:
        engine: An open engine; it is looked at in short looks.
        expected: The head that an earlier check found.
        through: Check no further than this seq, and neither what deletions are on record nor who signed.

    Raises:
        QueueUnavailableError: The queue cannot be read, or only in part.
    """
    if engine.partial:
        raise QueueUnavailableError(
            f"{engine.name} shows this role its own sessions only, and a part of the history cannot be checked;"
            " log in as a reviewer"
        )
    with engine.read() as look:
        start = HistoryHead(*history.history_start(look))
    seals = _Seals() if through is None else None
    walk = _Walk(start, start, expected or HistoryHead(), seals)
    if not start.hash:
        return walk.result(
            HistoryFault.MISSING, f"what follows record {start.seq}, which was deleted, is not known"
        )
    walk.compare()
    for row in _rows(engine, start.seq or 0):
        if through is not None and row["seq"] > through:
            return walk.result()
        wrong = walk.step(row)
        if wrong is not None:
            elsewhere = _stands_at(engine, walk, row["hash"])
            if elsewhere is not None:
                return walk.result(HistoryFault.REORDERED, f"it stands at number {elsewhere}")
            return walk.result(*wrong)
    return walk.result() if through is not None else walk.end()


@dataclass(slots=True)
class _Seals:
    """The findings about the signatures of approvals."""

    found: SignedApprovals = field(default_factory=SignedApprovals)

    def look_at(self, record: HistoryRecord, content: str) -> str | None:
        """Count the signature of a record, if it is an approval; say what is wrong with it, or None.

        Args:
            record: The record.
            content: The request's content, as it is stored.
        """
        decision, found = record.decision, self.found
        if record.request_id is None or decision is None or record.state is not RequestState.APPROVED:
            return None
        if decision.seal is None:
            self.found = replace(found, unsigned=found.unsigned + 1)
            return None
        from signoff.queue.keys.trust import SealDoubt, trust_of_this_process

        said = (record.request_id, record.revision, record.session, record.digest)
        asked = submission_from_text(content)
        try:
            trust_of_this_process().require(
                decision.seal, lambda: decision_statement(*said, content_hash(asked), decision)
            )
        except SealDoubt as doubt:
            if doubt.forged:
                return str(doubt)
            self.found = replace(found, unknown=found.unknown + 1)
        else:
            self.found = replace(found, trusted=found.trusted + 1)
        return None


@dataclass(slots=True)
class _Walk:
    """A walk along the chain.

    Attributes:
        start: The head before the first record.
        head: The last record that fits.
        expected: The head to be passed.
        seals: The findings about signatures; None if nobody asked.
        recorded: Last seq whose deletion is on record.
        met: True if the expected point was passed.
        differs: True if the record in the expected place has another hash.
    """

    start: HistoryHead
    head: HistoryHead
    expected: HistoryHead
    seals: _Seals | None
    recorded: int = 0
    met: bool = False
    differs: bool = False

    @property
    def next(self) -> int:
        """Seq of the record that has to come now."""
        return (self.head.seq or 0) + 1

    def step(self, row: Row) -> tuple[HistoryFault, str] | None:
        """Take the next record, or say what is wrong."""
        if row["seq"] != self.next:
            return HistoryFault.MISSING, f"the one that follows has number {row['seq']}"
        try:
            record = history_from_row(row)
        except DamagedRecordError as damage:
            return HistoryFault.CHANGED, str(damage)
        if record.hash != record_hash(self.head.hash or "", record) or not _filed_as_written(row, record):
            return HistoryFault.CHANGED, "it is not what was written behind the record before it"
        if self.seals is not None and (forged := self.seals.look_at(record, row["content"])) is not None:
            return HistoryFault.FORGED, forged
        if record.request_id is None and record.decision is None:
            self._note_deletion(record)
        self.head = HistoryHead(record.seq, record.hash)
        self.compare()
        return None

    def compare(self) -> None:
        """Compare where the walk is with what is expected."""
        same_place = self.expected.seq in (None, self.head.seq)
        same_hash = self.expected.hash in (None, self.head.hash)
        self.met = self.met or (same_place and same_hash)
        self.differs = self.differs or (self.expected.seq is not None and same_place and not same_hash)

    def end(self) -> HistoryCheck:
        """Every record fits. Are the deletions on record, and is what was expected there?"""
        begin, seq = self.start.seq or 0, self.expected.seq
        if begin > self.recorded:
            words = f"the records up to {begin} were deleted, and that is not on record"
            return self.result(HistoryFault.MISSING, words, self.recorded + 1)
        if self.met:
            return self.result()
        if self.differs:
            return self.result(HistoryFault.CHANGED, "its hash is not the one that was noted", seq)
        if seq is not None and seq < begin:  # its deletion is on record, and bound by the chain
            return self.result()
        older = f", unless it was one of the first {begin}, whose deletion is on record" if begin else ""
        noted = f"record {seq} was there" if seq is not None else f"the noted hash was there{older}"
        return self.result(HistoryFault.CUT_OFF, f"the end is missing: {noted} when it was noted")

    def result(
        self, fault: HistoryFault | None = None, words: str = "", broken: int | None = None
    ) -> HistoryCheck:
        """The findings."""
        return HistoryCheck(
            checked=(self.head.seq or 0) - (self.start.seq or 0),
            first=(self.start.seq or 0) + 1,
            head=self.head,
            fault=fault,
            broken=None if fault is None else broken or self.next,
            message=words,
            approvals=SignedApprovals() if self.seals is None else self.seals.found,
        )

    def _note_deletion(self, record: HistoryRecord) -> None:
        """Remember what a record of a deletion says; about where the history begins now it must be right."""
        last, hash_ = record.arguments.get("last"), record.arguments.get("hash")
        if isinstance(last, int) and (last != self.start.seq or hash_ == self.start.hash):
            self.recorded = max(self.recorded, last)


def _rows(engine: Engine, after: int) -> Iterator[Row]:
    """All rows behind a seq, in order."""
    while True:
        with engine.read() as look:
            rows = look.rows(
                f"SELECT {COLUMNS} FROM {SOURCE} WHERE h.seq > ? ORDER BY h.seq LIMIT ?",  # noqa: S608
                after,
                _AT_ONCE,
            )
        if not rows:
            return
        yield from rows
        after = rows[-1]["seq"]


def _filed_as_written(row: Row, record: HistoryRecord) -> bool:
    """True if the columns that filters look at say the same as the record."""
    filed = (row["agent"], row["session"], row["tool"], row["decided_by"])
    by = None if record.decision is None else pack_text(record.decision.by)
    return filed == (pack_text(record.agent_name), pack_text(record.session), pack_text(record.tool_name), by)


def _stands_at(engine: Engine, walk: _Walk, hash_there: str) -> int | None:
    """The seq where the record due next stands instead, or None: it is not there, or not as it was.

    Args:
        engine: An open engine.
        walk: A walk that met a wrong record.
        hash_there: The hash that stands where the record should be; it stayed if only the contents were moved.
    """
    for row in _rows(engine, walk.next - 1):
        try:
            record = history_from_row(row)
        except DamagedRecordError:
            continue
        if record.seq == walk.next:
            continue
        true_hash = record_hash(walk.head.hash or "", replace(record, seq=walk.next))
        if true_hash in (record.hash, hash_there):
            return record.seq
    return None
