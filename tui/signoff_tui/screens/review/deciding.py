"""From what the guard says to what happens: holding, sheets, text boxes, questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from signoff_tui.desk import Answer
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
    Revoke,
    SheetClosed,
    TakenBack,
)
from signoff_tui.screens.review import bars
from signoff_tui.screens.review.face import Face
from signoff_tui.screens.review.flow import KeyHint
from signoff_tui.screens.review.open_bar import Asking, GroupNotReady, Remembering, Stopping, Unseen, Writing

__all__ = ["Deciding"]


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
                note = face.feedback_text() if isinstance(face.bar, Writing) else None
                face.open_bar(None)
                desk.hold(permit, note)
                face.redraw(Cause.ADVANCED)
            case OpenEditor(offer):
                face.open_bar(Writing(offer, hard=offer.act is Act.STOP))
            case OpenSheet(offer):
                self._open_sheet(offer)
            case NeedsUnseenBar(ref, _):
                face.open_bar(Unseen(ref))
            case NeedsGroupBar(left_out):
                face.open_bar(GroupNotReady(left_out))
            case Answered(key):
                self._answer(key)
            case Revoke():
                face.say("nothing to revoke here")
            case _:
                assert_never(verdict)
        return True

    def take_back(self, held: Sequence[Held[Answer]], why: str = "taken back") -> None:
        """Say which decisions were not sent and let their requests wait again."""
        if not held:
            return
        entries = self._face.desk.take_back(held)
        refs = [Ref(entry.id, entry.request.revision) for entry in entries]
        verb = "is" if len(refs) == 1 else "are"
        self._face.say(f"{why}: {bars.names_of(self._face.desk, refs)} {verb} waiting again", token="held")
        self._face.redraw(Cause.CHANGED)

    def undo(self, *, everything: bool) -> None:
        """Take back the last held decision, or all of them."""
        holds = self._face.desk.guard.holds
        if everything:
            taken = holds.take_back_all()
        else:
            last = holds.take_back_last()
            taken = (last,) if last is not None else ()
        if not taken:
            self._face.say("nothing is held: what was sent cannot be taken back")
        self.take_back(taken)

    def close_bar(self) -> bool:
        """Close whatever lies over the action bar, as Esc does; False when there is nothing."""
        face = self._face
        match face.bar:
            case None:
                return False
            case Writing():
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
        """Leave, unless something is held or waits: then ask first."""
        desk = self._face.desk
        held, waiting = len(desk.guard.holds), desk.inbox.counts().waiting
        if held:
            word = "decision" if held == 1 else "decisions"
            self._ask(
                f"{held} {word} not sent yet.",
                KeyHint("y", "send and quit"),
                KeyHint("u", "take back and quit"),
                KeyHint("Esc", "stay"),
            )
        elif waiting:
            self._ask(
                f"{waiting} waiting stay blocked until somebody decides.",
                KeyHint("y", "quit"),
                KeyHint("Esc", "stay"),
            )
        else:
            self._face.leave()

    # -- parts -------------------------------------------------------------------------------------------

    def _suffer(self, effect: Effect) -> None:
        face = self._face
        match effect:
            case TakenBack(held):
                self.take_back(held, "taken back before it was sent")
            case SheetClosed() | BarClosed():
                face.open_bar(None)
            case KeysLocked():
                face.redraw(Cause.CHANGED)
            case _:
                assert_never(effect)

    def _open_sheet(self, offer: Offer) -> None:
        face, desk = self._face, self._face.desk
        if offer.act is Act.STOP_ALL:
            refs = self._waiting_of_agent()
            desk.guard.sheet_opened(confirm="!", refs=refs)
            face.open_bar(Stopping(refs))
            return
        previews = [desk.remember_preview(ref.id) for ref in offer.refs]
        desk.guard.sheet_opened(confirm="!" if bars.careless(previews) else "y")
        face.open_bar(Remembering(offer.refs))

    def _waiting_of_agent(self) -> tuple[Ref, ...]:
        desk = self._face.desk
        group = desk.inbox.focused_group()
        entry = desk.inbox.focused_request() or (desk.inbox.members(group.key)[0] if group else None)
        if entry is None:
            return ()
        agent = entry.request.asked_by.agent_id
        facts = [desk.facts(item.id) for item in desk.inbox.entries() if item.request.asked_by.agent_id == agent]
        return tuple(item.ref for item in facts if item is not None and not item.closed)

    def _ask(self, question: str, *hints: KeyHint) -> None:
        keys = frozenset(hint.key for hint in hints if len(hint.key) == 1)
        self._face.desk.guard.question_opened(keys)
        self._face.open_bar(Asking(question, hints))

    def _answer(self, key: str) -> None:
        """The only questions are those before quitting."""
        self._face.open_bar(None)
        holds = self._face.desk.guard.holds
        if key == "u":
            self.take_back(holds.take_back_all())
        due: tuple[Held[Any], ...] = holds.release_all() if key == "y" else ()
        for held in due:
            self._face.send(held)
        self._face.leave()
