"""The deciding side of the queue.

What only some commands need is loaded when it is used: a status line asks once a second.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from signoff.queue.errors import DamagedRecordError, GrantRefusedError, QueueError, UnknownRequestError
from signoff.queue.lookahead import UpcomingCall
from signoff.queue.records import (
    ID_LETTERS,
    AgentRecord,
    Change,
    ChangeSet,
    DecideResult,
    Decision,
    DecisionSource,
    Grant,
    StoredRequest,
    VerdictKind,
)
from signoff.queue.sql import grants, requests
from signoff.queue.sql.amendments import stored_content
from signoff.queue.sql.decisions import HandedOutRequests, decide_one, stop_batch
from signoff.queue.sql.engine import Engine, Look, OvertakenError, Query, Row
from signoff.queue.sql.expiry import Sweeper
from signoff.queue.sql.history import END, file_history, note_end, unfiled
from signoff.queue.sql.overdue import OVERDUE, find_overdue, overdue_of
from signoff.queue.sql.requests import upcoming
from signoff.queue.sql.reviewer_risk import OwnRisk
from signoff.queue.sql.rows import agent_from_row, request_from_row
from signoff.queue.sql.stats import count
from signoff.queue.sqlite.wakeups import RELOOK_SECONDS, REVIEWERS, Bell
from signoff.queue.text_escape import pack_text

if TYPE_CHECKING:
    from signoff.queue.grant_pattern import GrantPattern
    from signoff.queue.history import (
        HistoryCheck,
        HistoryFilter,
        HistoryHead,
        HistoryRecord,
        PatternPreview,
        Pruning,
    )
    from signoff.queue.keys.identity import Signer
    from signoff.queue.stats import Stats


__all__ = [
    "GrantReview",
    "SqlReviewQueue",
]


# -- The part of the deciding side that concerns grants.


class GrantReview:
    """Lists, revokes and gives grants; a base of `signoff.queue.sql.review_queue.SqlReviewQueue`.

    Args:
        reviewer: Name under which grants are given and revoked.
        engine: An open engine.
    """

    def __init__(self, reviewer: str, engine: Engine) -> None:
        self._reviewer = reviewer
        self._engine = engine
        self._own = OwnRisk()

    def pending(self) -> tuple[StoredRequest, ...]:
        """All requests that wait, in arrival order."""
        raise NotImplementedError

    def grants(self, *, include_revoked: bool = False) -> tuple[Grant, ...]:
        """Grants of all sessions, oldest first; one that cannot be read covers nothing and says so.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        with self._engine.read() as look:
            return grants.all_grants(look, include_revoked=include_revoked)

    def revoke(self, grant_id: str) -> bool:
        """Revoke a grant; False when it was revoked before.

        Raises:
            UnknownRequestError: There is no such grant.
            QueueUnavailableError: Nothing was revoked.
        """
        with self._engine.write() as transaction:
            return grants.revoke(transaction, grant_id, self._reviewer)

    def revoke_all(self, session: str | None = None) -> int:
        """Revoke all grants of a session, or of all sessions; returns how many.

        Raises:
            QueueUnavailableError: Nothing was revoked.
        """
        with self._engine.write() as transaction:
            return grants.revoke_all(transaction, session, self._reviewer)

    def preview(self, pattern: GrantPattern, session: str | None = None, last: int = 200) -> PatternPreview:
        """The last calls that a pattern would have answered, and the waiting requests that it matches.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        from signoff.queue.sql.grants import preview

        pending = self.pending()
        with self._engine.read() as look:
            return preview(look, pattern, pending, session=session, last=last)

    def add_pattern(self, pattern: GrantPattern, *, session: str, origin: str) -> Grant:
        """Grant a session all that a pattern covers. Requests that wait already stay undecided.

        Raises:
            UnknownRequestError: There is no such request.
            GrantRefusedError: The request is no reason for such a grant; the message says why.
            QueueUnavailableError: Nothing was granted.
            ReviewerKeysError: It cannot be signed, so nothing was granted; the message says what to do.
        """
        from signoff.queue.keys.identity import signer_for

        signer = signer_for()
        with self._engine.write() as transaction:
            return grants.add_pattern(
                transaction,
                pattern,
                session=session,
                origin=origin,
                by=self._reviewer,
                signer=signer,
                own=self._own,
            )


_SWEEP_AGAIN_SECONDS = 0.5
"""While somebody watches, dead agents are looked for only so often: it costs more than the look itself."""

_RISK_SECONDS = 0.1
"""Longest wait of somebody who watches for the reviewer's own risk of requests; then they are told without it."""

