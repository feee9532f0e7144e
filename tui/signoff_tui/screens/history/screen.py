"""The history screen: records, newest first, filtered, with the content decided on. No key decides here."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from textual import events, on
from textual.app import ComposeResult

from signoff.filter import Filtered, FilterError, Query, last_hour_of, parse
from signoff.present.reveal import SafeText
from signoff.queue import HistoryRecord, QueueError
from signoff_tui.context import Office
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.history.data import (
    HistoryFacts,
    NotWrittenError,
    check_chain,
    count_lines,
    export,
    find_page,
    look_for_newer,
    look_for_values,
    offered_path,
    read_decided,
    read_facts,
    sizes_of_acts,
    viewpoint,
)
from signoff_tui.screens.history.listing import Item, Listing
from signoff_tui.screens.history.outcomes import Deciders, is_file, what
from signoff_tui.screens.history.pane import RecordPane
from signoff_tui.screens.history.rows import RecordRowStyle, counts_words, height, item_row
from signoff_tui.screens.list_beside_details import LIST_HANDLERS, ListBesideDetails, ListRows
from signoff_tui.screens.plain import News
from signoff_tui.state.persistence import usable
from signoff_tui.terminal.sequences import Copy
from signoff_tui.text.bars import Key, message_chunk
from signoff_tui.text.lines import Chunk, Line, chunk, crop, foreign, fullest, line, wrapped
from signoff_tui.text.look import look_of
from signoff_tui.widgets.document.highlight import highlight_blocks
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.filter_bar import FilterBar
from signoff_tui.widgets.path_bar import PathBar
from signoff_tui.widgets.row_list import RowList
from signoff_tui.workers import run_beside

__all__ = ["HistoryScreen"]

_HANDLERS: Handlers[HistoryScreen] = Handlers(LIST_HANDLERS)

LIST_SHARE = 0.49
"""The list's share of the width, beside the record."""

ENOUGH = 12
"""Cells of a filter that still tell it from others."""

_MEASURED = 40
"""Members of what ended together whose changed lines are counted."""

_SOON = 5
"""Rows before the end of the list from which older records are read."""

_KEYS = (
    ("open", "open"),
    ("saved", "saved filters"),
    ("copy", "copy"),
    ("agent_history", "this agent, last hour"),
    ("filter", "filter"),
    ("help", "keys"),
)
"""The actions of the bottom row, with their words."""


