"""The requests that wait, under numbers that never change hands, and what was read of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from signoff.queue.records import ChangeSet, RequestState, StoredRequest

__all__ = ["Happening", "NumberedRequests"]

_GroupKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to a request.

    Attributes:
        number: Its number.
        what: ``new``, ``changed`` or ``ended``.
        request: As it is now.
    """

    number: int
    what: str
    request: StoredRequest


class NumberedRequests:
    """Numbers are given in the order of arrival, from 1 on, and belong to one request for ever."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._requests: dict[int, StoredRequest] = {}
        self._groups: dict[_GroupKey, int] = {}
        self._read: dict[int, tuple[int, str, bool]] = {}

    def take(self, changes: ChangeSet) -> list[Happening]:
        """Take over what changed; what was known already is no news."""
        return [each for change in changes.changes if (each := self._taken(change.request)) is not None]

    def know(self, requests: Iterable[StoredRequest | None]) -> None:
        """Take over what the person was told already."""
        for request in requests:
            if request is not None:
                self._taken(request)

    def _taken(self, request: StoredRequest) -> Happening | None:
        known = self._numbers.get(request.id)
        if known is None:
            if not request.pending:
                return None
            known = self._numbers[request.id] = len(self._numbers) + 1
            self._requests[known] = request
            if request.submission.group_id:
                self._groups.setdefault(_group_of(request), len(self._groups) + 1)
            return Happening(known, "new", request)
        before = self._requests[known]
        self._requests[known] = request
        if not before.pending:
            return None
        if not request.pending and request.state is not RequestState.SUPERSEDED:
            return Happening(known, "ended", request)
        if request.revision != before.revision:
            return Happening(known, "changed", request)
        return None

    def get(self, number: int) -> StoredRequest | None:
        """The request of a number, as it is now."""
        return self._requests.get(number)

    def pending(self) -> list[tuple[int, StoredRequest]]:
        """What waits, oldest first."""
        return [(number, request) for number, request in sorted(self._requests.items()) if request.pending]

    def group_number(self, request: StoredRequest) -> int | None:
        """The number of its group."""
        return self._groups.get(_group_of(request))

    def group(self, number: int) -> list[tuple[int, StoredRequest]]:
        """The members of a group that wait; none if there is no such group."""
        return [each for each in self.pending() if self.group_number(each[1]) == number]

    def group_numbers(self) -> Sequence[int]:
        """The numbers of all groups that were seen."""
        return tuple(self._groups.values())

    def was_read(self, number: int, request: StoredRequest, *, complete: bool) -> None:
        """Note that all of a request was printed that can be shown."""
        self._read[number] = request.revision, request.submission.digest, complete

    def reading(self, number: int) -> str:
        """What was read of a request as it is now: ``all``, ``incomplete``, ``changed`` since, or ``nothing``."""
        request, read = self._requests[number], self._read.get(number)
        if read is None:
            return "nothing"
        if read[:2] != (request.revision, request.submission.digest):
            return "changed"
        return "all" if read[2] else "incomplete"


def _group_of(request: StoredRequest) -> _GroupKey:
    return request.asked_by.session, request.submission.group_id or ""
