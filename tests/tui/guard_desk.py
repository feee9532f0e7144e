"""A screen without a terminal: it reacts to verdicts as the real one does, at fake times."""

from __future__ import annotations

from dataclasses import dataclass, field

from guard_bench import Bench

from signoff_tui.guard import (
    Cause,
    Decide,
    Effect,
    GuardSettings,
    Held,
    NotDecisive,
    OpenSheet,
    Reaction,
    Target,
)


@dataclass
class Desk:
    """A list of waiting requests, fully shown, all in one group, with the cursor on the first.

    Args:
        settings: Of the guard.
        frame: Seconds from a change to its paint.
        wide: Whether a session sheet asks for `!` instead of `y`.
    """

    settings: GuardSettings = field(default_factory=GuardSettings)
    frame: float = 0.016
    wide: bool = False

    def __post_init__(self) -> None:
        self.bench = Bench(self.settings)
        self.guard = self.bench.guard
        self.sent: list[Held[str]] = []
        self.effects: list[Effect] = []
        self._paint_at: float | None = None
        for id_ in "abcdefgh":
            self.bench.request(id_)
        self._show("a", Cause.MOVED)
        self.wait(10.0)

    @property
    def now(self) -> float:
        """The time on the fake clock."""
        return self.bench.now

    def strike(self, key: str, gap: float = 0.0) -> Reaction:
        """A key is pressed `gap` seconds after the last one and handled at once."""
        self.wait(gap)
        reaction = self.guard.press(key, self.now)
        self._react(reaction, key)
        return reaction

    def strike_all(self, keys: str, gap: float) -> None:
        """Keys are pressed one after the other; a line break is Enter."""
        for key in keys:
            self.strike("enter" if key == "\n" else key, gap)

    def wait(self, seconds: float) -> None:
        """Time passes: frames are painted and decisions sent when they are due."""
        until = self.now + seconds
        while (moment := self._next_moment()) is not None and moment <= until:
            self.bench.now = max(self.now, moment)
            self._paint()
            self._send()
        self.bench.now = until

    def _next_moment(self) -> float | None:
        moments = [at for at in (self._paint_at, self.guard.holds.next_due()) if at is not None]
        return min(moments, default=None)

    def _paint(self) -> None:
        if self._paint_at is not None and self._paint_at <= self.now:
            self._paint_at = None
            self.bench.paint()

    def _send(self) -> None:
        for held in self.guard.holds.due(self.now):
            self.sent.append(held)
            for ref in held.refs:
                self.bench.alter(ref.id, closed="decided")

    def _react(self, reaction: Reaction, key: str) -> None:
        self.effects.extend(reaction.effects)
        match reaction.verdict:
            case Decide(permit):
                self.guard.hold(permit, key)
                self._advance()
            case OpenSheet():
                self.guard.sheet_opened(confirm="!" if self.wide else "y")
            case NotDecisive() if key == "u":
                self.guard.holds.take_back_last()
            case _:
                pass
        if self.guard.pending is not None and self._paint_at is None:
            self._paint_at = self.now + self.frame

    def _advance(self) -> None:
        held = {ref.id for held in self.guard.holds for ref in held.refs}
        waiting = (id_ for id_, facts in self.bench.known.items() if not facts.closed and id_ not in held)
        self._show(next(waiting, None), Cause.ADVANCED)

    def _show(self, id_: str | None, cause: Cause) -> None:
        members = self.guard.eligible(self.bench.known.values())
        target = Target.one(self.bench.known[id_], group="g", members=members) if id_ else None
        self.guard.show(target, cause)
        self._paint_at = self.now + self.frame
