"""How an agent learns what became of its requests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from signoff.queue.bells import RELOOK_SECONDS, Bell
from signoff.queue.clock import SECOND, now_us
from signoff.queue.codec import pack_text
from signoff.queue.errors import UnknownRequestError
from signoff.queue.records import Outcome, StoredRequest
from signoff.queue.sqlite import requests
from signoff.queue.sqlite.engine import Engine, Look, session_bell
from signoff.queue.sqlite.sweeping import end_expired

__all__ = ["Answers", "Findings", "unknown_to_session"]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a look for several waiters found.

    Attributes:
        outcomes: The requests that ended, by id; marked as delivered.
        waiting: Deadlines of the requests that still wait, by id; only those that are new or changed.
        unknown: Ids that the session never posted.
        cursor: Hand this to the next look.
    """

    outcomes: dict[str, Outcome]
    waiting: dict[str, int | None]
    unknown: frozenset[str]
    cursor: int


class Answers:
    """The ends of one session's requests."""

    def __init__(self, engine: Engine, session: str) -> None:
        self._engine = engine
        self._session = session

    def wait(self, request_id: str) -> Outcome:
        """Block until the newest revision of a request ends.

        Raises:
            UnknownRequestError: The session never posted that id.
            QueueUnavailableError: The queue cannot be used, or the connection was closed.
        """
        request = self._look_at(request_id)
        if request.pending:
            with self._engine.hang_bell(request.id) as bell:
                while (request := self._look_at(request_id)).pending:
                    bell.sleep(seconds_to_next_look([request.submission.expires_at]))
        return self._deliver([request])[request_id]

    def collect(
        self, newcomers: Collection[str], waiting: Collection[str], since: int | None, *, due: bool
    ) -> Findings:
        """Look for several waiters at once, in one consistent look.

        Args:
            newcomers: Ids that are waited for since the look before.
            waiting: All ids that are waited for.
            since: Cursor of the look before; changes after it are looked at. None in the first look.
            due: Whether the deadline of one of them has passed.
        """
        if due:
            self._expire()
        with self._engine.read() as look:
            cursor = look.number("SELECT value FROM counters WHERE name = 'change'")
            changed = set() if since is None else self._changed(look, since)
            wanted = {*newcomers, *changed.intersection(waiting)}
            found = {id_: requests.newest(look, id_, self._session) for id_ in wanted}
        known = [request for request in found.values() if request is not None]
        return Findings(
            outcomes=self._deliver(request for request in known if not request.pending),
            waiting={request.id: request.submission.expires_at for request in known if request.pending},
            unknown=frozenset(id_ for id_, request in found.items() if request is None),
            cursor=cursor,
        )

    def hang_bell(self) -> Bell:
        """Put up a bell that rings whenever a request of the session changes."""
        return self._engine.hang_bell(session_bell(self._session))

    def _changed(self, look: Look, since: int) -> set[str]:
        rows = look.rows(
            "SELECT id FROM requests WHERE session = ? AND change > ?",
            pack_text(self._session),
            since,
        )
        return {row["id"] for row in rows}

    def _look_at(self, request_id: str) -> StoredRequest:
        request = self._newest(request_id)
        if request.pending and is_past(request.submission.expires_at):
            self._expire()
            request = self._newest(request_id)
        return request

    def _newest(self, request_id: str) -> StoredRequest:
        with self._engine.read() as look:
            request = requests.newest(look, request_id, self._session)
        if request is None:
            raise unknown_to_session(request_id)
        return request

    def _expire(self) -> None:
        with self._engine.write() as transaction:
            end_expired(transaction)

    def _deliver(self, ended: Iterable[StoredRequest]) -> dict[str, Outcome]:
        """Hand the ends over. The stamp needs no disk flush: it is lost only along with the agent."""
        delivered = list(ended)
        if any(request.delivered_at is None for request in delivered):
            with self._engine.write(durable=False) as transaction:
                delivered = [requests.mark_delivered(transaction, each) for each in delivered]
        return {request.id: Outcome(request, request.decision) for request in delivered}


def seconds_to_next_look(deadlines: Iterable[int | None]) -> float:
    """How long a waiter may sleep: until the first deadline, but never longer than is safe."""
    soonest = min((each for each in deadlines if each is not None), default=None)
    if soonest is None:
        return RELOOK_SECONDS
    return min(RELOOK_SECONDS, max(0.0, (soonest - now_us()) / SECOND))


def is_past(deadline: int | None) -> bool:
    """Whether a deadline has passed."""
    return deadline is not None and deadline <= now_us()


def unknown_to_session(request_id: str) -> UnknownRequestError:
    """The error for an id that the session never posted."""
    return UnknownRequestError(f"this session never posted a request {request_id!r}")
