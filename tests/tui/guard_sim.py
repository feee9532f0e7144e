"""A simulated screen, queue and terminal.

Discrete events on a fake clock. What makes the race is modeled on the bad side: the program stalls,
keys and news queue up meanwhile, after a stall the timers fire before the queued keys are handled,
paints come late, and the time we believe a frame was written is off by up to 5 ms.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from guard_bench import KEYS

from signoff_tui.guard import (
    Act,
    Cause,
    Decide,
    DecisionGuard,
    GuardSettings,
    Held,
    Ignored,
    NeedsUnseenBar,
    NotDecisive,
    OpenEditor,
    OpenSheet,
    Permit,
    Reaction,
    Ref,
    Risk,
    Target,
    TargetFacts,
)

LOOK_BACK = 0.2
"""Seconds before a press whose frame the user acted on: the definition of a misfire."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What one frame says to the user, and from when on it could be seen."""

    at: float
    focus: Ref | None = None
    ready: frozenset[Ref] = frozenset()
    rest: frozenset[Ref] = frozenset()
    layer: str = ""
    layer_refs: frozenset[Ref] = frozenset()
    unseen: bool = False
    waits: bool = False


@dataclass
class Row:
    """A request as the screen has it."""

    id: str
    risk: Risk
    pages: int
    group: str
    revision: int = 1
    closed: str = ""
    seen: set[int] = field(default_factory=set)

    @property
    def ref(self) -> Ref:
        """What a decision about it would name."""
        return Ref(self.id, self.revision)

    @property
    def facts(self) -> TargetFacts:
        """What the guard asks for."""
        return TargetFacts(self.ref, self.risk, len(self.seen) / self.pages, self.closed)


@dataclass(frozen=True, slots=True)
class Made:
    """A decision, or an editor or sheet that was opened for one, and what the user had seen."""

    act: Act
    key: str
    refs: frozenset[Ref]
    pressed_at: float
    picture: Picture
    opened_only: bool

    @property
    def is_misfire(self) -> bool:
        """Whether it is about anything that the user had not had before their eyes."""
        return not self.refs <= self._shown

    @property
    def _shown(self) -> frozenset[Ref]:
        picture = self.picture
        if picture.layer and not self.opened_only:
            return picture.layer_refs
        if self.key == "Y":
            return picture.ready
        if self.key == "N":
            return picture.rest
        return frozenset([picture.focus]) if picture.focus else frozenset()


@dataclass(frozen=True, slots=True)
class Load:
    """How busy the world is.

    Attributes:
        arrivals: Requests per second.
        endings: Requests per second that somebody else decides, or that expire.
        amendments: Requests per second that get other contents under the same id.
        stalls: Per second, of 0.3 to 1.2 s each.
        aim: Share of endings and amendments that hit the request under the cursor.
    """

    arrivals: float = 5.0
    endings: float = 1.0
    amendments: float = 0.5
    stalls: float = 0.0
    aim: float = 0.0


