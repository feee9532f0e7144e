"""The ends of requests, as agents learn them."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from signoff.queue.clock import SECOND
from signoff.queue.errors import (
    DamagedRecordError,
    QueueAwayError,
    QueueError,
    QueueGoneError,
    QueueUnavailableError,
    UnknownRequestError,
)
from signoff.queue.interrupts import LOOK_SECONDS, hears_interrupts, require_uninterrupted
from signoff.queue.records import Outcome, RequestState, StoredRequest, is_id
from signoff.queue.sql import requests
from signoff.queue.sql.amendments import with_contents
from signoff.queue.sql.engine import Engine, Look, Query, Row, Transaction, session_bell
from signoff.queue.sql.expiry import end_expired
from signoff.queue.sql.rows import request_from_row
from signoff.queue.sql.verification import Belief
from signoff.queue.sqlite.wakeups import RELOOK_SECONDS, Bell
from signoff.queue.text_escape import pack_text
from signoff.queue.wording import NOT_RUN

__all__ = [
    "AWAY_SECONDS",
    "Answers",
    "Findings",
    "Outage",
    "UnattendedNotice",
    "passed_while_away",
    "unknown_to_session",
]


_STAMP_PATIENCE_SECONDS = 1.0
"""Longest that an answer waits for other writers before it is handed over without a note."""


_LOOK_PATIENCE_SECONDS = 0.0
"""A look does not wait for a server that is away: the waiter does, and can be stopped."""

AWAY_SECONDS = 0.5
"""Between two looks at a server that is away."""

_OUTAGE_SECONDS = 2.0
"""An outage that is over before is not worth a word."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a look for several waiters.

    Attributes:
        outcomes: The requests that ended, by id; marked as delivered.
        waiting: Deadlines of the requests that still wait, by id; only those that are new or changed.
        failures: Errors of those waited for in vain, by id: never posted, or not readable.
        cursor: Hand this to the next look.
    """

    outcomes: dict[str, Outcome]
    waiting: dict[str, int | None]
    failures: dict[str, QueueError]
    cursor: int


class Outage:
    """Tells the person who started the agent, once, that the server is away and the agent goes on waiting.

    Args:
        place: The queue, in words.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._guard = threading.Lock()
        self._since: float | None = None
        self._told = False
        self.ended_at = -math.inf
        """When the server was back, on the monotonic clock."""

    def goes_on(self, error: QueueAwayError) -> None:
        """The server is away; it is told when that lasts. Never fails."""
        with self._guard:
            now = time.monotonic()
            self._since = now if self._since is None else self._since
            if self._told or now - self._since < _OUTAGE_SECONDS:
                return
            self._told = True
        cause = str(error).removeprefix(self._place).strip().partition(" (")[0]  # without the words of libpq
        _say(f"the queue at {self._place} does not answer; still waiting ({cause})")

    def over(self) -> None:
        """The server has answered."""
        if self._since is not None:
            with self._guard:
                self._since, self._told = None, False
                self.ended_at = time.monotonic()


