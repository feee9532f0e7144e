"""Keys that change what an approval of a request would run."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue.amendment import PARTIAL
from signoff_tui.guard import Cause
from signoff_tui.screens.review.face import Face
from signoff_tui.screens.review.pointing import hunks_named, pointed_in
from signoff_tui.state.amendments import AmendedCall, what_to_edit, why_not_given
from signoff_tui.state.inbox import Entry
from signoff_tui.state.session import ReviewSession

__all__ = ["ChangingKeys"]


class ChangingKeys:
    """One method per action that changes what would run, named ``do_`` and the action's name."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def do_toggle_hunk(self) -> None:
        """Refuse the hunk that is pointed at, or approve it again."""
        if not self._toggles_hunk():
            self._face.desk.changes.toggled_nothing()

    def _toggles_hunk(self) -> bool:
        face, desk = self._face, self._face.desk
        entry = desk.inbox.focused_request()
        if entry is None or not face.views.content_visible:
            face.say("open a request to refuse single hunks of it", token="muted")
            return False
        pointed = pointed_in(face.document, desk, entry)
        if pointed is None:
            face.say(f"{desk.keys.shown('toggle_hunk')} does nothing: {_why_no_choice(desk, entry)}")
            return False
        numbers = pointed.numbers
        if not numbers:
            keys = f"{desk.keys.shown('next_hunk')} or {desk.keys.shown('previous_hunk')} points at one"
            face.say(f"{pointed.above or 'the heading of a hunk is not on the screen'}: {keys}")
            return False
        change = desk.changes.toggle_hunks(entry, numbers)
        face.say(_told(change, numbers, desk.keys.shown("toggle_hunk")))
        face.redraw(Cause.CHANGED)
        return True

    def do_edit_call(self) -> None:
        """Edit what would run, in the person's own editor."""
        face, desk = self._face, self._face.desk
        entry = desk.inbox.focused_request()
        if entry is None or not face.views.content_visible:
            face.say("open a request to edit it", token="muted")
            return
        key, why_not, content = (
            desk.keys.shown("edit_call"),
            desk.changes.why_not_edited(entry),
            desk.asked_content(entry),
        )
        if why_not is not None or content is None:
            face.say(f"{key} does nothing: {why_not}")
        elif len(desk.guard.holds):
            face.say(f"{key} waits: take back what is held, or let it be sent")
        else:
            what = what_to_edit(entry.request, content)
            if (why_not := why_not_given(what)) is not None:
                face.say(f"{key} does nothing: {why_not}")
                return
            face.outside.edit(entry, what, desk.changes.text_to_edit(entry, what))


def _why_no_choice(desk: ReviewSession, entry: Entry) -> str:
    if not entry.waiting:
        return "the request does not wait any more"
    if PARTIAL not in entry.request.submission.supports:
        return "the agent can only run all of it, or nothing"
    if desk.changes.of(entry) is not None:
        return "you edited it: there is one text to approve"
    return "there are no single hunks to choose from"


def _told(change: AmendedCall | None, numbers: Sequence[int], key: str) -> str:
    """What a toggle did, in words."""
    what = hunks_named(numbers)
    if change is None:
        return f"{what} approved again: all of it would be written"
    if change.choice is None or not change.choice.refused.intersection(numbers):
        return f"{what} approved again: {change.summary} would be written"
    if change.instead is None:
        return "all hunks are refused, so there is nothing to approve: reject it instead"
    return f"{what} refused: {change.summary} would be written; {key} takes it back"
