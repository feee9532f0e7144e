"""The history: newest first, filtered, with what was decided on. Nothing decides here."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal

from signoff.filter import Filtered, FilterError, Query, parse
from signoff_tui.context import Office
from signoff_tui.input.handlers import Handlers
from signoff_tui.screens.history.face import Keys, empty_lines, foot_lines, title_line
from signoff_tui.screens.history.filter_keys import FILTER_HANDLERS, FilterKeys
from signoff_tui.screens.history.lines import totals
from signoff_tui.screens.history.list_pane import ListPane
from signoff_tui.screens.history.looking import Around
from signoff_tui.screens.history.pane import RecordPane
from signoff_tui.screens.history.wording import Deciders
from signoff_tui.screens.history.work import Checked, Failed, Fresh, Listed, Older, Read, Sized
from signoff_tui.screens.list_beside_details import FAR, TWO_PANES
from signoff_tui.screens.plain import News
from signoff_tui.text.key_hints import BarRoom
from signoff_tui.text.lines import Line, chunk, rule
from signoff_tui.text.look import look_of
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.document.view import DocumentView
from signoff_tui.widgets.filter_bar import FilterBar
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.path_bar import PathBar

__all__ = ["HistoryScreen"]

_HANDLERS: Handlers[HistoryScreen] = Handlers(FILTER_HANDLERS)

WIDE_ENOUGH, HIGH_ENOUGH = 80, 20
"""From this many cells on, two rows are enough for the keys; from this many rows on, they have more than one."""


class HistoryScreen(FilterKeys):
    """Records, and beside them (or on Enter) the focused one with its content."""

    CSS_PATH = "screen.tcss"
    place = "history"
    handlers = _HANDLERS

    def __init__(self, office: Office, query: str = "") -> None:
        super().__init__(office, query)
        self._listed: Query = parse("", Filtered.HISTORY)
        """The filter that made the list."""
        self._around = Around()
        self._opened = False
        self._loaded = False
        self._looking_back = False
        self._connected = True
        self._problem = ""

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="title")
        with Horizontal():
            yield ListPane(self._listing, id="list-pane")
            yield Divider(id="divider")
            yield RecordPane(id="record-pane")
        yield LinesView(id="rule")
        yield FilterBar(Filtered.HISTORY, self.existing, self._office.keep_filter, id="filter")
        yield LinesView(id="foot")
        yield PathBar(id="path")

    def on_mount(self) -> None:
        """Read the newest records that fit."""
        self._lay_out()
        try:
            self.bar.use(self._query)
        except FilterError:
            self.bar.open(self._query)
        self.read()

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self.draw()

    # -- keys -----------------------------------------------------------------------------------------------

    @_HANDLERS("back")
    def do_back(self) -> None:
        """From a record that has the whole screen to the list, else back."""
        if self._reading:
            self._opened = False
            self.draw()
        else:
            self.dismiss()

    @_HANDLERS("open")
    def do_open(self) -> None:
        """The whole record; of what was decided together the members, or not any more."""
        item = self._listing.item
        if item is not None and item.heads and not self._reading:
            self._set_open(open_=not self._listing.is_open(item))
            return
        if item is not None and (self.two_panes or self._opened):  # it is shown already
            self.say(f"{self._office.keys.shown('details', place='history')} shows its details", "muted")
        self._opened = item is not None
        self.draw()

    @_HANDLERS("expand")
    def do_expand(self) -> None:
        """List the members of what was decided together."""
        self._set_open(open_=True)

    @_HANDLERS("collapse")
    def do_collapse(self) -> None:
        """One row for what was decided together."""
        self._set_open(open_=False)

    def _set_open(self, *, open_: bool) -> None:
        if not self._reading and self._listing.set_open(open_=open_):
            self._changed()

    @_HANDLERS("down")
    def do_down(self) -> None:
        """Next record, or line."""
        self._step(1)

    @_HANDLERS("up")
    def do_up(self) -> None:
        """Previous record, or line."""
        self._step(-1)

    @_HANDLERS("first")
    def do_first(self) -> None:
        """Newest record, or first line."""
        self._step(-FAR)

    @_HANDLERS("last")
    def do_last(self) -> None:
        """Oldest record that is loaded, or last line; from there, older ones are looked for."""
        self._step(FAR)
        self._look_back()

    @_HANDLERS("page_down")
    def do_page_down(self) -> None:
        """Page."""
        self._page(1)

    @_HANDLERS("page_up")
    def do_page_up(self) -> None:
        """Page back."""
        self._page(-1)

    @_HANDLERS("details")
    def do_details(self) -> None:
        """All facts about the record, with a check of the chain; or its content again."""
        if self._listing.current is None:
            return
        self._opened = True
        self._pane.show_details(details=not self._pane.details)
        if self._pane.details:
            self._pane.say_chain("checking the whole history ...")
            self._work.check()
        self.draw()

    # -- moving and looking ---------------------------------------------------------------------------------

    @property
    def two_panes(self) -> bool:
        """Whether list and record stand side by side."""
        return self.size.width >= TWO_PANES

    @property
    def _reading(self) -> bool:
        """Whether the record has the whole screen, so that row keys move lines."""
        return self._opened and not self.two_panes

    @property
    def _pane(self) -> RecordPane:
        return self.query_one(RecordPane)

    @property
    def _list_pane(self) -> ListPane:
        return self.query_one(ListPane)

    def _step(self, steps: int) -> None:
        if self._reading:
            self._pane.scroll_lines(steps)
        else:
            self._listing.step(steps)
        self.draw()

    def _page(self, pages: int) -> None:
        if self._reading or (self.two_panes and not self.bar.is_open):
            self._pane.scroll_pages(pages)
            self.draw()
        else:
            self._step(pages * self._list_pane.page)

    def read(self) -> None:
        """Read the newest records that the filter keeps."""
        self._looking_back = False
        self._work.list(self.bar.query_in_force)
        self.draw()

    def _look_back(self) -> None:
        """Read older records, unless that is going on, or there are none."""
        if self._listing.more and not self._looking_back:
            self._looking_back = True
            self._work.look_back(self._listed, self._listing.looked_to)

    def take_news(self, news: News) -> None:
        """Look for new records."""
        self._connected = not news.problem
        if self._connected:
            if self._problem or not self._loaded:
                self.read()
            else:
                self._work.look_again(self._listed, self._around)
        self.draw()

    def take_standing(self) -> None:
        """Draw it."""
        self.draw()

    def tell(self, words: str) -> None:
        """Say it in the last row."""
        self.say(words, "muted")

    # -- what comes in --------------------------------------------------------------------------------------

    @on(FilterBar.Applied)
    def _filter_applied(self) -> None:
        self.read()

    @on(FilterBar.Closed)
    def _filter_closed(self) -> None:
        self.draw()

    @on(Listed)
    def _take_list(self, event: Listed) -> None:
        self._listed, self._around = event.query, event.around
        self._loaded, self._problem = True, ""
        self._listing.show(event.found, whole=event.query.expression is None)
        self._changed()

    @on(Older)
    def _take_older(self, event: Older) -> None:
        self._looking_back = False
        if event.query is self._listed:
            self._listing.add_older(event.found)
            self._changed()

    @on(Fresh)
    def _take_fresh(self, event: Fresh) -> None:
        if event.query is not self._listed:
            return
        around = event.newer.around
        records = [record for record in event.newer.records if record.seq > self._around.head]
        self._around = around
        self._listing.add_newer(records)
        self._changed()

    @on(Sized)
    def _take_sizes(self, event: Sized) -> None:
        if event.query is self._listed and self._listing.add_sizes(event.sizes):
            self._changed()

    @on(Failed)
    def _take_failure(self, event: Failed) -> None:
        self._looking_back = False
        self._problem = event.problem
        self.say(event.problem, "danger")

    @on(RecordPane.Wanted)
    def _content_wanted(self, event: RecordPane.Wanted) -> None:
        self._work.read(event.record, event.request_id)

    @on(Read)
    def _take_content(self, event: Read) -> None:
        if self.stands:
            self._pane.take_content(event.record, event.request, event.content, event.failure)

    @on(Checked)
    def _take_check(self, event: Checked) -> None:
        if self.stands:
            self._pane.say_chain(event.words)

    @on(ListPane.Clicked)
    def _row_clicked(self, event: ListPane.Clicked) -> None:
        self._listing.move_to(event.index)
        if event.double:
            self.do_open()
        self.draw()

    @on(ListPane.EndNear)
    def _end_near(self, event: ListPane.EndNear) -> None:
        if event.count == len(self._listing.records):  # else older ones came in the meantime
            self._look_back()

    @on(ListPane.Resized)
    def _list_resized(self) -> None:
        self.draw()

    @on(DocumentView.ColorsWanted)
    def _colors_wanted(self, event: DocumentView.ColorsWanted) -> None:
        self._work.color(event)

    @on(DocumentView.Colored)
    def _colored(self, event: DocumentView.Colored) -> None:
        if self.stands:
            self._pane.take_colors(event)

    # -- drawing --------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Lay out the rows anew."""
        if self.stands:
            self._list_pane.lay_out()
            self.draw()

    def draw(self) -> None:
        """Draw everything."""
        if not self.stands:
            return
        listing, width = self._listing, self.size.width
        self._lay_out()
        sign = rule(look_of(self).glyphs.rule)
        self.query_one("#title", LinesView).show([self.titled(self._title_line, width), sign])
        self.query_one("#rule", LinesView).show([sign])
        deciders = Deciders(self._office.reviewer, self._around.numbers)
        empty = empty_lines(self._listed, listing, self._problem, width, loaded=self._loaded)
        self._list_pane.show(deciders, self._office.now(), empty)
        item = listing.item
        if item is not None and (self.two_panes or self._opened):
            if item.heads and item.together is not None:
                self._pane.show_together(item.together, deciders, opened=listing.is_open(item))
            else:
                self._pane.show(item.record, deciders)
        self.query_one("#foot", LinesView).show(self._foot(deciders))

    def _title_line(self, width: int) -> Line:
        around = self._around if self._loaded else None
        return title_line(self._listed, self._listing, around, width, connected=self._connected)

    def _lay_out(self) -> None:
        # By no class of the screen: that would have the styles of all its parts worked out anew.
        empty = self._listing.current is None
        beside = self.two_panes and not empty
        list_pane = self.query_one("#list-pane")
        list_pane.display = empty or not self._reading
        list_pane.styles.width = "55%" if beside else "1fr"
        self.query_one("#divider").display = beside
        self.query_one("#record-pane").display = beside or (self._opened and not empty)

    def _foot(self, deciders: Deciders) -> list[Line]:
        listing, width = self._listing, self.size.width
        newer = (chunk(f" {listing.arrived} newer above: g ", "accent", keep=True),) if listing.arrived else ()
        room = width - sum(piece.width for piece in newer)
        counts = Line(totals(listing.records, deciders, room, more=listing.more).left, newer)
        if self.bar.is_open or self.path_bar.is_open:
            return [counts]
        rows = (2 if width >= WIDE_ENOUGH else 3) if self.size.height >= HIGH_ENOUGH else 1
        item = listing.item
        saved = self.saved if self._choosing else ()
        several = item is not None and item.heads
        opened = several and item is not None and listing.is_open(item)
        own = self._office.keys
        keys = Keys(self._reading, self.two_panes, self._pane.details, saved, several, opened, own)
        return [counts, *foot_lines(self.bar.query_in_force, keys, self._said, BarRoom(width, rows))]
