"""The keys of the history that change what is listed, and those that write it into a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from textual import events, on

from signoff.filter import Filtered, FilterError, SavedFilter, last_hour_of
from signoff.present.reveal import reveal
from signoff_tui.context import Office
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.history.export import offered_path
from signoff_tui.screens.history.listing import Listing
from signoff_tui.screens.history.ranges import next_range, of_one_agent
from signoff_tui.screens.history.work import Collected, Exported, Work
from signoff_tui.screens.plain import PLAIN_HANDLERS, PlainScreen
from signoff_tui.state.persistence import saved_by_digit, usable
from signoff_tui.text.lines import Chunk, chunk, foreign, line
from signoff_tui.widgets.filter_bar import FilterBar
from signoff_tui.widgets.path_bar import PathBar

__all__ = ["FILTER_HANDLERS", "FilterKeys"]

FILTER_HANDLERS: Handlers[FilterKeys] = Handlers(PLAIN_HANDLERS)

_MOVES = {"up": "up", "down": "down", "pageup": "page_up", "pagedown": "page_down"}
"""What moves the list while a filter is typed."""


class FilterKeys(PlainScreen):
    """Puts other filters in force; what is listed and how it is drawn is the business of the screen."""

    handlers: ClassVar[Handlers[Any]] = FILTER_HANDLERS

    def __init__(self, office: Office, query: str = "") -> None:
        super().__init__(office, query)
        self._work = Work(self, office)
        self._listing = Listing()
        self._values: Mapping[str, Iterable[str]] = {}
        self._choosing = False
        """Whether the next digit chooses a saved filter."""
        self._said = line()

    @property
    def path_bar(self) -> PathBar:
        """Where the place of a file is typed."""
        return self.query_one(PathBar)

    @property
    def bar(self) -> FilterBar:
        """Where the filter is typed."""
        return self.query_one(FilterBar)

    def draw(self) -> None:
        """Draw everything."""
        raise NotImplementedError

    def read(self) -> None:
        """Read what the filter keeps."""
        raise NotImplementedError

    def on_key(self, event: events.Key) -> None:
        """Take the digit of a saved filter; all other keys are in the table."""
        self._said = line()
        if not self._choosing:
            return
        event.stop()
        event.prevent_default()
        self._choosing = False
        chosen = saved_by_digit(self.saved, event.character)
        current = self._listing.current
        if chosen is not None and chosen.needs_agent and current is None:
            self.say("no record here to take the agent from", "warn")
        elif chosen is not None:
            self.use(chosen.text(current.agent_name if current is not None else ""))
        self.draw()

    @property
    def saved(self) -> Sequence[SavedFilter]:
        """The filters under a digit."""
        return usable(self._office.saved_filters, Filtered.HISTORY)

    def takes_key(self, event: events.Key) -> bool:
        """Keys while a filter or a place is typed; False when the key is for the text box."""
        if self.path_bar.is_open:
            return self.path_bar.takes_key(event)
        move = _MOVES.get(event.key)
        if move is None:
            return self.bar.takes_key(event)
        self.handlers.do(move, self)
        return True

    def takes_paste(self, _: events.Paste) -> bool:
        """Pasted text is text to look for, or a place."""
        return False

    @FILTER_HANDLERS("history")
    def do_history(self) -> None:
        """Show everything."""
        self.use("")

    @FILTER_HANDLERS("agent_history")
    def do_agent_history(self) -> None:
        """Only the last hour of this agent."""
        current = self._listing.current
        if current is None:
            self.say("no record here to take the agent from", "warn")
        else:
            self.use(last_hour_of(current.agent_name))

    @FILTER_HANDLERS("filter")
    def do_filter(self) -> None:
        """Type a filter."""
        self.bar.open()
        self._work.collect()
        self.draw()

    @FILTER_HANDLERS("clear_filter")
    def do_clear_filter(self) -> None:
        """Show everything."""
        self.use("")

    @FILTER_HANDLERS("saved")
    def do_saved(self) -> None:
        """Choose a saved filter by its digit."""
        self._choosing = True
        self.draw()

    @FILTER_HANDLERS("only_agent")
    def do_only_agent(self) -> None:
        """Only this agent; again: all."""
        text = of_one_agent(self.bar.query_in_force, self._listing.current)
        if text is None:
            self.say("no record here to take the agent from", "warn")
        else:
            self.use(text)

    @FILTER_HANDLERS("range")
    def do_range(self) -> None:
        """Another range."""
        self.use(next_range(self.bar.query_in_force, self._listing.current))

    @FILTER_HANDLERS("export")
    def do_export(self) -> None:
        """Ask where what the filter keeps is to be written."""
        self.path_bar.open(str(offered_path(self._office.now(), os.environ)))
        self.draw()

    @on(PathBar.Chosen)
    def _write(self, event: PathBar.Chosen) -> None:
        self._work.export(self.bar.query_in_force, event.path)

    @on(PathBar.Dismissed)
    def _path_left(self) -> None:
        self.draw()

    @on(Exported)
    def _take_export(self, event: Exported) -> None:
        if event.problem:
            self._refuse_export(event.problem)
            return
        if self.path_bar.is_open:
            self.path_bar.close()
        records = "record" if event.records == 1 else "records"
        # The folder gives way before the name of the file does.
        path = Chunk(reveal(event.path, "path"), "ok", cut="front")
        self._said = line(chunk(f" {event.records} {records} written, secrets hidden: ", "ok", keep=True), path)
        self.draw()

    def _refuse_export(self, problem: str) -> None:
        if self.path_bar.is_open:
            self.path_bar.refuse(problem)
        else:
            self.say(problem, "danger")

    def use(self, text: str) -> None:
        """Put another filter in force."""
        try:
            self.bar.use(text)
        except FilterError as error:
            self.say(error.message, "warn")
        else:
            self.read()

    def existing(self) -> Mapping[str, Iterable[str]]:
        """Values that the newest records have, whatever the filter keeps."""
        return self._values

    @on(Collected)
    def _take_values(self, event: Collected) -> None:
        self._values = event.values

    def say(self, words: str, token: str) -> None:
        """Say something in the last row, until the next key."""
        self._said = line(foreign(f" {words}", token))
        self.draw()
