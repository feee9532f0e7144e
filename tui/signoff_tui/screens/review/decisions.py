"""From what the guard says to what happens: holding, sheets, text boxes, questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, assert_never

from msgspec.structs import replace

from signoff.policy.grant_scope import PatternOffer
from signoff.queue.grant_pattern import GrantPattern
from signoff.queue.history import PatternPreview
from signoff_tui.guard import (
    Act,
    Answered,
    BarClosed,
    Cause,
    Decide,
    DecisionOffer,
    EditorText,
    Effect,
    Held,
    Ignored,
    KeysLocked,
    LeftOut,
    NeedsGroupBar,
    NeedsUnseenBar,
    NotDecisive,
    Omission,
    OpenEditor,
    OpenSheet,
    Reaction,
    SheetClosed,
    TakenBack,
)
from signoff_tui.screens.review.allow import Allowing, choices, released
from signoff_tui.screens.review.bars import what_is_missing
from signoff_tui.screens.review.names import as_listed, as_many, left_out_names, names_of
from signoff_tui.screens.review.open_bar import (
    Approving,
    Editing,
    FindBar,
    OpenBar,
    QuestionBar,
    Unseen,
    Writing,
)
from signoff_tui.screens.review.outside import COPIES
from signoff_tui.state.coverage import ALMOST
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.state.inbox import RowKey
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.key_hints import KeyHint

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["Decisions", "reason_is_gone"]


_ALLOW_KEYS = frozenset({"w", "left", "right"})

NAMES = 60
"""Cells for the names of what was taken back."""


class Decisions:
    """Does what the guard permits, and nothing else.

    Args:
        screen: Where the decisions are made.
    """

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen

    def react(self, reaction: Reaction) -> bool:
        """Do what a reaction asks for; False when the key is left for others to handle."""
        for effect in reaction.effects:
            self._suffer(effect)
        screen, desk = self._screen, self._screen.desk
        verdict = reaction.verdict
        match verdict:
            case NotDecisive() | EditorText():
                return False
            case Ignored(_, text):
                screen.say(text)
            case Decide(permit):
                note = screen.boxes.note(screen.bar) if isinstance(screen.bar, Writing) else None
                pattern = _allowed_pattern(desk, screen.bar, permit.key)
                screen.say("")
                screen.open_bar(None)
                desk.hold(permit, note, pattern)
                screen.redraw(Cause.ADVANCED)
            case OpenEditor(offer):
                screen.open_bar(Writing(offer, hard=offer.act is Act.STOP))
            case OpenSheet(offer):
                self._open_sheet(offer)
            case NeedsUnseenBar(ref):
                screen.open_bar(Unseen(ref))
            case NeedsGroupBar(left_out):
                screen.say(self._covers_nothing(left_out))
            case Answered(key):
                self._answer(key)
            case _:
                assert_never(verdict)
        return True

    def take_back(self, held: Sequence[Held[HeldAnswer]], why: str = "taken back") -> str:
        """Let the requests of decisions that were not sent wait again, keep what was written, and say so.

        Returns:
            What was said; nothing where there was no decision.
        """
        if not held:
            return ""
        refs = [ref for item in held for ref in item.refs]
        desk = self._screen.desk
        desk.take_back(held)
        for item in held:
            if item.payload.decision.note:
                self._screen.office.drafts[tuple(ref.id for ref in item.refs)] = item.payload.decision.note
        verb = "is" if len(refs) == 1 else "are"
        said = f"{why}: {as_many(names_of(desk, as_listed(desk, refs)), NAMES)} {verb} waiting again"
        self._screen.say(said, token="held")
        self._screen.redraw(Cause.CHANGED)
        return said

    def welcome_back(self) -> None:
        """Say which requests ask again although they were approved."""
        desk = self._screen.desk
        refs, desk.came_back[:] = tuple(desk.came_back), ()
        if refs:
            names = as_many(names_of(desk, refs), NAMES)
            self._screen.say(f"came back: {names} changed after you approved it: read again")

    def undo(self) -> None:
        """Take back the held decision made last."""
        held = self._screen.desk.guard.holds.take_back_last()
        if held is None:
            self._screen.say("nothing to undo: no decision is held")
            return
        self.take_back((held,))
        self._return_to(held)

    def _return_to(self, held: Held[HeldAnswer]) -> None:
        """Back to what was taken back, which is armed anew: the request, or its group in the list."""
        screen, inbox = self._screen, self._screen.desk.inbox
        entries = [inbox.entry(ref.id) for ref in held.refs if ref.id in inbox]
        if not entries:
            return
        group = entries[0].group
        several = len(held.refs) > 1 and held.permit.act is not Act.RELEASE
        whole = several and group is not None and not inbox.group(group).single
        inbox.move_to(group if whole and group is not None else RowKey("request", entries[0].id))
        screen.desk.guard.restart()
        screen.redraw(Cause.CHANGED)

    def close_bar(self) -> bool:
        """Close whatever lies over the action bar, as Esc does; False when there is nothing."""
        screen = self._screen
        match screen.bar:
            case None:
                return False
            case Writing() | Editing() | FindBar():
                screen.desk.guard.editor_closed()
            case Unseen():
                screen.desk.guard.bar_closed()
            case Approving() | Allowing() | QuestionBar():
                screen.desk.guard.sheet_closed()
        screen.open_bar(None)
        return True

    def soften(self) -> None:
        """Turn a stop that is being written into a soft rejection."""
        if isinstance(self._screen.bar, Writing) and self._screen.bar.hard:
            self._screen.desk.guard.editor_softened()
            self._screen.open_bar(Writing(self._screen.bar.offer, hard=False))

    def ask_to_quit(self) -> None:
        """Leave, unless something is held or known to wait: then ask first."""
        desk = self._screen.desk
        held = len(desk.guard.holds)
        waiting = desk.inbox.tally.counts.waiting if desk.guard.connected else 0  # nobody knows what waits now
        if held:
            word = "decision" if held == 1 else "decisions"
            self._ask(
                f"{held} {word} not sent:",
                KeyHint("y", "send and quit"),
                KeyHint("u", "take back and quit"),
                KeyHint("Esc", "stay"),
            )
        elif waiting:
            keep = "keeps" if waiting == 1 else "keep"
            self._ask(
                f"{waiting} undecided, and their agents end with the screen."
                if self._screen.office.agents_end
                else f"{waiting} {keep} waiting.",
                KeyHint("y", "quit"),
                KeyHint("Esc", "stay"),
            )
        else:
            self._screen.leave()

    # -- parts -------------------------------------------------------------------------------------------

    def _covers_nothing(self, left_out: Sequence[LeftOut]) -> str:
        """The reason why a key that approves several approves none."""
        key = self._screen.desk.keys.shown("approve_group")
        reasons = {item.reason for item in left_out} - {Omission.CLOSED}
        if not reasons:
            return f"{key} has nothing to approve: nothing of it waits"
        unseen = [item for item in left_out if item.reason is Omission.UNSEEN]
        if unseen and all(item.coverage >= ALMOST for item in unseen):
            return self._in_part(unseen[0])
        if unseen:
            return f"{key} approves nothing yet: read a file first"
        return f"{key} approves nothing: " + as_many(left_out_names(self._screen.desk, left_out), NAMES)

    def _in_part(self, item: LeftOut) -> str:
        """The reason why a request waits of which every line was shown, and the way to approve it."""
        desk = self._screen.desk
        missing = what_is_missing(desk, desk.inbox.entry(item.ref.id))
        return f"{missing}; {desk.keys.shown('approve')}, then {desk.keys.shown('despite')} approves"

    def _suffer(self, effect: Effect) -> None:
        screen = self._screen
        match effect:
            case TakenBack(held):
                self.take_back(held, "taken back before it was sent")
            case SheetClosed() | BarClosed():
                screen.open_bar(None)
            case KeysLocked(keys=keys):
                self._undo(keys)
                screen.redraw(Cause.CHANGED)
            case _:
                assert_never(effect)

    def _undo(self, keys: Sequence[str]) -> None:
        """Undo what keys changed that were obeyed before they were known to be typing."""
        for action in (self._screen.desk.keys.action_of(key, "review") for key in reversed(keys)):
            if action is not None and action.name == "later":
                self._screen.desk.later.undo()
            elif action is not None and action.name == "saved":
                self._screen.filtering.undo()
            elif action is not None and action.name == "tag":
                self._screen.desk.tags.undo()
            elif action is not None and action.name == "toggle_hunk":
                self._screen.desk.changes.undo_toggle()

    def _open_sheet(self, offer: DecisionOffer) -> None:
        screen, desk = self._screen, self._screen.desk
        if offer.act is Act.APPROVE_GROUP:
            desk.guard.sheet_opened(confirm=desk.keys.key("approve"))
            screen.open_bar(Approving(offer))
            return
        if not desk.may_be_remembered(offer.refs):
            desk.guard.sheet_closed()
            screen.say("cannot be allowed: it hides a secret, leads elsewhere or is not kept")
            return
        self._allow(Allowing(offer.refs))
        if len(offer.refs) == 1:
            screen.work.propose(desk.inbox.entry(offer.refs[0].id))

    # -- allowing ----------------------------------------------------------------------------------------

    def _allow(self, sheet: Allowing) -> None:
        """Open the sheet, or have it say something else, and look what its choices would have answered."""
        screen, desk = self._screen, self._screen.desk
        offered = choices(desk, sheet)
        width = screen.room.columns
        desk.guard.sheet_opened(
            releases={
                choice.key: released(desk, sheet, choice, width) for choice in offered if not choice.why_not
            },
            extra=_ALLOW_KEYS,
        )
        screen.open_bar(sheet)
        session = desk.inbox.entry(sheet.refs[0].id).request.asked_by.session
        for choice in offered:
            if choice.pattern is not None and choice.pattern.key not in sheet.found:
                screen.work.compare(choice.pattern, session)

    def allow_key(self, key: str) -> bool:
        """Do what a key of the sheet does besides its digits; False if it is none."""
        sheet = self._screen.bar
        if not isinstance(sheet, Allowing) or key not in _ALLOW_KEYS:
            return False
        patterns = () if sheet.proposals is None else sheet.proposals.patterns
        at = sheet.at
        if key in {"left", "right"} and patterns:
            at = max(0, min(at + (1 if key == "right" else -1), len(patterns) - 1))
        also = sheet.also != (key == "w" and len(sheet.refs) == 1)
        if (at, also) != (sheet.at, sheet.also):
            self._allow(replace(sheet, at=at, also=also))
        return True

    def take_proposals(self, request_id: str, proposals: PatternOffer) -> None:
        """Offer what was worked out for a request, if its sheet is still open."""
        sheet = self._screen.bar
        if isinstance(sheet, Allowing) and [ref.id for ref in sheet.refs] == [request_id]:
            self._allow(replace(sheet, proposals=proposals, at=proposals.first))

    def take_comparison(self, pattern: GrantPattern, found: PatternPreview) -> None:
        """Say what a pattern would have answered. What a digit approves changes only where `w` said so."""
        sheet = self._screen.bar
        if not isinstance(sheet, Allowing):
            return
        told = replace(sheet, found={**sheet.found, pattern.key: found})
        if sheet.also:
            self._allow(told)
        else:
            self._screen.open_bar(told)

    # -- questions ---------------------------------------------------------------------------------------

    def ask_what_to_copy(self) -> None:
        """Ask what of the request goes to the clipboard."""
        entry = self._screen.desk.inbox.focused_request()
        if entry is None:
            self._screen.say(f"{self._screen.desk.keys.shown('copy')} copies what a request holds: go to one")
            return
        hints = [KeyHint(key, what) for key, what in COPIES.items()]
        self._ask("Copy", *hints, KeyHint("Esc", "back"), about="copy")

    def _ask(self, question: str, *hints: KeyHint, about: Literal["quit", "copy"] = "quit") -> None:
        keys = frozenset(hint.key for hint in hints if len(hint.key) == 1)
        self._screen.desk.guard.question_opened(keys)
        self._screen.open_bar(QuestionBar(question, hints, about))

    def _answer(self, key: str) -> None:
        """Do what the answer to a question of ours says."""
        screen, bar = self._screen, self._screen.bar
        if isinstance(bar, Editing):
            screen.boxes.accept(bar)
            return
        screen.open_bar(None)
        if isinstance(bar, QuestionBar) and bar.about == "copy":
            screen.outside.copy(key)
            return
        holds = screen.desk.guard.holds
        if key == "u":
            self.take_back(holds.take_back_all())
        due: tuple[Held[Any], ...] = holds.release_all() if key == "y" else ()
        for held in due:
            screen.send(held)
        screen.leave()


def _allowed_pattern(desk: ReviewSession, bar: OpenBar | None, key: str) -> GrantPattern | None:
    """The calls that a digit of the sheet allows, if these are others than exactly the call."""
    if not isinstance(bar, Allowing):
        return None
    chosen = next(choice for choice in choices(desk, bar) if choice.key == key)
    return None if chosen.exact else chosen.pattern


def reason_is_gone(desk: ReviewSession, bar: OpenBar | None) -> bool:
    """True if the request that a question is about was shown meanwhile, or another one is the target."""
    if not isinstance(bar, Unseen):
        return False
    entry = desk.inbox.focused_request()
    coverage = None if entry is None or entry.id != bar.ref.id else desk.coverage(entry)
    if coverage is not None and coverage.complete:
        desk.guard.bar_closed()
    return not desk.guard.offers_unseen
