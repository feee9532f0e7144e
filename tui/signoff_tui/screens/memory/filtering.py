"""Which remembered approvals are listed: those that a filter keeps, in the language of inbox and history.

What is listed stays listed until the person asks for another list: rows do not leave under the hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from signoff.filter import Filtered, Query, Viewpoint, existing_values, of_grant, parse
from signoff_tui.screens.memory.entries import Entry, merged

__all__ = ["Listing"]


class Listing:
    """All that was read, and what of it is listed.

    Args:
        view: When and by whom the filter is asked.
    """

    def __init__(self, view: Callable[[], Viewpoint]) -> None:
        self._view = view
        self._all: list[Entry] = []
        self.query = parse("", Filtered.MEMORY)
        """The filter that is in force."""
        self.entries: list[Entry] = []
        """What is listed."""

    @property
    def filtered(self) -> bool:
        """Whether anything is asked for."""
        return self.query.expression is not None

    @property
    def all(self) -> Sequence[Entry]:
        """All that was read, in its order."""
        return self._all

    @property
    def hidden(self) -> int:
        """How many that are in force are not listed."""
        listed = {entry.grant.id for entry in self.entries}
        return sum(entry.in_force for entry in self._all if entry.grant.id not in listed)

    def read(self, entries: Iterable[Entry]) -> None:
        """Take over what was read now."""
        self._all = merged(self._all, tuple(entries))
        listed = {entry.grant.id for entry in self.entries}
        keeps = self._test()
        self.entries = [entry for entry in self._all if entry.grant.id in listed or keeps(entry)]

    def use(self, query: Query, staying: Entry | None) -> None:
        """Put another filter in force.

        Args:
            query: The filter.
            staying: What stays listed whatever the filter says: the focused one.
        """
        self.query = query
        keeps = self._test()
        stays = None if staying is None else staying.grant.id
        self.entries = [entry for entry in self._all if entry.grant.id == stays or keeps(entry)]

    def left(self, entry: Entry) -> None:
        """The cursor has left one: it stays listed only if the filter keeps it."""
        if self.filtered and not self._test()(entry):
            self.entries = [each for each in self.entries if each.grant.id != entry.grant.id]

    def values(self) -> Mapping[str, Iterable[str]]:
        """Values that a filter could ask for, by the name of their field."""
        return existing_values(of_grant(entry.grant) for entry in self._all)

    def _test(self) -> Callable[[Entry], bool]:
        test = self.query.test(self._view())
        return lambda entry: test(of_grant(entry.grant))
