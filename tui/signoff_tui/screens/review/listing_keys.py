"""Keys that change the list: which rows there are, and in which order."""

from __future__ import annotations

from signoff.filter import only
from signoff_tui.screens.review.face import Face
from signoff_tui.screens.review.filter_lines import hidden_words
from signoff_tui.screens.review.open_bar import Asking
from signoff_tui.state.inbox import Order, following
from signoff_tui.state.persistence import elsewhere, saved_by_digit
from signoff_tui.text.key_hints import BarRoom, saved_hints

__all__ = ["ORDER_WORDS", "ListingKeys"]

ORDER_WORDS: dict[Order, str] = {"arrival": "oldest first", "risk": "by risk", "agent": "by agent"}


class ListingKeys:
    """One method per action that changes the list, named ``do_`` and the action's name."""

    def __init__(self, face: Face) -> None:
        self._face = face

    def do_tag(self) -> None:
        """Tag the request, or all that waits of the group; again: untag. From a request to the next row."""
        face, inbox, tags = self._face, self._face.desk.inbox, self._face.desk.tags
        entry, group = inbox.focused_request(), inbox.focused_group()
        if entry is None:
            tagged = tags.toggle(() if group is None else inbox.listed(group.key))
        else:
            tagged = tags.toggle((entry,))
        if tagged is None:
            face.say("only what waits can be tagged")
        else:
            them = "it" if len(tags) == 1 else "them"
            decides = f": [{face.desk.keys.shown('tagged')}] decides {them}" if tags else ""
            face.say(f"{len(tags)} tagged{decides}", token="muted")
            if entry is not None and face.views.now != "request":
                self.step_in_list(1)
        face.redraw()

    def do_untag_all(self) -> None:
        """Untag all."""
        count = len(self._face.desk.tags)
        self._face.desk.tags.clear()
        self._face.say(f"{count} untagged" if count else "nothing is tagged", token="muted")
        self._face.redraw()

    def do_tagged(self) -> None:
        """The next decision is about what is tagged; again: about the row under the cursor."""
        face, tags = self._face, self._face.desk.tags
        if not tags:
            face.say(f"nothing is tagged: {face.desk.keys.shown('tag')} tags", token="muted")
        tags.act(on=not tags.acting)
        face.redraw()

    def step_in_list(self, steps: int) -> None:
        """Move the cursor by rows of the list, or of the group that has the screen."""
        raise NotImplementedError

    def do_order(self) -> None:
        """Tidy: remove what ended, sort anew, ask the filter anew. If nothing of that is due: another order."""
        face, inbox = self._face, self._face.desk.inbox
        before = [row.key for row in inbox.rows()]
        count = face.desk.tidy()
        face.filtering.filter.settle()
        if count:
            face.say(f"{count} ended {'row' if count == 1 else 'rows'} removed; history keeps them", token="muted")
        elif [row.key for row in inbox.rows()] != before:
            face.say(f"the list is up to date, {ORDER_WORDS[inbox.order]}", token="muted")
        else:
            inbox.sort(following(inbox.order))
            again = f"{face.desk.keys.shown('order')} again: {ORDER_WORDS[following(inbox.order)]}"
            face.say(f"the list is sorted {ORDER_WORDS[inbox.order]}; {again}", token="muted")
        face.redraw()

    def do_filter(self) -> None:
        """Type a filter, with the list in view."""
        if self._face.views.now != "inbox":
            self._face.views.show("inbox")
        self._face.filtering.type()

    def do_saved(self) -> None:
        """Ask for the digit of a saved filter."""
        face = self._face
        face.filtering.use(
            face.filtering.filter.query.text
        )  # to undo this key undoes one filter, whichever digit follows
        saved = face.filtering.saved
        room = BarRoom(face.extent.columns, max(face.extent.action_rows - 1, 1))
        face.desk.guard.question_opened(frozenset(), frozenset(str(each.digit) for each in saved))
        question = f"List only{elsewhere(face.office.saved_filters, saved)}"
        face.open_bar(Asking(question, saved_hints(saved, room), "filter"))

    def choose_filter(self, key: str) -> None:
        """Put the saved filter of a digit in force."""
        face = self._face
        chosen = saved_by_digit(face.filtering.saved, key)
        if chosen is None:
            return
        face.desk.guard.sheet_closed()
        face.open_bar(None)
        agent = self._agent_here()
        if chosen.needs_agent and agent is None:
            face.say("no row here to take the agent from")
            return
        face.filtering.undo()
        self._list_only(chosen.text(agent or ""))

    def do_clear_filter(self) -> None:
        """List everything."""
        self._face.filtering.use("")
        self._face.say("everything is listed", token="muted")

    def do_only_agent(self) -> None:
        """List only what the agent under the cursor asks; again: all."""
        face = self._face
        text = only(face.filtering.filter.query, "agent", self._agent_here())
        if text is None:
            face.filtering.use(face.filtering.filter.query.text)  # to undo this key undoes nothing
            face.say("no row here to take the agent from")
        else:
            self._list_only(text)

    def _agent_here(self) -> str | None:
        """The agent under the cursor."""
        inbox = self._face.desk.inbox
        entry, group = inbox.focused_request(), inbox.focused_group()
        if entry is None and group is not None:
            entry = next(iter(inbox.listed(group.key)), None)
        return None if entry is None else entry.request.asked_by.name

    def _list_only(self, text: str) -> None:
        self._face.filtering.use(text)
        hidden = self._face.filtering.filter.hidden
        self._face.say(hidden_words(hidden, " by filter"), token="danger" if hidden.high else "muted")
