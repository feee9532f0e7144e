"""The keys of the memory that change what is listed, and the list that the cursor is in."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult

from signoff.filter import Filtered, FilterError, SavedFilter, Viewpoint
from signoff_tui.context import Office
from signoff_tui.screens.list_beside_details import ListBesideDetails
from signoff_tui.screens.memory.asking import LIST, Asking
from signoff_tui.screens.memory.entries import Entry
from signoff_tui.screens.memory.face import Said
from signoff_tui.screens.memory.filtering import Listing
from signoff_tui.state.persistence import saved_by_digit, usable
from signoff_tui.state.session import ReviewSession
from signoff_tui.widgets.filter_bar import FilterBar

__all__ = ["FilterKeys"]


class FilterKeys(ListBesideDetails):
    """Puts other filters in force, unless something is asked; what can be done about a row is left to the screen.

    Args:
        office: What all screens share.
        query: What the screen picks.
        desk: The times of the guard.
    """

    def __init__(self, office: Office, query: str, desk: ReviewSession) -> None:
        super().__init__(office, query)
        self._asking = Asking(desk.settings, office.keys)
        self._listing = Listing(lambda: Viewpoint(office.now(), office.reviewer))
        self._said = Said()
        self._choosing = False
        """Whether the next digit chooses a saved filter."""

    def compose(self) -> ComposeResult:
        """Lay out the parts, and below them the bar for a filter."""
        yield from super().compose()
        yield FilterBar(Filtered.MEMORY, self._listing.values, self._office.keep_filter, id="filter")

    @property
    def row_count(self) -> int:
        """Number of remembered approvals."""
        return len(self._listing.entries)

    @property
    def _focused(self) -> Entry | None:
        entries = self._listing.entries
        return entries[self._cursor] if entries else None

    def go_to(self, index: int) -> None:
        """Put the cursor on a row; the one that it leaves stays only if the filter keeps it."""
        before = self._focused
        super().go_to(index)
        after = self._focused
        if before is not None and after is not None and before is not after:
            self._listing.left(before)
            self._cursor = self._listing.entries.index(after)

    @property
    def bar(self) -> FilterBar:
        """Where the filter is typed."""
        return self.query_one(FilterBar)

    def do_filter(self) -> None:
        """Type a filter."""
        if not self._asking.is_open:
            self.bar.open()

    def do_clear_filter(self) -> None:
        """List everything."""
        if not self._asking.is_open:
            self._use_filter("")

    def do_saved(self) -> None:
        """Choose a saved filter by its digit."""
        self._choosing = not self._asking.is_open

    def takes_key(self, event: events.Key) -> bool:
        """Keys while a filter is typed; False when the key is for the text box."""
        if event.key in {"up", "down"}:
            self.step(1 if event.key == "down" else -1)
            self.draw()
            return True
        return self.bar.takes_key(event)

    def takes_paste(self, _: events.Paste) -> bool:
        """Pasted text is text to look for."""
        return False

    @on(FilterBar.Applied)
    def _filter_applied(self, event: FilterBar.Applied) -> None:
        focused = self._focused
        self._asking.deliberate.gone(LIST)  # what a key would act on stands in another list now
        self._listing.use(event.query, focused)
        self._cursor = 0 if focused is None else self._listing.entries.index(focused)
        self.moved()
        self.draw()

    @on(FilterBar.Closed)
    def _filter_closed(self) -> None:
        self.draw()

    @property
    def _saved(self) -> Sequence[SavedFilter]:
        return usable(self._office.saved_filters, Filtered.MEMORY)

    def _choose_filter(self, key: str) -> None:
        chosen, focused = saved_by_digit(self._saved, key), self._focused
        if chosen is not None and chosen.needs_agent and focused is None:
            self._say("no row here to take the agent from", "warn")
        elif chosen is not None:
            self._use_filter(chosen.text("" if focused is None else focused.grant.agent_name))

    def _use_filter(self, text: str) -> None:
        try:
            self.bar.use(text)
        except FilterError as error:
            self._say(error.message, "warn")
        else:
            self._filter_applied(FilterBar.Applied(self.bar.query_in_force))

    def tell(self, words: str) -> None:
        """Say what became of the last key."""
        self._say(words)

    def _say(self, words: str, token: str = "muted") -> None:
        self._said = Said(words, token)