class Answers:
    """The ends of one session's requests, as they concern one of its connections.

    Args:
        engine: An open engine.
        session: The session.
        agent_id: The connection.
        belief: Its belief.
    """

    def __init__(self, engine: Engine, session: str, agent_id: str, belief: Belief) -> None:
        self._engine = engine
        self._belief = belief
        self._session = session
        self._audience = session_bell(session)
        self._agent_id = agent_id
        self._taken: set[int] = set()
        self._unnoted: set[int] = set()
        self._tried: dict[int, int] = {}  # when answers were taken by writes of which nobody knows what became
        self._deadlines: dict[str, int] = {}
        self.outage = Outage(engine.name)

    def handed_over_unnoted(self, request: StoredRequest) -> bool:
        """True if this connection handed the end over, and the note of that could not be written."""
        return request.seq in self._unnoted

    def posted(self, request: StoredRequest) -> None:
        """Note until when a request waits, for those who cannot ask while the server is away."""
        if request.pending and request.expires_at is not None:
            self._deadlines[request.id] = request.expires_at

    def wait(self, request_id: str, check: Callable[[], None] | None = None) -> Outcome:
        """Block until the newest revision of a request ends. A server that is away is waited for.

        Args:
            request_id: Of the request.
            check: Called several times a second, and before an answer is taken; ends the wait by raising.

        Raises:
            UnknownRequestError: The session never posted that id.
            QueueAwayError: The server of the queue was away when the deadline of the request passed.
            QueueUnavailableError: The queue cannot be used, or the connection was closed.
            KeyboardInterrupt: The program was interrupted while this thread, which is not its main one, waited.
        """
        checks = [each for each in (None if hears_interrupts() else require_uninterrupted, check) if each]
        if not is_id(request_id):  # it would name a bell
            raise unknown_to_session(request_id)
        notice = UnattendedNotice(self.outage)

        def go_on() -> None:
            for each in checks:
                each()

        with (
            self._engine.hang_bell(request_id, self._audience) as bell,
            self._engine.in_haste(_LOOK_PATIENCE_SECONDS, go_on),
        ):
            self._belief.warm_up()
            while (request := self._looked_at_again(request_id, bell, checks)).pending:
                if _rest(bell, self.seconds_to_next_look([request.expires_at]), checks):
                    go_on()
                    taken = self._taken_at_once(request_id, bell, checks)
                    if taken is not None:
                        return taken
                if notice.due:
                    notice.give(self._engine, request)
            go_on()
            return self._deliver([request])[request_id]

    def notify(self, request_id: str, notice: UnattendedNotice) -> None:
        """Give the notice about a request that waits. Never fails."""
        with contextlib.suppress(QueueError), self._engine.in_haste(_LOOK_PATIENCE_SECONDS):
            request = self._concerning(request_id)
            if request.pending:
                notice.give(self._engine, request)

    def collect(
        self, newcomers: Collection[str], waiting: Collection[str], since: int | None, *, due: bool
    ) -> Findings:
        """Look for several waiters at once, in one consistent look.

        Args:
            newcomers: Ids that are waited for since the look before.
            waiting: All ids that are waited for.
            since: Cursor of the look before; changes after it are looked at. None in the first look.
            due: True if the deadline of one of them has passed.

        Raises:
            QueueAwayError: The server is away, and nothing was found out.
        """
        with self._engine.in_haste(_LOOK_PATIENCE_SECONDS):
            return self._collect(newcomers, waiting, since, due=due)

    def _collect(
        self, newcomers: Collection[str], waiting: Collection[str], since: int | None, *, due: bool
    ) -> Findings:
        if due:
            self._expire()
        if since is None:
            self._belief.warm_up()
        with self._engine.read() as look:
            cursor = look.number("SELECT value FROM counters WHERE name = 'change'")
            changed = set() if since is None else self._changed(look, since)
            wanted = {*newcomers, *changed.intersection(waiting)}
            known, failures = self._known(look, wanted)
        self.outage.over()
        for request in known:
            self.posted(request)
        return Findings(
            outcomes=self._deliver(request for request in known if not request.pending),
            waiting={request.id: request.expires_at for request in known if request.pending},
            failures=failures,
            cursor=cursor,
        )

    def concerning(self, look: Look, request_id: str) -> StoredRequest | None:
        """Return the revision whose end concerns this connection, or None if the session never posted the id.

        That is the newest one, unless another connection of the session put it in the place of ours: what that
        one asks for now is not what we wait for.
        """
        return self._concerned(*look.select(*self._concern(request_id)))

    def take(self, transaction: Transaction, request: StoredRequest) -> StoredRequest:
        """Take the answer that a request already has, as part of a write."""
        taken = requests.mark_delivered(transaction, request)
        if request.delivered_at is None:
            self._taken.add(request.seq)
        return taken

    def seconds_to_next_look(self, deadlines: Iterable[int | None]) -> float:
        """Seconds that a waiter may sleep: until the first deadline, but never longer than is safe."""
        soonest = min((each for each in deadlines if each is not None), default=None)
        if soonest is None:
            return RELOOK_SECONDS
        return min(RELOOK_SECONDS, max(0.0, (soonest - self._engine.now) / SECOND))

    def past_while_away(self, request_ids: Iterable[str]) -> list[str]:
        """Those of some requests whose deadline has passed, as far as is known without asking the server."""
        return [each for each in request_ids if self.is_past(self._deadlines.get(each))]

    def is_past(self, deadline: int | None) -> bool:
        """True if a deadline has passed."""
        return deadline is not None and deadline <= self._engine.now

    def hang_bell(self) -> Bell:
        """Put up a bell that rings whenever a request of the session changes."""
        return self._engine.hang_bell(self._audience, self._audience)

    def _concern(self, request_id: str) -> tuple[Query, Query]:
        """The queries for the newest revision of a request, and for the newest of this connection."""
        statement = "SELECT * FROM requests WHERE id = ? AND agent_id = ? ORDER BY revision DESC LIMIT 1"
        return requests.newest_query(request_id), (statement, (pack_text(request_id), self._agent_id))

    def _concerned(self, rows: Sequence[Row], ours: Sequence[Row]) -> StoredRequest | None:
        newest = request_from_row(rows[0]) if rows else None
        if newest is None or newest.asked_by.session != self._session:
            return None
        if newest.revision == 1 or newest.asked_by.agent_id == self._agent_id or not ours:
            return newest
        return request_from_row(ours[0])

    def _known(self, look: Look, wanted: Collection[str]) -> tuple[list[StoredRequest], dict[str, QueueError]]:
        known: list[StoredRequest] = []
        failures: dict[str, QueueError] = {}
        for request_id in wanted:
            try:
                request = self.concerning(look, request_id)
            except DamagedRecordError as damage:
                failures[request_id] = damage
                continue
            if request is None:
                failures[request_id] = unknown_to_session(request_id)
            else:
                known.append(request)
        return known, failures

    def _changed(self, look: Look, since: int) -> set[str]:
        rows = look.rows(
            "SELECT id FROM requests WHERE session || '' = ? AND change > ?",  # few changed, of any session
            pack_text(self._session),
            since,
        )
        return {row["id"] for row in rows}

    def _looked_at_again(self, request_id: str, bell: Bell, checks: Sequence[Callable[[], None]]) -> StoredRequest:
        """A look that may begin while the server goes: one that is cut off changed nothing, and is taken again.

        Raises:
            QueueAwayError: The server is still away when the deadline has passed.
        """
        failed = False
        while True:
            try:
                request = self._look_at(request_id)
            except QueueAwayError as error:
                self.outage.goes_on(error)
                if self.past_while_away([request_id]):
                    raise passed_while_away(error) from error
                _rest(bell, AWAY_SECONDS, checks)
            except QueueUnavailableError:
                if failed:  # a queue that is gone says so again
                    raise
                failed = True
            else:
                self.outage.over()
                self.posted(request)
                return request

    def _look_at(self, request_id: str) -> StoredRequest:
        request = self._concerning(request_id)
        if request.pending and self.is_past(request.expires_at):
            self._expire()
            request = self._concerning(request_id)
        return request

    def _concerning(self, request_id: str) -> StoredRequest:
        request = self._concerned(*self._engine.select(*self._concern(request_id)))
        if request is None:
            raise unknown_to_session(request_id)
        return request

    def _expire(self) -> None:
        with self._engine.write() as transaction:
            end_expired(transaction)

    def _taken_at_once(self, request_id: str, bell: Bell, checks: Sequence[Callable[[], None]]) -> Outcome | None:
        """Look and take what is there, if nothing has to be said of it; who is rung mostly can."""
        request = self._looked_at_again(request_id, bell, checks) if self._engine.distant else None
        taken: StoredRequest | None = None
        if request is not None and not self._can_be_taken(request):
            return None
        try:
            with self._engine.write(durable=False, patience=LOOK_SECONDS) as transaction:
                if request is None:
                    request = self.concerning(transaction, request_id)
                    if request is None or not self._can_be_taken(request):
                        return None
                taken = requests.mark_delivered(transaction, request)
        except QueueGoneError:
            raise
        except QueueUnavailableError:  # it is handed over without a note, or another connection took it
            self._note_tried(taken)
            return None
        self._taken.add(taken.seq)
        return self._outcome(taken, None)

    def _note_tried(self, taken: StoredRequest | None) -> None:
        """Note an answer that this connection has taken, if the write took place: the time tells."""
        if taken is not None and taken.delivered_at is not None:
            self._tried[taken.seq] = taken.delivered_at

    def _can_be_taken(self, request: StoredRequest) -> bool:
        """True if a request has an answer that nobody took, and of which nothing has to be said."""
        there = not request.pending and request.delivered_at is None
        return there and not _is_changed(request) and self._belief.doubt(request) is None

    def _deliver(self, ended: Iterable[StoredRequest]) -> dict[str, Outcome]:
        """Hand the ends over, and note that they were.

        The note needs no disk flush: it is lost only along with the agent. An answer that stands is handed
        over even if it cannot be noted, because another writer stopped or the disk is full. An approval that is
        not believed is superseded instead, so that the same call can be asked about again.
        """
        delivered = list(ended)
        doubts = {each.seq: doubt for each in delivered if (doubt := self._belief.doubt(each)) is not None}
        delivered = [self._with_contents(each, doubts) for each in delivered]
        unnoted = {request.seq for request in delivered if request.delivered_at is None}
        self._taken |= {
            request.seq
            for request in delivered
            if request.delivered_at is not None and self._tried.get(request.seq) == request.delivered_at
        }
        if unnoted:
            try:
                with self._engine.write(durable=False, patience=_STAMP_PATIENCE_SECONDS) as transaction:
                    for each in delivered:
                        if each.seq in doubts and each.delivered_at is None:
                            _refuse(transaction, each, doubts[each.seq])
                    noted = [_noted(transaction, each) for each in delivered]
                delivered = noted
                unnoted = {each.seq for each in noted if each.seq in unnoted and each.delivered_at is not None}
            except QueueGoneError:  # then it is an answer of no queue
                raise
            except QueueUnavailableError:
                self._unnoted |= unnoted
        self._taken |= unnoted
        return {request.id: self._outcome(request, doubts.get(request.seq)) for request in delivered}

    def _with_contents(self, ended: StoredRequest, doubts: dict[int, str]) -> StoredRequest:
        """The request with what is written in place of what was asked; what is not there makes a doubt."""
        decision = ended.decision
        if decision is None or decision.instead is None or ended.seq in doubts:
            return ended
        try:
            with self._engine.read() as look:
                return replace(ended, decision=with_contents(look, decision))
        except QueueUnavailableError as error:
            doubts[ended.seq] = f"{NOT_RUN}: what was approved cannot be read: {error}"
            return ended

    def _outcome(self, ended: StoredRequest, doubt: str | None) -> Outcome:
        self._deadlines.pop(ended.id, None)
        if doubt is not None:
            ended = replace(ended, state=RequestState.SUPERSEDED, state_note=doubt)
        return Outcome(ended, ended.decision, ours=ended.seq in self._taken, doubt=doubt)