class HistoryScreen(ListBesideDetails):
    """Records, and beside them (or on Enter) the focused one with its content."""

    DEFAULT_CSS = "HistoryScreen RecordPane { height: 1fr; }"

    place = "history"
    tab = "History"
    handlers = _HANDLERS
    list_share = LIST_SHARE

    def __init__(self, office: Office, query: str = "") -> None:
        super().__init__(office, query)
        self._listing = Listing()
        self._listed: Query = parse("", Filtered.HISTORY)
        """The filter that made the list."""
        self._facts = HistoryFacts()
        self._values: Mapping[str, Iterable[str]] = {}
        self._changes: dict[int, str] = {}
        """Added and removed lines, by seq."""
        self._measuring: set[int] = set()
        self._loaded = False
        self._looking_back = False
        self._looked_at_end = 0
        """Number of listed records when the end was last near."""
        self._to_first = False
        """True if the cursor is to go to the first match when the list is there."""
        self._problem = ""

    def compose_details(self) -> ComposeResult:
        """Lay out the record."""
        yield RecordPane(id="record-pane")

    def compose_boxes(self) -> ComposeResult:
        """Lay out the boxes for a filter and for a place."""
        yield FilterBar(Filtered.HISTORY, self.existing, self._office.keep_filter, id="filter")
        yield PathBar(id="path")

    def on_mount(self) -> None:
        """Read the newest records that fit."""
        try:
            self.bar.use(self._query)
        except FilterError:
            self.bar.open(self._query)
        self.read()

    # -- keys -----------------------------------------------------------------------------------------------

    def takes_key(self, event: events.Key) -> bool:
        """Handle a key while a filter or a place is typed; False when it is for the text box."""
        return self.path_bar.takes_key(event) if self.path_bar.is_open else self.bar.takes_key(event)

    def takes_paste(self, _: events.Paste) -> bool:
        """Leave a paste to the box: it is text to look for, or a place."""
        return False

    @property
    def takes_clicks(self) -> bool:
        """True if a click may move the cursor now."""
        return super().takes_clicks and not (self.bar.is_open or self.path_bar.is_open)

    @_HANDLERS("back")
    def do_back(self) -> None:
        """Go from a record on the whole screen to the list, from a filter to all records, else one level back."""
        if not self._full and not self._query and self.bar.query_in_force.text:
            self.use("")
        else:
            super().do_back()

    @_HANDLERS("open")
    def open_row(self) -> None:
        """Open the record; a row that stands for several opens or closes its members."""
        item = self._listing.item
        if item is not None and item.heads and not self._full:
            self._set_open(open_=not self._listing.is_open(item))
        else:
            self.do_full()

    @_HANDLERS("expand")
    def do_expand(self) -> None:
        """List the members of what ended together."""
        self._set_open(open_=True)

    @_HANDLERS("collapse")
    def do_collapse(self) -> None:
        """Make one row of what ended together."""
        self._set_open(open_=False)

    def _set_open(self, *, open_: bool) -> None:
        if not self._full and self._listing.set_open(open_=open_):
            self._changed()

    @_HANDLERS("last")
    def do_last(self) -> None:
        """Go to the oldest record that is loaded, or to the last line, and look for older ones."""
        super().do_last()
        self._look_back()

    @_HANDLERS("details")
    def do_details(self) -> None:
        """Show all facts about the record, with a check of the chain; or its content again."""
        if self._listing.current is None:
            return
        self._full = self._full or not self.two_panes
        self._pane.show_details(details=not self._pane.details)
        if self._pane.details:
            self._pane.say_chain("checking the whole history")
            run_beside(self, self._check, group="check", exclusive=True)
        self.draw()

    @_HANDLERS("copy")
    def do_copy(self) -> None:
        """Put the command or path of the record into the clipboard, without its secrets."""
        record = self._listing.current
        if record is None:
            self.say("there is nothing to copy", "muted")
            return
        try:
            self._office.speak(Copy(what(record)))
        except ValueError as error:
            self.say(f"not copied: {error}", "warn")
        else:
            self.say("copied, if the terminal lets programs copy", "muted")

    @_HANDLERS("history")
    def do_history(self) -> None:
        """Show everything."""
        self.use("")

    @_HANDLERS("agent_history")
    def do_agent_history(self) -> None:
        """Show only the last hour of this agent."""
        agent = self._agent
        if agent is None:
            self.say("no record here to take the agent from", "warn")
        else:
            self.use(last_hour_of(agent))

    @_HANDLERS("filter")
    def do_filter(self) -> None:
        """Type a filter."""
        self._full = False
        self.bar.open()
        run_beside(self, self._collect, group="collect", exclusive=True)
        self.draw()

    @_HANDLERS("saved")
    def do_saved(self) -> None:
        """Choose a filter from the list."""
        self._full = False
        agent = self._agent
        self.bar.choose(usable(self._office.saved_filters, Filtered.HISTORY, agent), agent)
        run_beside(self, self._collect, group="collect", exclusive=True)
        self.draw()

    @_HANDLERS("export")
    def do_export(self) -> None:
        """Ask for the file to write the filtered records to."""
        self.path_bar.open(str(offered_path(self._office.now(), os.environ)))
        self.draw()

    # -- filters --------------------------------------------------------------------------------------------

    @property
    def path_bar(self) -> PathBar:
        """The box for the path of a file."""
        return self.query_one(PathBar)

    @property
    def bar(self) -> FilterBar:
        """The box for a filter."""
        return self.query_one(FilterBar)

    @property
    def _agent(self) -> str | None:
        current = self._listing.current
        return None if current is None else current.agent_name

    def use(self, text: str) -> None:
        """Put another filter in force."""
        try:
            self.bar.use(text)
        except FilterError as error:
            self.say(error.message, "warn")
        else:
            self._query = ""
            self.read()

    def existing(self) -> Mapping[str, Iterable[str]]:
        """Return values that the newest records have, whatever the filter keeps."""
        return self._values

    # -- moving and looking ---------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of lines of the list."""
        return len(self._listing.rows)

    @property
    def _pane(self) -> RecordPane:
        return self.query_one(RecordPane)

    def step(self, steps: int) -> None:
        """Move the cursor by so many records, or the lines of one that has the whole screen."""
        if self._full:
            self._pane.scroll_lines(steps)
        else:
            self._listing.step(steps)

    def go_to(self, index: int) -> None:
        """Put the cursor on the record of a line."""
        self._listing.move_to(self._listing.rows[index][0])

    def to_top(self) -> None:
        """Leave the record where it is: another one is shown from its first line."""

    def scroll_pages(self, pages: int) -> None:
        """Page through the record."""
        self._pane.scroll_pages(pages)

    @property
    def hidden_lines(self) -> int:
        """Always 0: a record may have any length, so the lines below are not counted."""
        return 0

    # -- reading --------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the newest records that the filter keeps, and forget what was asked before."""
        self._looking_back = False
        run_beside(self, partial(self._list, self.bar.query_in_force), group="load", exclusive=True)
        self.draw()

    async def _list(self, query: Query) -> None:
        try:
            facts = await self._office.ask(read_facts)
            found = await find_page(self._office, query, facts.head + 1)
        except QueueError as error:
            self._fail(f"the history cannot be read: {error}")
            return
        self._listed, self._facts = query, facts
        self._loaded, self._problem, self._looked_at_end = True, "", 0
        self._listing.show(found, whole=query.expression is None)
        if self._to_first:
            self._to_first = False
            self._listing.move_to(0)
        self._changed()
        self._want_sizes(query, found.records)

    def _look_back(self) -> None:
        """Read older records, unless that is going on, or there are none."""
        if self._listing.more and not self._looking_back:
            self._looking_back = True
            run_beside(self, self._list_older, group="load", exclusive=True)

    async def _list_older(self) -> None:
        query = self._listed
        try:
            found = await find_page(self._office, query, self._listing.looked_to)
        except QueueError as error:
            self._fail(f"older records cannot be read: {error}")
            return
        self._looking_back = False
        if query is self._listed:
            self._listing.add_older(found)
            self._changed()
            self._want_sizes(query, found.records)

    def _fail(self, problem: str) -> None:
        self._looking_back = False
        self._problem = problem
        self.say(problem, "danger")

    def take_news(self, news: News) -> None:
        """Look for new records."""
        if not news.problem:
            if self._problem or not self._loaded:
                self.read()
            else:
                run_beside(self, self._list_newer, group="fresh", exclusive=True)
        self.draw()

    async def _list_newer(self) -> None:
        query, view = self._listed, viewpoint(self._office)
        try:
            newer = await self._office.ask(partial(look_for_newer, query=query, view=view, known=self._facts))
        except QueueError:
            return  # whoever brought the news brings these too
        if query is self._listed:
            records = [record for record in newer.records if record.seq > self._facts.head]
            self._facts = newer.facts
            self._listing.add_newer(records)
            self._changed()
            self._want_sizes(query, newer.records)

    def _want_sizes(self, query: Query, records: Sequence[HistoryRecord]) -> None:
        """Count, in the background, all records that ended together with these, listed or not."""
        if records:
            run_beside(self, partial(self._count, query, records), group="sizes")

    async def _count(self, query: Query, records: Sequence[HistoryRecord]) -> None:
        with contextlib.suppress(QueueError):  # then it is told how many are listed, and no more
            sizes = await self._office.ask(partial(sizes_of_acts, records=records))
            if query is self._listed and self._listing.add_sizes(sizes):
                self._changed()

    async def _collect(self) -> None:
        with contextlib.suppress(QueueError):  # then there is nothing to choose from
            self._values = await self._office.ask(look_for_values)

    async def _measure(self, records: Sequence[HistoryRecord]) -> None:
        for record in records:
            self._changes[record.seq] = await count_lines(self._office, record)
            self.draw()

    async def _check(self) -> None:
        words = await check_chain(self._office)
        if self.stands:
            self._pane.say_chain(words)

    @on(RecordPane.ContentWanted)
    def _content_wanted(self, event: RecordPane.ContentWanted) -> None:
        run_beside(self, partial(self._read, event.record, event.request_id), group="show", exclusive=True)

    async def _read(self, record: HistoryRecord, request_id: str) -> None:
        async for decided in read_decided(self._office, record, request_id):
            if self.stands:
                self._pane.take_content(record, decided)

    @on(DocumentView.ColorsWanted)
    def _colors_wanted(self, event: DocumentView.ColorsWanted) -> None:
        run_beside(self, partial(self._color, event), group="colors")

    async def _color(self, wanted: DocumentView.ColorsWanted) -> None:
        spans = await self._office.compute(highlight_blocks, wanted.blocks)
        if self.stands:
            self._pane.take_colors(DocumentView.Colored(wanted, spans))

    @on(PathBar.Chosen)
    def _path_chosen(self, event: PathBar.Chosen) -> None:
        run_beside(
            self, partial(self._export, self.bar.query_in_force, event.path), group="export", exclusive=True
        )

    async def _export(self, query: Query, typed: str) -> None:
        try:
            count, path = await export(self._office, query, typed)
        except NotWrittenError as error:
            if self.path_bar.is_open:
                self.path_bar.refuse(str(error))
            else:
                self.say(str(error), "danger")
            return
        if self.path_bar.is_open:
            self.path_bar.close()
        self.say(f"{count} {'record' if count == 1 else 'records'} written, secrets hidden: {path}", "ok")

    @on(PathBar.Dismissed)
    def _path_left(self) -> None:
        self.draw()

    @on(FilterBar.Applied)
    def _filter_applied(self) -> None:
        self._query = ""
        self.read()

    @on(FilterBar.Closed)
    def _filter_closed(self, event: FilterBar.Closed) -> None:
        if event.kept:
            self._to_first = self._listed is not self.bar.query_in_force
            self._listing.move_to(0)
        self.draw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._changed()

    # -- drawing --------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Lay out the rows anew."""
        if self.stands:
            self._listing.lay_out(height)
            self.draw()

    def draw(self) -> None:
        """Draw everything."""
        self._cursor = self._listing.cursor_row or 0
        super().draw()

    @property
    def _style(self) -> RecordRowStyle:
        deciders = Deciders(self._office.reviewer, self._facts.grants)
        return RecordRowStyle(look_of(self).glyphs, self._office.now(), deciders, self._changes)

    def rows(self, width: int) -> ListRows:
        """Return the rows of the records."""
        listing, style = self._listing, self._style
        rows, items = listing.rows, listing.items  # as they are now: a row may be painted after others came

        def row(index: int, cells: int) -> Sequence[Line]:
            at, part = rows[index]
            item = items[at]
            opened = listing.is_open(item)
            return item_row(item, style, cells, focused=at == listing.index, opened=opened)[part : part + 1]

        missing = self._facts.missing
        words = wrapped(f"-- {missing} --", width, "danger", head=chunk(" ", keep=True)) if missing else []
        return ListRows(row, heading=words)

    def draw_details(self, width: int) -> None:
        """Draw the record."""
        item = self._listing.item
        if item is not None and self.details_visible:
            self._pane.show(item, self._style, self._facts.agents)
        visible = self.query_one(RowList).visible_rows
        near = bool(self.row_count) and visible.stop > self.row_count - _SOON
        if near and self._looked_at_end != len(self._listing.records):  # once for each end
            self._looked_at_end = len(self._listing.records)
            self._look_back()
        on_screen = dict.fromkeys(at for at, _ in self._listing.rows[visible.start : visible.stop])
        self._want_changes([self._listing.items[at] for at in on_screen])

    def _want_changes(self, items: Sequence[Item]) -> None:
        """Count the lines that the listed calls change, unless that is going on."""
        focused = self._listing.item
        several = focused.together.as_asked[:_MEASURED] if focused and focused.heads and focused.together else ()
        records = [*(item.record for item in items), *several]
        wanted = [
            record
            for record in records
            if record.request_id is not None and record.seq not in self._changes and is_file(record)
        ]
        seqs = {record.seq for record in wanted}
        if seqs - self._measuring:
            self._measuring = seqs
            run_beside(self, partial(self._measure, wanted), group="measure", exclusive=True)

    def empty_lines(self, width: int) -> Sequence[Line]:
        """Return the words in the place of an empty list."""
        head = chunk(" ", keep=True)
        if self._problem:
            return [Line(), *wrapped(self._problem, width, "danger", head=head)]
        if not self._loaded:
            return [Line(), line(chunk(" reading the history", "muted"))]
        if self._listing.more:
            words = "Nothing matches in what was looked at so far; G looks further back."
        elif self._listed.expression is not None:
            words = "Nothing matches." if self._query else "Nothing matches. Esc clears the filter."
        else:
            words = "Nothing was decided yet."
        return [Line(), *wrapped(words, width, "muted", head=head)]

    def special_line(self, width: int) -> Line:
        """Return a message, else the filter, the number of records it keeps, and their outcomes."""
        listing, first = self._listing, self._office.keys.shown("first", place="history")
        newer = (chunk(f" {listing.arrived} newer: {first} ", "accent", keep=True),) if listing.arrived else ()
        if self._said.text:
            return Line((message_chunk(self._said),), newer)
        if not self._loaded or not (self._facts.total or self._listed.text):
            return Line()
        kept, total = f"{len(listing.records):,}", f"{self._facts.total:,}"
        text = foreign(self._listed.text).text.text
        if self._listed.text:
            counted = f"{kept}{'+' if listing.more else ''} of {total}"
        elif listing.more:
            counted = f"newest {kept} of {total}"
        else:
            counted = f"{total} {'record' if total == '1' else 'records'}"
        ended = counts_words(listing.records, self._style.deciders) if listing.records else []
        told = [f"{counted}: {', '.join(ended[:parts])}" for parts in range(len(ended), 0, -1)] + [counted]
        short = crop(text, max(width // 2, ENOUGH), "end", ellipsis=look_of(self).glyphs.ellipsis)
        named = (Chunk(SafeText(f" {short}  "), "accent", keep=True),) if text else ()
        lines = [Line((*named, chunk(f" {words}", "muted", keep=True)), newer) for words in told]
        return fullest(lines, width)

    def bar_keys(self) -> Sequence[Key]:
        """The keys of the bottom row."""
        if self.bar.is_open or self.path_bar.is_open:
            return ()
        keys, there = self._office.keys, self._listing.item is not None
        live = {"open": there, "copy": there, "agent_history": there}
        return [Key(keys.shown(name, place="history"), words, live.get(name, True), name) for name, words in _KEYS]
