"""Stopping an agent: a guard of its own, that shares the held decisions of the inbox."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual import events

from signoff_tui.guard import (
    Cause,
    Decide,
    DecisionGuard,
    Ignored,
    KeysLocked,
    NotDecisive,
    OpenSheet,
    Reaction,
    Ref,
    TakenBack,
    Target,
    TargetFacts,
)
from signoff_tui.input.keymap import KeyMap
from signoff_tui.screens.review.names import names_of
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.text.bars import LastWords

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Stopping"]


class Stopping:
    """Asks before an agent is stopped, and holds the decision.

    Args:
        review: The inbox: it knows what waits, and sends what is held.
        keys: The keys of the person.
    """

    def __init__(self, review: ReviewScreen, keys: KeyMap) -> None:
        self._review = review
        self._desk = review.desk
        self._confirm = keys.key("despite")
        before = self._desk.guard
        self.guard: DecisionGuard[HeldAnswer] = DecisionGuard(
            self._desk.settings, keys.guard_keys("agents"), self._facts, time.monotonic, before.holds
        )
        """Judges the keys of the list of agents."""
        self.guard.set_read_only(before.read_only)
        self.guard.set_connected(before.connected)
        self.refs: tuple[Ref, ...] = ()
        """The requests that would be rejected, while the question is open; else empty."""
        self.said = LastWords()
        """The effect of the last key, in words."""

    def show(self, agent: str | None, request_ids: Sequence[str]) -> None:
        """Tell the guard which agent has the focus, and which requests wait of it."""
        if agent is None:
            self.guard.show(None, Cause.CHANGED)
            return
        facts = [known for request_id in request_ids if (known := self._facts(request_id)) is not None]
        self.guard.show(Target.agent(agent, self.guard.eligible(facts)), Cause.MOVED)

    @property
    def who(self) -> str:
        """The name of the agent that would be stopped; not safe to draw yet."""
        known = [self._desk.inbox.entry(ref.id) for ref in self.refs if ref.id in self._desk.inbox]
        return known[0].request.asked_by.name if known else ""

    @property
    def names(self) -> Sequence[str]:
        """The names of the requests that would be rejected."""
        return names_of(self._desk, self.refs)

    @property
    def armed(self) -> bool:
        """True if the key that asks counts now."""
        return self.guard.set_armed(time.monotonic())

    @property
    def sheet_armed(self) -> bool:
        """True if the key that confirms counts now."""
        status = self.guard.status(time.monotonic())
        return status.changes_at is not None and status.changes_at <= time.monotonic()

    def takes_key(self, event: events.Key) -> bool:
        """Judge a key; False when it is left for the screen to handle."""
        key = event.character if event.is_printable and event.character else event.key
        return self._react(self.guard.press(key, event.time))

    def takes_paste(self, event: events.Paste) -> None:
        """Judge a paste: it stops nobody."""
        self._react(self.guard.paste(event.time))

    def close(self) -> None:
        """Close the question."""
        self.refs = ()
        self.guard.sheet_closed()

    def undo(self) -> LastWords:
        """Take back the held decision made last, whichever screen it was made on."""
        held = self.guard.holds.take_back_last()
        if held is None:
            return LastWords("too late: sent already", "muted")
        return LastWords(self._review.take_back((held,)), "held")

    def set_connected(self, on: bool) -> None:
        """Note that the queue was found or lost; without it the question is closed."""
        self.guard.set_connected(on)
        if not on:
            self.close()

    def _react(self, reaction: Reaction) -> bool:
        self.said = LastWords()
        for effect in reaction.effects:
            match effect:
                case TakenBack(held):
                    words = self._review.take_back(held, "taken back before it was sent")
                    self.said = LastWords(words, "held")
                case KeysLocked():
                    pass
                case _:
                    self.refs = ()
        match reaction.verdict:
            case NotDecisive():
                return False
            case Ignored(_, text):
                self.said = LastWords(text)
            case OpenSheet(offer):
                self.guard.sheet_opened(confirm=self._confirm)
                self.refs = offer.refs
            case Decide(permit):
                self.refs = ()
                self._desk.hold(permit, guard=self.guard)
                self._review.schedule()
            case _:
                pass
        return True

    def _facts(self, request_id: str) -> TargetFacts | None:
        """Return the facts about a request: what a filter hides or the reviewer put off waits all the same."""
        facts = self._desk.facts(request_id)
        return None if facts is None else replace(facts, hidden=False, later=False)