def passed_while_away(error: QueueAwayError) -> QueueAwayError:
    """Return the error for a request whose deadline passed while the server was away."""
    return QueueAwayError(f"the deadline passed while nobody could decide: {error}")


def _rest(bell: Bell, seconds: float, checks: Sequence[Callable[[], None]]) -> bool:
    """Sleep until rung, which is True, or the time is over, with the checks in between."""
    if not checks:
        return bell.sleep(seconds)
    end = time.monotonic() + seconds
    while True:
        for check in checks:
            check()
        left = end - time.monotonic()
        rung = bell.sleep(min(left, LOOK_SECONDS))
        if rung or left <= LOOK_SECONDS:
            return rung


def _is_changed(request: StoredRequest) -> bool:
    """True if something else was approved than was asked."""
    return request.decision is not None and request.decision.instead is not None


def _noted(transaction: Transaction, ended: StoredRequest) -> StoredRequest:
    """Note that an end was handed over, unless another connection has taken it since it was looked at."""
    row = transaction.row("SELECT delivered_at FROM requests WHERE seq = ?", ended.seq)
    if row is None or row["delivered_at"] is not None:
        return ended
    return requests.mark_delivered(transaction, ended)


def _refuse(transaction: Transaction, doubted: StoredRequest, why: str) -> None:
    """Put on record that an approval is not believed, if it is still there and nobody has taken it."""
    row = transaction.row("SELECT state, delivered_at FROM requests WHERE seq = ?", doubted.seq)
    if row is not None and row["state"] == RequestState.APPROVED and row["delivered_at"] is None:
        requests.supersede(transaction, doubted, why)


