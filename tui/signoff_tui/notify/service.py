"""Bell, window title and notices for a person who looks elsewhere, and their mutes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from signoff.effects import Risk
from signoff.present.reveal import reveal
from signoff.queue.errors import QueueError
from signoff.queue.records import ChangeSet, RequestState, StoredRequest
from signoff.queue.wording import left_alone, lost_its_connection
from signoff.text.time import local_time
from signoff_tui.notify.mutes import AgentName, MuteFile, Mutes
from signoff_tui.notify.policy import Notice, Notices, NoticeSettings, WaitingCounts, title_words
from signoff_tui.state.tally import Tally
from signoff_tui.terminal.sequences import BellSound, DesktopNotice, Saying, SpokenWords, TerminalKind, Title
from signoff_tui.text.summary import RISK_WORD

__all__ = [
    "Alarm",
    "Beside",
    "Clocks",
    "Muting",
]


_LATER = 0.01
"""The delay, in seconds, that makes the timer late rather than early."""

_BY_RISK = (Risk.HIGH, Risk.MEDIUM, Risk.LOW)


class Alarm(Protocol):
    """A timer that can be stopped."""

    def stop(self) -> None:
        """Stop the timer."""


class Clocks(Struct, frozen=True):
    """The clocks of the service.

    Attributes:
        monotonic: Seconds, never going back.
        wall: Microseconds since the epoch, the clock of requests.
        set_alarm: Calls a function once, after some seconds.
    """

    monotonic: Callable[[], float]
    wall: Callable[[], int]
    set_alarm: Callable[[float, Callable[[], None]], Alarm]


class Beside:
    """Tells a person who looks elsewhere about waiting requests.

    Args:
        settings: The settings of notices.
        terminal_kind: The first reader of the output: the terminal or a multiplexer.
        say: Writes to the terminal.
        clocks: The clocks.
        mutes: Returns the mutes in force; without it nothing is muted.
    """

    def __init__(
        self,
        settings: NoticeSettings,
        terminal_kind: TerminalKind,
        say: Callable[[Saying], None],
        clocks: Clocks,
        mutes: Callable[[], Mutes] = Mutes,
    ) -> None:
        self._settings = settings
        self._terminal_kind = terminal_kind
        self._say = say
        self._clocks = clocks
        self._mutes = mutes
        self._notices = Notices(settings, clocks.monotonic())
        self._pending: dict[str, StoredRequest] = {}
        self._tally = Tally()
        self._waiting = WaitingCounts()
        """The counts of all waiting requests, muted or not."""
        self._connected = True
        self._title: SpokenWords | None = None
        self._alarm: Alarm | None = None
        self._alarm_at = 0.0

    def take(self, news: ChangeSet | QueueError) -> None:
        """Take over changes of the queue, or its loss."""
        self._connected = isinstance(news, ChangeSet)
        if isinstance(news, ChangeSet):
            self._notices.found()
            self._take_changes(news)
        else:
            self._notices.lost(self._clocks.monotonic())
        self._say_title()
        self._go_on()

    def focus(self, *, focused: bool) -> None:
        """Note that the terminal got or lost the focus."""
        self._notices.focus(self._clocks.monotonic(), focused=focused)
        self._go_on()

    def present(self) -> None:
        """Note a key or a mouse button."""
        self._notices.present(self._clocks.monotonic())

    def mutes_changed(self) -> None:
        """Apply changed mutes. Waiting requests of agents that are not muted any more call now."""
        self._notices.changed(self._clocks.monotonic(), self._calling(self._mutes()))
        self._go_on()

    def use(self, settings: NoticeSettings) -> None:
        """Apply other settings."""
        self._settings = settings
        self._notices.use(settings)
        self._go_on()

    # -- parts ---------------------------------------------------------------------------------------------

    def _take_changes(self, changes: ChangeSet) -> None:
        new_high, mutes = False, self._mutes()
        gone: list[str] = []
        cut_off: list[str] = []
        for request_id in tuple(self._pending) if changes.fresh else ():
            del self._pending[request_id]
            self._tally.drop(request_id)
        for request in (change.request for change in changes.changes):
            known = self._pending.pop(request.id, None)
            if request.pending:
                self._pending[request.id] = request
                self._tally.put(request)
                new_high |= _is_high(request) and (known is None or not _is_high(known))
                continue
            self._tally.drop(request.id)
            if known is not None and _is_left_alone(request) and not mutes.silences(known):
                (cut_off if lost_its_connection(request.state_note) else gone).append(request.asked_by.name)
        self._waiting = self._count(self._tally)
        self._notices.changed(
            self._clocks.monotonic(), self._calling(mutes), new_high=new_high, gone=gone, cut_off=cut_off
        )

    def _calling(self, mutes: Mutes) -> WaitingCounts:
        """The counts of the waiting requests that are not muted."""
        if not mutes:
            return self._waiting
        calling, muted = Tally(), 0
        for request in self._pending.values():
            if mutes.silences(request):
                muted += 1
            else:
                calling.put(request)
        return replace(self._count(calling), muted=muted)

    def _count(self, tally: Tally) -> WaitingCounts:
        counts = tally.counts
        if counts.oldest_at is None:
            return WaitingCounts()
        return WaitingCounts(
            count=counts.waiting,
            high=counts.high,
            highest=RISK_WORD[next(risk for risk in _BY_RISK if tally.risks[risk])],  # type: ignore[arg-type]
            oldest_since=self._clocks.monotonic() - max(self._clocks.wall() - counts.oldest_at, 0) / 1e6,
            agents=tuple(sorted({name for name, _ in tally.names})),
        )

    def _say_title(self) -> None:
        words = title_words(self._waiting, connected=self._connected)
        if self._settings.title and words != self._title:
            self._title = words
            self._say(Title(words))

    def _go_on(self) -> None:
        """Give the notices that are due, and set the timer for the next ones."""
        now = self._clocks.monotonic()
        if (notice := self._notices.due(now)) is not None:
            self._tell(notice)
        moment = self._notices.next_at(now)
        if moment is not None and (self._alarm is None or moment < self._alarm_at):
            if self._alarm is not None:
                self._alarm.stop()
            self._alarm_at = moment
            self._alarm = self._clocks.set_alarm(max(moment - now, 0) + _LATER, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._go_on()

    def _tell(self, notice: Notice) -> None:
        channel = self._settings.channel
        if channel == "off":
            return
        if channel != "bell":
            self._say(DesktopNotice(channel, notice.words))
        # A multiplexer often keeps notices to itself, and marks a window by its bell alone.
        if notice.bell or channel == "bell" or self._terminal_kind != "terminal":
            self._say(BellSound())


def _is_high(request: StoredRequest) -> bool:
    return request.submission.risk is Risk.HIGH


def _is_left_alone(request: StoredRequest) -> bool:
    """True if it ended because its agent died, or lost its connection."""
    return request.state is RequestState.WITHDRAWN and left_alone(request.state_note)


# -- Mutes: set and lifted by the person; a timer wakes up once, when the next one ends.

_NAME = 24
"""The most characters of an agent's name in a message about its mute."""


