"""What the inbox lists: the filter, the bar in which it is typed, and how the list was left before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual import events

from signoff.filter import Filtered, FilterError, Query, SavedFilter, Viewpoint
from signoff_tui.screens.review.filter_lines import hidden_words, only_listed
from signoff_tui.screens.review.seeking import first_waiting
from signoff_tui.state.inbox_filter import InboxFilter
from signoff_tui.state.persistence import ListState, state_of, usable

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.state.session import ReviewSession

__all__ = ["Filtering", "Sought"]


class Sought(NamedTuple):
    """What another screen wanted to be listed: the filter, and which screen."""

    query: str
    came_from: str


class Filtering:
    """Puts filters in force.

    Args:
        screen: Where the list and the bar are.
        desk: What there is to list.
        office: Says when and by whom it is asked.
    """

    def __init__(self, screen: ReviewScreen, desk: ReviewSession, office: Office) -> None:
        self._screen = screen
        self._desk = desk
        self._office = office
        self._left_as: ListState | None = None
        self._sought: Sought | None = None
        self.filter = InboxFilter(desk, self._viewpoint)
        """What is listed."""

    # -- one in force --------------------------------------------------------------------------------------

    def use(self, text: str) -> None:
        """Put a filter in force that needs no typing.

        Raises:
            FilterError: It is not valid; the last one stays.
        """
        bar = self._screen.filter_bar
        bar.use(text)
        self.take(bar.query_in_force)

    def take(self, query: Query) -> None:
        """Put in force what was typed."""
        self.filter.use(query)
        self._screen.redraw()

    def undo(self) -> None:
        """Put the filter in force that was before the last one."""
        self.filter.undo()
        self._screen.filter_bar.use(self.filter.query.text)

    def seek(self, query: str, came_from: str) -> None:
        """List what a filter keeps, with the cursor on the first of it that waits; else say why not.

        Args:
            query: The filter.
            came_from: Which screen wants that; Esc leads back to it while the filter is in force.
        """
        screen = self._screen
        try:
            key = first_waiting(self._desk, query, self._viewpoint())
        except FilterError as error:
            screen.say(f"not found: {error}")
            return
        if key is None or not screen.pressing.moves_allowed:
            screen.say("nothing of it waits any more" if key is None else "answer or close what is open first")
            return
        screen.views.show("inbox")
        self.use(query)
        self._sought = Sought(query, came_from)
        self._desk.inbox.move_to(key)
        screen.redraw()
        screen.say(only_listed(self._desk.keys), token="muted")

    @property
    def sought(self) -> Sought | None:
        """What another screen wanted to be listed; None once something else is listed."""
        sought = self._sought
        return sought if sought is not None and sought.query == self.filter.query.text else None

    @property
    def saved(self) -> Sequence[SavedFilter]:
        """The filters under a digit."""
        return usable(self._office.saved_filters, Filtered.INBOX)

    # -- typing --------------------------------------------------------------------------------------------

    def type(self) -> None:
        """Let somebody type a filter."""
        self._desk.guard.editor_opened()
        self.filter.typing(begins=True)
        self._screen.filter_bar.open()
        self._screen.redraw()

    def takes_key(self, event: events.Key) -> bool:
        """Keys while a filter is typed; False when the key is for its text box."""
        bar = self._screen.filter_bar
        if event.key in {"up", "down"}:
            self._desk.inbox.move(1 if event.key == "down" else -1)
            self._screen.redraw()
            return True
        taken = bar.takes_key(event)
        if not bar.is_open:
            self.filter.typing(begins=False)
            self._desk.guard.editor_closed()
            self._screen.redraw()
        return taken

    # -- how it was left -----------------------------------------------------------------------------------

    def goes_on_from(self, state: ListState) -> None:
        """Show the list as it was left before, once there is one."""
        self._left_as = state

    @property
    def state(self) -> ListState:
        """How the list is now; as it was left before, if it was not shown again yet."""
        return self._left_as or state_of(self._desk.inbox, self.filter.query.text)

    def show_as_left(self) -> None:
        """Once: nobody has seen the list yet, so nothing moves under a hand."""
        state, self._left_as = self._left_as, None
        if state is not None:
            self._desk.inbox.cursor = None  # nobody stands on a row that the filter would have to list
            self._filter_as_left(state.filter)
            state.applies_to(self._desk.inbox)

    def _filter_as_left(self, words: str) -> None:
        try:
            self.use(words)
        except FilterError:
            self._screen.say("everything is listed: the filter from before is not valid any more")
            return
        if words:
            hidden, key = self.filter.hidden, self._desk.keys.shown("clear_filter")
            said = f"filtered as you left it: {hidden_words(hidden)}; {key} lists all"
            self._screen.say(said, token="danger" if hidden.high else "muted")

    def _viewpoint(self) -> Viewpoint:
        return Viewpoint(self._office.now(), self._office.reviewer)
