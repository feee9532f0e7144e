"""Whatever the screen reports and whatever is pressed: what may never be decided."""

from __future__ import annotations

from dataclasses import dataclass

from guard_bench import Bench
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from signoff_tui.guard import (
    Act,
    Cause,
    Decide,
    DecisionOffer,
    Frame,
    Ignored,
    OpenEditor,
    OpenSheet,
    Permit,
    Ref,
    Risk,
    SheetClosed,
    Target,
    TargetFacts,
)

LEAST_ARM = 0.25
LEAST_SHEET = 0.4

ids = st.sampled_from("abc")
keys = st.sampled_from([*"yyyYYnNsSx!ujk", "enter", "enter", "escape"])
causes = st.sampled_from([Cause.MOVED, Cause.ADVANCED, Cause.ARRIVED, Cause.CHANGED])


@dataclass(frozen=True)
class View:
    """What the terminal shows: nothing the guard says is used to know it."""

    focus: Ref | None = None
    risk: Risk = "low"
    ready: frozenset[Ref] = frozenset()
    rest: frozenset[Ref] = frozenset()
    sheet: frozenset[Ref] = frozenset()


class ScreenMachine(RuleBasedStateMachine):
    """Three requests in one group; anything may happen to them between a paint and a key."""

    def __init__(self) -> None:
        super().__init__()
        self.bench = Bench()
        self.guard = self.bench.guard
        self.view = View()
        self.painted: list[tuple[float, View]] = [(-1.0, View())]
        self.asked: list[tuple[Frame, View]] = []
        self.sheet_open = False
        for id_ in "abc":
            self.bench.request(id_)
        self.show("a", Cause.MOVED)
        self.paint_at_once_and_read()

    # What happens to the requests

    @rule(id_=ids)
    def amend(self, id_: str) -> None:
        self.bench.request(id_, revision=self.bench.known[id_].ref.revision + 1)

    @rule(id_=ids, closed=st.sampled_from(["", "", "expired"]))
    def close_or_reopen(self, id_: str, closed: str) -> None:
        self.bench.alter(id_, closed=closed)

    @rule(id_=ids, risk=st.sampled_from(["low", "low", "HIGH"]))
    def rate(self, id_: str, risk: Risk) -> None:
        self.bench.alter(id_, risk=risk)

    @rule(id_=ids, coverage=st.sampled_from([0.5, 1.0, 1.0]))
    def cover(self, id_: str, coverage: float) -> None:
        self.bench.alter(id_, coverage=coverage)

    # What the screen does

    @rule(id_=ids, cause=causes)
    def show(self, id_: str, cause: Cause) -> None:
        target = self.bench.show(id_, cause, group="g")
        self._see(target)

    @rule(cause=causes)
    def show_group(self, cause: Cause) -> None:
        self._see(self.bench.show_group(cause))

    @rule()
    def changed(self) -> None:
        self.guard.changed()

    @rule(too_small=st.sampled_from([False, False, True]))
    def resize(self, too_small: bool) -> None:
        self.guard.resized(too_small=too_small)

    @rule(on=st.sampled_from([True, True, False]))
    def connect(self, on: bool) -> None:
        self.guard.set_connected(on)

    @rule()
    def send(self) -> None:
        self.bench.now = max(self.bench.now, self.guard.holds.next_due() or 0.0)
        for held in self.guard.holds.due(self.bench.now):
            for ref in held.refs:
                self.bench.alter(ref.id, closed="decided")

    @rule(seconds=st.sampled_from([0.02, 0.2, 0.3, 0.5, 1.1]))
    def pass_time(self, seconds: float) -> None:
        self.bench.pass_time(seconds)

    @rule()
    def ask_for_a_paint(self) -> None:
        if (frame := self.guard.pending) is not None:
            self.asked.append((frame, self.view))

    @precondition(lambda self: self.asked)
    @rule()
    def paint(self) -> None:
        frame, view = self.asked.pop(0)
        self.painted.append((self.bench.now, view))
        self.guard.painted(frame, self.bench.now)

    @rule()
    def paint_at_once_and_read(self) -> None:
        self.ask_for_a_paint()
        while self.asked:
            self.paint()
        self.bench.pass_time(1.1)

    # What the user does

    @rule(id_=ids, key=keys)
    def look_and_press(self, id_: str, key: str) -> None:
        self.press("escape", 0.02, 0.0)
        self.show(id_, Cause.MOVED)
        self.paint_at_once_and_read()
        self.press(key, 0.02, 0.0)

    @rule(key=keys, wait=st.sampled_from([0.02, 0.3, 0.45, 1.1]), late=st.sampled_from([0.0, 0.0, 0.1, 0.6]))
    def press(self, key: str, wait: float, late: float) -> None:
        self.bench.pass_time(wait)
        t = max(0.0, self.bench.now - late)
        reaction = self.guard.press(key, t)
        match reaction.verdict:
            case Decide(permit):
                self._check_circumstances()
                self._check(permit, t)
                self.guard.hold(permit, key)
                self._leave()
            case OpenEditor(offer):
                self._check_circumstances()
                self._check_offer(offer, t)
                self.view = View()
            case OpenSheet(offer):
                self._check_offer(offer, t)
                self.sheet_open = True
                self.guard.sheet_opened(confirm="y")
                named = frozenset(offer.refs or (member.ref for member in self._members()))
                self.view = View(sheet=named)
            case Ignored():
                assert not isinstance(reaction.verdict, Decide)
            case _:
                pass
        if any(isinstance(effect, SheetClosed) for effect in reaction.effects):
            self._leave()
        if key == "escape":
            self.guard.sheet_closed()
            self.guard.editor_closed()
            self._leave()

    # What must hold

    def _check_circumstances(self) -> None:
        assert self.guard.connected
        assert not self.guard.too_small

    def _check(self, permit: Permit, t: float) -> None:
        for ref in permit.refs:
            facts = self.bench.known[ref.id]
            assert facts.ref == ref
            assert not facts.closed
            assert self.guard.holds.find(ref.id) is None
        if permit.key == "enter":
            return
        least = LEAST_SHEET if permit.act is Act.REMEMBER else LEAST_ARM
        for view in self._views_since(t - least):
            assert frozenset(permit.refs) <= self._named_by(permit.act, view)
        if permit.act.approves:
            self._check_approval(permit)

    def _check_approval(self, permit: Permit) -> None:
        members = [self.bench.known[ref.id] for ref in permit.refs]
        assert permit.shown == min(member.coverage for member in members)
        if permit.act is not Act.APPROVE_UNSEEN:
            assert permit.shown == 1.0
        if permit.act in (Act.APPROVE_GROUP, Act.REMEMBER):
            assert all(member.risk == "low" for member in members)

    def _check_offer(self, offer: DecisionOffer, t: float) -> None:
        for view in self._views_since(t - LEAST_ARM):
            of_group = view.ready if offer.key == "Y" or offer.group else {view.focus}
            named = view.rest if offer.key == "N" else of_group
            assert frozenset(offer.refs) <= named

    def _named_by(self, act: Act, view: View) -> frozenset[Ref]:
        if act is Act.REMEMBER or view.sheet:
            return view.sheet
        if act is Act.APPROVE_GROUP:
            return view.ready
        return frozenset([view.focus]) if view.focus else frozenset()

    def _views_since(self, t: float) -> list[View]:
        """What was on the terminal at `t` and after."""
        before = [view for at, view in self.painted if at <= t]
        return [*before[-1:], *(view for at, view in self.painted if at > t)]

    # Helpers

    def _members(self) -> list[TargetFacts]:
        return [facts for facts in self.bench.known.values() if not facts.closed]

    def _see(self, target: Target) -> None:
        if not self.sheet_open:
            self.view = View(target.focus, target.risk, target.ready, target.rest)

    def _leave(self) -> None:
        self.sheet_open = False
        if (target := self.guard.target) is not None:
            self._see(target)


ScreenMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
TestScreenMachine = ScreenMachine.TestCase
