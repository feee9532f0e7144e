"""The policy of notices: when to call a person who looks elsewhere, and with which words.

It decides from events, without clock or terminal. A person who looks at the screen gets no notice. Otherwise at
most one notice comes in `every` seconds; one of HIGH risk comes at once, and then at most one in `every_high`.
Notices that would come closer together are merged. A notice has counts, the highest risk and the name of an agent,
never anything of a request.
"""

# Annotations are no strings here: settings_of reads them, and to compile strings would take it milliseconds.

from collections.abc import Sequence
from enum import Enum, auto
from typing import Annotated, Literal

from msgspec import Struct

from signoff_tui.terminal.sequences import SpokenWords, spoken_name

__all__ = ["Channel", "Notice", "NoticeSettings", "Notices", "NotifySettings", "WaitingCounts", "title_words"]

Channel = Literal["bell", "osc9", "osc99", "osc777", "off"]

_NEVER = float("-inf")


class NotifySettings(Struct, frozen=True):
    """The person's choices about notices, in any terminal. Times are seconds."""

    channel: Annotated[Literal["auto", Channel], "How a notice reaches you; auto asks TERM."] = "auto"
    title: Annotated[bool, "Say in the title of the window what waits."] = True
    every: Annotated[float, "Least time between two notices."] = 30.0
    every_high: Annotated[float, "The same for HIGH risk, which does not wait for the others."] = 5.0
    gather: Annotated[float, "What comes within this is one notice."] = 0.5
    remind: Annotated[tuple[float, ...], "Remind of the oldest request after these; [] never."] = (120.0, 600.0)
    lost_after: Annotated[float, "Say that the queue is lost after this."] = 10.0
    away_after: Annotated[float, "Without a key for so long nobody looks, if the terminal tells no focus."] = 60.0


class NoticeSettings(NotifySettings, frozen=True):
    """The settings of notices in this terminal, of which the channel is known."""

    channel: Channel = "bell"


class WaitingCounts(Struct, frozen=True):
    """The counts of waiting requests.

    Attributes:
        count: The number of requests.
        high: The number of them that are of HIGH risk.
        highest: The highest risk among them, as a word.
        oldest_since: Beginning of the longest wait, in seconds of the clock of `Notices`.
        agents: Names of the agents that wait, as they call themselves.
        muted: The number of further, muted requests.
    """

    count: int = 0
    high: int = 0
    highest: Literal["low", "med", "HIGH"] = "low"
    oldest_since: float | None = None
    agents: tuple[str, ...] = ()
    muted: int = 0


class Notice(Struct, frozen=True):
    """A notice for a person who looks elsewhere.

    Attributes:
        words: The words.
        bell: True to ring the bell, too.
    """

    words: SpokenWords
    bell: bool


class _Presence(Enum):
    HERE = auto()
    """The terminal has the focus, or a key was pressed."""
    PERHAPS = auto()
    """The focus is not known, and the last key was not long ago."""
    AWAY = auto()


