"""Who asks: one row for each agent, and everything the queue knows about the focused one. Nothing decides here."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from textual import events, on
from textual.message import Message
from textual.timer import Timer

from signoff.queue import QueueError, StoredRequest
from signoff_tui.context import Office
from signoff_tui.header import standing_of
from signoff_tui.screens.agents.details import detail_lines
from signoff_tui.screens.agents.face import Numbers, empty_lines, foot_lines, note_lines, title_line
from signoff_tui.screens.agents.figures import AgentKey, Figures, count
from signoff_tui.screens.agents.known import Known, ages
from signoff_tui.screens.agents.lines import columns_for, heading, row_lines
from signoff_tui.screens.agents.moments import next_change
from signoff_tui.screens.agents.roster import Agent, Reading, picks, read, waiting_of
from signoff_tui.screens.list_beside_details import ListBesideDetails, Rows
from signoff_tui.screens.plain import News
from signoff_tui.screens.rereading import Rereading
from signoff_tui.state.inbox import Inbox
from signoff_tui.text.key_hints import KeyHint
from signoff_tui.text.lines import Line
from signoff_tui.text.look import look_of
from signoff_tui.workers import run_beside

__all__ = ["AgentsScreen"]

_ROOMY = 120
"""Columns from which it is said what stopping an agent does."""

PAUSE = 0.5
"""Seconds between two readings, at least; a reading that takes long is followed by a longer one."""

SHARE = 10.0
"""So many times as long as a reading took is waited before the next one."""

MINUTE = 60.0
"""Seconds after which the last hour is counted again, if nothing happens."""


class AgentsScreen(ListBesideDetails):
    """Agents, first seen first, with everything about the focused one.

    Args:
        office: What all screens share.
        query: Picks the agent that is in focus first; all are listed.
        inbox: What waits; nothing of it is changed.
    """

    place = "agents"
    list_share = 0.6

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
        self._sought = query
        self._reading = Reading()
        self._waiting: Mapping[AgentKey, Sequence[StoredRequest]] = {}
        self._rereading = Rereading(self._start_reading)
        self._said = ""
        self._ready = False
        self._problem = ""
        self._timer: Timer | None = None
        self._counted_at = 0.0

    def on_mount(self) -> None:
        """Read who is there."""
        self._rereading.wanted()

    def on_key(self, event: events.Key) -> None:
        """What was said holds until the next key."""
        self._said = ""
        super().on_key(event)

    def take_news(self, news: News) -> None:
        """The queue changed, was lost, or is back."""
        self._problem = news.problem
        if not news.problem:
            self._rereading.wanted()
        self.draw()

    def do_agents(self) -> None:
        """All agents are listed already."""

    # -- going -------------------------------------------------------------------------------------------

    def do_requests(self) -> None:
        """What it waits for, and nothing else, in the inbox; if there is nothing, its last hour."""
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

    def do_mute(self) -> None:
        """Hold the notices about the focused one back for a while; or do not any more."""
        agent = self._focused
        if agent is not None:
            self._said = self._office.muting.turn((agent.key.name, agent.key.session))

    def do_stop_agent(self) -> None:
        """Go to what it waits for: there, under the guard, X stops it."""
        agent = self._focused
        if agent is None:
            return
        if self._waiting.get(agent.key):
            self._office.go("inbox", picks(agent.key))
        else:
            self._said = "nothing of it waits: there is nothing to reject"

    # -- drawing -----------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of agents."""
        return len(self._agents)

    @property
    def _agents(self) -> Sequence[Agent]:
        return self._reading.agents

    @property
    def _focused(self) -> Agent | None:
        return self._agents[self._cursor] if self._agents else None

    def draw(self) -> None:
        """Draw everything as it is now."""
        self._waiting = waiting_of((entry.request for entry in self._inbox.entries()), self._agents)
        super().draw()
        if self.is_mounted:
            self._schedule()

    def title_line(self, width: int) -> Line:
        """Who is there, and who waits for a person."""
        standing = standing_of(self._inbox.tally.counts, lost=bool(self._problem))
        return title_line(self._numbers if self._ready else None, standing, width)

    def empty_lines(self, width: int) -> Sequence[Line]:
        """That there is nobody, or why that is not known."""
        return empty_lines(self._problem, width, ready=self._ready)

    def rows(self, width: int) -> Rows:
        """One row for each agent."""
        agents, glyphs, hour = self._agents, look_of(self).glyphs, self._reading.hour
        mutes = self._office.muting.now.agents
        muted = any((agent.key.name, agent.key.session) in mutes for agent in agents)

        columns = columns_for(width, agents, muted=muted)

        def row(index: int, width: int) -> Sequence[Line]:
            focused = index == self._cursor
            return row_lines(self._known(agents[index]), columns, glyphs, width, focused=focused)

        note = note_lines(self._numbers, width, counted=None if hour.whole else len(hour.calls))
        return Rows(row, 1 if columns.one_line else 2, [heading(width, columns)], note)

    def detail_lines(self, width: int) -> Sequence[Line]:
        """Everything that is known about the focused one."""
        agent = self._focused
        return [] if agent is None else detail_lines(self._known(agent), width, roomy=self.full or self.two_panes)

    def foot_lines(self, width: int, rows: int) -> Sequence[Line]:
        """What was said, and the keys."""
        return foot_lines(self._hints, self._said, width, rows=rows)

    @property
    def _numbers(self) -> Numbers:
        blocked = sum(bool(self._waiting.get(agent.key)) for agent in self._agents)
        ended = sum(agent.ended_at is not None and not self._waiting.get(agent.key) for agent in self._agents)
        return Numbers(
            blocked=blocked,
            connected=len(self._agents) - blocked - ended,
            ended=ended,
            hidden=self._reading.hidden,
        )

    @property
    def _hints(self) -> Sequence[KeyHint]:
        """What the keys do now."""
        keys = self._office.keys
        back, help_ = KeyHint("Esc", "back"), KeyHint(keys.shown("help"), "help")
        inbox = KeyHint(keys.shown("inbox"), "inbox")
        agent = self._focused
        if agent is None:
            return (inbox, back, help_)
        waits, muted = bool(self._waiting.get(agent.key)), self._known(agent).muted_until is not None
        enter = "its requests" if waits else "what was lost" if agent.left.number else "its last hour"
        again = keys.shown("stop_all")
        stops = (
            f"stop: lists what waits, {again} again rejects all"
            if self.size.width >= _ROOMY
            else f"stop: {again} again in inbox"
        )
        last_hour = KeyHint(keys.shown("last_hour", place="agents"), "its last hour")
        return (
            KeyHint("Enter", enter),
            *(() if enter == last_hour.label else (last_hour,)),
            KeyHint(keys.shown("session_memory", place="agents"), "its memory"),
            KeyHint(keys.shown("stop_agent", place="agents"), stops, live=waits),
            KeyHint(keys.shown("mute", place="agents"), "unmute" if muted else "mute"),
            KeyHint(keys.shown("full"), "list" if self._full else "details"),
            back,
            inbox,
            help_,
        )

    def _known(self, agent: Agent) -> Known:
        return Known(
            agent=agent,
            waiting=self._waiting.get(agent.key, ()),
            figures=self._reading.figures.get(agent.key) or Figures(),
            grants=self._reading.grants.get(agent.key.session, ()),
            now=self._office.now(),
            muted_until=self._office.muting.now.agents.get((agent.key.name, agent.key.session)),
        )

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
            run_beside(self, self._count, group="count", exclusive=True)
        self.draw()

    # -- work off the event loop ---------------------------------------------------------------------------

    def _start_reading(self) -> None:
        run_beside(self, self._load, group="load")

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
            self._go_to_the_sought()
        self.set_timer(max(PAUSE, self._reading.took * SHARE), self._rereading.ended)
        self.draw()

    def _go_to_the_sought(self) -> None:
        """Once, with the first reading: nobody has seen a row in focus before."""
        query, self._sought = self._sought, ""
        if query:
            found = (index for index, agent in enumerate(self._agents) if picks(agent.key) == query)
            self._cursor = next(found, self._cursor)

    @on(Counted)
    def _take_counts(self, event: Counted) -> None:
        self._reading = replace(self._reading, figures=event.figures)
        self.draw()
