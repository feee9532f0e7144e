"""The risk of requests as the reviewer's own side sees it: the stricter of that and the sender's counts.

A sender's risk comes from its own process, which may be old, broken or lying. What the reviewer is shown, and what
is refused at HIGH risk, follow from what the request itself says.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import replace

from signoff.queue.records import DecideResult, StoredRequest, Submission

__all__ = ["OwnRisk"]

_MOST = 100_000
"""Most requests that are kept in mind."""


class OwnRisk:
    """Risks by request, each worked out once. May be shared by threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[tuple[str, int], tuple[Submission, Submission]] = {}

    def knows(self, request_id: str, revision: int) -> bool:
        """True if the risk was worked out before, of what the request said then."""
        return (request_id, revision) in self._known

    def of(self, request: StoredRequest) -> StoredRequest:
        """Return a request with the stricter risk; a command may take milliseconds, and seconds at worst."""
        return replace(request, submission=self._known_of(request) or self._work_out(request))

    def in_verdict(self, verdict: DecideResult) -> DecideResult:
        """Return a verdict with the stricter risk of its request."""
        return verdict if verdict.current is None else replace(verdict, current=self.of(verdict.current))

    def of_many(
        self, requests: Iterable[StoredRequest], seconds: float
    ) -> tuple[list[StoredRequest], list[StoredRequest]]:
        """Do as `of` for as many requests as the time allows.

        Args:
            requests: Requests as they are stored.
            seconds: Time that the unknown ones may take.

        Returns:
            All of them in their order, and those that still have the sender's risk.
        """
        until = time.monotonic() + seconds
        found: list[StoredRequest] = []
        left: list[StoredRequest] = []
        for request in requests:
            known = self._known_of(request)
            if known is None and time.monotonic() > until:
                left.append(request)
                found.append(request)
            else:
                found.append(replace(request, submission=known or self._work_out(request)))
        return found, left

    def _known_of(self, request: StoredRequest) -> Submission | None:
        known = self._known.get((request.id, request.revision))
        # Compared whole: whoever can write to the database may change what a request says.
        return None if known is None or known[0] != request.submission else known[1]

    def _work_out(self, request: StoredRequest) -> Submission:
        from signoff.policy.risk import stricter

        judged = stricter(request.submission)
        with self._guard:
            self._known[request.id, request.revision] = request.submission, judged
            while len(self._known) > _MOST:
                del self._known[next(iter(self._known))]
        return judged
