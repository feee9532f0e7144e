"""Decisions about requests: eligibility, holds and reach. No documents, no widgets.

The sessions of the screen and of `signoff --plain` are built on it; they differ in the facts about a request.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import Struct

from signoff.queue.amendment import Instead
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.lookahead import follows_in_batch
from signoff.queue.protocol import ReviewQueue
from signoff.queue.records import ChangeSet, DecideResult, Decision
from signoff_tui.guard import Act, Eligibility, Guard, Held, Permit, Ref, TargetFacts
from signoff_tui.state.inbox import Entry, Inbox, ref_of

__all__ = ["DecisionSession", "HeldAnswer", "following_in_batch", "send_held"]


class HeldAnswer(Struct, frozen=True):
    """The answer of a held decision."""

    decision: Decision
    refs: tuple[Ref, ...]
    pattern: GrantPattern | None = None
    """The calls that are remembered; None for exactly the call."""


class DecisionSession(ABC):
    """Requests, the guard, and the decisions that are held.

    Args:
        guard: The guard, which asks this session for facts.
        reviewer: The name in the record of decisions; empty for that of the queue.
    """

    def __init__(self, guard: Guard[HeldAnswer], reviewer: str) -> None:
        self.inbox = Inbox()
        self.guard = guard
        self.reviewer = reviewer

    @abstractmethod
    def facts(self, request_id: str) -> TargetFacts | None:
        """Return the facts that the guard needs about a request now; None if it is gone."""

    def eligibility(self, request_ids: Iterable[str]) -> Eligibility:
        """Return the requests that an approval of these would cover, and why the others not."""
        facts = [self.facts(request_id) for request_id in request_ids]
        return self.guard.eligible(item for item in facts if item is not None)

    def may_be_remembered(self, refs: Iterable[Ref]) -> bool:
        """True if an approval of these can be remembered at all."""
        return all(self.inbox.entry(ref.id).request.submission.may_be_remembered for ref in refs)

    def take_changes(self, changes: ChangeSet) -> tuple[str, ...]:
        """Take over changes of the queue; returns the ids whose content was replaced."""
        replaced = self.inbox.apply(changes)
        if changes.fresh or any(held.payload.decision.hard for held in self.guard.holds):
            self._mark_held()
        return replaced

    def hold(
        self,
        permit: Permit,
        note: str | None = None,
        pattern: GrantPattern | None = None,
        guard: Guard[HeldAnswer] | None = None,
    ) -> Held[HeldAnswer]:
        """Hold the permitted decision and mark its requests.

        Args:
            permit: The guard's leave.
            note: The reviewer's words to the agent.
            pattern: The calls that are remembered, if these are others than exactly the call.
            guard: The guard that gave it and shares the holds; that of the session if left out.

        Raises:
            PermitError: The guard does not know the permit (any more).
        """
        decision = Decision(
            approved=permit.act.approves,
            note=note or None,
            remember=permit.act.remembers,
            hard=permit.act in {Act.STOP, Act.STOP_ALL},
            by=self.reviewer,
            shown=self._shown(permit),
            deliberate=permit.act is Act.APPROVE_UNSEEN,
            instead=self._instead(permit),
        )
        held = (guard or self.guard).hold(permit, HeldAnswer(decision, permit.refs, pattern))
        self._mark_held()
        return held

    def take_back(self, held: Sequence[Held[HeldAnswer]]) -> tuple[Entry, ...]:
        """Mark the requests of decisions that were taken back as waiting again."""
        self._mark_held()
        ids = [ref.id for item in held for ref in item.refs if ref.id in self.inbox]
        return tuple(self.inbox.entry(request_id) for request_id in ids)

    def sending(self, held: Held[HeldAnswer]) -> None:
        """Mark the requests of a decision that leaves now."""
        self._mark_held(leaving=held)
        approving = held.payload.decision.approved
        self.inbox.set_sent([ref.id for ref in held.refs], sent=True, approving=approving)

    def answered(self, verdicts: Sequence[DecideResult]) -> tuple[DecideResult, ...]:
        """Take over the queue's answers; returns the refusals."""
        refused = tuple(verdict for verdict in verdicts if not verdict.accepted)
        self.inbox.set_sent([verdict.request_id for verdict in refused], sent=False)
        return refused

    def reached_by_stops(self) -> tuple[Ref, ...]:
        """Return the further requests that held stops would reject."""
        return self._reached_by(list(self.guard.holds))

    def is_reached(self, entry: Entry) -> bool:
        """True if a held stop would reject a request that it is not about."""
        return entry.held and self.guard.holds.find(entry.id) is None

    # -- parts -------------------------------------------------------------------------------------------

    def _shown(self, permit: Permit) -> float | None:
        """The recorded share of the contents that was shown."""
        return permit.shown

    def _instead(self, _: Permit) -> Instead | None:
        """The amendment of a permitted decision, if there is one."""
        return None

    def _reached_by(self, holds: Sequence[Held[HeldAnswer]]) -> tuple[Ref, ...]:
        stops = [ref for held in holds if held.payload.decision.hard for ref in held.refs]
        about = {ref.id for held in holds for ref in held.refs}
        return tuple(ref for ref in following_in_batch(self.inbox, stops) if ref.id not in about) if stops else ()

    def _mark_held(self, *, leaving: Held[HeldAnswer] | None = None) -> None:
        """Mark all requests that held decisions are about or would reject: they wait for no other decision."""
        holds = [held for held in self.guard.holds if held is not leaving]
        about = [ref.id for held in holds for ref in held.refs]
        self.inbox.set_held({*about, *(ref.id for ref in self._reached_by(holds))})


# -- A held decision on its way to the queue.


def send_held(queue: ReviewQueue, held: Held[HeldAnswer], now: float) -> tuple[DecideResult, ...]:
    """Give a held decision to the queue.

    Raises:
        QueueError: The queue did not take it; nothing was decided.
    """
    held_us = int((now - held.permit.pressed_at) * 1e6)
    decision = replace(held.payload.decision, held_us=held_us)
    targets = [(ref.id, ref.revision, ref.digest) for ref in held.refs]
    if held.permit.act is Act.RELEASE or held.payload.pattern is not None:
        return queue.remember_and_release(targets[0], targets[1:], decision, held.payload.pattern)
    if len(targets) == 1:
        return (queue.decide(*targets[0], decision),)
    return queue.decide_many(targets, decision)


# -- The order in a batch, and so the reach of a stop.


def following_in_batch(inbox: Inbox, refs: Sequence[Ref]) -> tuple[Ref, ...]:
    """Return the waiting requests after any of these in its batch, which a hard rejection reaches."""
    stopped = [inbox.entry(ref.id) for ref in refs if ref.id in inbox]
    ids = {entry.id for entry in stopped}
    return tuple(
        ref_of(other)
        for other in inbox.entries()
        if other.request.pending
        and other.id not in ids
        and any(follows_in_batch(other.request, entry.request) for entry in stopped)
    )
