"""A reviewer in a thread of its own, on a real queue connection."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from signoff.queue import DecideResult, Decision, StoredRequest, open_review_queue

Answer = Callable[[StoredRequest], Decision | None]
"""What to decide about a request; None leaves it waiting."""

PATIENCE = 30.0
"""Seconds after which a test that waits in vain fails."""


class Reviewer:
    """Decides about every request that appears, as soon as it appears.

    Attributes:
        seen: Every revision of every request, in order.
        verdicts: What became of the decisions.
    """

    def __init__(self, place: Path, answer: Answer) -> None:
        self.seen: list[StoredRequest] = []
        self.verdicts: list[DecideResult] = []
        self._place = place
        self._answer = answer
        self._news = threading.Condition()
        self._failure: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)

    def wait_for(self, count: int) -> list[StoredRequest]:
        """Wait until that many requests have been seen, and return them."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.seen) >= count or self._failure, PATIENCE)
        assert self._failure is None, self._failure
        return self.seen[:count]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(self._loop)])
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._loop.close()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._review())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001 - shown by the test
            self._failure = error
        with self._news:
            self._news.notify_all()

    async def _review(self) -> None:
        with open_review_queue(self._place, reviewer="anna") as queue:
            async for found in queue.watch():
                for change in found.changes:
                    request = change.request
                    if not request.pending or (request.id, request.revision) in self._known():
                        continue
                    decision = self._answer(request)
                    with self._news:
                        self.seen.append(request)
                        self._news.notify_all()
                    if decision is not None:
                        digest = request.submission.digest
                        verdict = queue.decide(request.id, request.revision, digest, decision)
                        self.verdicts.append(verdict)

    def _known(self) -> set[tuple[str, int]]:
        return {(request.id, request.revision) for request in self.seen}


def yes(request: StoredRequest) -> Decision:
    """Approve whatever it is."""
    return Decision(approved=True)


def waiting(request: StoredRequest) -> None:
    """Decide nothing."""
