"""The asking side of the queue."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Self
from weakref import WeakKeyDictionary

from signoff.queue import wording
from signoff.queue.codec import check_asked_by, submission_to_text, to_text
from signoff.queue.errors import (
    InvalidSubmissionError,
    QueueError,
    QueueGoneError,
    QueueNotFoundError,
    QueueUnavailableError,
    RequestConflictError,
)
from signoff.queue.grant_coverage import never_remembered
from signoff.queue.interrupts import why_ended
from signoff.queue.records import (
    AgentInfo,
    AgentMode,
    AskedBy,
    Decision,
    DecisionSource,
    Grant,
    Outcome,
    RequestState,
    StoredRequest,
    Submission,
    new_id,
)
from signoff.queue.sql import grants, history, requests
from signoff.queue.sql.answers import Answers, unknown_to_session
from signoff.queue.sql.engine import Engine, Transaction
from signoff.queue.sql.expiry import end_expired, retire
from signoff.queue.sql.verification import Belief, own_grant
from signoff.queue.sqlite.locks import this_host
from signoff.queue.text_escape import pack_text

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    from signoff.queue.protocol import AgentQueue
    from signoff.queue.sql.async_answers import WaitingRoom
    from signoff.queue.wakeups import OwnThread

__all__ = ["SqlAgentQueue"]

_ENDS_WITHOUT_REQUEST = {
    DecisionSource.EXPIRY: RequestState.EXPIRED,
    DecisionSource.WITHDRAWAL: RequestState.WITHDRAWN,
}

_ANNOUNCING_SECONDS = 0.5
"""Longest wait for other writers before a mode is announced: nothing depends on it, and it may be said again."""


_CLOSING_SECONDS = 1.0
"""Longest wait for a server that is away before a connection is closed, or when a program is told to stop."""


class SqlAgentQueue:
    """An `AgentQueue` on a database. May be shared by the threads and event loops of one process.

    Args:
        info: The agent's introduction.
        engine: An open engine of its own; closed together with the queue.
        lost: Id of the connection before, whose queue is gone; what was asked there does not count here.

    Raises:
        InvalidSubmissionError: A field of the introduction has a wrong type or size.
        QueueUnavailableError: The connection cannot be registered.
    """

    def __init__(self, info: AgentInfo, engine: Engine, *, lost: str | None = None) -> None:
        self._info = replace(info, mode=_known_mode(info.mode))
        self._engine = engine
        self._asked_by = AskedBy(
            agent_id=new_id(),
            name=info.name,
            session=info.session,
            pid=os.getpid(),
            host=this_host(),
            via=info.via,
            program=info.program,
        )
        check_asked_by(self._asked_by)
        self._guard = threading.Lock()
        self._announcing = threading.Lock()
        self._modes: WeakKeyDictionary[object, AgentMode] = WeakKeyDictionary()
        self._modes[self] = self._info.mode
        self._own_thread: OwnThread | None = None
        self._closing = False
        self._successor: SqlAgentQueue | None = None
        self._last_of_before = 0
        self._belief = Belief()
        self._trusts = self._belief.trusts
        self._answers = Answers(engine, info.session, self._asked_by.agent_id, self._belief)
        self._rooms: WeakKeyDictionary[AbstractEventLoop, WaitingRoom] = WeakKeyDictionary()
        try:
            self._lease = engine.leases.take(self._asked_by.agent_id)
        except OSError as error:
            raise QueueUnavailableError(f"cannot register with the queue: {error.strerror}") from error
        try:
            self._register(lost)
        except BaseException:
            self._lease.release()
            raise

    @property
    def agent(self) -> AgentInfo:
        """The introduction of this connection, with the mode that it announced last."""
        return self._info

    def replacement(self) -> AgentQueue | None:
        """Return a connection of the agent to the queue in place of one that is gone; None if it is not gone.

        Raises:
            QueueGoneError: The queue is gone, and there is none in its place.
            QueueUnavailableError: The queue cannot be used.
        """
        try:
            with self._engine.read():
                return None
        except QueueGoneError as gone:
            with self._guard:
                if self._closing:
                    raise
                if self._successor is None:
                    try:
                        engine = self._engine.opened_again()
                    except QueueNotFoundError:
                        raise gone from None
                    try:
                        self._successor = SqlAgentQueue(self._info, engine, lost=self._asked_by.agent_id)
                    except BaseException:
                        engine.close()
                        raise
                    self._lease.release(told=False)
                successor = self._successor
            return successor.replacement() or successor

    def announce_mode(self, mode: AgentMode, of: object | None = None) -> None:
        """Say how calls that need approval are answered, so that reviewers see it; no decision depends on it.

        Nothing is written where it is known already. Several that answer may share the connection. What is said
        is then the mode of the one that reviewers must know of most: ``approve_all``, else ``strict``.

        Args:
            mode: The mode.
            of: The object that answers, counted as long as it exists; the connection itself if it is left out.

        Raises:
            InvalidSubmissionError: There is no such mode.
            QueueUnavailableError: Reviewers are not told; the next call tries it again.
        """
        mode = _known_mode(mode)
        with self._announcing:  # one after the other: the last word is the one that is stored
            self._modes[self if of is None else of] = mode
            said = set(self._modes.values())
            info = replace(self._info, mode=next(each for each in AgentMode if each in said))
            if info == self._info:
                return
            with self._engine.write(durable=False, patience=_ANNOUNCING_SECONDS) as transaction:
                transaction.put(_INTRODUCE_AGAIN, _info_to_text(info, self._trusts), self._asked_by.agent_id)
                transaction.mode_changes()
            self._info = info

    def _say_whom_it_trusts(self) -> None:
        """Tell reviewers whose keys are trusted, if that has changed; the next call tries again what fails."""
        if self._belief.trusts == self._trusts:
            return
        with contextlib.suppress(QueueUnavailableError), self._announcing:
            trusts = self._belief.trusts
            with self._engine.write(durable=False, patience=_ANNOUNCING_SECONDS) as transaction:
                transaction.put(_INTRODUCE_AGAIN, _info_to_text(self._info, trusts), self._asked_by.agent_id)
            self._trusts = trusts

    def submit(self, submission: Submission) -> StoredRequest:
        """Post a request. Posting the same key and content again returns what is already there.

        An approval that nobody took is taken by this; one that was taken, or given up, is spent, one without the
        seal of a trusted reviewer is not believed, and a request that tells the call otherwise, by another
        description or risk, does not count: the same key asks again, as the next revision.

        Raises:
            RequestConflictError: The key was used for other content.
            InvalidSubmissionError: The submission contradicts itself.
            NotJsonError: A JSON-shaped field holds something else.
            QueueUnavailableError: The request was not stored.
        """
        posting = requests.posting(submission)
        self._say_whom_it_trusts()
        with self._engine.write() as transaction:  # nothing is read first: mostly the key is new
            first = self._insert(transaction, posting, new_id(), 1)
        posted = first.stored(self._engine)
        if posted is None:
            return self._submit_again(posting)
        self._answers.posted(posted)
        return posted

    def _submit_again(self, posting: requests.Posting) -> StoredRequest:
        submission = posting.submission
        with self._engine.write() as transaction:
            self._require_registered(transaction)
            there = requests.by_key(transaction, self._info.session, submission.key)
            if there is None:
                found: StoredRequest | requests.Posted = self._insert(transaction, posting, new_id(), 1)
            else:
                _refuse_other_content(there, submission)
                found = self._what_is_there(transaction, there, posting)
        return self._stored(found)

    def _what_is_there(
        self, transaction: Transaction, there: StoredRequest, posting: requests.Posting
    ) -> StoredRequest | requests.Posted:
        if requests.spent(there):
            return self._next_revision(transaction, there, posting)
        if there.state is RequestState.APPROVED:
            if self._answers.handed_over_unnoted(there):
                return self._next_revision(transaction, there, posting)
            doubt = wording.LOST if there.seq <= self._last_of_before else self._belief.doubt(there)
            if doubt is not None:
                return self._next_revision(transaction, there, posting, doubt)
            if not requests.says_the_same(there, posting):
                return self._next_revision(transaction, there, posting)
            return self._answers.take(transaction, there)
        return self._go_on_with(transaction, there, posting)

    def amend(self, request_id: str, submission: Submission) -> StoredRequest:
        """Put a new revision in place of a request; the old one is superseded.

        Another connection of the session that waits for the old one is told so, and who asks now.
        Repeating an amendment that still waits returns what is already there. A request that expired
        or was withdrawn keeps that end, and the new revision asks again.

        Raises:
            UnknownRequestError: This session never posted that id.
            RequestConflictError: The key of the submission belongs to another request.
            InvalidSubmissionError: The submission contradicts itself.
            NotJsonError: A JSON-shaped field holds something else.
            QueueUnavailableError: Nothing was changed.
        """
        posting = requests.posting(submission)
        self._say_whom_it_trusts()
        with self._engine.write() as transaction:
            self._require_registered(transaction)
            there = requests.newest(transaction, request_id, self._info.session)
            if there is None:
                raise unknown_to_session(request_id)
            owner = requests.by_key(transaction, self._info.session, submission.key)
            if owner is not None and owner.id != there.id:
                raise RequestConflictError(f"the key {submission.key!r} already belongs to request {owner.id}")
            if there.pending and requests.same_content(there, submission):
                found = self._go_on_with(transaction, there, posting)
            else:
                found = self._next_revision(transaction, there, posting)
        return self._stored(found)

    def wait(self, request_id: str, check: Callable[[], None] | None = None) -> Outcome:
        """Block until the newest revision of the request ends, and mark the answer delivered.

        A revision of this connection that another one replaced ends with that: superseded, not approved.

        Args:
            request_id: Of the request.
            check: Called several times a second, and before an answer is taken; ends the wait by raising.

        Raises:
            UnknownRequestError: This session never posted that id.
            QueueUnavailableError: The queue cannot be used, or the connection was closed.
            KeyboardInterrupt: The program was interrupted (Ctrl+C), in whichever thread this waits.
        """
        return self._answers.wait(request_id, check)

    def withdraw(self, request_id: str, reason: str) -> bool:
        """Take a pending request back. Returns False when it had ended, or another connection had replaced it.

        Raises:
            UnknownRequestError: This session never posted that id.
            QueueUnavailableError: Nothing was changed.
        """
        with self._engine.in_haste(_CLOSING_SECONDS):  # most often the program was told to stop
            return self._withdraw(request_id, reason)

    def _withdraw(self, request_id: str, reason: str) -> bool:
        with self._engine.write() as transaction:
            end_expired(transaction)
            request = self._answers.concerning(transaction, request_id)
            if request is None:
                raise unknown_to_session(request_id)
            if not request.pending:
                return False
            requests.end(transaction, request, RequestState.WITHDRAWN, reason)
            return True

    def give_up(self, request_id: str, revision: int, reason: str) -> bool:
        """Say that a request was approved and will not be run: it is superseded, with the reason on record.

        Returns False when that revision is not the newest, or not approved.

        Raises:
            UnknownRequestError: This session never posted that id.
            QueueUnavailableError: Nothing was changed.
        """
        with self._engine.write() as transaction:
            request = requests.newest(transaction, request_id, self._info.session)
            if request is None:
                raise unknown_to_session(request_id)
            if request.revision != revision or request.state is not RequestState.APPROVED:
                return False
            requests.supersede(transaction, request, reason)
            return True

    def is_stopped(self, batch_id: str) -> bool:
        """True if a reviewer has stopped a batch of the session; what is posted to it later waits all the same.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        with self._engine.read() as look:
            return requests.is_stopped(look, self._info.session, batch_id)

    def has_grant(self, submission: Submission) -> bool:
        """True if a grant covers the call; nothing is counted, and the risk is not looked at.

        Raises:
            QueueUnavailableError: The queue cannot be used.
        """
        with self._engine.read() as look:
            return grants.in_force(look, self._info.session, submission, self._belief.grant) is not None

    def use_grant(self, submission: Submission) -> Grant | None:
        """Answer from the session's grants; a hit is counted and recorded, a miss writes nothing.

        What may not be remembered is never answered by a grant.

        Raises:
            QueueUnavailableError: The queue cannot be used; nothing was granted.
        """
        if not submission.may_be_remembered:
            return None
        with self._engine.read() as look:
            grant = grants.in_force(look, self._info.session, submission, self._belief.grant)
        if grant is None:
            return None
        with self._engine.write() as transaction:
            grant = grants.count_use(transaction, grant)
            if grant is not None:
                decision = Decision(approved=True, source=DecisionSource.GRANT, by=grant.id)
                asking = self._asking(submission)
                history.append_call(transaction, asking, submission, RequestState.APPROVED, decision)
            return grant

    def record(self, submission: Submission, decision: Decision) -> None:
        """Put a decision that never was a request into the history.

        Raises:
            InvalidSubmissionError: The submission contradicts itself, or a field has a wrong type.
            NotJsonError: A JSON-shaped field holds something else.
            QueueUnavailableError: Nothing was recorded.
        """
        state = RequestState.APPROVED if decision.approved is True else RequestState.REJECTED
        state = _ENDS_WITHOUT_REQUEST.get(decision.source, state)
        requests.check_submission(submission)
        with self._engine.write() as transaction:
            history.append_call(transaction, self._asking(submission), submission, state, decision)

    def grants(self) -> tuple[Grant, ...]:
        """The session's own grants that are in force and believed, oldest first."""
        with self._engine.read() as look:
            found = grants.all_grants(look, session=self._info.session)
        return tuple(grant for grant in found if grant.damage is not None or self._belief.grant(grant))

    def add_grant(self, submission: Submission, *, by: str) -> Grant:
        """Remember an approval that was given outside the queue, for this session.

        No reviewer signs it, so it counts for the connections of this process only. Another process of the session
        sees it only in the reviewer's list.

        Raises:
            InvalidSubmissionError: The submission contradicts itself, or its risk is HIGH.
            QueueUnavailableError: Nothing was remembered.
        """
        requests.check_submission(submission)
        why_not = never_remembered(submission)
        if why_not is not None:
            raise InvalidSubmissionError(why_not)
        with self._engine.write() as transaction:
            grant = grants.remember(
                transaction,
                session=self._info.session,
                agent_name=self._info.name,
                submission=submission,
                origin="",
                by=by,
                signer=None,
            )
        own_grant(grant)  # also if it is one that was there: it covers what was approved, and nothing else
        return grant

    def clear_grants(self, *, by: str) -> int:
        """Revoke all grants of this session; returns how many."""
        with self._engine.write() as transaction:
            return grants.revoke_all(transaction, self._info.session, by)

    async def asubmit(self, submission: Submission) -> StoredRequest:
        """Asynchronous `submit`. When cancelled, the request may have been posted all the same."""
        return await self._thread().run(self.submit, submission)

    async def aamend(self, request_id: str, submission: Submission) -> StoredRequest:
        """Asynchronous `amend`. When cancelled, the revision may have been posted all the same."""
        return await self._thread().run(self.amend, request_id, submission)

    async def awithdraw(self, request_id: str, reason: str) -> bool:
        """Asynchronous `withdraw`."""
        return await self._thread().run(self._withdraw, request_id, reason)

    async def ause_grant(self, submission: Submission) -> Grant | None:
        """Asynchronous `use_grant`."""
        return await self._thread().run(self.use_grant, submission)

    async def arecord(self, submission: Submission, decision: Decision) -> None:
        """Asynchronous `record`."""
        await self._thread().run(self.record, submission, decision)

    async def await_outcome(self, request_id: str) -> Outcome:
        """Asynchronous `wait`; cancelling it leaves the request as it is."""
        return await self._room().wait(request_id)

    def close(self) -> None:
        """End the connection: pending requests are withdrawn. Closing twice is harmless.

        In a forked child only the child's copy is given up.
        """
        stopped_by = sys.exception()
        reason = why_ended(stopped_by) if isinstance(stopped_by, KeyboardInterrupt) else wording.CLOSED
        if self._engine.forked:
            self._engine.close()
            return
        with self._guard:
            if self._closing:
                return
            self._closing = True
        told = True
        try:
            with self._engine.in_haste(_CLOSING_SECONDS), self._engine.write() as transaction:
                retire(transaction, self._asked_by.agent_id, reason)
        except QueueGoneError:
            pass  # there is nobody to tell
        except QueueError:
            told = False
        finally:
            self._lease.release(told=told)
            self._engine.close()
            if self._own_thread is not None:
                self._own_thread.close()
            for room in tuple(self._rooms.values()):
                room.close()
            if self._successor is not None:
                self._successor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _register(self, lost: str | None) -> None:
        info = self._info
        # Not flushed to disk: an agent whose machine lost power is gone anyway, and the first request
        # takes this along.
        with self._engine.write(durable=False) as transaction:
            transaction.put(
                """
                INSERT INTO agents (id, info, session, pid, host, boot, started_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                self._asked_by.agent_id,
                _info_to_text(info, self._trusts),
                pack_text(info.session),
                self._asked_by.pid,
                pack_text(self._asked_by.host),
                self._engine.leases.machine,
                transaction.now,
            )
            if info.mode is not AgentMode.INTERACTIVE:
                transaction.mode_changes()
            if lost is not None:  # a copy of the lost queue may hold what was asked there
                retire(transaction, lost, wording.LOST)
                self._last_of_before = transaction.number("SELECT COALESCE(MAX(seq), 0) FROM requests")

    def _insert(
        self, transaction: Transaction, posting: requests.Posting, request_id: str, revision: int
    ) -> requests.Posted:
        self._belief.posted(request_id, revision, posting.text)
        asked_by = self._asking(posting.submission)
        return requests.insert(transaction, asked_by, posting, request_id=request_id, revision=revision)

    def _stored(self, found: StoredRequest | requests.Posted) -> StoredRequest:
        """Return what a write found or stored, after the write."""
        stored = found.stored(self._engine) if isinstance(found, requests.Posted) else found
        if stored is None:
            raise QueueUnavailableError("the request was not stored; ask again")
        self._answers.posted(stored)
        return stored

    def _asking(self, submission: Submission) -> AskedBy:
        """The asker: this connection, for whoever makes the call through it."""
        return replace(self._asked_by, caller=submission.caller, via=submission.via or self._asked_by.via)

    def _go_on_with(
        self, transaction: Transaction, there: StoredRequest, posting: requests.Posting
    ) -> StoredRequest | requests.Posted:
        """Wait for a request that is there, unless somebody changed what the person is shown of it."""
        if not there.pending:
            return there
        if not requests.says_the_same(there, posting):
            return self._next_revision(transaction, there, posting)
        self._belief.posted(there.id, there.revision, submission_to_text(there.submission))
        return requests.take_over(transaction, there, self._asking(posting.submission))

    def _next_revision(
        self, transaction: Transaction, there: StoredRequest, posting: requests.Posting, why: str | None = None
    ) -> requests.Posted:
        revision = there.revision + 1
        requests.supersede(transaction, there, why or wording.replaced(there, revision, self._asked_by))
        return self._insert(transaction, posting, there.id, revision)

    def _require_registered(self, transaction: Transaction) -> None:
        """Refuse to post what nobody would withdraw when this process dies."""
        row = transaction.row("SELECT ended_at FROM agents WHERE id = ?", self._asked_by.agent_id)
        if row is None or row["ended_at"] is not None:
            raise QueueUnavailableError(
                "this connection was taken for dead, because its sign of life was gone; open a new one"
            )

    def _thread(self) -> OwnThread:
        from signoff.queue.wakeups import OwnThread

        self._engine.require_open()
        with self._guard:
            if self._own_thread is None:
                self._own_thread = OwnThread()
            return self._own_thread

    def _room(self) -> WaitingRoom:
        """The room of the running event loop."""
        import asyncio

        from signoff.queue.sql.async_answers import WaitingRoom

        loop = asyncio.get_running_loop()
        thread = self._thread()
        with self._guard:
            room = self._rooms.get(loop)
            if room is None:
                room = self._rooms[loop] = WaitingRoom(self._answers, thread)
            return room


def _known_mode(mode: str) -> AgentMode:
    try:
        return AgentMode(mode)
    except ValueError:
        words = f"unknown mode {mode!r}; choose one of: {', '.join(AgentMode)}"
        raise InvalidSubmissionError(words) from None


_INTRODUCE_AGAIN = "UPDATE agents SET info = ? WHERE id = ?"


def _info_to_text(info: AgentInfo, trusts: frozenset[str]) -> str:
    said = {"name": info.name, "session": info.session, "cwd": info.cwd, "via": info.via, "mode": info.mode.value}
    program = {"program": info.program} if info.program else {}
    return to_text(said | program | {"trusts": sorted(trusts)})


def _refuse_other_content(there: StoredRequest, submission: Submission) -> None:
    if not requests.same_content(there, submission):
        raise RequestConflictError(
            f"the key {submission.key!r} already belongs to request {there.id} with other content;"
            " use a new key, or amend that request"
        )