def unknown_to_session(request_id: str) -> UnknownRequestError:
    """The error for an id that the session never posted."""
    return UnknownRequestError(f"this session never posted a request {request_id!r}")


# -- One notice on standard error, for the person who started an agent: it waits, and nobody has a screen open.

_PATIENCE_SECONDS = 10.0

_guard = threading.Lock()
_given = False  # once in a process


class UnattendedNotice:
    """Decides for one wait when the notice is due.

    Args:
        outage: After one, screens connect again as well, and have as long as in the beginning.
    """

    def __init__(self, outage: Outage) -> None:
        self._outage = outage
        self._due_at = time.monotonic() + _PATIENCE_SECONDS

    @property
    def due(self) -> bool:
        """True if it is time to look for a screen."""
        return not _given and time.monotonic() >= max(self._due_at, self._outage.ended_at + _PATIENCE_SECONDS)

    def give(self, engine: Engine, request: StoredRequest) -> None:
        """Say that a request waits and no screen is open, unless one is open or that was said. Never fails.

        Args:
            engine: The connection to the queue.
            request: One that waits.
        """
        self._due_at = time.monotonic() + _PATIENCE_SECONDS
        try:
            if engine.attended():
                return
        except QueueError:  # the wait itself finds out
            return
        if not _is_first():
            return
        command = f"signoff --queue {_shell_word(engine.option)}" if engine.option else "signoff"
        _say(
            f"{_printable(request.submission.tool_name)} waits for an answer, and no screen is open;"
            f" to review it, type: {command}"
        )


def _say(words: str) -> None:
    """Write a line to standard error, which whoever started the agent may have closed. Never fails."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"signoff: {words}\n")
        sys.stderr.flush()


def _is_first() -> bool:
    global _given
    with _guard:
        first, _given = not _given, True
        return first


def _printable(name: str) -> str:
    """A name of at most 80 characters in which nothing moves a cursor or reorders letters."""
    shown = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in name[:80])
    return f"{shown}…" if len(name) > 80 else shown


def _shell_word(text: str) -> str:
    """A text as one word of a shell, in printable characters."""
    if text.isprintable():
        return shlex.quote(text)
    signs = (
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(text)
    )
    return f"$'{''.join(signs)}'"
