"""What runs without asking, and how to stop it. Nothing here approves a request."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from textual import events, on

from signoff_tui.context import Office
from signoff_tui.guard import Reason
from signoff_tui.header import standing_of
from signoff_tui.screens.list_beside_details import Rows
from signoff_tui.screens.memory import widening
from signoff_tui.screens.memory.asking import LIST
from signoff_tui.screens.memory.deeds import Deed, Revoking, RevokingAll, RevokingListed, Saving
from signoff_tui.screens.memory.entries import Entry, Origin, session_of
from signoff_tui.screens.memory.face import Bar, Said, empty_lines, filter_lines, foot_lines, title_line
from signoff_tui.screens.memory.filter_keys import FilterKeys
from signoff_tui.screens.memory.lines import LISTED_AS_ROWS, detail_lines, heading, row_lines
from signoff_tui.screens.memory.work import Counted, Done, Loaded, Offered, Previewed, Work
from signoff_tui.screens.plain import News
from signoff_tui.screens.rereading import Rereading
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import Line
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView

__all__ = ["MemoryScreen"]


class MemoryScreen(FilterKeys):
    """Remembered approvals, with everything about the focused one.

    Args:
        office: What all screens share.
        query: ``session:`` and the name of a session, or empty for all.
        desk: What waits, and the times of the guard; nothing of it is changed.
    """

    place = "memory"

    def __init__(self, office: Office, query: str, desk: ReviewSession) -> None:
        super().__init__(office, query, desk)
        self._session = session_of(query)
        self._desk = desk
        self._work = Work(self, office, self._session)
        self._rereading = Rereading(lambda: self._work.load(self._listing.all, self._origins))
        self._origins: Mapping[str, Origin] = {}
        self._waiting: dict[str, int] = {}
        self._drawn = self._ready = self._busy = False
        self._problem = ""

    def on_mount(self) -> None:
        """Read what is remembered."""
        self._rereading.wanted()

    def on_key(self, event: events.Key) -> None:
        """Take note of every key before it is judged what it stands for."""
        if self.bar.is_open:
            super().on_key(event)
            return
        key = event.character if event.is_printable and event.character else event.key
        self._asking.deliberate.press(key, event.time, time.monotonic())
        self._said = Said()
        if self._choosing:
            event.stop()
            event.prevent_default()
            self._choosing = False
            self._choose_filter(key)
            self.draw()
        else:
            super().on_key(event)

    def stood_still(self) -> None:
        """What keys act on counts from the next picture."""
        self._asking.deliberate.forget_all()

    def take_news(self, news: News) -> None:
        """The queue changed, was lost, or is back."""
        if news.problem:
            self._problem = news.problem
            self._asking.close()
            self.draw()
        else:
            self._rereading.wanted()

    # -- moving ------------------------------------------------------------------------------------------

    def do_back(self) -> None:
        """Close what is asked or chosen; else one level back."""
        if self._asking.is_open:
            self._asking.close()
        else:
            super().do_back()

    def do_session_memory(self) -> None:
        """Only the session of the focused one."""
        entry = self._focused
        if entry is not None:
            self._office.go("memory", f"session:{entry.grant.session}")

    def do_uses(self) -> None:
        """The calls that the focused one answered, in the history."""
        entry = self._free_to_act_on
        if entry is None:
            return
        if entry.grant.uses:
            self._office.go("history", f"by:{entry.grant.id}")
        else:
            self._say(f"#{entry.number} was never used")

    def do_full(self) -> None:
        """Details on the whole screen, and back."""
        if self._asking.sheet is None:
            super().do_full()

    def step(self, steps: int) -> None:
        """Another row, or another choice."""
        if self._asking.sheet is not None:
            self._take_sheet(self._asking.sheet.moved(steps))
        elif not self._asking.is_open:
            super().step(steps)

    def moved(self) -> None:
        """Count the requests that the focused one would match."""
        entry = self._focused
        if entry is not None and entry.in_force:
            waiting = tuple(each.request for each in self._desk.inbox.entries() if each.request.pending)
            self._work.match(entry, waiting)

    # -- revoking ----------------------------------------------------------------------------------------

    def do_revoke(self) -> None:
        """Revoke the focused one at once: the next such call asks again."""
        entry = self._free_to_act_on
        if entry is None:
            return
        if not entry.in_force:
            self._say(f"#{entry.number} is revoked already")
        elif self._meant("x"):
            self._do(Revoking(entry))

    def do_revoke_all(self) -> None:
        """Ask before all that is listed is revoked."""
        if not self._asking.is_open and self._in_force and self._meant("R"):
            self._asking.ask_all()

    def do_confirm(self) -> None:
        """Do what the bar or the sheet names."""
        sheet = self._asking.sheet
        if self._asking.about_all:
            if self._meant("!"):
                self._asking.close()
                listed = self._in_force
                self._do(RevokingListed(listed) if self._listing.filtered else RevokingAll(self._session))
        elif sheet is not None and self._may_save(sheet):
            self._asking.close()
            self._do(Saving(sheet))

    def _do(self, deed: Deed) -> None:
        self._busy = True
        self._work.do(deed)

    def _meant(self, key: str) -> bool:
        """Whether the last key was pressed on purpose; says so if it was not taken."""
        if self._busy or self._problem:
            self._say("not now: the queue is not there" if self._problem else "not now: the last key is at work")
            return False
        ignored = self._asking.take_key(key)
        if ignored is not None:
            self._say(ignored.text, "muted" if ignored.reason is Reason.NOTHING else "warn")
        return ignored is None

    # -- wider and narrower ------------------------------------------------------------------------------

    def do_widen(self) -> None:
        """Offer what else could be remembered."""
        self._offer(narrows=False)

    def do_narrow(self) -> None:
        """Offer what less could be remembered."""
        self._offer(narrows=True)

    def _offer(self, *, narrows: bool) -> None:
        entry = self._free_to_act_on
        if entry is None:
            return
        if not entry.in_force or entry.grant.damage is not None:
            self._say(f"#{entry.number} covers nothing any more")
            return
        self._work.find_offers(entry, narrows=narrows)

    def _may_save(self, sheet: widening.Widening) -> bool:
        if sheet.preview is None:
            self._say("not saved: what it would have answered is not shown yet", "warn")
        elif not self._asking.painted:
            self._say("not saved: Space shows the rest of it first", "warn")
        else:
            return self._meant("!")
        return False

    def _take_sheet(self, sheet: widening.Widening) -> None:
        self._asking.take(sheet)
        self.to_top()
        if sheet.preview is None:
            self._work.preview(sheet)

    # -- drawing -----------------------------------------------------------------------------------------

    @property
    def full(self) -> bool:
        """Whether details or a choice have the whole body."""
        return super().full or (self._asking.sheet is not None and not self.two_panes)

    @property
    def takes_clicks(self) -> bool:
        """While something is asked, the row that it is about stays the focused one."""
        return not self._asking.is_open

    @property
    def _free_to_act_on(self) -> Entry | None:
        """The focused one, if nothing is asked."""
        return None if self._asking.is_open else self._focused

    @property
    def _in_force(self) -> Sequence[Entry]:
        return [entry for entry in self._listing.entries if entry.in_force]

    def draw(self) -> None:
        """Draw everything as it is now."""
        super().draw()
        self._drawn = bool(self._listing.entries)

    def title_line(self, width: int) -> Line:
        """How much runs without asking."""
        standing = standing_of(self._desk.inbox.tally.counts, lost=bool(self._problem))
        return title_line(self._listing.all if self._ready else None, self._session, standing, width)

    def empty_lines(self, width: int) -> Sequence[Line]:
        """That nothing is remembered, or why that is not known."""
        if self._listing.filtered and not self._problem and self._listing.all:
            return [Line(), *filter_lines(self._listing, self._office.keys, width)]
        return empty_lines(self._session, self._problem, width, ready=self._ready)

    def rows(self, width: int) -> Rows:
        """One row for each remembered approval."""
        entries, glyphs = self._listing.entries, look_of(self).glyphs
        now, you = self._office.now(), self._office.reviewer

        def row(index: int, width: int) -> Sequence[Line]:
            return row_lines(entries[index], glyphs, width, focused=index == self._cursor, now=now, you=you)

        note = filter_lines(self._listing, self._office.keys, width)
        return Rows(row, 1 if width >= LISTED_AS_ROWS else 2, [heading(width)], note)

    def detail_lines(self, width: int) -> Sequence[Line]:
        """The focused one, or what is offered for it."""
        entry, now = self._focused, self._office.now()
        if self._asking.sheet is not None:
            return widening.sheet_lines(self._asking.sheet, width, look_of(self).glyphs, now=now)
        if entry is None:
            return []
        waiting = self._waiting.get(entry.grant.id)
        return detail_lines(entry, width, now=now, you=self._office.reviewer, waiting=waiting)

    def foot_lines(self, width: int, rows: int) -> Sequence[Line]:
        """What was said, and the keys; while a filter is typed, its bar has them."""
        if self.bar.is_open:
            return ()
        return foot_lines(self._bar, self._said, width, rows=rows)

    @property
    def _bar(self) -> Bar:
        """What the keys can do now."""
        asking, keys, entry = self._asking, self._office.keys, self._focused
        if self._choosing:
            return Bar("saved", keys, saved=self._saved)
        if asking.about_all:
            return Bar("all", keys, len(self._in_force), by_filter=self._listing.filtered, live=asking.armed)
        if asking.sheet is not None:
            return Bar("sheet", keys, live=asking.armed)
        if entry is None:
            return Bar("empty", keys, filtered=self._session is not None or self._listing.filtered)
        live = entry.in_force and not self._problem
        one_session = self._session is not None
        by_filter = self._listing.filtered
        return Bar(
            "list",
            keys,
            len(self._in_force),
            filtered=one_session,
            by_filter=by_filter,
            live=live,
            narrows=not entry.exact,
            used=entry.grant.uses > 0,
            full=self.full,
        )

    def displayed(self) -> None:
        """What was drawn last is on the screen: its keys are armed from now on."""
        super().displayed()
        if not self.is_mounted or not self.query("#detail"):
            return
        asking, now = self._asking, time.monotonic()
        if self._listing.entries and self._drawn:
            asking.deliberate.painted(LIST, now)
        sheet = asking.sheet
        shown = sheet.preview is not None and self._at_end if sheet is not None else self._foot_is_drawn
        if asking.is_open and shown and not asking.painted:
            asking.deliberate.painted(asking.subject, now)
            self.set_timer(asking.arms_after + 0.02, self.draw)

    @property
    def _foot_is_drawn(self) -> bool:
        return self.query_one("#foot", LinesView).drawn

    @property
    def _at_end(self) -> bool:
        """Whether the last line of the details is on the screen."""
        shown = self.query_one("#detail", LinesView).drawn and self.scroller.size.height > 0
        return shown and not self.hidden_lines

    # -- what comes in -----------------------------------------------------------------------------------

    @on(Loaded)
    def _loaded(self, event: Loaded) -> None:
        self._problem = event.problem
        if event.reading is not None:
            self._ready = True
            focused = self._focused
            self._listing.read(event.reading.entries)
            at = [entry.grant.id for entry in self._listing.entries]
            self._cursor = 0 if focused is None else at.index(focused.grant.id)
            self._origins = event.reading.origins
            self.moved()
        self._rereading.ended()
        self.draw()

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        self._waiting[event.grant_id] = event.waiting
        self.draw()

    @on(Done)
    def _done(self, event: Done) -> None:
        self._busy = False
        self._said = event.said
        self._rereading.wanted()
        self.draw()

    @on(Offered)
    def _offered(self, event: Offered) -> None:
        entry = self._focused
        same = entry is not None and entry.grant.id == event.sheet.entry.grant.id
        if same and not self._asking.about_all:
            self._take_sheet(event.sheet)
            self.draw()

    @on(Previewed)
    def _previewed(self, event: Previewed) -> None:
        if self._asking.sheet is not None:
            self._asking.told(self._asking.sheet.told(event.option.pattern, event.found))
            self.draw()
