"""The guard itself: eligibility and holds, and the keys and lines that decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from signoff_tui.guard.arming import Arming, Cause
from signoff_tui.guard.eligibility import Judge
from signoff_tui.guard.holds import Held, Holds, Permit, PermitError
from signoff_tui.guard.results import (
    TOO_EARLY,
    Answered,
    BarClosed,
    Decide,
    EditorText,
    Effect,
    Ignored,
    KeysLocked,
    NeedsGroupBar,
    NeedsUnseenBar,
    NotDecisive,
    OpenEditor,
    OpenSheet,
    Reaction,
    Reason,
    SheetClosed,
    TakenBack,
    Verdict,
)
from signoff_tui.guard.settings import GuardSettings
from signoff_tui.guard.stage import Editor, Sheet, Stage
from signoff_tui.guard.targets import Eligibility, Ref, Target, TargetFacts, TargetKind, eligible
from signoff_tui.guard.typing import ENTER_KEYS, KeyMeanings, KeyWatch, Seen, is_typed

__all__ = ["DecisionGuard", "Guard", "LineGuard", "Status"]

Payload = TypeVar("Payload")
Facts = Callable[[str], TargetFacts | None]
Clock = Callable[[], float]

_BACKLOG = 0.1
"""Seconds in which a program that goes on after it was stopped has read what was typed before."""


class Status(Struct, frozen=True):
    """The state of the guard.

    Attributes:
        word: How the target stands, such as `armed` or `arming 0.4s`.
        changes_at: Time when it changes by itself, or `None`.
    """

    word: str
    changes_at: float | None = None


class Guard(Generic[Payload]):
    """Eligibility and held decisions, which keys and lines share.

    Args:
        settings: The times of holds, and the share that must have been shown.
        facts: Returns the facts about a request id now, or `None` if it is gone.
        clock: Monotonic seconds.
        holds: The held decisions of another guard that this one shares; its own if left out.
    """

    def __init__(
        self, settings: GuardSettings, facts: Facts, clock: Clock, holds: Holds[Payload] | None = None
    ) -> None:
        self.settings = settings
        self.holds: Holds[Payload] = Holds(settings) if holds is None else holds
        self._clock = clock
        self._judge = Judge(settings, facts, lambda id_: self.holds.find(id_) is not None)
        self._permit: Permit | None = None

    def eligible(self, members: Iterable[TargetFacts]) -> Eligibility:
        """The members of a group that an approval would cover, for the bar. Held members do not wait."""
        return eligible(self._judge.unless_held(member) for member in members)

    def hold(self, permit: Permit, payload: Payload) -> Held[Payload]:
        """Hold the decision that was made last.

        Args:
            permit: The permit of `Decide`.
            payload: The decision to send.

        Raises:
            PermitError: The permit is not that of the last decision, or it was held already.
        """
        if permit is not self._permit:
            raise PermitError("this decision was not the last one that was made")
        self._permit = None
        return self.holds.hold(permit, payload, self._clock())


class DecisionGuard(Stage, Guard[Payload]):
    """Says whether a key decides, and about what. See the package for how a screen uses it.

    Args:
        settings: The times.
        keys: The meaning of keys.
        facts: Returns the facts about a request id now, or `None` if it is gone.
        clock: Monotonic seconds, the clock that stamps key events.
        holds: As for `Guard`: one reviewer's screens share what is held.

    Raises:
        ValueError: The settings are not acceptable.
    """

    def __init__(
        self,
        settings: GuardSettings,
        keys: KeyMeanings,
        facts: Facts,
        clock: Clock,
        holds: Holds[Payload] | None = None,
    ) -> None:
        settings.validate()
        Stage.__init__(self, settings)
        Guard.__init__(self, settings, facts, clock, holds)
        self._keys = keys
        self._watch = KeyWatch(settings, keys)
        self._last_decision = -math.inf
        self._quiet_at = -math.inf
        self._typing_from = math.inf
        self._went_on = -math.inf

    # What the screen calls

    def press(self, key: str, t: float) -> Reaction:
        """Judge a key.

        Args:
            key: The character of a printable key, the name of any other.
            t: The time of the press, as stamped on the event.
        """
        now = self._clock()
        t = self._pressed_at(min(t, now))
        self._permit = None
        if self._editor is not None:
            return self._press_in_editor(self._editor, key, t)
        seen = self._watch.press(key, t, self._awaited())
        typed = is_typed(key) or key in ENTER_KEYS
        if t < self._quiet_at and typed:
            self._quiet_at = t + self.settings.burst_quiet
            return Reaction(self._typing())
        if seen.typing_since is not None:
            effects = self._lock(t, seen.typing_since)
            return Reaction(self._typing(), effects)
        if key in ENTER_KEYS and self._answers_elsewhere(t):
            return self._take_back_answer(t)
        effects = self._take_back_repeats(seen)
        if self._sheet is not None:
            return Reaction(self._press_in_sheet(self._sheet, key, t, now, seen), effects)
        if key not in self._keys.decides:
            return Reaction(NotDecisive(), effects)
        return Reaction(self._press_decision(key, t, now, seen), effects)

    def paste(self, t: float) -> Reaction:
        """Judge a paste: text for a text box, and typing anywhere else."""
        t = self._pressed_at(t)
        self._permit = None
        if self._editor is not None:
            self._editor.text(t)
            return Reaction(EditorText())
        effects = self._lock(t, t - self.settings.burst_window)
        return Reaction(Ignored(Reason.TYPING, "pasted text is never a command"), effects)

    def went_on(self) -> None:
        """The program goes on after it was stopped: what is read next was typed before."""
        self._went_on = self._clock()

    def hold(self, permit: Permit, payload: Payload) -> Held[Payload]:
        """Hold the decision of the last key; the next target waits as after any decision."""
        held = super().hold(permit, payload)
        for arming in (self._one, self._set):
            arming.next_waits(Cause.ADVANCED.wait(self.settings))
        return held

    def set_connected(self, on: bool) -> tuple[Held[Payload], ...]:
        """The queue was found or lost. Returns the held decisions that were taken back."""
        if on != self.connected:
            self.connected = on
            self._repaint(Cause.CHANGED.wait(self.settings))
        return () if on else self.holds.take_back_all()

    @property
    def typed_text(self) -> str:
        """The text typed since the typing began that locked the keys."""
        return self._watch.typed_since(self._typing_from)

    def status(self, now: float) -> Status:
        """The state of the guard at `now`."""
        if self._editor is not None:
            return Status("feedback" if self._editor.offer is not None else "text")
        blocked = self._blocked("")
        if blocked is not None:
            return Status(blocked.reason.value)
        if now < self._quiet_at:
            return Status("locked", self._quiet_at)
        if self._sheet is not None:
            return Status("sheet", self._sheet.arming.armed_at)
        if self.target is None:
            return Status("")
        return self._target_status(self.target, now)

    def next_arming(self, now: float) -> float | None:
        """The next time at which keys begin to count, or None."""
        moments = [self._quiet_at, *(arming.armed_at for arming in self._armings())]
        return min((at for at in moments if at is not None and at > now), default=None)

    def set_armed(self, now: float) -> bool:
        """True if the keys about several requests count at `now`, as far as their target goes."""
        at = self._set.armed_at
        return (
            self._editor is None and self._blocked("") is None and at is not None and self._quiet_at <= now >= at
        )

    def offer_armed(self, now: float) -> bool:
        """True if the question that offers `!` takes it at `now`."""
        at = None if self._bar is None else self._bar.armed_at
        return at is not None and at <= now

    # Scopes

    def _press_in_editor(self, editor: Editor, key: str, t: float) -> Reaction:
        if key != "enter" or editor.is_pasted(t):
            editor.text(t)
            return Reaction(EditorText())
        if editor.answers:
            again = Ignored(Reason.ENTER_AGAIN, "Enter again to take this over")
            return Reaction(Answered(key) if editor.enter(t) else again)
        if editor.offer is None:
            return Reaction(EditorText())
        blocked = self._blocked("Enter")
        if blocked is not None:
            return Reaction(blocked)
        verdict = self._judge.confirmed(editor.offer, key, t)
        if isinstance(verdict, Decide) and not editor.enter(t):
            return Reaction(Ignored(Reason.ENTER_AGAIN, "Enter again to send this"))
        return Reaction(self._granted(verdict))

    def _press_in_sheet(self, sheet: Sheet, key: str, t: float, now: float, seen: Seen) -> Verdict:
        if key in sheet.extra or not (is_typed(key) or key in ENTER_KEYS):
            return NotDecisive()
        if key not in sheet.confirm:
            sheet.arming.restart(t)
            return Ignored(Reason.SHEET, f"{key} does nothing here")
        offer = sheet.offer_of(key)
        blocked = self._blocked(key) if offer is not None else None
        mistimed = self._mistimed(sheet.arming, key, t, now, seen)
        if blocked is not None or mistimed is not None:
            return blocked or mistimed or NotDecisive()
        if offer is None:
            self.sheet_closed()
            return Answered(key)
        return self._granted(self._judge.confirmed(offer, key, t))

    def _press_decision(self, key: str, t: float, now: float, seen: Seen) -> Verdict:
        decision = self._keys.decides[key]
        target = self.target
        if target is None:
            return self._blocked(key) or Ignored(Reason.NOTHING, f"{key} has nothing to decide")
        if decision == "!" and self._bar is None:
            first = "x first" if target.kind is TargetKind.AGENT else f"y first; {key} then approves unread"
            return Ignored(Reason.NOT_OFFERED, f"press {first}")
        mistimed = self._mistimed(self._arming_of(decision, target), key, t, now, seen)
        blocked = self._blocked(key)
        if blocked is not None:
            return blocked
        if mistimed is not None and mistimed.reason is Reason.CATCHING_UP:
            return mistimed
        named = self._rest.named_since(t - self.settings.arm_moved - self.settings.link_delay)
        verdict = self._judge.verdict(key, decision, target, t, named)
        # That a request has ended is worth more words than that the key came early.
        if isinstance(verdict, Ignored):
            return verdict
        return mistimed or self._granted(verdict)

    def _arming_of(self, decision: str, target: Target) -> Arming[Any]:
        if decision == "!" and self._bar is not None:
            return self._bar
        about_set = target.kind in (TargetKind.HEADING, TargetKind.TAGGED, TargetKind.AGENT) or decision in "YN"
        return self._set if about_set and target.group is not None else self._one

    def _granted(self, verdict: Verdict) -> Verdict:
        """Do on our side what a verdict entails: who has the keys from now on."""
        match verdict:
            case Decide(permit):
                self._permit = permit
                if is_typed(permit.key):
                    self._watch.decided(permit.key, permit.pressed_at)
                self._close_bar()
                self.sheet_closed()
                self.editor_closed()
            case OpenEditor(offer):
                self._open_editor(offer)
            case OpenSheet(offer):
                self._open_sheet(Sheet(offer))
            case NeedsUnseenBar(ref, _) if self._bar is None:
                self._open_bar(ref)
            case _:
                pass
        return verdict

    def _awaited(self) -> frozenset[str]:
        """The keys that the open sheet or bar asks for."""
        if self._sheet is not None:
            return self._sheet.confirm
        if self._bar is not None:
            return frozenset(key for key, decision in self._keys.decides.items() if decision == "!")
        return frozenset()

    # Reasons against

    def _blocked(self, key: str) -> Ignored | None:
        if self.read_only:
            return Ignored(Reason.READ_ONLY, f"{key} does nothing: read only")
        if self.too_small:
            return Ignored(Reason.TOO_SMALL, f"{key} does nothing: the pane is too small")
        if not self.connected:
            return Ignored(Reason.DISCONNECTED, f"{key} does nothing: not connected to the queue")
        return None

    def _mistimed(self, arming: Arming[Any], key: str, t: float, now: float, seen: Seen) -> Ignored | None:
        """Refuse a key that came at a wrong time."""
        gap = t - self._last_decision
        self._last_decision = t
        if now - t > self.settings.late:
            # What was pressed while the program was blocked was pressed at a picture that stood
            # still. Nothing pressed before this moment counts.
            self._delay(now + self.settings.arm_moved)
            return Ignored(Reason.LATE, f"the screen was busy when {key} came: press it again")
        if arming.armed_at is None:
            return Ignored(Reason.CATCHING_UP, f"{key} ignored: the screen is catching up")
        if gap < self.settings.repeat_gap:
            arming.restart(t)
        elif seen.quiet >= self.settings.quiet_before and t >= arming.armed_at:
            return None
        return TOO_EARLY

    def _pressed_at(self, stamped: float) -> float:
        """The earliest time of a press: before a standstill that it was read after."""
        if stamped < self._went_on + _BACKLOG:
            return min(stamped, self._went_on) - self.settings.late - _BACKLOG
        return stamped

    # Taking back

    def _typing(self) -> Ignored:
        return Ignored(Reason.TYPING, f"keys locked, that looked like typing: {self.typed_text}")

    def _lock(self, t: float, since: float) -> tuple[Effect, ...]:
        """Undo what the keys since then did, and wait for silence."""
        effects: list[Effect] = []
        taken = self.holds.take_back_where(lambda permit: permit.pressed_at >= since)
        if taken:
            effects.append(TakenBack(taken))
        if self._sheet is not None:
            self.sheet_closed()
            effects.append(SheetClosed())
        if self._close_bar():
            effects.append(BarClosed())
        self._typing_from = since
        self._quiet_at = t + self.settings.burst_quiet
        effects.append(KeysLocked(self._quiet_at, self.typed_text, self._watch.obeyed_since(since)))
        return tuple(effects)

    def _answers_elsewhere(self, t: float) -> bool:
        """True if Enter at `t` ends an answer that was typed for a question in another window."""
        return self.settings.typing_lock and any(
            held.permit.act.approves and t - held.permit.pressed_at < self.settings.enter_after
            for held in self.holds
        )

    def _take_back_answer(self, t: float) -> Reaction:
        effects = self._lock(t, t - self.settings.enter_after)
        text = "Enter right after an approval: it was meant for another window"
        return Reaction(Ignored(Reason.ENTER_AFTER, text), effects)

    def _take_back_repeats(self, seen: Seen) -> tuple[Effect, ...]:
        """A held key decides at its first press only."""
        since = seen.repeating_since
        if since is None:
            return ()
        taken = self.holds.take_back_where(lambda permit: permit.pressed_at >= since)
        return (TakenBack(taken),) if taken else ()

    def _target_status(self, target: Target, now: float) -> Status:
        if target.kind is TargetKind.ONE and target.focus is not None:
            facts = self._judge.look(target.focus)
            if facts.closed:
                held = self.holds.find(target.focus.id) is not None
                return Status("held" if held else "closed")
        elif target.kind is TargetKind.HEADING and not target.ready and not target.rest:
            return Status("closed")
        armed_at = self._arming_of("y", target).armed_at
        if armed_at is None:
            return Status("arming")
        if now < armed_at:
            return Status(f"arming {math.ceil((armed_at - now) * 10) / 10:.1f}s", armed_at)
        return Status("armed")


# -- Decisions typed as lines, with the numbers of all that they are about: nobody types one by accident.


class LineGuard(Guard[Payload]):
    """The guard of lines: an approval, a rejection or a stop with the numbers of its requests.

    It asks for no silence and tells nothing from typing. Eligibility and holds are those of the keys; but a line
    is done as it was typed, or not at all.

    Args:
        settings: The times. Whatever they say, a line approves only contents that were shown.
        facts: Returns the facts about a request id now, or `None` if it is gone.
        clock: Monotonic seconds.
    """

    def __init__(self, settings: GuardSettings, facts: Facts, clock: Clock) -> None:
        # No line was typed at a picture that stood still meanwhile: a hold ends when its time is over.
        super().__init__(replace(settings, late=math.inf, require_seen=True), facts, clock)
        self._armed_at = -math.inf

    def printed(self) -> None:
        """Note that contents are printed now: a line that comes at once is no answer to them."""
        self._armed_at = self._clock() + Cause.MOVED.wait(self.settings)

    @property
    def armed(self) -> bool:
        """True if there was time to read the printed contents."""
        return self._clock() >= self._armed_at

    def judge(self, decision: str, refs: Sequence[Ref], *, agreed: bool = False) -> Verdict:
        """Judge a decision about exactly these requests.

        Args:
            decision: One of `y`, `s`, `n`, `x` and `!`.
            refs: The requests; several for `y`, `n` and `x` only.
            agreed: The reach of the remembered approval was told before.

        Returns:
            `Decide`; `OpenSheet` if the reach has to be told first; `NeedsUnseenBar` where only `!` approves;
            `NeedsGroupBar` if not all of several are ready; else `Ignored`.
        """
        self._permit = None
        t = self._clock()
        facts = [self._judge.look(ref) for ref in refs]
        members = self.eligible(facts)
        covered = members.ready if decision == "y" else members.waiting
        if len(facts) > 1 and len(covered) < len(facts):
            return NeedsGroupBar(members.left_out)
        if decision == "!" and facts[0].coverage >= 1.0:
            return Ignored(Reason.NOT_OFFERED, "all of it was shown")
        target = Target.one(facts[0]) if len(facts) == 1 else Target.tagged(members)
        verdict = self._judge.verdict(decision, decision, target, t, target.rest)
        if isinstance(verdict, OpenEditor) or (agreed and isinstance(verdict, OpenSheet)):
            verdict = self._judge.confirmed(verdict.offer, decision, t)  # the words came with the line
        if not isinstance(verdict, Decide):
            return verdict
        self._permit = replace(verdict.permit, refs=tuple(sorted(verdict.permit.refs, key=refs.index)))
        return Decide(self._permit)
