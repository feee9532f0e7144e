"""Who asks: one row for each agent, and everything the queue knows about the focused one. Nothing decides here."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.message import Message
from textual.timer import Timer

from signoff.queue import QueueError, StoredRequest
from signoff_tui.flow import KeyHint
from signoff_tui.inbox import Inbox
from signoff_tui.lines import Line, chunk, line, rule
from signoff_tui.look import look_of
from signoff_tui.office import Office
from signoff_tui.screens.agents.face import Numbers, empty_lines, foot_lines, note_lines, title_line
from signoff_tui.screens.agents.figures import AgentKey, Figures, count
from signoff_tui.screens.agents.lines import ONE_LINE, Known, ages, detail_lines, heading, row_lines
from signoff_tui.screens.agents.moments import next_change
from signoff_tui.screens.agents.roster import Agent, Reading, picks, read, waiting_of
from signoff_tui.screens.plain import News, PlainScreen
from signoff_tui.widgets.divider import Divider
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList

__all__ = ["AgentsScreen"]

TWO_PANES = 100
LIST_SHARE = 0.6
"""Of the width, beside the details; the style sheet says the same."""

LOW = 16
"""Under so many rows there is room for the list only; `v` shows the details."""

PAUSE = 0.5
"""Seconds between two readings, at least; a reading that takes long is followed by a longer one."""

SHARE = 10.0
"""So many times as long as a reading took is waited before the next one."""

MINUTE = 60.0
"""Seconds after which the last hour is counted again, if nothing happens."""


class AgentsScreen(PlainScreen):
    """Agents, first seen first, with everything about the focused one.

    Args:
        office: What all screens share.
        query: Not used: all agents are listed.
        inbox: What waits; nothing of it is changed.
    """

    CSS_PATH = "screen.tcss"
    place = "agents"

    class Loaded(Message, bubble=False):
        """The queue was read, or cannot be."""

        def __init__(self, reading: Reading | None, problem: str = "") -> None:
            super().__init__()
            self.reading = reading
            self.problem = problem

    class Counted(Message, bubble=False):
        """The last hour was counted again."""

        def __init__(self, figures: Mapping[AgentKey, Figures]) -> None:
            super().__init__()
            self.figures = figures

    def __init__(self, office: Office, query: str, inbox: Inbox) -> None:
        super().__init__(office, query)
        self._inbox = inbox
        self._reading = Reading()
        self._waiting: Mapping[AgentKey, Sequence[StoredRequest]] = {}
        self._cursor = 0
        self._full = False
        self._said = ""
        self._ready = False
        self._problem = ""
        self._loading = self._outdated = False
        self._timer: Timer | None = None
        self._counted_at = 0.0

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield LinesView(id="title")
        with Container(id="body"):
            with Vertical(id="list-pane"):
                yield LinesView(id="heading")
                yield RowList(id="rows")
                yield LinesView(id="note")
            yield Divider(id="divider")
            with Vertical(id="detail-pane"):
                yield LinesView(id="between")
                with VerticalScroll(id="scroll", can_focus=False):
                    yield LinesView(id="detail")
        yield LinesView(id="foot")

    def on_mount(self) -> None:
        """Read who is there."""
        self._reload()

    def on_resize(self, _: events.Resize) -> None:
        """Lay out for the size."""
        self._draw()

    def on_key(self, event: events.Key) -> None:
        """What was said holds until the next key."""
        self._said = ""
        super().on_key(event)
        self._draw()

    def take_news(self, news: News) -> None:
        """The queue changed, was lost, or is back."""
        self._problem = news.problem
        if not news.problem:
            self._reload()
        self._draw()

    # -- moving ------------------------------------------------------------------------------------------

    def do_back(self) -> None:
        """From details on the whole screen to the list; else one level back."""
        if self._full:
            self._full = False
        else:
            self.dismiss()

    def do_agents(self) -> None:
        """All agents are listed already."""

    def do_down(self) -> None:
        """Next agent."""
        self._go(self._cursor + 1)

    def do_up(self) -> None:
        """Previous agent."""
        self._go(self._cursor - 1)

    def do_first(self) -> None:
        """First agent."""
        self._go(0)

    def do_last(self) -> None:
        """Last agent."""
        self._go(len(self._agents) - 1)

    def do_page_down(self) -> None:
        """Page through the details, or the list where they are not shown whole."""
        self._page(1)

    def do_page_up(self) -> None:
        """Page back."""
        self._page(-1)

    def do_full(self) -> None:
        """Details on the whole screen, and back."""
        self._full = bool(self._agents) and not self._full
        self._scroller.scroll_home(animate=False)

    # -- going -------------------------------------------------------------------------------------------

    def do_requests(self) -> None:
        """The first request that it waits for, in the inbox; if there is none, its last hour."""
        agent = self._focused
        if agent is None:
            return
        if self._waiting.get(agent.key):
            self._office.go("inbox", picks(agent.key))
        elif agent.left.number:
            self._office.go("history", picks(agent.key))
        else:
            self.do_last_hour()

    def do_last_hour(self) -> None:
        """Its last hour, in the history."""
        agent = self._focused
        if agent is not None:
            self._office.go("history", f"{picks(agent.key)} since:1h")

    def do_session_memory(self) -> None:
        """What is remembered for its session."""
        agent = self._focused
        if agent is not None:
            self._office.go("memory", f"session:{agent.key.session}")

    def do_stop_agent(self) -> None:
        """Go to what it waits for: there, under the guard, X stops it."""
        agent = self._focused
        if agent is None:
            return
        if self._waiting.get(agent.key):
            self._office.go("inbox", picks(agent.key))
        else:
            self._said = "nothing of it waits: there is nothing to reject"

    # -- looking -----------------------------------------------------------------------------------------

    @on(RowList.Clicked)
    def _row_clicked(self, event: RowList.Clicked) -> None:
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
    def _agents(self) -> Sequence[Agent]:
        return self._reading.agents

    @property
    def _focused(self) -> Agent | None:
        return self._agents[self._cursor] if self._agents else None

    @property
    def _scroller(self) -> VerticalScroll:
        return self.query_one("#scroll", VerticalScroll)

    def _go(self, index: int) -> None:
        self._cursor = max(0, min(len(self._agents) - 1, index))
        self._scroller.scroll_home(animate=False)

    def _page(self, pages: int) -> None:
        if self._full or self.two_panes:
            scroller = self._scroller
            scroller.scroll_relative(y=pages * max(scroller.size.height - 1, 1), animate=False)
        else:
            self._go(self._cursor + pages * self.query_one("#rows", RowList).page)

    # -- drawing -----------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_mounted or not self.size:
            return
        look, width = look_of(self), self.size.width
        low = self.size.height < LOW
        self._waiting = waiting_of((entry.request for entry in self._inbox.entries()), self._agents)
        self.set_class(self.two_panes, "-two")
        self.set_class(bool(self._agents) and self._full, "-full")
        self.set_class(low and not self.two_panes, "-low")
        self.set_class(not self._agents, "-empty")
        numbers = self._numbers
        title = title_line(numbers, width, lost=bool(self._problem))
        self.query_one("#title", LinesView).show([title, rule(look.glyphs.rule)])
        self._draw_list(numbers)
        self.query_one("#between", LinesView).show([rule(look.glyphs.rule)])
        self._draw_detail()
        foot = foot_lines(self._hints, self._said, width, rows=1 if low else 2)
        self.query_one("#foot", LinesView).show([rule(look.glyphs.rule), *foot])
        self._schedule()

    @property
    def _numbers(self) -> Numbers:
        blocked = sum(bool(self._waiting.get(agent.key)) for agent in self._agents)
        ended = sum(agent.ended_at is not None and not self._waiting.get(agent.key) for agent in self._agents)
        return Numbers(
            blocked=blocked,
            connected=len(self._agents) - blocked - ended,
            ended=ended,
            hidden=self._reading.hidden,
            waiting=self._inbox.tally.counts.waiting,
        )

    @property
    def _hints(self) -> Sequence[KeyHint]:
        """What the keys do now."""
        back, help_ = KeyHint("Esc", "back"), KeyHint("?", "help")
        agent = self._focused
        if agent is None:
            return (KeyHint("1", "inbox"), back, help_)
        waits = bool(self._waiting.get(agent.key))
        enter = "its requests" if waits else "what was lost" if agent.left.number else "its last hour"
        return (
            KeyHint("Enter", enter),
            KeyHint("H", "its last hour"),
            KeyHint("M", "its memory"),
            KeyHint("X", "stop it, in the inbox", live=waits),
            KeyHint("v", "list" if self._full else "all details"),
            KeyHint("1", "inbox"),
            back,
            help_,
        )

    def _known(self, agent: Agent) -> Known:
        return Known(
            agent=agent,
            waiting=self._waiting.get(agent.key, ()),
            figures=self._reading.figures.get(agent.key) or Figures(),
            grants=self._reading.grants.get(agent.key.session, ()),
            now=self._office.now(),
        )

    def _draw_list(self, numbers: Numbers) -> None:
        listing = self.query_one("#rows", RowList)
        agents, look = self._agents, look_of(self)
        width = listing.size.width or self.size.width
        head = [heading(width)] if agents else empty_lines(self._problem, width, ready=self._ready)
        self.query_one("#heading", LinesView).show(head)
        hour = self._reading.hour
        counted = None if hour.whole else len(hour.calls)
        self.query_one("#note", LinesView).show(note_lines(numbers, width, counted=counted))

        def row(index: int, width: int) -> Sequence[Line]:
            return row_lines(self._known(agents[index]), look.glyphs, width, focused=index == self._cursor)

        each = 1 if width >= ONE_LINE else 2
        listing.show(len(agents), row, cursor=self._cursor if agents else None, lines_per_row=each)

    def _draw_detail(self) -> None:
        view, agent = self.query_one("#detail", LinesView), self._focused
        if agent is None:
            view.show([])
            return
        pane = self.query_one("#detail-pane", Vertical)
        whole = self._full or self.two_panes
        lines = detail_lines(self._known(agent), self._detail_width, roomy=whole)
        pane.styles.height = "1fr" if whole else self._room + 1
        if not whole and len(lines) > self._room:
            more = len(lines) - self._room + 1
            lines[self._room - 1 :] = [line(chunk(f" {more} more lines: [v] shows all", "warn"))]
        view.show(lines)

    @property
    def _detail_width(self) -> int:
        """Cells for the details, beside a scroll bar; the pane itself is laid out only after it is written."""
        beside = self.two_panes and not self._full
        return self.size.width - 1 - (math.ceil(self.size.width * LIST_SHARE) + 1 if beside else 0)

    @property
    def _room(self) -> int:
        """Rows of the details below the list; they stay the same whatever is in it."""
        return max((self.size.height - 7) * 5 // 9, 3)

    # -- time --------------------------------------------------------------------------------------------

    def _schedule(self) -> None:
        """Wake up once, when the next time on the screen changes; what came from the queue is drawn by itself."""
        if self._timer is not None:
            self._timer.stop()
        told = [age for agent in self._agents for age in ages(self._known(agent))]
        wait = next_change(told, counts=bool(self._reading.hour.calls))
        self._timer = None if wait is None else self.set_timer(wait, self._tick)

    def _tick(self) -> None:
        self._timer = None
        if self._reading.hour.calls and time.monotonic() - self._counted_at >= MINUTE:
            self._counted_at = time.monotonic()
            self.run_worker(self._count(), group="count", exclusive=True)
        self._draw()

    # -- work off the event loop ---------------------------------------------------------------------------

    def _reload(self) -> None:
        """Read again; what comes while that is going on is read once more afterwards."""
        if self._loading:
            self._outdated = True
            return
        self._loading = True
        self.run_worker(self._load(), group="load")

    async def _load(self) -> None:
        before, now = self._reading, self._office.now()
        try:
            reading = await self._office.ask(lambda queue: read(queue, before, now))
        except QueueError as error:
            self.post_message(self.Loaded(None, f"it cannot be read: {error}"))
        else:
            self.post_message(self.Loaded(reading))

    async def _count(self) -> None:
        calls, now = self._reading.hour.calls, self._office.now()
        self.post_message(self.Counted(await self._office.compute(count, calls, now)))

    @on(Loaded)
    def _loaded(self, event: Loaded) -> None:
        self._problem = event.problem
        if event.reading is not None:
            self._ready = True
            self._counted_at = time.monotonic()
            self._reading = event.reading
        pause = max(PAUSE, self._reading.took * SHARE)
        self.set_timer(pause, self._rested)
        self._draw()

    def _rested(self) -> None:
        """Ready for what came since the last reading."""
        self._loading = False
        if self._outdated:
            self._outdated = False
            self._reload()

    @on(Counted)
    def _take_counts(self, event: Counted) -> None:
        self._reading = replace(self._reading, figures=event.figures)
        self._draw()
