"""What runs without asking, and how to stop it. Nothing here approves a request."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.message import Message

from signoff.queue import PatternPreview, QueueError, ReviewQueue, StoredRequest
from signoff_tui.desk import Desk
from signoff_tui.guard import Keys
from signoff_tui.keymap import KeyMap
from signoff_tui.lines import Line, rule
from signoff_tui.look import look_of
from signoff_tui.office import Office
from signoff_tui.screens.memory import widening
from signoff_tui.screens.memory.calm import Calm
from signoff_tui.screens.memory.entries import Entry, Origin, Reading, load, matching, merged, session_of
from signoff_tui.screens.memory.face import Bar, Said, empty_lines, foot_lines, title_line
from signoff_tui.screens.memory.lines import LISTED_AS_ROWS, detail_lines, heading, row_lines
from signoff_tui.screens.plain import News, PlainScreen
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

__all__ = ["MemoryScreen"]

TWO_PANES = 100
LOW = 16
"""Under so many rows there is room for the list only; `v` shows the details."""


class MemoryScreen(PlainScreen):
    """Remembered approvals, with everything about the focused one.

    Args:
        office: What all screens share.
        query: ``session:`` and the name of a session, or empty for all.
        desk: What waits, and the times of the guard; nothing of it is changed.
    """

    CSS_PATH = "screen.tcss"
    place = "memory"

    class Loaded(Message, bubble=False):
        """The remembered approvals were read, or cannot be."""

        def __init__(self, reading: Reading | None, problem: str = "") -> None:
            super().__init__()
            self.reading = reading
            self.problem = problem

    class Counted(Message, bubble=False):
        """It is known how many requests that wait a grant matches."""

        def __init__(self, grant_id: str, waiting: int) -> None:
            super().__init__()
            self.grant_id = grant_id
            self.waiting = waiting

    class Done(Message, bubble=False):
        """Something was done, or refused."""

        def __init__(self, said: Said) -> None:
            super().__init__()
            self.said = said

    class Offered(Message, bubble=False):
        """What can be remembered besides, or instead, is known."""

        def __init__(self, sheet: widening.Widening) -> None:
            super().__init__()
            self.sheet = sheet

    class Previewed(Message, bubble=False):
        """It is known what a pattern would have answered."""

        def __init__(self, option: widening.Option, found: PatternPreview) -> None:
            super().__init__()
            self.option = option
            self.found = found

    def __init__(self, office: Office, query: str, desk: Desk) -> None:
        super().__init__(office, query)
        self._session = session_of(query)
        self._desk = desk
        self._calm = Calm(desk.settings, _keys(office.keys))
        self._entries: list[Entry] = []
        self._origins: Mapping[str, Origin] = {}
        self._cursor = 0
        self._waiting: dict[str, int] = {}
        self._sheet: widening.Widening | None = None
        self._asks_all = self._full = self._drawn = False
        self._said = Said()
        self._key = ""
        self._ready = False
        self._problem = ""
        self._loading = self._outdated = self._busy = False

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="title")
        with Container(id="body"):
            with Vertical(id="list-pane"):
                yield LinesView(id="heading")
                yield RowList(id="rows")
            yield Divider(id="divider")
            with Vertical(id="detail-pane"):
                yield LinesView(id="between")
                with VerticalScroll(id="scroll", can_focus=False):
                    yield LinesView(id="detail")
        yield LinesView(id="foot")

    def on_mount(self) -> None:
        """Read what is remembered."""
        self._reload()

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self._draw()

    def on_key(self, event: events.Key) -> None:
        """Take note of every key before it is judged what it stands for."""
        key = event.character if event.is_printable and event.character else event.key
        self._calm.press(key, event.time, time.monotonic())
        self._key = key
        self._said = Said()
        super().on_key(event)
        self._draw()

    def take_news(self, news: News) -> None:
        """The queue changed, was lost, or is back."""
        if news.problem:
            self._problem = news.problem
            self._close_bars()
            self._draw()
        else:
            self._reload()

    # -- moving ------------------------------------------------------------------------------------------

    def do_back(self) -> None:
        """Close what is asked or chosen; else one level back."""
        if self._sheet is not None or self._asks_all:
            self._close_bars()
        elif self._full:
            self._full = False
        else:
            self.dismiss()

    def do_down(self) -> None:
        """Next row, or choice."""
        self._step(1)

    def do_up(self) -> None:
        """Previous row, or choice."""
        self._step(-1)

    def do_first(self) -> None:
        """First row, or choice."""
        self._step(-(10**9))

    def do_last(self) -> None:
        """Last row, or choice."""
        self._step(10**9)

    def do_page_down(self) -> None:
        """Page through the details."""
        self._page(1)

    def do_page_up(self) -> None:
        """Page back."""
        self._page(-1)

    def do_session_memory(self) -> None:
        """Only the session of the focused one."""
        entry = self._focused
        if entry is not None:
            self._office.go("memory", f"session:{entry.grant.session}")

    def do_uses(self) -> None:
        """The calls that the focused one answered, in the history."""
        entry = self._focused
        if entry is None or self._sheet is not None or self._asks_all:
            return
        if entry.grant.uses:
            self._office.go("history", f"by:{entry.grant.id}")
        else:
            self._say(f"#{entry.number} was never used")

    def do_full(self) -> None:
        """Details on the whole screen, and back."""
        if self._sheet is None:
            self._full = bool(self._entries) and not self._full

    # -- revoking ----------------------------------------------------------------------------------------

    def do_revoke(self) -> None:
        """Revoke the focused one at once: the next such call asks again."""
        entry = self._focused
        if entry is None or self._sheet is not None or self._asks_all:
            return
        if not entry.in_force:
            self._say(f"#{entry.number} is revoked already")
            return
        if not self._meant("x", "list", self._desk.settings.arm_moved):
            return
        self._work(_Revoking(entry))

    def do_revoke_all(self) -> None:
        """Ask before all that is listed is revoked."""
        if self._sheet is not None or self._asks_all or not self._in_force:
            return
        if self._meant("R", "list", self._desk.settings.arm_moved):
            self._asks_all = True

    def do_confirm(self) -> None:
        """Do what the bar or the sheet names."""
        if self._asks_all:
            if self._meant("!", "all", self._desk.settings.arm_sheet):
                self._close_bars()
                self._work(_RevokingAll(self._session))
        elif self._sheet is not None and self._may_save():
            sheet = self._sheet
            self._close_bars()
            self._work(_Saving(sheet))

    # -- wider and narrower ------------------------------------------------------------------------------

    def do_widen(self) -> None:
        """Offer what else could be remembered."""
        self._offer(narrows=False)

    def do_narrow(self) -> None:
        """Offer what less could be remembered."""
        self._offer(narrows=True)

    def _offer(self, *, narrows: bool) -> None:
        entry = self._focused
        if entry is None or self._sheet is not None or self._asks_all:
            return
        if not entry.in_force or entry.grant.damage is not None:
            self._say(f"#{entry.number} covers nothing any more")
            return
        self.run_worker(self._find_offers(entry, narrows=narrows), group="offer", exclusive=True)

    def _may_save(self) -> bool:
        sheet = self._sheet
        if sheet is None or sheet.preview is None:
            self._say("not saved: what it would have answered is not shown yet", "warn")
        elif not self._is_painted(sheet):
            self._say("not saved: Space shows the rest of it first", "warn")
        else:
            return self._meant("!", _paint_of(sheet), self._desk.settings.arm_sheet)
        return False

    # -- looking -----------------------------------------------------------------------------------------

    @on(RowList.Clicked)
    def _row_clicked(self, event: RowList.Clicked) -> None:
        if self._sheet is None and not self._asks_all:
            self._go(event.index)
            self._draw()

    @on(RowList.Resized)
    def _list_resized(self) -> None:
        self._draw()

    @property
    def two_panes(self) -> bool:
        """Whether list and details stand side by side."""
        return self.size.width >= TWO_PANES

    @property
    def _focused(self) -> Entry | None:
        return self._entries[self._cursor] if self._entries else None

    @property
    def _in_force(self) -> Sequence[Entry]:
        return [entry for entry in self._entries if entry.in_force]

    @property
    def _is_full(self) -> bool:
        """Whether details or a choice have the whole body."""
        return self._full or (self._sheet is not None and not self.two_panes)

    @property
    def _scroller(self) -> VerticalScroll:
        return self.query_one("#scroll", VerticalScroll)

    def _step(self, steps: int) -> None:
        if self._sheet is not None:
            self._take_sheet(self._sheet.moved(steps))
        elif not self._asks_all:
            self._go(self._cursor + steps)

    def _go(self, index: int) -> None:
        self._cursor = max(0, min(len(self._entries) - 1, index))
        self._scroller.scroll_home(animate=False)
        self._count()

    def _page(self, pages: int) -> None:
        scroller = self._scroller
        scroller.scroll_relative(y=pages * max(scroller.size.height - 1, 1), animate=False)

    def _say(self, words: str, token: str = "muted") -> None:
        self._said = Said(words, token)

    def _meant(self, key: str, what: str, delay: float) -> bool:
        """Whether the last key was pressed on purpose; says so if it was not taken."""
        if self._busy or self._problem:
            self._say("not now: the queue is not there" if self._problem else "not now: the last key is at work")
            return False
        if self._key != key:
            self._say(f"press {key} itself")  # chosen by name somewhere else, where nothing was asked or shown
            return False
        if not self._calm.meant(what, delay):
            self._say(f"{key} was not taken: too soon, or typed among other keys. Press it once more", "warn")
            return False
        self._calm.acted(key)
        return True

    def _close_bars(self) -> None:
        if self._sheet is not None:
            self._calm.gone(_paint_of(self._sheet))
        self._calm.gone("all")
        self._sheet, self._asks_all = None, False

    # -- drawing -----------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_mounted or not self.size:
            return
        look, width = look_of(self), self.size.width
        low = self.size.height < LOW
        self.set_class(self.two_panes, "-two")
        self.set_class(bool(self._entries) and self._is_full, "-full")
        self.set_class(low and not self.two_panes, "-low")
        self.set_class(not self._entries, "-empty")
        waiting = self._desk.inbox.tally.counts.waiting
        title = title_line(self._entries, self._session, width, waiting=waiting, lost=bool(self._problem))
        self.query_one("#title", LinesView).show([title, rule(look.glyphs.rule)])
        self._draw_list()
        self._drawn = bool(self._entries)
        self.query_one("#between", LinesView).show([rule(look.glyphs.rule)])
        self._draw_detail()
        bar = self._bar
        self.query_one("#foot", LinesView).show(
            [rule(look.glyphs.rule), *foot_lines(bar, self._said, width, rows=1 if low else 2)]
        )

    @property
    def _bar(self) -> Bar:
        """What the keys can do now."""
        if self._asks_all:
            return Bar("all", self._office.keys, number=len(self._in_force), live=self._armed("all"))
        if self._sheet is not None:
            return Bar(
                "sheet",
                self._office.keys,
                live=self._is_painted(self._sheet) and self._armed(_paint_of(self._sheet)),
            )
        entry = self._focused
        if entry is None:
            return Bar("empty", self._office.keys)
        live = entry.in_force and not self._problem
        return Bar(
            "list", self._office.keys, number=len(self._in_force), filtered=self._session is not None, live=live
        )

    def _armed(self, what: str) -> bool:
        return time.monotonic() >= self._calm.armed_at(what, self._desk.settings.arm_sheet)

    def _draw_list(self) -> None:
        listing = self.query_one("#rows", RowList)
        entries, look, now, you = self._entries, look_of(self), self._office.now(), self._office.reviewer
        width = listing.size.width or self.size.width
        head = [heading(width)] if entries else empty_lines(self._session, self._problem, width, ready=self._ready)
        self.query_one("#heading", LinesView).show(head)

        def row(index: int, width: int) -> Sequence[Line]:
            return row_lines(entries[index], look.glyphs, width, focused=index == self._cursor, now=now, you=you)

        each = 1 if width >= LISTED_AS_ROWS else 2
        listing.show(len(entries), row, cursor=self._cursor if entries else None, lines_per_row=each)

    def _draw_detail(self) -> None:
        view, entry = self.query_one("#detail", LinesView), self._focused
        width = view.size.width or self.size.width
        now = self._office.now()
        if self._sheet is not None:
            view.show(widening.sheet_lines(self._sheet, width, look_of(self).glyphs, now=now))
        elif entry is not None:
            waiting = self._waiting.get(entry.grant.id)
            view.show(detail_lines(entry, width, now=now, you=self._office.reviewer, waiting=waiting))
        else:
            view.show([])

    def displayed(self) -> None:
        """What was drawn last is on the screen: its keys are armed from now on."""
        if not self.is_mounted or not self.query("#detail"):
            return
        now, arm = time.monotonic(), self._desk.settings.arm_sheet
        if self._entries and self._drawn:
            self._calm.painted("list", now)
        what = None
        if self._asks_all and self.query_one("#foot", LinesView).drawn:
            what = "all"
        elif self._sheet is not None and self._sheet.preview is not None and self._at_end:
            what = _paint_of(self._sheet)
        if what is not None and self._calm.armed_at(what, 0) > now:
            self._calm.painted(what, now)
            self.set_timer(arm + self._desk.settings.link_delay + 0.02, self._draw)

    @property
    def _at_end(self) -> bool:
        """Whether the last line of the details is on the screen."""
        scroller, detail = self._scroller, self.query_one("#detail", LinesView)
        return detail.drawn and scroller.scroll_offset.y + scroller.size.height >= len(detail.lines)

    def _is_painted(self, sheet: widening.Widening) -> bool:
        return self._calm.armed_at(_paint_of(sheet), 0) <= time.monotonic()

    # -- work off the event loop ---------------------------------------------------------------------------

    def _reload(self) -> None:
        """Read again; what comes while that is going on is read once more afterwards."""
        if self._loading:
            self._outdated = True
            return
        self._loading = True
        self.run_worker(self._load(), group="load")

    async def _load(self) -> None:
        listed = frozenset(entry.grant.id for entry in self._entries)
        session, now, known = self._session, self._office.now(), self._origins
        try:
            reading = await self._office.ask(lambda queue: load(queue, session, now, listed, known))
        except QueueError as error:
            self.post_message(self.Loaded(None, f"it cannot be read: {error}"))
        else:
            self.post_message(self.Loaded(reading))

    @on(Loaded)
    def _loaded(self, event: Loaded) -> None:
        self._loading = False
        self._problem = event.problem
        if event.reading is not None:
            self._ready = True
            self._entries = merged(self._entries, event.reading.entries)
            self._origins = event.reading.origins
            self._count()
        if self._outdated:
            self._outdated = False
            self._reload()
        self._draw()

    def _count(self) -> None:
        """Count the requests that the focused one would match."""
        entry = self._focused
        if entry is not None and entry.in_force:
            waiting = tuple(each.request for each in self._desk.inbox.entries() if each.request.pending)
            self.run_worker(self._match(entry, waiting), group="count", exclusive=True)

    async def _match(self, entry: Entry, waiting: Sequence[StoredRequest]) -> None:
        number = await self._office.compute(matching, entry.grant, waiting)
        self.post_message(self.Counted(entry.grant.id, number))

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        self._waiting[event.grant_id] = event.waiting
        self._draw()

    def _work(self, deed: _Deed) -> None:
        self._busy = True
        self.run_worker(self._do(deed), group="deed")

    async def _do(self, deed: _Deed) -> None:
        try:
            said = await self._office.ask(deed.do)
        except QueueError as error:
            said = Said(f"{deed.failed}: {error}", "danger")
        self.post_message(self.Done(said))

    @on(Done)
    def _done(self, event: Done) -> None:
        self._busy = False
        self._said = event.said
        self._reload()
        self._draw()

    async def _find_offers(self, entry: Entry, *, narrows: bool) -> None:
        try:
            sheet = await self._office.ask(lambda queue: widening.offers(queue, entry, narrows=narrows))
        except QueueError as error:
            word = "narrower" if narrows else "wider"
            self.post_message(self.Done(Said(f"#{entry.number} gets no {word}: {error}", "warn")))
        else:
            self.post_message(self.Offered(sheet))

    @on(Offered)
    def _offered(self, event: Offered) -> None:
        if (
            self._focused is not None
            and self._focused.grant.id == event.sheet.entry.grant.id
            and not self._asks_all
        ):
            self._take_sheet(event.sheet)
            self._draw()

    def _take_sheet(self, sheet: widening.Widening) -> None:
        if self._sheet is not None:
            self._calm.gone(_paint_of(self._sheet))
        self._sheet = sheet
        self._calm.gone(_paint_of(sheet))
        self._scroller.scroll_home(animate=False)
        if sheet.preview is None:
            self.run_worker(self._preview(sheet), group="preview", exclusive=True)

    async def _preview(self, sheet: widening.Widening) -> None:
        option, grant = sheet.chosen, sheet.entry.grant
        try:
            found = await self._office.ask(lambda queue: widening.preview(queue, grant, option.pattern))
        except QueueError as error:
            self.post_message(self.Done(Said(f"no preview, so nothing can be saved: {error}", "danger")))
        else:
            self.post_message(self.Previewed(option, found))

    @on(Previewed)
    def _previewed(self, event: Previewed) -> None:
        if self._sheet is not None:
            self._sheet = self._sheet.told(event.option.pattern, event.found)
            self._draw()


class _Deed:
    """Something that changes what is remembered; ``do`` runs in a thread and says what was done."""

    failed = "nothing was changed"

    def do(self, queue: ReviewQueue) -> Said:
        raise NotImplementedError


class _Revoking(_Deed):
    failed = "NOT revoked"

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def do(self, queue: ReviewQueue) -> Said:
        number = self._entry.number
        if queue.revoke(self._entry.grant.id):
            return Said(f"#{number} revoked: the next such call asks again", "ok")
        return Said(f"#{number} had been revoked by somebody else before", "warn")


class _RevokingAll(_Deed):
    failed = "NOT revoked"

    def __init__(self, session: str | None) -> None:
        self._session = session

    def do(self, queue: ReviewQueue) -> Said:
        number = queue.revoke_all(self._session)
        return Said(f"{number} revoked: the next such calls ask again", "ok")


class _Saving(_Deed):
    failed = "NOT saved"

    def __init__(self, sheet: widening.Widening) -> None:
        self._sheet = sheet

    def do(self, queue: ReviewQueue) -> Said:
        sheet = self._sheet
        what = widening.save(queue, sheet.entry.grant, sheet.chosen.pattern, narrows=sheet.narrows)
        return Said(f"#{sheet.entry.number}: {what}", "ok")


def _paint_of(sheet: widening.Widening) -> str:
    return f"sheet {sheet.chosen.pattern.key}"


def _keys(keys: KeyMap) -> Keys:
    """What the keys of this screen mean to whoever tells typing from pressing."""
    actions = keys.actions_on("memory")
    return Keys(
        navigation=frozenset(key for action in actions if action.moves for key in action.keys),
        bound=frozenset(key for action in actions for key in action.keys),
        decides={key: key for key in ("x", "R", "!")},
    )
