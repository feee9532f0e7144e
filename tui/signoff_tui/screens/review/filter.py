"""The filter of the inbox: the bar in which it is typed, what another screen wants listed, and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from textual import events

from signoff.filter import Filtered, FilterError, Query, Viewpoint, parse
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.inbox_filter import Hidden, InboxFilter, InboxSubjects
from signoff_tui.state.persistence import ListState, state_of, usable
from signoff_tui.text.lines import Chunk, Line, chunk, foreign, line, wrapped

if TYPE_CHECKING:
    from signoff_tui.context import Office
    from signoff_tui.screens.review.screen import ReviewScreen
    from signoff_tui.state.session import ReviewSession

__all__ = ["Filtering", "Sought", "filter_line", "first_waiting", "nothing_listed"]


class Sought(NamedTuple):
    """A filter that another screen put in force, and the name of that screen."""

    query: str
    came_from: str


class Filtering:
    """Puts filters in force.

    Args:
        screen: Has the list and the bar.
        desk: The session.
        office: Says when and by whom it is asked.
    """

    def __init__(self, screen: ReviewScreen, desk: ReviewSession, office: Office) -> None:
        self._screen = screen
        self._desk = desk
        self._office = office
        self._left_as: ListState | None = None
        self._sought: Sought | None = None
        self.filter = InboxFilter(desk, self._viewpoint)
        """The filter in force."""

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
        """Put a typed filter in force."""
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
            came_from: The screen that wants that; Esc leads back to it while the filter is in force.
        """
        screen = self._screen
        try:
            key = first_waiting(self._desk, query, self._viewpoint())
        except FilterError as error:
            screen.say(f"not found: {error}")
            return
        if key is None or not screen.moves_allowed:
            screen.say("nothing of it waits any more" if key is None else "answer or close what is open first")
            return
        screen.open_content(on=False)
        self.use(query)
        self._sought = Sought(query, came_from)
        self._desk.inbox.move_to(key)
        screen.redraw()
        screen.say("only its requests are listed; Esc leads back", token="muted")

    @property
    def sought(self) -> Sought | None:
        """The filter that another screen put in force; None once another one is."""
        sought = self._sought
        return sought if sought is not None and sought.query == self.filter.query.text else None

    # -- typing --------------------------------------------------------------------------------------------

    def type(self) -> None:
        """Let somebody type a filter."""
        self._desk.guard.editor_opened()
        self.filter.typing(begins=True)
        self._screen.filter_bar.open()
        self._screen.redraw()

    def choose(self, agent: str | None) -> None:
        """Let somebody choose a filter from the list."""
        self.type()
        self._screen.filter_bar.choose(usable(self._office.saved_filters, Filtered.INBOX, agent), agent)

    def takes_key(self, event: events.Key) -> bool:
        """Take a key while a filter is typed; False when it is for the text box."""
        bar = self._screen.filter_bar
        taken = bar.takes_key(event)
        if not bar.is_open:
            self.take(bar.query_in_force)
            self.filter.typing(begins=False)
            self._desk.guard.editor_closed()
            if event.key == "enter" and self.filter.in_force:
                self._go_to_first_match()
            self._screen.redraw()
        return taken

    def _go_to_first_match(self) -> None:
        key = first_waiting(self._desk, self.filter.query.text, self._viewpoint())
        if key is not None:
            self._desk.inbox.move_to(key)

    # -- how the list was left -----------------------------------------------------------------------------

    def goes_on_from(self, state: ListState) -> None:
        """Show the list as it was left before, once there is one."""
        self._left_as = state

    @property
    def state(self) -> ListState:
        """The state of the list; as it was left before, if it was not shown again yet."""
        return self._left_as or state_of(self._desk.inbox, self._screen.border)

    def show_as_left(self) -> None:
        """Restore the list, once: nobody has seen it yet, so nothing moves under a hand."""
        state, self._left_as = self._left_as, None
        if state is not None:
            state.applies_to(self._desk.inbox)
            self._screen.border.update(state.borders)

    def _viewpoint(self) -> Viewpoint:
        return Viewpoint(self._office.now(), self._office.reviewer)


def first_waiting(desk: ReviewSession, query: str, view: Viewpoint) -> RowKey | None:
    """Return the first request in the list that waits and that a filter keeps; a held one if no other waits.

    Raises:
        FilterError: The filter cannot be used.
    """
    test = parse(query, Filtered.INBOX).test(view)
    subjects = InboxSubjects(desk)
    kept = [entry for entry in _listed(desk) if entry.request.pending and test(subjects.subject(entry))]
    found = next((entry for entry in kept if entry.waiting), kept[0] if kept else None)
    return None if found is None else RowKey("request", found.id)


def _listed(desk: ReviewSession) -> Iterator[Entry]:
    """Yield all requests in the list's order, those of a closed group where its row is; then the hidden ones."""
    yield from (entry for row in desk.inbox.rows() for entry in desk.inbox.stands_for(row.key))
    yield from desk.inbox.hidden()


# -- What the list says of a filter: how much passes, and how much of what waits it hides. HIGH is never hidden.

LEAST_TEXT = 12
"""Cells that tell which filter it is."""


def filter_line(text: str, hidden: Hidden, listed: int, total: int, width: int, *, strays: bool = False) -> Line:
    """Return the line about the hidden requests, the filter, and the key that ends it; the first is never cut.

    Args:
        text: The filter.
        hidden: The requests that it hides.
        listed: The number of requests that it lists.
        total: The number of all.
        width: Cells.
        strays: True if the row under the cursor is listed although it does not match.
    """
    token = "warn" if hidden.waiting else "muted"
    found = f"{listed} of {total} match" if hidden.matches else "nothing matches"
    stays = "; the focused one stays" if strays else ""
    clears = (chunk("  Esc", "key", keep=True), chunk(" clears ", keep=True))
    words = chunk(f" {found}{stays}", token, keep=True)
    by = Chunk(foreign(f"  {text}").text, cut="end", enough=LEAST_TEXT)
    fitting = [line(words, by, right=clears), line(words, right=clears)]
    return next((each for each in fitting if each.needed <= width), line(words, right=clears[:1]))


def nothing_listed(hidden: Hidden, width: int) -> tuple[Line, ...]:
    """Return the words in the place of an empty list while a filter is in force."""
    words = f"{hidden.waiting} waiting hidden. Esc clears the filter."
    return (
        Line(),
        line(chunk("   No rows match.", "strong")),
        *wrapped(words, width, "warn", head=chunk("   ", keep=True)),
    )
