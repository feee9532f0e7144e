"""A guard on a bench: a fake clock, facts to set, and no screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from signoff_tui.guard import (
    Cause,
    Decide,
    DecisionGuard,
    GuardSettings,
    Held,
    Ignored,
    KeyMeanings,
    OpenEditor,
    OpenSheet,
    Permit,
    Reaction,
    Reason,
    Ref,
    Risk,
    Target,
    TargetFacts,
    eligible,
)
from signoff_tui.input.keymap import KeyMap

KEYS = KeyMap().guard_keys()
"""The keys of the review screen."""

MOMENT = 0.001
"""Seconds; just before or just after."""


@dataclass
class Bench:
    """Requests as the screen knows them, and the guard that asks for them.

    The payload of a held decision is the key that made it.
    """

    settings: GuardSettings = field(default_factory=GuardSettings)
    keys: KeyMeanings = KEYS
    now: float = 0.0
    known: dict[str, TargetFacts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.guard: DecisionGuard[str] = DecisionGuard(self.settings, self.keys, self.look_up, lambda: self.now)

    # Requests

    def look_up(self, id_: str) -> TargetFacts | None:
        """What the screen knows of a request."""
        return self.known.get(id_)

    def request(self, id_: str, risk: Risk = "low", coverage: float = 1.0, revision: int = 1) -> Ref:
        """A waiting request."""
        ref = Ref(id_, revision, f"digest {id_} {revision}")
        self.known[id_] = TargetFacts(ref, risk, coverage)
        return ref

    def alter(self, id_: str, **values: Any) -> TargetFacts:
        """What the screen knows of a request becomes something else."""
        self.known[id_] = replace(self.known[id_], **values)
        return self.known[id_]

    # What is on screen

    def show_agent(self, name: str, *ids: str) -> Target:
        """An agent in the list of agents becomes the target, with these requests."""
        target = Target.agent(name, eligible(self.known[id_] for id_ in ids))
        self.guard.show(target, Cause.MOVED)
        return target

    def show(self, id_: str, cause: Cause = Cause.MOVED, *, group: str | None = None) -> Target:
        """A request becomes the target; with a group, all known requests are its members."""
        members = eligible(self.known.values()) if group else None
        target = Target.one(self.known[id_], group=group, members=members)
        self.guard.show(target, cause)
        return target

    def show_group(self, cause: Cause = Cause.MOVED) -> Target:
        """The heading of the group of all known requests becomes the target."""
        target = Target.heading("group", eligible(self.known.values()))
        self.guard.show(target, cause)
        return target

    def show_tagged(self) -> Target:
        """All known requests are tagged, and `;` was pressed."""
        target = Target.tagged(eligible(self.known.values()))
        self.guard.show(target, Cause.MOVED)
        return target

    def paint(self, t: float | None = None) -> None:
        """What is pending is written to the terminal, now or at `t`."""
        self.now = max(self.now, self.now if t is None else t)
        frame = self.guard.pending
        if frame is not None:
            self.guard.painted(frame, self.now)

    def armed(self, *ids: str, group: str | None = None) -> None:
        """Requests are known, the first is the target, painted, and everything is armed."""
        for id_ in ids:
            if id_ not in self.known:
                self.request(id_)
        self.show(ids[0], group=group)
        self.paint()
        self.pass_time(10.0)

    def pass_time(self, seconds: float) -> None:
        """Nothing happens for a while."""
        self.now += seconds

    # Keys

    def press(self, key: str, t: float | None = None) -> Reaction:
        """A key is pressed now or at `t`, handled at once, and what it decides is held."""
        t = self.now if t is None else t
        self.now = max(self.now, t)
        reaction = self.guard.press(key, t)
        if isinstance(reaction.verdict, Decide):
            self.guard.hold(reaction.verdict.permit, key)
        if isinstance(reaction.verdict, OpenEditor | OpenSheet):
            self.paint()
        return reaction

    def agree(self, key: str) -> Reaction:
        """A key is pressed, and what its sheet lists is confirmed."""
        reaction = self.press(key)
        if isinstance(reaction.verdict, OpenSheet):
            self.guard.sheet_opened(confirm="y")
            self.paint()
            reaction = self.press("y", self.now + 1)
        return reaction

    def press_all(self, keys: str, gap: float) -> list[Reaction]:
        """Keys are pressed one after the other."""
        reactions = []
        for key in keys:
            reactions.append(self.press(key))
            self.pass_time(gap)
        return reactions

    def accepts(self, key: str, t: float | None = None) -> bool:
        """Whether a key does what it is for."""
        return not isinstance(self.press(key, t).verdict, Ignored)

    # What came of it

    def sent(self) -> list[Held[str]]:
        """What leaves in the next ten seconds when nobody presses a key."""
        sent: list[Held[str]] = []
        until = self.now + 10.0
        while (due := self.guard.holds.next_due()) is not None and due <= until:
            self.now = max(self.now, due)
            sent.extend(self.guard.holds.due(self.now))
        return sent


def reason(reaction: Reaction) -> Reason | None:
    """Why a key was swallowed, if it was."""
    return reaction.verdict.reason if isinstance(reaction.verdict, Ignored) else None


def permit_of(reaction: Reaction) -> Permit:
    """The permit of a key that decided."""
    assert isinstance(reaction.verdict, Decide)
    return reaction.verdict.permit
