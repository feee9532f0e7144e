"""The agents: one row for each, everything about the focused one, and the key that stops it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from signoff.queue import QueueError, StoredRequest
from signoff.text.time import until_age_changes
from signoff_tui.context import Office
from signoff_tui.input.handlers import Handlers
from signoff_tui.layout import Layout
from signoff_tui.screens.agents.last_hour import AgentKey, Outcome
from signoff_tui.screens.agents.lines import (
    KnownAgent,
    agent_details,
    agent_row,
    cells_of_name,
    list_heading,
    nobody_lines,
    note_lines,
    stop_question,
)
from signoff_tui.screens.agents.roster import Agent, Roster, picks, read_roster, waiting_of
from signoff_tui.screens.agents.stopping import Stopping
from signoff_tui.screens.list_beside_details import LIST_HANDLERS, ListBesideDetails, ListRows
from signoff_tui.screens.plain import News
from signoff_tui.screens.rereading import Rereading
from signoff_tui.screens.review.bars import held_chunks
from signoff_tui.text.bars import Key
from signoff_tui.text.lines import Line
from signoff_tui.text.look import look_of
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList
from signoff_tui.workers import run_beside

if TYPE_CHECKING:
    from signoff_tui.screens.review.screen import ReviewScreen

__all__ = ["AgentsScreen"]

_HANDLERS: Handlers[AgentsScreen] = Handlers(LIST_HANDLERS)

PAUSE = 0.5
"""Seconds between two readings, at least; a reading that takes long is followed by a longer one."""

SHARE = 10.0
"""The wait before the next reading, as a multiple of the time that the last one took."""

MINUTE = 60.0
"""Seconds after which the last hour is counted again, if nothing happens."""

SHORTEST_WAIT = 10.0
"""Seconds by which an age may be late: many agents do not keep the screen busy."""

SHORTEST_TIMER = 0.02


class AgentsScreen(ListBesideDetails):
    """Agents, first seen first, with everything about the focused one.

    Args:
        office: What all screens share.
        query: Picks the agent that is in focus first; all are listed.
        review: The inbox, which has what waits and sends what is decided.
    """

    place = "agents"
    handlers = _HANDLERS
    tab = "Agents"
    list_share = 0.65

    def __init__(self, office: Office, query: str, review: ReviewScreen) -> None:
        super().__init__(office, query)
        self._desk = review.desk
        self._stopping = Stopping(review, office.keys)
        self._sought = query
        self._roster = Roster()
        self._counts: Mapping[AgentKey, Counter[Outcome]] = {}
        self._waiting: Mapping[AgentKey, Sequence[StoredRequest]] = {}
        self._rereading = Rereading(lambda: run_beside(self, self._load, group="load"))
        self._read = False
        self._problem = ""
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Read the agents."""
        self._rereading.wanted()

    # -- keys ----------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Have the guard judge every key first; while the question about a stop is open, no other key counts."""
        stopping = self._stopping
        asked = bool(stopping.refs)
        if not stopping.takes_key(event):
            if not asked:
                super().on_key(event)
                return
            if event.key == "escape":
                stopping.close()
        event.stop()
        event.prevent_default()
        self._said = stopping.said
        self.draw()

    def on_paste(self, event: events.Paste) -> None:
        """Have the guard judge pasted text: it is never a command."""
        event.stop()
        self._stopping.takes_paste(event)
        self._said = self._stopping.said
        self.draw()

    def on_screen_resume(self) -> None:
        """Draw and arm anew: something lay over the screen."""
        self._stopping.guard.restart()
        self.draw()

    def on_resize(self, event: events.Resize) -> None:
        """Tell the guard about the size: a resize decides nothing, and where it is too small no key does."""
        too_small = Layout(event.size.width, event.size.height).too_small
        self._stopping.guard.resized(too_small=too_small)

    def stood_still(self) -> None:
        """Tell the guard that the program stood still: keys typed meanwhile decide nothing."""
        self._stopping.guard.went_on()

    def terminal_focused(self, at: float) -> None:
        """Tell the guard that the terminal got the focus: the key or click that gave it decides nothing."""
        self._stopping.guard.focus_in(at)
        self.draw()

    @property
    def takes_clicks(self) -> bool:
        """True if a click may move the cursor: not while the question about a stop is open."""
        return super().takes_clicks and not self._stopping.refs

    @_HANDLERS("agents")
    def do_agents(self) -> None:
        """Do nothing: all agents are listed already."""

    @_HANDLERS("requests")
    def open_row(self) -> None:
        """Show the agent's waiting requests, and no others, in the inbox; if there are none, its last hour."""
        agent = self._focused
        if agent is not None and self._waiting.get(agent.key):
            self._office.go("inbox", picks(agent.key))
        else:
            self.do_last_hour()

    @_HANDLERS("last_hour")
    def do_last_hour(self) -> None:
        """Show the agent's last hour in the history."""
        agent = self._focused
        if agent is not None:
            self._office.go("history", f"{picks(agent.key)} since:1h")

    @_HANDLERS("mute")
    def do_mute(self) -> None:
        """Hold the notices about the focused one back for a while; or do not any more."""
        agent = self._focused
        if agent is not None:
            self.tell(self._office.muting.turn((agent.key.name, agent.key.session)))

    @_HANDLERS("undo")
    def do_undo(self) -> None:
        """Take back the held decision made last."""
        self._said = self._stopping.undo()

    # -- drawing -------------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of agents."""
        return len(self._roster.agents)

    @property
    def _focused(self) -> Agent | None:
        return self._roster.agents[self._cursor] if self._roster.agents else None

    def draw(self) -> None:
        """Draw everything as it is now, and tell the guard what is shown."""
        if not self.stands:
            return
        agents, agent = self._roster.agents, self._focused
        self._waiting = waiting_of((entry.request for entry in self._desk.inbox.in_list_order()), agents)
        requests = () if agent is None else self._waiting.get(agent.key, ())
        self._stopping.show(None if agent is None else picks(agent.key), [request.id for request in requests])
        super().draw()
        if self._stopping.guard.pending is not None:
            for part in self._naming:
                part.draw_again()
        self._schedule()

    def displayed(self) -> None:
        """Arm the keys of the last picture, which is on the screen from now on."""
        super().displayed()
        if not self.stands or self.app.screen is not self:
            return
        frame = self._stopping.guard.pending
        if frame is not None and all(part.drawn for part in self._naming):
            self._stopping.guard.painted(frame, time.monotonic())
            self._schedule()

    @property
    def _naming(self) -> Sequence[LinesView | RowList]:
        """Return the parts that name the target of a key."""
        bar = self.query_one("#question" if self._stopping.refs else "#keys", LinesView)
        if self.room.too_small or not self._roster.agents:
            return (bar,)
        named = self.query_one("#detail", LinesView) if self.full else self.query_one("#rows", RowList)
        return (named, bar)

    def empty_lines(self, width: int) -> Sequence[Line]:
        """Return the words in the place of an empty list: nobody is there, or why that is not known."""
        return nobody_lines(self._problem, width, read=self._read)

    def rows(self, width: int) -> ListRows:
        """Return one row for each agent."""
        agents, glyphs, hour = self._roster.agents, look_of(self).glyphs, self._roster.hour
        longest = max((cells_of_name(self._known(agent)) for agent in agents), default=0)

        def row(index: int, width: int) -> Sequence[Line]:
            return agent_row(self._known(agents[index]), glyphs, width, longest, focused=index == self._cursor)

        note = note_lines(self._roster.hidden, None if hour.whole else len(hour.ended))
        return ListRows(row, 1, [list_heading(width, longest)], note)

    def detail_lines(self, width: int) -> Sequence[Line]:
        """Return everything that is known about the focused agent."""
        agent = self._focused
        return [] if agent is None else agent_details(self._known(agent), width)

    def question_lines(self, width: int, rows: int) -> Sequence[Line]:
        """Return the question before an agent is stopped, with all that would be rejected."""
        stopping = self._stopping
        if not stopping.refs:
            return ()
        return stop_question(
            stopping.who,
            stopping.names,
            width,
            rows,
            hidden=sum(self._desk.inbox.is_hidden(ref.id) for ref in stopping.refs),
            confirm=self._office.keys.shown("despite"),
            armed=stopping.sheet_armed,
        )

    def special_line(self, width: int) -> Line:
        """Return the last message, and the held decisions."""
        said = super().special_line(width).left
        room = max(width // 2, width - sum(piece.width for piece in said))
        return Line(said, held_chunks(self._desk, room, time.monotonic()))

    def bar_keys(self) -> Sequence[Key]:
        """Return the keys of the bottom row, with what they do now."""
        agent, shown = self._focused, self._office.keys.shown
        waits = agent is not None and bool(self._waiting.get(agent.key))
        return (
            Key("Enter", "requests", waits, "requests"),
            Key(shown("stop", place="agents"), "stop", waits and self._stopping.armed),
            Key(shown("last_hour", place="agents"), "last hour", agent is not None, "last_hour"),
            Key(shown("page_down", place="agents"), "read on", agent is not None, "page_down"),
            Key("Esc", "back", action="back"),
            Key(shown("help"), "keys", action="help"),
        )

    def _known(self, agent: Agent) -> KnownAgent:
        return KnownAgent(
            agent=agent,
            waiting=self._waiting.get(agent.key, ()),
            hour=self._counts.get(agent.key) or {},
            now=self._office.now(),
            allowed=self._roster.allowed.get(agent.key.session, 0),
            muted_until=self._office.muting.now.agents.get((agent.key.name, agent.key.session)),
            believes=(agent.key.name, agent.key.session) not in self._office.alarms.not_believing,
            namesake=sum(other.key.name == agent.key.name for other in self._roster.agents) > 1,
        )

    # -- time ----------------------------------------------------------------------------------------------

    def _schedule(self) -> None:
        """Set the timer to the next time at which something on the screen changes by itself."""
        if self._timer is not None:
            self._timer.stop()
        now = time.monotonic()
        ages = [age for agent in self._roster.agents for age in self._known(agent).ages]
        waits = [max(until_age_changes(age), SHORTEST_WAIT) for age in ages]
        waits += [MINUTE] if self._roster.hour.ended else []
        waits += [1.0] if len(self._desk.guard.holds) else []
        arming = self._stopping.guard.next_arming(now)
        waits += [arming - now] if arming is not None else []
        self._timer = self.set_timer(max(min(waits), SHORTEST_TIMER), self._tick) if waits else None

    def _tick(self) -> None:
        self._timer = None
        self._counts = self._roster.hour.counts(self._office.now())
        self.draw()

    # -- what comes in -------------------------------------------------------------------------------------

    def take_news(self, news: News) -> None:
        """Read the agents again after a change of the queue; note that it was lost, or is back."""
        self._problem = news.problem
        self._stopping.set_connected(not news.problem)
        if not news.problem:
            self._rereading.wanted()
        self.draw()

    async def _load(self) -> None:
        before, now = self._roster, self._office.now()
        try:
            roster = await self._office.ask(lambda queue: read_roster(queue, before, now))
        except QueueError as error:
            self._problem = f"it cannot be read: {error}"
        else:
            self._problem, self._read = "", True
            self._roster, self._counts = roster, roster.hour.counts(now)
            self._go_to_the_sought()
        self.set_timer(max(PAUSE, self._roster.took * SHARE), self._rereading.ended)
        self.draw()

    def _go_to_the_sought(self) -> None:
        """Focus the agent of the query, once, with the first reading: nobody has seen a row in focus before."""
        query, self._sought = self._sought, ""
        if query:
            found = (index for index, agent in enumerate(self._roster.agents) if picks(agent.key) == query)
            self._cursor = next(found, self._cursor)