_AWAY_SECONDS = 0.4
"""Whoever watches is told within two seconds that the server is away, but not of one broken connection."""

_CLOSING_SECONDS = 1.0
"""Longest wait for a server that is away before a connection is closed."""

_MOST_UNFILED = 100
"""While somebody watches, at most so many records of the history wait to be filed for the search."""

_Look = tuple[ChangeSet, list[StoredRequest]]
"""The changes, and those of them of which only the sender's risk is known so far."""

# Adding nothing to seq keeps SQLite from walking along it, through all that ended, to save a sort of few.
_PENDING = "SELECT * FROM requests WHERE state = 'pending' ORDER BY +seq"
_CHANGED = """
SELECT * FROM requests r
WHERE change > ?
    AND NOT EXISTS (SELECT 1 FROM requests n WHERE n.id = r.id AND n.revision > r.revision)
ORDER BY +seq
"""


def _changes_since(cursor: int) -> tuple[Query, Query]:
    newest = "SELECT value FROM counters WHERE name = 'change'"
    return (newest, ()), (_PENDING, ()) if cursor == 0 else (_CHANGED, (cursor,))


class _Watch:
    """Looks whenever a bell rings. It sleeps in the thread that looks: no ring goes through the event loop first.

    Args:
        engine: An open engine.
        changes: Looks, and tidies up where its second argument says so.
    """

    def __init__(self, engine: Engine, changes: Callable[[int, bool], _Look]) -> None:
        self._engine = engine
        self._changes = changes
        self._bell: Bell | None = None
        self._attended = 0.0

    def begin(self, cursor: int) -> _Look:
        """Hang the bell up, and look for the first time."""
        self._bell = self._engine.hang_bell(REVIEWERS, REVIEWERS)
        with self._engine.in_haste(_AWAY_SECONDS):
            self._attend(self._bell)
            return self._changes(cursor, True)

    def look(self, cursor: int, *, rest: bool) -> _Look:
        """Look again, after some rest if that is wanted; a ring ends it."""
        with self._engine.in_haste(_AWAY_SECONDS):
            return self._look(cursor, rest=rest)

    def _look(self, cursor: int, *, rest: bool) -> _Look:
        bell = self._bell
        assert bell is not None
        due = time.monotonic() - self._attended >= _SWEEP_AGAIN_SECONDS
        if due:
            if not bell.hangs:
                bell.close()
                bell = self._bell = self._engine.hang_bell(REVIEWERS, REVIEWERS)
            self._attend(bell)  # before the rest: whoever rings then is looked at, at once
        if rest:
            bell.sleep(self._attended + RELOOK_SECONDS - time.monotonic())
        else:
            bell.hush()
        return self._changes(cursor, due)

    def end(self) -> None:
        """Take the bell down."""
        if self._bell is not None:
            self._bell.close()

    def _attend(self, bell: Bell) -> None:
        self._attended = time.monotonic()
        self._engine.attend(bell)


