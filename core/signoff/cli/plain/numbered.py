"""The requests of `signoff --plain`, with lasting numbers, and the contents that were printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from signoff.policy.verdict import RISK_WORD
from signoff.queue.records import Change, ChangeSet, RequestState, StoredRequest
from signoff_tui.guard import GuardSettings, LineGuard, Permit, Ref, TargetFacts
from signoff_tui.state.decision_session import DecisionSession, HeldAnswer
from signoff_tui.state.inbox import Entry, RowKey, ref_of

__all__ = ["Happening", "NumberedSession"]


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


class NumberedSession(DecisionSession):
    """Numbers are given in the order of arrival, from 1 on, and belong to one request for ever.

    Args:
        settings: Times of the guard.
        clock: Monotonic seconds.
    """

    guard: LineGuard[HeldAnswer]

    def __init__(self, settings: GuardSettings, clock: Callable[[], float]) -> None:
        super().__init__(LineGuard(settings, self.facts, clock), reviewer="")
        self._printed: dict[str, tuple[Ref, bool]] = {}

    def facts(self, request_id: str) -> TargetFacts | None:
        """Return the facts that the guard needs about a request: printed in full is shown."""
        if request_id not in self.inbox:
            return None
        entry = self.inbox.entry(request_id)
        return TargetFacts(
            ref_of(entry),
            RISK_WORD[entry.request.submission.risk],  # type: ignore[arg-type]
            coverage=1.0 if self.reading(entry) == "all" else 0.0,
            closed="" if entry.waiting else "already ended, or held",
            stoppable="hard" in entry.request.submission.supports,
        )

    # -- changes by the queue ----------------------------------------------------------------------------

    def take_news(self, changes: ChangeSet) -> list[Happening]:
        """Take over changes; returns those that the person was not told yet."""
        requests = [change.request for change in changes.changes]
        before = {each.id: self.inbox.entry(each.id).request for each in requests if each.id in self.inbox}
        self.take_changes(changes)
        numbers = self.numbers()
        happened = [(_what_happened(before.get(each.id), each), each) for each in requests]
        return [Happening(numbers[each.id], what, each) for what, each in happened if what]

    def know(self, requests: Iterable[StoredRequest | None]) -> None:
        """Take over requests that the person was told of already."""
        known = tuple(Change(request) for request in requests if request is not None)
        self.take_changes(ChangeSet(known, self.inbox.queue_cursor))

    # -- numbers -----------------------------------------------------------------------------------------

    def numbers(self) -> Mapping[str, int]:
        """Return the number of each request by its id."""
        return {entry.id: number for number, entry in enumerate(self.inbox.entries(), start=1)}

    def groups(self) -> Mapping[RowKey, int]:
        """Return the number of each group, in the order of arrival."""
        seen = dict.fromkeys(entry.group for entry in self.inbox.entries() if entry.group is not None)
        return {group: number for number, group in enumerate(seen, start=1)}

    def pending(self, group: int | None = None) -> list[tuple[int, Entry]]:
        """Return the waiting requests, of one group or of all, oldest first."""
        groups = self.groups()
        return [
            (number, entry)
            for number, entry in enumerate(self.inbox.entries(), start=1)
            if entry.request.pending and (group is None or (entry.group and groups[entry.group] == group))
        ]

    # -- contents ----------------------------------------------------------------------------------------

    def was_printed(self, entry: Entry, *, complete: bool) -> None:
        """Note that a request was printed, as far as it can be shown."""
        self._printed[entry.id] = ref_of(entry), complete
        self.guard.printed()

    def reading(self, entry: Entry) -> str:
        """Return the printed part of a request: ``all``, ``incomplete``, ``changed`` since, or ``nothing``."""
        ref, complete = self._printed.get(entry.id, (None, False))
        if ref is None:
            return "nothing"
        if ref != ref_of(entry):
            return "changed"
        return "all" if complete else "incomplete"

    def _shown(self, permit: Permit) -> float | None:
        """1.0 for an approval of what was printed in full; the share of a part is not known."""
        return 1.0 if permit.act.approves and permit.shown >= 1.0 else None


def _what_happened(before: StoredRequest | None, now: StoredRequest) -> str:
    if before is None:
        return "new" if now.pending else ""
    if not before.pending:
        return ""
    if not now.pending and now.state is not RequestState.SUPERSEDED:
        return "ended"
    return "changed" if now.revision != before.revision else ""
