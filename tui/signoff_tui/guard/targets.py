"""Targets of decisions: requests, groups of them, and which members of a group are ready."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

__all__ = [
    "Eligibility",
    "LeftOut",
    "Omission",
    "Ref",
    "Risk",
    "Target",
    "TargetFacts",
    "TargetKind",
    "eligible",
    "is_high",
]

Risk = Literal["low", "med", "HIGH"]
"""The harm that a request may do. A risk that nobody computed is treated as `"med"`."""


def is_high(risk: Risk) -> bool:
    """True if a risk wants the most care; so does one that nobody has heard of."""
    return risk not in ("low", "med")


class Ref(Struct, frozen=True, order=True):
    """One request with exactly these contents: what a decision names.

    Attributes:
        id: The request's id.
        revision: Counts its amendments.
        digest: Of everything that would be executed. Two refs that differ here differ.
        instead: Of what would be executed in place of that, if the reviewer changed it; else empty.
    """

    id: str
    revision: int
    digest: str = ""
    instead: str = ""


class TargetFacts(Struct, frozen=True):
    """The facts about one request at this moment.

    Attributes:
        ref: Its present revision.
        risk: Its present risk.
        coverage: Share of its contents that was shown, 0 to 1. Exactly 1 means all of it.
        closed: Reason why it cannot be decided any more, in words for the reviewer; empty while it waits.
        later: True if the reviewer put it off.
        hidden: True if a filter keeps it off the list: nothing that covers several covers what is not shown.
        nothing: Reason why there is nothing to approve, in words for the reviewer; empty if there is.
        stoppable: True if its agent can be stopped.
        shown_from: The time at which its share was reached, on the clock that stamps keys.
    """

    ref: Ref
    risk: Risk = "med"
    coverage: float = 0.0
    closed: str = ""
    later: bool = False
    hidden: bool = False
    nothing: str = ""
    stoppable: bool = True
    shown_from: float = -math.inf


class Omission(StrEnum):
    """The reason to leave a member out of an approval of its group."""

    CLOSED = "closed"
    """It does not wait any more, or waits for a held decision to be sent."""
    CHANGED = "changed"
    """Its contents are not those that were named."""
    NEW = "new since you looked"
    """The bar did not name it when it was painted."""
    HIDDEN = "hidden by the filter"
    """The reviewer's own filter keeps it off the list."""
    LATER = "put off"
    """The reviewer put it off."""
    ALTERED = "changed by you"
    """The reviewer changed what would run: that is approved alone."""
    HIGH = "HIGH"
    """Its risk wants a decision of its own."""
    UNSEEN = "not fully shown"
    """A part of it was not on screen yet."""


class LeftOut(Struct, frozen=True):
    """A member that an approval of its group would not cover, with the first reason why."""

    ref: Ref
    reason: Omission
    coverage: float


class Eligibility(Struct, frozen=True):
    """Members of a group that an approval would cover, and why not the others; all of them in the order given."""

    ready: tuple[Ref, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    listed: tuple[Ref, ...] = ()

    @property
    def waiting(self) -> frozenset[Ref]:
        """Members that can be rejected: those that wait and are listed, with the contents known."""
        gone = (Omission.CLOSED, Omission.CHANGED, Omission.HIDDEN)
        return frozenset(self.ready) | {member.ref for member in self.left_out if member.reason not in gone}


def eligible(members: Iterable[TargetFacts], named: frozenset[Ref] | None = None) -> Eligibility:
    """Say which members an approval of the group covers.

    Those that wait, were fully shown, are of low or medium risk, not put off and not hidden, and that the
    bar named with these very contents when it was painted.

    Args:
        members: The group as it is now.
        named: Refs that the bar named, or `None` to compute what it shall name.
    """
    ready: list[Ref] = []
    left_out: list[LeftOut] = []
    members = tuple(members)
    for member in members:
        reason = _omission(member, named)
        if reason is None:
            ready.append(member.ref)
        else:
            left_out.append(LeftOut(member.ref, reason, member.coverage))
    return Eligibility(tuple(ready), tuple(left_out), tuple(member.ref for member in members))


def _omission(member: TargetFacts, named: frozenset[Ref] | None) -> Omission | None:
    if member.closed:
        return Omission.CLOSED
    is_named = named is None or member.ref in named
    if not is_named and any(ref.id == member.ref.id for ref in named or ()):
        return Omission.CHANGED
    if member.hidden:
        return Omission.HIDDEN
    if member.later:
        return Omission.LATER
    if member.ref.instead or member.nothing:
        return Omission.ALTERED
    if is_high(member.risk):
        return Omission.HIGH
    # Written so that a share that is no number fails.
    if not member.coverage >= 1.0:
        return Omission.UNSEEN
    return None if is_named else Omission.NEW


class TargetKind(StrEnum):
    """The kind of a target."""

    ONE = "one"
    HEADING = "heading"
    TAGGED = "tagged"
    AGENT = "agent"


class Target(Struct, frozen=True):
    """The target of the keys. Built with the functions below.

    Attributes:
        kind: Its kind.
        focus: The request that lower-case keys act on.
        risk: Of `focus`.
        group: Id of the group that capital keys act on, or of the agent; `None` without one.
        ready: The members that the bar says an approval covers.
        rest: The members that the bar says a rejection of the group covers.
        listed: All members, as the list has them.
    """

    kind: TargetKind
    focus: Ref | None = None
    risk: Risk = "low"
    group: str | None = None
    ready: frozenset[Ref] = frozenset()
    rest: frozenset[Ref] = frozenset()
    listed: tuple[Ref, ...] = ()

    @classmethod
    def one(cls, facts: TargetFacts, *, group: str | None = None, members: Eligibility | None = None) -> Target:
        """One request, with the group that the bar offers beside it, if it offers one."""
        members = members or Eligibility()
        ready = frozenset(members.ready)
        return cls(TargetKind.ONE, facts.ref, facts.risk, group, ready, members.waiting, members.listed)

    @classmethod
    def heading(cls, group: str, members: Eligibility) -> Target:
        """The heading of a group: only capital keys act."""
        ready = frozenset(members.ready)
        return cls(TargetKind.HEADING, group=group, ready=ready, rest=members.waiting, listed=members.listed)

    @classmethod
    def tagged(cls, members: Eligibility) -> Target:
        """The tagged requests: capital keys act on the set."""
        return replace(cls.heading("tagged", members), kind=TargetKind.TAGGED)

    @classmethod
    def agent(cls, name: str, members: Eligibility) -> Target:
        """An agent in the list of agents, with all that it waits for: it can be stopped."""
        return cls(TargetKind.AGENT, group=name, rest=members.waiting, listed=members.listed)
