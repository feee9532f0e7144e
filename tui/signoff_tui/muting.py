"""Mutes notices and lets them be heard again; wakes up once, when the next mute ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from signoff.present.reveal import reveal
from signoff_tui.beside import Alarm, Clocks
from signoff_tui.mutes import AgentName, MuteFile, Mutes
from signoff_tui.summary import clock_text

__all__ = ["Muting", "end_text"]

_NAME = 24
"""Most characters of an agent's name, where it is said what became of it."""

_LATER = 0.01
"""Seconds by which the alarm comes too late rather than too early."""


class Muting:
    """What is muted in this run.

    Args:
        clocks: The times.
        changed: Called whenever something else is muted than before.
        file: Where it is kept; it is forgotten with this run if it is left out.
    """

    def __init__(self, clocks: Clocks, changed: Callable[[], None], file: MuteFile | None = None) -> None:
        self._clocks = clocks
        self._changed = changed
        self._file = file
        self._mutes = Mutes() if file is None else file.load()
        self._kept = True
        """Whether the file holds what is muted."""
        self._alarm: Alarm | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """Where it is kept: if that changes, look again."""
        return () if self._file is None else (self._file.path,)

    @property
    def now(self) -> Mutes:
        """What is muted now."""
        return self._mutes.at(self._clocks.wall())

    def start(self) -> None:
        """Go on with what was muted before this run."""
        self._mutes = self.now
        self._wake_up()

    def look(self) -> None:
        """Take over what another screen muted, or lets be heard again."""
        if self._file is None or not self._kept:
            return
        before, now = self.now, self._clocks.wall()
        self._mutes = self._file.load().at(now)
        if self._mutes != before:
            self._wake_up()
            self._changed()

    def turn(self, agent: AgentName | None = None) -> str:
        """Mute, or let be heard again; returns what to say.

        Args:
            agent: Which agent; None for everything.
        """
        now = self._clocks.wall()
        self._mutes = self._mutes.at(now).turned(agent, now)
        self._kept = self._file is None or self._file.save(self._mutes)
        self._wake_up()
        self._changed()
        until = self._mutes.everything if agent is None else self._mutes.agents.get(agent)
        if until is None:
            if agent is None:
                return "not muted any more"
            though = "" if self._mutes.everything is None else "; all are, though"
            return f"{_short(agent)} not muted any more{though}"
        who = "all" if agent is None else _short(agent)
        forgets = "" if self._kept else "; a restart forgets it"
        return f"{who} muted until {end_text(until)}; HIGH still calls{forgets}"

    def _wake_up(self) -> None:
        if self._alarm is not None:
            self._alarm.stop()
        end = self._mutes.next_end()
        seconds = 0.0 if end is None else max(end - self._clocks.wall(), 0) / 1e6 + _LATER
        self._alarm = None if end is None else self._clocks.set_alarm(seconds, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._mutes = self.now
        self._wake_up()
        self._changed()


def _short(agent: AgentName) -> str:
    """The name of an agent, made safe; not so long that there is no room for what is said of it."""
    name = reveal(agent[0], "agent").text
    return name if len(name) <= _NAME else f"{name[: _NAME - 2]}.."


def end_text(until: int) -> str:
    """When a mute ends: hours and minutes."""
    return clock_text(until)[:5]