class World:
    """Runs events in the order of their times; the program handles its messages one by one."""

    def __init__(self, seed: int, load: Load, settings: GuardSettings | None = None) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.guard: DecisionGuard[str] = DecisionGuard(
            settings or GuardSettings(), KEYS, self.facts, lambda: self.now
        )
        self.rows: dict[str, Row] = {}
        self.queue: dict[str, Ref] = {}
        self.pictures: list[Picture] = [Picture(0.0)]
        self.made: list[Made] = []
        self.sent: list[Held[str]] = []
        self.approved: list[Ref] = []
        self.reactions: list[tuple[str, float, Reaction]] = []
        self._load = load
        self._cursor: Row | None = None
        self._page = 0
        self._page_painted_at: float | None = None
        self._layer = ""
        self._layer_refs: frozenset[Ref] = frozenset()
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._names = count(1)
        self._inbox: deque[tuple[float, Callable[[], None]]] = deque()
        self._free_at = 0.0
        self._step_at: float | None = None
        self._dirty = False
        for _ in range(5):
            self._arrive()
        self._every(load.arrivals, self._arrive)
        self._every(load.endings, self._end)
        self._every(load.amendments, self._amend)
        self._every(load.stalls, self._stall)

    # For robots and tests

    def at(self, t: float, event: Callable[[], None]) -> None:
        """Something happens outside the program."""
        heapq.heappush(self._events, (t, next(self._order), event))

    def key(self, t: float, key: str) -> None:
        """A key is pressed, whether or not the program can take it."""
        self.at(t, lambda: self._post(lambda: self._handle_key(key, t)))

    def stall(self, t: float, seconds: float) -> None:
        """The program is blocked."""
        self.at(t, lambda: self._post(lambda: None, cost=seconds))

    def run(self, until: float) -> None:
        """Let everything happen until then."""
        while self._events and self._events[0][0] <= until:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = until

    def picture(self, t: float) -> Picture:
        """What was on the terminal at a time."""
        for picture in reversed(self.pictures):
            if picture.at <= t:
                return picture
        return self.pictures[0]

    def facts(self, id_: str) -> TargetFacts | None:
        """What the screen knows of a request."""
        row = self.rows.get(id_)
        return row.facts if row is not None else None

    @property
    def cursor(self) -> Row | None:
        """The focused request."""
        return self._cursor

    @property
    def misfires(self) -> list[Made]:
        """Everything that was decided without having been on screen."""
        return [made for made in self.made if made.is_misfire]

    # The world outside

    def _every(self, rate: float, event: Callable[[], None]) -> None:
        def happen() -> None:
            event()
            self.at(self.now + self.random.expovariate(rate), happen)

        if rate > 0:
            self.at(self.random.expovariate(rate), happen)

    def _arrive(self) -> None:
        number = next(self._names)
        risk: Risk = self.random.choices(("low", "med", "HIGH"), (70, 25, 5))[0]
        row = Row(f"r{number}", risk, self.random.choice((1, 1, 1, 2)), f"g{number // 4}")
        self.queue[row.id] = row.ref
        self._post(lambda: self._add(row))

    def _end(self) -> None:
        if id_ := self._victim():
            del self.queue[id_]
            self._post(lambda: self._close(id_, "expired"))

    def _amend(self) -> None:
        if id_ := self._victim():
            old = self.queue[id_]
            self.queue[id_] = new = Ref(old.id, old.revision + 1)
            self._post(lambda: self._change(new))

    def _victim(self) -> str | None:
        """A request that waits; the one under the cursor is the worst."""
        cursor = self._cursor
        if cursor is not None and cursor.id in self.queue and self.random.random() < self._load.aim:
            return cursor.id
        return self.random.choice(list(self.queue)) if self.queue else None

    def _stall(self) -> None:
        self.stall(self.now, self.random.uniform(0.3, 1.2))

    # The program: one message at a time, timers first

    def _post(self, message: Callable[[], None], cost: float = 0.001) -> None:
        self._inbox.append((cost, message))
        self._wake(self.now)

    def _wake(self, t: float) -> None:
        t = max(t, self._free_at)
        if self._step_at is None or t < self._step_at:
            self._step_at = t
            self.at(t, self._step)

    def _step(self) -> None:
        if self._step_at is None or self.now < self._step_at:
            return
        self._step_at = None
        self._send()
        if self._inbox:
            cost, message = self._inbox.popleft()
            message()
            self._dirty = self._dirty or self.guard.pending is not None
            self._free_at = self.now + cost
        elif self._dirty:
            self._paint()
        if self._inbox or self._dirty:
            self._wake(self._free_at)
        if (due := self.guard.holds.next_due()) is not None:
            self._wake_for(due)

    def _wake_for(self, t: float) -> None:
        self.at(max(t, self._free_at), lambda: self._wake(self.now))

    def _send(self) -> None:
        for held in self.guard.holds.due(self.now):
            self.sent.append(held)
            for ref in held.refs:
                taken = self.queue.get(ref.id) == ref
                if taken:
                    del self.queue[ref.id]
                    if held.permit.act.approves:
                        self.approved.append(ref)
                self.rows[ref.id].closed = "decided" if taken else "refused"
            self._sync(Cause.CHANGED)

    def _paint(self) -> None:
        self._dirty = False
        self._free_at = self.now + 0.004
        written_at = self._free_at
        frame = self.guard.pending
        target = self.guard.target or Target.one(TargetFacts(Ref("", 0)))
        row = self._cursor
        self.pictures.append(
            Picture(
                written_at + self.random.uniform(-0.005, 0.005),
                row.ref if row is not None else None,
                target.ready,
                target.rest,
                self._layer,
                self._layer_refs,
                row is not None and len(row.seen | {self._page}) < row.pages,
                row is not None and not row.closed and self.guard.holds.find(row.id) is None,
            )
        )
        if frame is not None:
            self.at(written_at, lambda: self.guard.painted(frame, self.now))
        if self._page_painted_at is None and not self._layer:
            self._page_painted_at = written_at
            page, seen_row = self._page, row
            self.at(written_at + 0.2, lambda: self._post(lambda: self._dwell(seen_row, page, written_at)))

    # The screen: what the messages do

    def _add(self, row: Row) -> None:
        self.rows[row.id] = row
        if self._cursor is None:
            self._focus(row, Cause.ARRIVED)
        elif self._cursor.group == row.group:
            self._sync(Cause.CHANGED)

    def _close(self, id_: str, reason: str) -> None:
        row = self.rows[id_]
        if row.closed:
            return
        row.closed = reason
        if row is self._cursor:
            self.guard.changed()
        self._sync(Cause.CHANGED)

    def _change(self, new: Ref) -> None:
        row = self.rows[new.id]
        row.revision = new.revision
        row.seen.clear()
        if row is self._cursor:
            self._page, self._page_painted_at, self._dirty = 0, None, True
        self._sync(Cause.CHANGED)

    def _dwell(self, row: Row | None, page: int, painted_at: float) -> None:
        if row is not None and row is self._cursor and painted_at == self._page_painted_at:
            row.seen.add(page)
            self._sync(Cause.MOVED)

    def _focus(self, row: Row | None, cause: Cause) -> None:
        self._cursor, self._page, self._page_painted_at = row, 0, None
        self._dirty = True
        self._sync(cause)

    def _sync(self, cause: Cause) -> None:
        """Tell the guard what the target line and the bar say now."""
        row = self._cursor
        if row is None:
            self.guard.show(None, cause)
            return
        members = self.guard.eligible(other.facts for other in self._members(row))
        self.guard.show(Target.one(row.facts, group=row.group, members=members), cause)

    def _members(self, row: Row) -> list[Row]:
        number = int(row.group[1:])
        ids = (f"r{member}" for member in range(number * 4, number * 4 + 4))
        return [self.rows[id_] for id_ in ids if id_ in self.rows]

    def _waiting(self) -> Iterator[Row]:
        held = {ref.id for held in self.guard.holds for ref in held.refs}
        return (row for row in self.rows.values() if not row.closed and row.id not in held)

    # The screen: what the keys do

    def _handle_key(self, key: str, t: float) -> None:
        reaction = self.guard.press(key, t)
        self.reactions.append((key, t, reaction))
        was_layer = self._layer
        match reaction.verdict:
            case Decide(permit):
                self._note(permit.act, permit.key, permit.refs, t, opened_only=False)
                self._hold(permit, key)
            case OpenEditor(offer):
                self._note(offer.act, offer.key, offer.refs, t, opened_only=True)
                self._layer, self._layer_refs = "editor", frozenset(offer.refs)
            case OpenSheet(offer):
                self._note(offer.act, offer.key, offer.refs, t, opened_only=True)
                self._open_sheet(offer.act, offer.refs)
            case NeedsUnseenBar() | Ignored():
                self._dirty = True
            case NotDecisive():
                self._navigate(key)
            case _ if key == "escape":
                self._leave()
            case _:
                pass
        if was_layer == "sheet" and self.guard.status(self.now).word != "sheet":
            self._layer, self._layer_refs = "", frozenset()
        if reaction.effects:
            self._sync(Cause.CHANGED)
            self._dirty = True

    def _note(self, act: Act, key: str, refs: tuple[Ref, ...], t: float, *, opened_only: bool) -> None:
        picture = self.picture(t - LOOK_BACK)
        self.made.append(Made(act, key, frozenset(refs), t, picture, opened_only))

    def _hold(self, permit: Permit, key: str) -> None:
        self.guard.hold(permit, key)
        self._layer, self._layer_refs = "", frozenset()
        self._focus(next(self._waiting(), None), Cause.ADVANCED)

    def _open_sheet(self, act: Act, refs: tuple[Ref, ...]) -> None:
        self.guard.sheet_opened(confirm="!" if self.random.random() < 0.2 else "y")
        self._layer, self._layer_refs = "sheet", frozenset(refs)

    def _leave(self) -> None:
        self._layer, self._layer_refs = "", frozenset()
        self.guard.sheet_closed()
        self.guard.editor_closed()
        self.guard.bar_closed()

    def _navigate(self, key: str) -> None:
        row = self._cursor
        match key:
            case "escape":
                self._leave()
            case "u":
                self.guard.holds.take_back_last()
                self._sync(Cause.CHANGED)
            case "j" | "down" | "k":
                waiting = list(self._waiting())[:8]
                if row is not None and waiting:
                    step = 1 if key != "k" else -1
                    index = waiting.index(row) if row in waiting else 0
                    self._focus(waiting[(index + step) % len(waiting)], Cause.MOVED)
            case " " if row is not None and self._page + 1 < row.pages:
                self._page, self._page_painted_at, self._dirty = self._page + 1, None, True
            case _:
                pass