class Muting:
    """The mutes of this run.

    Args:
        clocks: The clocks.
        changed: Called after every change of the mutes.
        file: The file of mutes; without it they end with this run.
    """

    def __init__(self, clocks: Clocks, changed: Callable[[], None], file: MuteFile | None = None) -> None:
        self._clocks = clocks
        self._changed = changed
        self._file = file
        self._mutes = Mutes() if file is None else file.load()
        self._kept = True
        """True if the file holds the present mutes."""
        self._alarm: Alarm | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to watch: a change means to look again."""
        return () if self._file is None else (self._file.path,)

    @property
    def now(self) -> Mutes:
        """Return the mutes in force now."""
        return self._mutes.at(self._clocks.wall())

    def start(self) -> None:
        """Go on with the mutes of the run before."""
        self._mutes = self.now
        self._wake_up()

    def look(self) -> None:
        """Take over mutes that another screen set or lifted."""
        if self._file is None or not self._kept:
            return
        before, now = self.now, self._clocks.wall()
        self._mutes = self._file.load().at(now)
        if self._mutes != before:
            self._wake_up()
            self._changed()

    def turn(self, agent: AgentName | None = None) -> str:
        """Toggle a mute; returns the message.

        Args:
            agent: The agent; None for everything.
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
        return f"{who} muted until {local_time(until, 'minute')}; HIGH still calls{forgets}"

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
    """The name of an agent, safe and short enough to leave room for the message."""
    name = reveal(agent[0], "agent").text
    return name if len(name) <= _NAME else f"{name[: _NAME - 2]}.."