class Notices:
    """Collects reasons to call, and decides when to call.

    All times are seconds of one clock, which never goes back. After each event, and at `next_at`, ask `due`.

    Args:
        settings: The settings of notices.
        now: The time at which the screen was opened, by a person who looks at it.
    """

    def __init__(self, settings: NoticeSettings, now: float) -> None:
        self._settings = settings
        self._waiting: WaitingCounts | None = None
        # Presence.
        self._focus: bool | None = None
        self._sign_of_life = now
        # Reasons that were not reported yet.
        self._first_at: float | None = None
        self._high_at: float | None = None
        self._gone: list[str] = []
        self._cut_off: list[str] = []
        self._reminded: set[float] = set()
        self._lost_since: float | None = None
        self._lost_told = False
        # Reports.
        self._told_at = _NEVER
        self._told_high_at = _NEVER

    # -- events ----------------------------------------------------------------------------------------

    def changed(
        self,
        now: float,
        waiting: WaitingCounts,
        *,
        new_high: bool = False,
        gone: Sequence[str] = (),
        cut_off: Sequence[str] = (),
    ) -> None:
        """Note other waiting requests. Those that waited when the screen was opened are no reason to call.

        Args:
            now: The time.
            waiting: The present counts.
            new_high: True if a request of HIGH risk came, or became one.
            gone: Names of agents that ended while they waited for an answer.
            cut_off: Names of agents that lost their connection for too long meanwhile.
        """
        before, self._waiting = self._waiting, waiting
        if before is not None:
            if waiting.count and not before.count:
                self._first_at = now
            if new_high and self._high_at is None:
                self._high_at = now
            self._gone += gone
            self._cut_off += cut_off
        if not waiting.count:
            self._first_at = None
            self._reminded.clear()
        if not waiting.high:
            self._high_at = None
        self._note_presence(now)

    def lost(self, now: float) -> None:
        """Note that the queue cannot be reached; may be repeated."""
        if self._lost_since is None:
            self._lost_since, self._lost_told = now, False

    def found(self) -> None:
        """Note that the queue can be reached."""
        self._lost_since = None

    def focus(self, now: float, *, focused: bool) -> None:
        """Note that the terminal got or lost the focus; only some of them report it."""
        self._note_presence(now)
        self._focus = focused
        self._note_presence(now)

    def present(self, now: float) -> None:
        """Note a key or a mouse button: somebody looks."""
        self._sign_of_life = now
        if self._focus is not None:
            self._focus = True
        self._seen(now)

    def use(self, settings: NoticeSettings) -> None:
        """Apply other settings."""
        self._settings = settings

    # -- notices ---------------------------------------------------------------------------------------

    def due(self, now: float) -> Notice | None:
        """Return the notice to give now; it counts as given."""
        self._note_presence(now)
        if self._presence(now) is not _Presence.AWAY:
            return None
        urgent = self._high_at is not None and now >= self._urgent_from(self._high_at)
        first = self._first_at is not None and now >= self._first_at + self._settings.gather
        reminders = [after for after, at in self._reminders() if now >= at]
        lost_at = self._lost_due_at()
        lost = lost_at is not None and now >= lost_at
        ordinary = bool(first or self._gone or self._cut_off or reminders or lost)
        if not urgent and not (ordinary and now >= self._told_at + self._settings.every):
            return None
        of_high = self._high_at is not None  # also one that came a moment ago, and is reported with the rest
        notice = Notice(self._words(now, reminded=bool(reminders)), bell=of_high or first)
        self._told_at = now
        if of_high:
            self._told_high_at = now
        self._seen(now)
        return notice

    def next_at(self, now: float) -> float | None:
        """Return the next time at which a notice may be due without further events; None if there is none."""
        presence = self._presence(now)
        if presence is _Presence.HERE:
            return None
        start = now if presence is _Presence.AWAY else self._sign_of_life + self._settings.away_after
        ordinary_from = max(start, self._told_at + self._settings.every)
        moments = [max(ordinary_from, at) for _, at in self._reminders()]
        if (lost_at := self._lost_due_at()) is not None:
            moments.append(max(ordinary_from, lost_at))
        if self._gone or self._cut_off:
            moments.append(ordinary_from)
        if self._first_at is not None:
            moments.append(max(ordinary_from, self._first_at + self._settings.gather))
        if self._high_at is not None:
            moments.append(max(start, self._urgent_from(self._high_at)))
        return min(moments, default=None)

    # -- parts ---------------------------------------------------------------------------------------------

    def _presence(self, now: float) -> _Presence:
        if self._focus is not None:
            return _Presence.HERE if self._focus else _Presence.AWAY
        if now < self._sign_of_life + self._settings.away_after:
            return _Presence.PERHAPS
        return _Presence.AWAY

    def _note_presence(self, now: float) -> None:
        """Drop the reasons that a present person can see on the screen."""
        if self._presence(now) is _Presence.HERE:
            self._seen(now)

    def _seen(self, now: float) -> None:
        self._first_at = self._high_at = None
        self._gone.clear()
        self._cut_off.clear()
        self._reminded.update(after for after, at in self._reminders() if now >= at)
        lost_at = self._lost_due_at()
        self._lost_told |= lost_at is not None and now >= lost_at

    def _urgent_from(self, high_at: float) -> float:
        return max(high_at + self._settings.gather, self._told_high_at + self._settings.every_high)

    def _reminders(self) -> list[tuple[float, float]]:
        """The reminders still to be given, with their times; none while the queue is lost."""
        oldest = None if self._waiting is None else self._waiting.oldest_since
        if oldest is None or self._lost_since is not None:
            return []
        return [(after, oldest + after) for after in self._settings.remind if after not in self._reminded]

    def _lost_due_at(self) -> float | None:
        if self._lost_since is None or self._lost_told:
            return None
        return self._lost_since + self._settings.lost_after

    def _words(self, now: float, *, reminded: bool) -> SpokenWords:
        waiting = self._waiting or WaitingCounts()
        lost = self._lost_since is not None and now >= self._lost_since + self._settings.lost_after
        parts = ["queue lost", f"last known {_counts(waiting)}"] if lost else [_counts(waiting)]
        if waiting.count and not waiting.high and waiting.highest != "low":
            parts.append(f"highest risk {waiting.highest}")
        if waiting.agents:
            parts.append(f"from {_names(waiting.agents)}")
        if reminded and waiting.oldest_since is not None:
            parts.append(f"oldest {int((now - waiting.oldest_since) // 60)} min")
        if self._gone:
            parts.append(f"{_names(self._gone)} ended without an answer")
        if self._cut_off:
            parts.append(f"{_names(self._cut_off)} lost the connection")
        if waiting.count and waiting.muted:
            parts.append(f"{waiting.muted} more muted")
        return SpokenWords(", ".join(parts))


def title_words(waiting: WaitingCounts, *, connected: bool) -> SpokenWords:
    """Return the words for the title of the window.

    Args:
        waiting: The present counts.
        connected: True if the queue can be reached.
    """
    return SpokenWords(f"signoff: {_counts(waiting)}" if connected else "signoff: queue lost")


def _counts(waiting: WaitingCounts) -> str:
    if not waiting.count:
        return f"{waiting.muted} waiting, muted" if waiting.muted else "nothing waiting"
    return f"{waiting.count} waiting" + (f", {waiting.high} HIGH" if waiting.high else "")


def _names(names: Sequence[str]) -> str:
    """The name of an agent, or the number of agents."""
    several = len(set(names))
    return spoken_name(names[0]) if several == 1 else f"{several} agents"
