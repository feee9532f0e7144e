"""The meaning of a decision key now, were it pressed at the right time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from signoff_tui.guard.holds import Act, Permit
from signoff_tui.guard.results import (
    TOO_EARLY,
    Decide,
    DecisionOffer,
    Ignored,
    NeedsGroupBar,
    NeedsUnseenBar,
    OpenEditor,
    OpenSheet,
    Reason,
    Verdict,
)
from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.targets import (
    Eligibility,
    Omission,
    Ref,
    Target,
    TargetFacts,
    TargetKind,
    eligible,
    is_high,
)

__all__ = ["Judge"]


class Judge:
    """Looks requests up at the moment of the press and answers with a verdict.

    Args:
        settings: Say whether `y` wants everything shown.
        facts: Returns the facts about a request id now, or `None` if it is gone.
        is_held: Returns True if a decision about a request id is held.
    """

    def __init__(
        self,
        settings: GuardSettings,
        facts: Callable[[str], TargetFacts | None],
        is_held: Callable[[str], bool],
    ) -> None:
        self._settings = settings
        self._facts = facts
        self._is_held = is_held

    def verdict(self, key: str, decision: str, target: Target, t: float, named: frozenset[Ref]) -> Verdict:
        """Judge a decision about the painted target.

        Args:
            key: The key as pressed.
            decision: Its decision, one of `DECISION_KEYS`; `!` only where the bar offers it.
            target: The painted target.
            t: The time of the press.
            named: Members of the group that have been named for long enough to be rejected.
        """
        if decision == "!":
            return self._despite_unseen(key, target, t)
        if target.kind is TargetKind.AGENT:
            return self._about_agent(key, decision, target)
        heading = target.kind is TargetKind.HEADING
        if decision in "ynx" and heading:
            return Ignored(Reason.CAPITALS, _one_by_one(key, decision, target))
        if decision.isupper() or heading or target.kind is TargetKind.TAGGED:
            return self._about_group(key, decision.lower(), target, t, named)
        if target.focus is None:
            return _nothing(key)
        return self._about_one(key, decision, target, target.focus, t)

    def confirmed(self, offer: DecisionOffer, key: str, t: float) -> Verdict:
        """Go through with what an editor or a sheet was about, as far as it is still possible."""
        # Who was put off was left out when the offer was made; a single request may be.
        members = [replace(self.look(ref), later=False) for ref in offer.refs]
        who = eligible(members, frozenset(offer.refs))
        covered = frozenset(who.ready) if offer.act.approves else who.waiting
        still = [member for member in members if member.ref in covered]
        if not still:
            return Ignored(Reason.ENDED, "it ended meanwhile: nothing can be sent")
        permit = self._permit(offer.act, still, key, t)
        refs = (*permit.refs, *self._released(offer))
        return Decide(replace(permit, refs=refs))

    def look(self, ref: Ref) -> TargetFacts:
        """The facts of a request now; one that is gone or held does not wait."""
        facts = self._facts(ref.id)
        if facts is None:
            return TargetFacts(ref, closed="already ended")
        return self.unless_held(facts)

    def unless_held(self, facts: TargetFacts) -> TargetFacts:
        """The same facts, but a request about which a decision is held does not wait."""
        if not facts.closed and self._is_held(facts.ref.id):
            return replace(facts, closed=_HELD)
        return facts

    def _released(self, offer: DecisionOffer) -> tuple[Ref, ...]:
        """The requests released now, of those that the sheet listed, whatever share of them was shown."""
        members = [replace(self.look(ref), coverage=1.0) for ref in offer.also]
        return eligible(members, frozenset(offer.also)).ready

    def _about_one(self, key: str, decision: str, target: Target, ref: Ref, t: float) -> Verdict:
        facts = self.look(ref)
        obstacle = self._obstacle(target, facts)
        if obstacle is not None:
            return obstacle
        if decision in "nx":
            act = Act.REJECT if decision == "n" else Act.STOP
            return self._unstoppable(act, (ref,)) or OpenEditor(DecisionOffer(act, (ref,), key))
        nothing_left = _nothing_left(facts)
        if nothing_left is not None:
            return nothing_left
        if decision == "s" and is_high(facts.risk):
            return Ignored(Reason.HIGH, "HIGH is never allowed for a session")
        if decision == "s" and ref.instead:
            return Ignored(Reason.NOTHING, f"{key} does nothing: what you changed is approved once")
        if not facts.coverage >= 1.0 and (decision == "s" or self._settings.require_seen):
            return NeedsUnseenBar(ref, facts.coverage, remembers=decision == "s")
        if t < facts.shown_from:
            return TOO_EARLY  # what was shown while the key waited was not there when it was pressed
        if decision == "s":
            return OpenSheet(DecisionOffer(Act.REMEMBER, (ref,), key))
        return Decide(self._permit(Act.APPROVE, [facts], key, t))

    def _despite_unseen(self, key: str, target: Target, t: float) -> Verdict:
        """Approve the focused request although not everything was shown."""
        if target.focus is None:
            return _nothing(key)
        facts = self.look(target.focus)
        obstacle = self._obstacle(target, facts) or _nothing_left(facts)
        return obstacle or Decide(self._permit(Act.APPROVE_UNSEEN, [facts], key, t))

    def _about_group(self, key: str, decision: str, target: Target, t: float, named: frozenset[Ref]) -> Verdict:
        if target.group is None:
            return Ignored(Reason.NO_GROUP, f"{key} works on a group, this is a single request")
        if decision in "nx":
            return self._reject_group(key, decision, target, named & target.rest)
        who = self._group_now(target, target.ready)
        if not who.ready:
            return NeedsGroupBar(who.left_out)
        if decision == "s":
            return OpenSheet(DecisionOffer(Act.REMEMBER, who.ready, key, left_out=who.left_out, group=True))
        if any(member.reason is not Omission.CLOSED for member in who.left_out):
            return OpenSheet(DecisionOffer(Act.APPROVE_GROUP, who.ready, key, left_out=who.left_out, group=True))
        ready = [self.look(ref) for ref in who.ready]
        return Decide(self._permit(Act.APPROVE_GROUP, ready, key, t))

    def _reject_group(self, key: str, decision: str, target: Target, named: frozenset[Ref]) -> Verdict:
        who = self._group_now(target, named)
        rejected = who.waiting & named
        refs = tuple(ref for ref in who.listed if ref in rejected)
        if not refs:
            return Ignored(Reason.CLOSED, "nothing of it waits")
        left_out = tuple(member for member in who.left_out if member.ref not in refs)
        act = Act.REJECT if decision == "n" else Act.STOP
        return self._unstoppable(act, refs) or OpenEditor(DecisionOffer(act, refs, key, left_out))

    def _group_now(self, target: Target, named: frozenset[Ref]) -> Eligibility:
        painted = target.ready | target.rest
        return eligible([self.look(ref) for ref in target.listed if ref in painted], named)

    def _about_agent(self, key: str, decision: str, target: Target) -> Verdict:
        """Ask before everything is stopped that an agent waits for; nothing else is decided about agents."""
        if decision != "x":
            return _nothing(key)
        who = self._group_now(target, target.rest)
        refs = tuple(ref for ref in who.listed if ref in who.waiting)
        if not refs:
            return Ignored(Reason.CLOSED, "it waits for nothing")
        return self._unstoppable(Act.STOP_ALL, refs) or OpenSheet(DecisionOffer(Act.STOP_ALL, refs, key))

    def _unstoppable(self, act: Act, refs: Iterable[Ref]) -> Ignored | None:
        if act is Act.REJECT or all(self.look(ref).stoppable for ref in refs):
            return None
        return Ignored(Reason.NOTHING, "its agent cannot be stopped: n rejects it with a message")

    def _obstacle(self, target: Target, facts: TargetFacts) -> Ignored | None:
        if facts.closed:
            reason = Reason.HELD if facts.closed == _HELD else Reason.CLOSED
            return Ignored(reason, facts.closed)
        if (facts.ref, facts.risk) != (target.focus, target.risk):
            return Ignored(Reason.CATCHING_UP, "it changed: look again")
        return None

    def _permit(self, act: Act, members: Iterable[TargetFacts], key: str, t: float) -> Permit:
        members = tuple(members)
        return Permit(
            act=act,
            refs=tuple(member.ref for member in members),
            key=key,
            pressed_at=t,
            shown=min(member.coverage for member in members),
        )


_HELD = "a decision about it is held: take it back first"


def _nothing_left(facts: TargetFacts) -> Ignored | None:
    return Ignored(Reason.NOTHING, facts.nothing) if facts.nothing else None


def _one_by_one(key: str, decision: str, target: Target) -> str:
    """The reason why a small letter does nothing on the heading of a group."""
    if decision == "n":
        return f"open it (Enter) to reject it, or N rejects all {len(target.rest)}"
    return f"{key} works on one request, Y on the group" if decision == "y" else f"{key} works on one request"


def _nothing(key: str) -> Ignored:
    return Ignored(Reason.NOTHING, f"{key} has nothing to decide here")
