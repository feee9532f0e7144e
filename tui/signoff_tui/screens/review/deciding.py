"""From what the guard says to what happens: holding, sheets, text boxes, questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, assert_never

from signoff_tui.guard import (
    Act,
    Answered,
    BarClosed,
    Cause,
    Decide,
    EditorText,
    Effect,
    Held,
    Ignored,
    KeysLocked,
    NeedsGroupBar,
    NeedsUnseenBar,
    NotDecisive,
    Offer,
    OpenEditor,
    OpenSheet,
    Reaction,
    Ref,
    Release,
    SheetClosed,
    TakenBack,
)
from signoff_tui.screens.review.copying import COPIES
from signoff_tui.screens.review.face import Face
from signoff_tui.screens.review.naming import as_listed, as_many, names_of
from signoff_tui.screens.review.open_bar import (
    Asking,
    Finding,
    GroupNotReady,
    Remembering,
    Stopping,
    Unseen,
    Writing,
    bar_lines,
)
from signoff_tui.screens.review.releasing import RELEASES, Listing, listing_for
from signoff_tui.screens.review.sheets import careless
from signoff_tui.state.decision_session import HeldAnswer
from signoff_tui.state.inbox import RowKey
from signoff_tui.state.reach import remember_preview, waiting_of_agent
from signoff_tui.state.tagged import TAGGED
from signoff_tui.text.key_hints import BarRoom, KeyHint

__all__ = ["Deciding"]


NAMES = 60
"""Cells for the names of what was taken back."""


class Deciding:
    """Does what the guard permits, and nothing else."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def react(self, reaction: Reaction) -> bool:
        """Do what a reaction asks for; False when the key is left for others to handle."""
        for effect in reaction.effects:
            self._suffer(effect)
        face, desk = self._face, self._face.desk
        verdict = reaction.verdict
        match verdict:
            case NotDecisive() | EditorText():
                return False
            case Ignored(_, text):
                face.say(text)
            case Decide(permit):
                left = self._left_out_of_the_tagged(permit.refs)
                note = face.boxes.feedback_text(permit.refs) if isinstance(face.bar, Writing) else None
                face.say("")
                face.open_bar(None)
                desk.hold(permit, note)
                if left:
                    face.say(f"still waiting, still tagged: {as_many(left, NAMES)}")
                face.redraw(Cause.ADVANCED)
            case OpenEditor(offer):
                face.open_bar(Writing(offer, hard=offer.act is Act.STOP))
            case OpenSheet(offer):
                self._open_sheet(offer)
            case NeedsUnseenBar(ref, _, remembers):
                face.open_bar(Unseen(ref, remembers=remembers))
            case NeedsGroupBar(left_out, remembers):
                group = desk.inbox.focused_group()
                about = TAGGED if desk.tags.acting or group is None else group.key.id
                face.open_bar(GroupNotReady(about, left_out, remembers=remembers))
            case Answered(key):
                self._answer(key)
            case _:
                assert_never(verdict)
        return True

    def take_back(self, held: Sequence[Held[HeldAnswer]], why: str = "taken back") -> None:
        """Say which decisions were not sent, let their requests wait again and keep what was written."""
        if not held:
            return
        refs = [ref for item in held for ref in item.refs]
        desk = self._face.desk
        desk.take_back(held)
        for item in held:
            if item.payload.decision.note:
                self._face.office.drafts[tuple(ref.id for ref in item.refs)] = item.payload.decision.note
        verb = "is" if len(refs) == 1 else "are"
        self._face.say(
            f"{why}: {as_many(names_of(desk, as_listed(desk, refs)), NAMES)} {verb} waiting again", token="held"
        )
        self._face.redraw(Cause.CHANGED)

    def welcome_back(self) -> None:
        """Say which requests ask again although they were approved."""
        desk = self._face.desk
        refs, desk.came_back[:] = tuple(desk.came_back), ()
        if refs:
            names = as_many(names_of(desk, refs), NAMES)
            self._face.say(f"came back: {names} changed on disk after you approved it: read again")

    def undo(self, *, everything: bool) -> None:
        """Take back the last held decision, or all of them."""
        holds = self._face.desk.guard.holds
        if everything:
            taken = holds.take_back_all()
        else:
            last = holds.take_back_last()
            taken = (last,) if last is not None else ()
        if not taken:
            self._face.say("nothing is held; what was sent cannot be taken back")
        self.take_back(taken)
        if taken:
            self._return_to(taken[-1])

    def _return_to(self, held: Held[HeldAnswer]) -> None:
        """Back to what was taken back, which is armed anew: the request, or its group in the list."""
        face, inbox = self._face, self._face.desk.inbox
        entries = [inbox.entry(ref.id) for ref in held.refs if ref.id in inbox]
        if not entries:
            return
        group = entries[0].group
        several = len(held.refs) > 1 and held.permit.act is not Act.RELEASE
        whole = several and group is not None and face.views.now == "inbox"
        inbox.move_to(group if whole and group is not None else RowKey("request", entries[0].id))
        face.desk.guard.restart()
        face.redraw(Cause.CHANGED)

    def close_bar(self) -> bool:
        """Close whatever lies over the action bar, as Esc does; False when there is nothing."""
        face = self._face
        match face.bar:
            case None:
                return False
            case Writing() | Finding():
                face.desk.guard.editor_closed()
            case Unseen() | GroupNotReady():
                face.desk.guard.bar_closed()
            case Remembering() | Stopping() | Asking():
                face.desk.guard.sheet_closed()
        face.open_bar(None)
        return True

    def soften(self) -> None:
        """Turn a stop that is being written into a soft rejection."""
        if isinstance(self._face.bar, Writing) and self._face.bar.hard:
            self._face.desk.guard.editor_softened()
            self._face.open_bar(Writing(self._face.bar.offer, hard=False))

    def ask_to_quit(self) -> None:
        """Leave, unless something is held or known to wait: then ask first."""
        desk = self._face.desk
        held = len(desk.guard.holds)
        waiting = desk.inbox.tally.counts.waiting if desk.guard.connected else 0  # nobody knows what waits now
        if held:
            word = "decision" if held == 1 else "decisions"
            self._ask(
                f"{held} {word} not sent yet.",
                KeyHint("y", "send and quit"),
                KeyHint("u", "take back and quit"),
                KeyHint("Esc", "stay"),
            )
        elif waiting:
            stay = "1 request stays" if waiting == 1 else f"{waiting} requests stay"
            self._ask(
                f"{stay} blocked until somebody decides.",
                KeyHint("y", "quit"),
                KeyHint("Esc", "stay"),
            )
        else:
            self._face.leave()

    # -- parts -------------------------------------------------------------------------------------------

    def _left_out_of_the_tagged(self, refs: Sequence[Ref]) -> list[str]:
        """Names of what is tagged and not covered by the decision about the tagged that is made now."""
        desk = self._face.desk
        if not desk.tags.acting:
            return []
        covered = {ref.id for ref in refs}
        return names_of(desk, [ref for ref in desk.tags.refs if ref.id not in covered])

    def _suffer(self, effect: Effect) -> None:
        face = self._face
        match effect:
            case TakenBack(held):
                self.take_back(held, "taken back before it was sent")
            case SheetClosed() | BarClosed():
                face.open_bar(None)
            case KeysLocked(keys=keys):
                face.desk.tags.act(on=False)
                self._undo(keys)
                face.redraw(Cause.CHANGED)
            case _:
                assert_never(effect)

    def _undo(self, keys: Sequence[str]) -> None:
        """Undo what keys changed that were obeyed before they were known to be typing."""
        for action in (self._face.desk.keys.action_of(key, "review") for key in reversed(keys)):
            if action is not None and action.name == "later":
                self._face.desk.later.undo()
            elif action is not None and action.name in {"only_agent", "clear_filter", "saved"}:
                self._face.filtering.undo()
            elif action is not None and action.name in {"tag", "untag_all"}:
                self._face.desk.tags.undo()
            elif action is not None and action.name == "toggle_hunk":
                self._face.desk.changes.undo_toggle()

    def _open_sheet(self, offer: Offer) -> None:
        face, desk = self._face, self._face.desk
        if offer.act is Act.STOP_ALL:
            refs = waiting_of_agent(desk)
            if not refs:
                desk.guard.sheet_closed()
                face.say("this agent waits for nothing")
                return
            desk.guard.sheet_opened(confirm=desk.keys.key("despite"), refs=refs)
            face.open_bar(Stopping(refs))
            return
        if not desk.may_be_remembered(offer.refs):
            desk.guard.sheet_closed()
            face.say("never remembered: it hides a secret, leads elsewhere or is not kept")
            return
        previews = [remember_preview(desk.inbox, ref.id) for ref in offer.refs]
        listing = None if offer.group or careless(previews) else self._listing(offer.refs[0])
        release = (
            Release(desk.keys.key(RELEASES), listing.listed) if listing is not None and listing.listed else None
        )
        confirm = desk.keys.key("despite" if careless(previews) else "approve")
        desk.guard.sheet_opened(confirm=confirm, release=release)
        face.open_bar(Remembering(offer.refs, listing))

    def _listing(self, ref: Ref) -> Listing | None:
        """What the sheet of a request lists to be released; None where the whole sheet would have no room."""
        face, extent, now = self._face, self._face.extent, self._face.office.now()
        listing = listing_for(face.desk, ref, now=now, width=extent.columns, rows=extent.listed_rows)
        sheet = Remembering((ref,), listing)
        lines = bar_lines(face.desk, sheet, BarRoom(extent.columns, extent.action_rows), armed=False, now=now)
        return listing if len(lines) <= extent.sheet_rows else None

    def ask_what_to_copy(self) -> None:
        """Ask what of the request goes to the clipboard."""
        entry = self._face.desk.inbox.focused_request()
        if entry is None:
            self._face.say("c copies what a request holds: go to one", token="muted")
            return
        hints = [KeyHint(key, what) for key, what in COPIES.items()]
        self._ask("Copy", *hints, KeyHint("Esc", "back"), about="copy")

    def _ask(self, question: str, *hints: KeyHint, about: Literal["quit", "copy"] = "quit") -> None:
        keys = frozenset(hint.key for hint in hints if len(hint.key) == 1)
        self._face.desk.guard.question_opened(keys)
        self._face.open_bar(Asking(question, hints, about))

    def _answer(self, key: str) -> None:
        """Do what the answer to a question of ours says."""
        face, bar = self._face, self._face.bar
        face.open_bar(None)
        if isinstance(bar, Asking) and bar.about == "copy":
            face.outside.copy(key)
            return
        holds = face.desk.guard.holds
        if key == "u":
            self.take_back(holds.take_back_all())
        due: tuple[Held[Any], ...] = holds.release_all() if key == "y" else ()
        for held in due:
            face.send(held)
        face.leave()