class SqlReviewQueue(GrantReview):
    """A `ReviewQueue` on a database. May be shared by the threads and event loops of one process.

    All looks find dead agents and passed deadlines first, so what is reported as waiting really waits.

    Args:
        reviewer: Name under which decisions are recorded.
        engine: An open engine of its own; closed together with the queue.
    """

    def __init__(self, reviewer: str, engine: Engine) -> None:
        super().__init__(reviewer, engine)
        self._sweeper = Sweeper(engine)
        self._shown = HandedOutRequests()

    @property
    def reviewer(self) -> str:
        """Name under which decisions are recorded."""
        return self._reviewer

    @property
    def now(self) -> int:
        """The time by the clock of the queue, as all its times are: microseconds since the epoch."""
        return self._engine.now

    def pending(self) -> tuple[StoredRequest, ...]:
        """All requests that wait, in arrival order.

        One that cannot be read is ended instead, and is in the history.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        self._sweeper.sweep()
        with self._engine.read() as look:
            rows = look.rows(_PENDING)
        self._shown.note(rows)
        return tuple(map(self._own.of, self._sweeper.readable(rows)))

    def upcoming(self) -> tuple[UpcomingCall, ...]:
        """Calls that the agents of waiting requests have announced and not yet asked for.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        pending = self.pending()
        with self._engine.read() as look:
            return upcoming(look, pending)

    def get(self, request_id: str, revision: int | None = None) -> StoredRequest:
        """One request: the given revision, or the newest.

        Raises:
            UnknownRequestError: There is none.
            QueueUnavailableError: The queue cannot be used.
        """
        self._sweeper.sweep()
        with self._engine.read() as look:
            if revision is None:
                request = requests.newest(look, request_id)
            else:
                request = _revision(look, request_id, revision)
            if request is not None:
                self._shown.note_one(look, request.id, request.revision)
        if request is None:
            which = "request" if revision is None else f"revision {revision} of a request"
            raise UnknownRequestError(f"there is no {which} {request_id!r}")
        return self._own.of(request)

    def find(self, prefix: str) -> StoredRequest:
        """The request whose id starts with the prefix, newest revision.

        Raises:
            UnknownRequestError: None, or more than one, begins so; the message says which.
            QueueUnavailableError: The queue cannot be used.
        """
        begin = prefix.strip().lower()
        if not begin or not set(begin) <= set(ID_LETTERS):
            raise UnknownRequestError(f"{prefix!r} is not the beginning of a request id")
        with self._engine.read() as look:
            rows = look.rows(
                "SELECT DISTINCT id FROM requests WHERE id >= ? AND id < ? ORDER BY id LIMIT 4",
                begin,
                f"{begin}~",
            )
        ids = [row["id"] for row in rows]
        if not ids:
            raise UnknownRequestError(f"no request id begins with {begin}")
        if len(ids) > 1:
            named = ", ".join(ids[:3]) + (" and others" if len(ids) > 3 else "")
            raise UnknownRequestError(f"more than one request id begins with {begin}: {named}")
        return self.get(ids[0])

    def blob(self, sha256: str) -> bytes:
        """A stored content by its hash.

        Raises:
            QueueUnavailableError: It is missing or does not match its hash.
        """
        with self._engine.read() as look:
            return stored_content(look, sha256)

    def changes(self, cursor: int) -> ChangeSet:
        """Everything that changed since the cursor; cursor 0 gives all that is pending now.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        self._sweeper.sweep()
        return self._changed_in(self._engine.select(*_changes_since(cursor)), math.inf)[0]

    def _watched(self, cursor: int, tidies: bool) -> _Look:
        """Look at everything that changed since the cursor.

        Args:
            cursor: Where the last look ended.
            tidies: True to end what is overdue before, and to file what the search of the history does not know
                yet: all is found in the same round trip.
        """
        queries = _changes_since(cursor)
        if not tidies:
            return self._changed_in(self._engine.select(*queries), _RISK_SECONDS)
        *found, agents, deadlines, last, filed = self._engine.select(*queries, *OVERDUE, *END)
        if not self._engine.read_only:
            if overdue := overdue_of(self._engine, agents, deadlines):
                with self._engine.write() as transaction:
                    self._sweeper.end(transaction, overdue)
                found = self._engine.select(*queries)
            if unfiled(last, filed) > _MOST_UNFILED:
                file_history(self._engine, most_left=_MOST_UNFILED)
        return self._changed_in(found, _RISK_SECONDS)

    def _changed_in(self, found: Sequence[Sequence[Row]], seconds: float) -> _Look:
        """Return the changes in the rows of `_changes_since`, and the requests whose risk is not known yet.

        Args:
            found: The rows.
            seconds: Longest wait for the reviewer's own risk of the requests.
        """
        newest, rows = found
        self._shown.note(rows)
        judged, left = self._own.of_many(self._sweeper.readable(rows), seconds)
        return ChangeSet(tuple(map(Change, judged)), newest[0]["value"]), left

    def _risen(self, left: list[StoredRequest], cursor: int) -> _Look:
        """Those of the requests whose risk rises above the sender's, as changes, and those that are still left."""
        found, still_left = self._own.of_many(left, _RISK_SECONDS)
        risen = [now.id for now, was in zip(found, left, strict=True) if now.submission != was.submission]
        with self._engine.read() as look:  # they may have ended meanwhile
            now = [_newest_or_damage(look, request_id) for request_id in risen]
        known = (Change(self._own.of(request)) for request in now if request is not None)
        return ChangeSet(tuple(known), cursor), still_left

    async def watch(self, cursor: int = 0) -> AsyncIterator[ChangeSet]:
        """Yield a change set now, and another whenever something changed.

        One that only tells of a grant, or of the end of an agent, is empty. A dead agent is noticed within about a
        second. Whoever asks for the next one in time counts as an open screen.

        Raises:
            QueueUnavailableError: The queue cannot be used, or the connection was closed.
        """
        from signoff.queue.wakeups import OwnThread

        self._engine.require_open()
        thread, watch = OwnThread(), _Watch(self._engine, self._watched)
        try:
            found, left = await thread.run(watch.begin, cursor)
            yield found
            while True:
                if left:
                    risen, left = await thread.run(self._risen, left, found.cursor)
                    if risen.changes:
                        yield risen
                cursor = found.cursor
                found, more = await thread.run(watch.look, cursor, rest=not left)
                changed = {each.request.id for each in found.changes}
                left = [*(each for each in left if each.id not in changed), *more]
                if found.cursor != cursor:
                    yield found
        finally:
            thread.close(watch.end)
            if not self._engine.closed:
                self._engine.ring(REVIEWERS)  # the thread may sleep

    def decide(self, request_id: str, revision: int, digest: str, decision: Decision) -> DecideResult:
        """Decide one request; the first decision wins.

        A hard rejection also rejects the later pending requests of the same batch. A decision that
        remembers creates the grant in the same transaction.

        Raises:
            QueueUnavailableError: Nothing was decided.
            ReviewerKeysError: An approval cannot be signed, so nothing was decided; the message says what to do.
        """
        return self.decide_many([(request_id, revision, digest)], decision)[0]

    def decide_many(self, targets: Sequence[tuple[str, int, str]], decision: Decision) -> tuple[DecideResult, ...]:
        """Decide exactly these, each on its own merits, in one transaction.

        Raises:
            QueueUnavailableError: Nothing was decided.
            ReviewerKeysError: An approval cannot be signed, so nothing was decided; the message says what to do.
        """
        from signoff.queue.keys.identity import signer_for, willing_signer

        decision = self._named(decision)
        signer = signer_for() if decision.approved else willing_signer()
        if decision.approved:
            self._judge(targets)
        more = decision.remember or decision.hard  # what goes with it is read, too
        try:
            verdicts = self._decide(targets, decision, signer, ahead=self._engine.distant and not more)
        except OvertakenError:
            verdicts = self._decide(targets, decision, signer, ahead=False)
        return tuple(map(self._own.in_verdict, verdicts))

    def _decide(
        self, targets: Sequence[tuple[str, int, str]], decision: Decision, signer: Signer, *, ahead: bool
    ) -> tuple[DecideResult, ...]:
        """Decide in one transaction.

        Args:
            targets: As for `decide_many`.
            decision: The answer.
            signer: Signs it.
            ahead: Go by what is read before other writers are kept out.

        Raises:
            OvertakenError: They changed it; nothing was decided.
        """
        queries = *END, *(requests.newest_query(each) for each, _, _ in targets)
        found = self._engine.select(*OVERDUE, *(queries if ahead else ()))
        overdue = overdue_of(self._engine, *found[:2])
        with self._engine.write() as transaction:
            self._sweeper.end(transaction, overdue)
            last, filed, *rows = transaction.select(*queries) if overdue or not ahead else found[2:]
            note_end(transaction, last, filed)
            known = {request_id: each for (request_id, _, _), each in zip(targets, rows, strict=True)}
            verdicts = tuple(
                decide_one(
                    transaction,
                    target,
                    decision,
                    signer,
                    self._shown,
                    self._own,
                    alone=len(targets) == 1,
                    rows=known.pop(target[0], None),  # a second time it is read again
                )
                for target in targets
            )
            if decision.hard:
                for verdict in verdicts:
                    if verdict.accepted and not decision.approved and verdict.current is not None:
                        stop_batch(transaction, verdict.current, decision.by, signer)
        return verdicts

    def _judge(self, targets: Iterable[tuple[str, int, str]]) -> None:
        """Work out the risk of what is approved before the write, which others wait for; mostly it is known."""
        unknown = [request_id for request_id, revision, _ in targets if not self._own.knows(request_id, revision)]
        if not unknown:
            return
        with self._engine.read() as look:
            found = [_newest_or_damage(look, request_id) for request_id in unknown]
        for request in found:
            if request is not None:
                self._own.of(request)

    def remember_and_release(
        self,
        target: tuple[str, int, str],
        also: Sequence[tuple[str, int, str]],
        decision: Decision,
        pattern: GrantPattern | None = None,
    ) -> tuple[DecideResult, ...]:
        """Approve one request and remember that, or a pattern; approve the named requests that it covers, too.

        Raises:
            QueueUnavailableError: Nothing was decided.
            ReviewerKeysError: An approval cannot be signed, so nothing was decided; the message says what to do.
        """
        from signoff.queue.keys.identity import signer_for
        from signoff.queue.sql.decisions import remember_and_release

        signer = signer_for()
        self._judge([target, *also])
        overdue = find_overdue(self._engine)
        try:
            with self._engine.write() as transaction:
                self._sweeper.end(transaction, overdue)
                verdicts = remember_and_release(
                    transaction, target, also, self._named(decision), signer, self._shown, self._own, pattern
                )
        except GrantRefusedError as error:  # the write was undone, so nothing was decided
            refused = VerdictKind.REFUSED
            return tuple(DecideResult(refused, id_, str(error), None) for id_, _, _ in (target, *also))
        return tuple(map(self._own.in_verdict, verdicts))

    def history(
        self,
        which: HistoryFilter | None = None,
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[HistoryRecord, ...]:
        """A page of history, newest first, of records with seq below `before`.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        from signoff.queue.sql import history

        self._sweeper.sweep()
        file_history(self._engine)
        with self._engine.read() as look:
            return history.page(look, which, before, limit)

    def export(self, which: HistoryFilter | None = None) -> Iterator[HistoryRecord]:
        """Yield the records that are there now, oldest first, in short looks.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        from signoff.queue.sql import history

        self._sweeper.sweep()
        file_history(self._engine)
        return history.all_of(self._engine, which)

    def verify(self) -> int | None:
        """Check the chain of the history: the seq of the first broken record, None if it is whole.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        return self.check_history().broken

    def check_history(self, expected: HistoryHead | None = None) -> HistoryCheck:
        """Check the chain of the history, and say what was found.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        from signoff.queue.sql import audit

        return audit.check(self._engine, expected)

    def prune(
        self,
        *,
        before: int | None = None,
        keep: int | None = None,
        through: int | None = None,
        dry_run: bool = False,
    ) -> Pruning:
        """Delete the oldest records, with the requests and contents that only they refer to.

        Raises:
            ValueError: There is no limit at all, or a negative one.
            QueueUnavailableError: The history is broken, and nothing was deleted; or the deletion was cut short.
        """
        from signoff.queue.sql.retention import Limits, prune, pruning_of

        self._sweeper.sweep()  # no answer is kept for an agent that is gone
        pruning = pruning_of(self._engine, Limits(before, keep, through))
        if not dry_run:
            prune(self._engine, pruning, self._reviewer)
        return pruning

    def agents(self, *, connected: bool = False) -> tuple[AgentRecord, ...]:
        """All agent connections, or only those that are there, first seen first.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        self._sweeper.sweep()
        with self._engine.read() as look:
            which = "WHERE ended_at IS NULL" if connected else ""
            rows = look.rows(f"SELECT * FROM agents {which} ORDER BY started_at, id")  # noqa: S608
        return tuple(map(agent_from_row, rows))

    def stats(self) -> Stats:
        """Counts for a status line.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        return count(self._engine)

    def recall_history(self, *, accept: bool = False) -> str:
        """Compare the history with what a reviewer has seen of it, and note its newest record beside the keys.

        Raises:
            QueueUnavailableError: The queue cannot be used.
            ReviewerKeysError: It cannot be noted; the message says what to do.
        """
        from signoff.queue.sql.history_head import recall_history

        return recall_history(self._engine, accept=accept)

    def reopen(self) -> None:
        """Connect to the queue that is at the place now, after a `QueueGoneError`; otherwise nothing happens.

        Raises:
            QueueNotFoundError: There is none.
            QueueUnavailableError: It cannot be used, or the connection was closed.
        """
        self._engine.reopen()

    def close(self) -> None:
        """End the connection. Closing twice is harmless."""
        if self._engine.closed:
            return
        forked = self._engine.forked
        if not forked:
            with contextlib.suppress(QueueError), self._engine.in_haste(_CLOSING_SECONDS):
                self.recall_history()
        self._engine.close()
        if forked:
            return
        self._engine.ring(REVIEWERS)  # whoever watches through this connection is told now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _named(self, decision: Decision) -> Decision:
        """A person decides in the name of this connection, whatever the decision says."""
        if decision.source is DecisionSource.REVIEWER or not decision.by:
            return replace(decision, by=self._reviewer)
        return decision


def _newest_or_damage(look: Look, request_id: str) -> StoredRequest | None:
    try:
        return requests.newest(look, request_id)
    except DamagedRecordError:
        return None


def _revision(look: Look, request_id: str, revision: int) -> StoredRequest | None:
    row = look.row("SELECT * FROM requests WHERE id = ? AND revision = ?", pack_text(request_id), revision)
    return None if row is None else request_from_row(row)
