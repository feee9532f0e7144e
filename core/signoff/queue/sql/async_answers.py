"""Many coroutines that wait for answers, served by one bell, one task and one thread."""

from __future__ import annotations

import asyncio
import contextlib
import time
import weakref

from signoff.queue.errors import CLOSED_CONNECTION, QueueAwayError, QueueUnavailableError
from signoff.queue.interrupts import LOOK_SECONDS, hears_interrupts, interrupted
from signoff.queue.records import Outcome
from signoff.queue.sql.answers import (
    AWAY_SECONDS,
    Answers,
    Findings,
    UnattendedNotice,
    passed_while_away,
)
from signoff.queue.wakeups import AsyncBell, OwnThread

__all__ = ["WaitingRoom"]


class WaitingRoom:
    """The coroutines of one event loop that wait for requests of one session.

    The room looks once for all of them: at newcomers by id, at the others by what changed. It is open
    while somebody waits.
    """

    def __init__(self, answers: Answers, thread: OwnThread) -> None:
        self._answers = answers
        self._thread = thread
        # Weak, so that a queue does not keep the loops of the past alive.
        self._loop = weakref.ref(asyncio.get_running_loop())
        self._waiters: dict[str, set[asyncio.Future[Outcome]]] = {}
        self._newcomers: set[str] = set()
        self._deadlines: dict[str, int | None] = {}
        self._notices: dict[str, UnattendedNotice] = {}
        self._interruptible = hears_interrupts()
        self._bell: AsyncBell | None = None
        self._attendant: asyncio.Task[None] | None = None

    async def wait(self, request_id: str) -> Outcome:
        """Return when the newest revision of the request has ended.

        Raises:
            UnknownRequestError: The session never posted that id.
            QueueUnavailableError: The queue cannot be used, or the connection was closed.
        """
        waiter: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiters.setdefault(request_id, set()).add(waiter)
        self._newcomers.add(request_id)
        self._notices.setdefault(request_id, UnattendedNotice(self._answers.outage))
        self._attend()
        try:
            return await waiter
        finally:
            self._leave(request_id, waiter)

    def close(self) -> None:
        """Send everybody away with an error. May be called from any thread."""
        loop = self._loop()
        if loop is None:
            return
        with contextlib.suppress(RuntimeError):  # a closed loop has nobody waiting any more
            loop.call_soon_threadsafe(self._send_away, QueueUnavailableError(CLOSED_CONNECTION))

    def _attend(self) -> None:
        if self._attendant is None:
            self._attendant = asyncio.create_task(self._serve(), name="signoff waiting room")
        elif self._bell is not None:
            self._bell.poke()

    def _leave(self, request_id: str, waiter: asyncio.Future[Outcome]) -> None:
        waiters = self._waiters.get(request_id, set())
        waiters.discard(waiter)
        if not waiters:
            self._waiters.pop(request_id, None)
            self._forget(request_id)
        if not self._waiters and self._bell is not None:
            self._bell.poke()  # the attendant may go

    async def _serve(self) -> None:
        try:
            with AsyncBell(self._answers.hang_bell()) as self._bell:
                await self._look_until_empty(self._bell)
        except Exception as error:  # noqa: BLE001 (told to everybody who waits)
            self._send_away(error)
        except asyncio.CancelledError:
            self._send_away(QueueUnavailableError("waiting for the queue was stopped"))
            raise
        finally:
            self._bell = self._attendant = None

    async def _look_until_empty(self, bell: AsyncBell) -> None:
        cursor: int | None = None
        while self._waiters:
            if not self._interruptible and interrupted():
                self._send_away(KeyboardInterrupt())
                return
            newcomers, self._newcomers = self._newcomers, set()
            try:
                findings = await self._thread.run(
                    self._answers.collect,
                    newcomers,
                    frozenset(self._waiters),
                    cursor,
                    due=any(map(self._answers.is_past, self._deadlines.values())),
                )
            except QueueAwayError as error:
                self._newcomers |= newcomers & self._waiters.keys()
                self._go_on_without(error)
                await self._rest(bell, AWAY_SECONDS)
                continue
            cursor = findings.cursor
            self._announce(findings)
            due = next(((each, notice) for each, notice in self._notices.items() if notice.due), None)
            if due is not None:
                await self._thread.run(self._answers.notify, *due)
            await self._rest(bell, self._answers.seconds_to_next_look(self._deadlines.values()))

    async def _rest(self, bell: AsyncBell, seconds: float) -> None:
        """Sleep until rung or the time is over, or the program was interrupted."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            longest = left if self._interruptible else min(left, LOOK_SECONDS)
            if await bell.sleep(longest) or longest >= left or interrupted():
                return

    def _announce(self, findings: Findings) -> None:
        for request_id, deadline in findings.waiting.items():
            if request_id in self._waiters:
                self._deadlines[request_id] = deadline
        for request_id, outcome in findings.outcomes.items():
            for waiter in self._dismiss(request_id):
                waiter.set_result(outcome)
        for request_id, failure in findings.failures.items():
            for waiter in self._dismiss(request_id):
                waiter.set_exception(failure)

    def _go_on_without(self, error: QueueAwayError) -> None:
        """Wait for a server that is away, but for those whose deadline has passed."""
        self._answers.outage.goes_on(error)
        for request_id in self._answers.past_while_away(tuple(self._waiters)):
            for waiter in self._dismiss(request_id):
                waiter.set_exception(passed_while_away(error))

    def _send_away(self, error: BaseException) -> None:
        for request_id in tuple(self._waiters):
            for waiter in self._dismiss(request_id):
                waiter.set_exception(error)
        if self._bell is not None:
            self._bell.poke()

    def _forget(self, request_id: str) -> None:
        self._newcomers.discard(request_id)
        self._deadlines.pop(request_id, None)
        self._notices.pop(request_id, None)

    def _dismiss(self, request_id: str) -> list[asyncio.Future[Outcome]]:
        """Take those who wait for a request off the list."""
        self._forget(request_id)
        return [each for each in self._waiters.pop(request_id, set()) if not each.done()]
