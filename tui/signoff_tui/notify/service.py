"""Bell, window title and notices for a person who looks elsewhere, and muting them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.reveal import reveal
from signoff.queue.errors import QueueError
from signoff.queue.records import ChangeSet, RequestState, Risk, StoredRequest
from signoff.queue.wording import agent_is_gone
from signoff.text.time import local_time
from signoff_tui.notify.mutes import AgentName, MuteFile, Mutes
from signoff_tui.notify.policy import Notice, Notices, NoticeSettings, WaitingCounts, title_words
from signoff_tui.state.tally import Tally
from signoff_tui.terminal.sequences import Around, BellSound, DesktopNotice, Saying, SpokenWords, Title
from signoff_tui.text.summary import RISK_WORD

__all__ = [
    "Alarm",
    "Beside",
    "Clocks",
    "Muting",
]


_LATER = 0.01
"""Seconds by which the alarm comes too late rather than too early."""

_BY_RISK = (Risk.HIGH, Risk.MEDIUM, Risk.LOW)


class Alarm(Protocol):
    """A timer that was set, and can be stopped."""

    def stop(self) -> None:
        """Do not ring."""


class Clocks(Struct, frozen=True):
    """The times that are needed.

    Attributes:
        monotonic: Seconds, never going back.
        wall: Microseconds since the epoch, the clock of requests.
        set_alarm: Calls a function once, after some seconds.
    """

    monotonic: Callable[[], float]
    wall: Callable[[], int]
    set_alarm: Callable[[float, Callable[[], None]], Alarm]


class Beside:
    """Tells a person who looks elsewhere what waits.

    Args:
        settings: How and how often.
        around: What reads first what is said.
        say: Says it to the terminal.
        clocks: The times.
        mutes: What is muted now; nothing ever is if it is left out.
    """

    def __init__(
        self,
        settings: NoticeSettings,
        around: Around,
        say: Callable[[Saying], None],
        clocks: Clocks,
        mutes: Callable[[], Mutes] = Mutes,
    ) -> None:
        self._settings = settings
        self._around = around
        self._say = say
        self._clocks = clocks
        self._mutes = mutes
        self._notices = Notices(settings, clocks.monotonic())
        self._pending: dict[str, StoredRequest] = {}
        self._tally = Tally()
        self._waiting = WaitingCounts()
        """All that waits, muted or not."""
        self._connected = True
        self._title: SpokenWords | None = None
        self._alarm: Alarm | None = None
        self._alarm_at = 0.0

    def take(self, news: ChangeSet | QueueError) -> None:
        """Take over what changed in the queue, or that it cannot be reached."""
        self._connected = isinstance(news, ChangeSet)
        if isinstance(news, ChangeSet):
            self._notices.found()
            self._take_changes(news)
        else:
            self._notices.lost(self._clocks.monotonic())
        self._say_title()
        self._go_on()

    def focus(self, *, focused: bool) -> None:
        """The terminal got or lost the focus."""
        self._notices.focus(self._clocks.monotonic(), focused=focused)
        self._go_on()

    def present(self) -> None:
        """A key or a mouse button was pressed."""
        self._notices.present(self._clocks.monotonic())

    def mutes_changed(self) -> None:
        """Other agents are muted than before. What still waits of those that are not any more calls now."""
        self._notices.changed(self._clocks.monotonic(), self._calling(self._mutes()))
        self._go_on()

    def use(self, settings: NoticeSettings) -> None:
        """Go on with other settings."""
        self._settings = settings
        self._notices.use(settings)
        self._go_on()

    # -- parts ---------------------------------------------------------------------------------------------

    def _take_changes(self, changes: ChangeSet) -> None:
        new_high, gone, mutes = False, [], self._mutes()
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
                gone.append(request.asked_by.name)
        self._waiting = self._count(self._tally)
        self._notices.changed(self._clocks.monotonic(), self._calling(mutes), new_high=new_high, gone=gone)

    def _calling(self, mutes: Mutes) -> WaitingCounts:
        """What waits, without what is muted."""
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
        """Say what is due, and wake up when something else may be."""
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
        if notice.bell or channel == "bell" or self._around != "terminal":
            self._say(BellSound())


def _is_high(request: StoredRequest) -> bool:
    return request.submission.risk is Risk.HIGH


def _is_left_alone(request: StoredRequest) -> bool:
    """Whether it ended because its agent died."""
    return request.state is RequestState.WITHDRAWN and request.state_note == agent_is_gone(request.asked_by.pid)


# -- Mutes notices and lets them be heard again; wakes up once, when the next mute ends.

_NAME = 24
"""Most characters of an agent's name, where it is said what became of it."""


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
    """The name of an agent, made safe; not so long that there is no room for what is said of it."""
    name = reveal(agent[0], "agent").text
    return name if len(name) <= _NAME else f"{name[: _NAME - 2]}.."
