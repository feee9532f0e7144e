"""What can be set, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from signoff_tui.guard import GuardSettings
from signoff_tui.keymap import LEADER, KeyMap, Profile
from signoff_tui.notices import Channel

__all__ = ["Ascii", "DiffSettings", "KeySettings", "Layout", "NotifySettings", "OutsideSettings", "ScreenSettings"]

Ascii = Literal["auto", "on", "off"]
Layout = Literal["auto", "unified", "split"]


class DiffSettings(Struct, frozen=True):
    """How diffs are shown when the screen opens.

    Attributes:
        layout: Before and after below each other, or beside each other where there is room; ``auto`` is beside
            each other in a wide terminal.
        context: Unchanged lines around changes.
        wrap: Whether long lines are wrapped rather than cut.
    """

    layout: Layout = "auto"
    context: int = 3
    wrap: bool = True


class NotifySettings(Struct, frozen=True):
    """How a person who looks elsewhere is called; times are seconds, as in `NoticeSettings`.

    Attributes:
        channel: How notices reach the person; ``auto`` is the best that the terminal is known to have.
        title: Whether the title of the window says what waits, in terminals that have one.
        every: Least time between two notices.
        every_high: The same for notices of HIGH risk.
        gather: From a reason to the notice.
        remind: When the person is reminded of the oldest request, once each.
        lost_after: After how long it is told that the queue is lost.
        away_after: After how long without a key nobody looks, where the terminal does not tell its focus.
    """

    channel: Channel | Literal["auto"] = "auto"
    title: bool = True
    every: float = 30.0
    every_high: float = 5.0
    gather: float = 0.5
    remind: tuple[float, ...] = (120.0, 600.0)
    lost_after: float = 10.0
    away_after: float = 60.0


class OutsideSettings(Struct, frozen=True):
    """Programs of the person that show things outside of the screen.

    Attributes:
        viewer: Program and arguments that compare two files, which are added; empty if there is none.
    """

    viewer: tuple[str, ...] = ()


class KeySettings(Struct, frozen=True):
    """Which keys do what.

    Attributes:
        single: Whether single keys decide; else the leader comes before them.
        leader: That key.
        profile: Whether letters move, too, or only arrows and named keys.
        map: Actions that are on other keys, by name.
    """

    single: bool = True
    leader: str = LEADER
    profile: Profile = "default"
    map: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def key_map(self) -> KeyMap:
        """What each key does.

        Raises:
            ValueError: Two of the keys contradict each other.
        """
        return KeyMap(self.map, self.leader, self.single, self.profile)


class ScreenSettings(Struct, frozen=True):
    """All settings of the screen.

    Attributes:
        theme: Name of a theme; ``auto`` is the light or the dark one, as the background of the terminal is.
        ascii: Whether only ASCII characters are drawn; ``auto`` looks at locale and terminal.
        mouse: Whether the screen takes clicks and the wheel.
        filters: Filters of the person, by the digit that chooses them.
        diff: How diffs are shown at first.
        guard: Times of the decision guard.
        notify: How a person is called.
        outside: Programs that show things outside of the screen.
        keys: Which keys do what.
    """

    theme: str = "auto"
    ascii: Ascii = "auto"
    mouse: bool = True
    filters: Mapping[int, str] = field(default_factory=dict)
    diff: DiffSettings = field(default_factory=DiffSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
    outside: OutsideSettings = field(default_factory=OutsideSettings)
    keys: KeySettings = field(default_factory=KeySettings)
