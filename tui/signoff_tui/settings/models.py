"""The settings of the screen: values, kinds, and the one table that reader, default file and guide use."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct, field

from signoff.filter import Filtered, FilterError, parse
from signoff.settings_yaml import shown, unknown_key
from signoff.text.time import length_text, read_length
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import LEADER, MAPPABLE, KeyMap, Profile, check_keys
from signoff_tui.notify.policy import Channel
from signoff_tui.state.persistence import OWN_DIGITS

__all__ = [
    "FILTERS",
    "KEY",
    "KEY_MAP",
    "NAME",
    "SECTIONS",
    "SETTINGS",
    "SWITCH",
    "TIME",
    "TIMES",
    "WORDS",
    "Ascii",
    "DiffSettings",
    "KeySettings",
    "Layout",
    "NotifySettings",
    "OutsideSettings",
    "ScreenSettings",
    "Setting",
    "SettingKind",
    "choice",
    "default_of",
    "value_in",
    "whole",
]


# -- What can be set, as values.

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


# -- How a setting is read from what a file holds, and written back.

_SWITCHES = {"on": True, True: True, "off": False, False: False}


class SettingKind(Struct, frozen=True):
    """One kind of value.

    Attributes:
        read: From the value in the file; a ValueError says what it must be.
        write: To text that reads back as the same.
        accepts: What may stand there, in words; empty if the default says it.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], str]
    accepts: str = ""


def choice(*words: str) -> SettingKind:
    """One of some words."""

    def read(given: Any) -> str:
        given = {True: "on", False: "off"}.get(given, given) if isinstance(given, bool) else given
        if given not in words:
            raise ValueError(f"must be {_listed(words)}, not {shown(given)}")
        return str(given)

    return SettingKind(read, str, " | ".join(words))


def whole(least: int, most: int) -> SettingKind:
    """A whole number."""

    def read(given: Any) -> int:
        if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {shown(given)}")
        return given

    return SettingKind(read, str)


def _name(given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise ValueError(f"must be a name, not {shown(given)}")
    return given


def _switch(given: Any) -> bool:
    if not isinstance(given, str | bool) or given not in _SWITCHES:
        raise ValueError(f"must be on or off, not {shown(given)}")
    return _SWITCHES[given]


def _time(given: Any) -> float:
    if isinstance(given, str) or (isinstance(given, int) and given == 0 and not isinstance(given, bool)):
        found = read_length(str(given))
        if found is None or {*"dw"} & {*str(given)}:  # nothing here takes days
            raise ValueError(f"must be a time with its unit, such as 250ms, 1s, 2m or 1h, not {shown(given)}")
        return found[0] / 1_000_000
    if isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
        raise ValueError(f"must have a unit: {given}s, or {given}ms?")
    raise ValueError(f"must be a time such as 250ms, 1s or 2m, not {shown(given)}")


def _times(given: Any) -> tuple[float, ...]:
    if not isinstance(given, list):
        raise ValueError(  # noqa: TRY004 - a wrong setting is a wrong value, whatever its type
            f"must be a list of times such as [2m, 10m], not {shown(given)}"
        )
    return tuple(_time(item) for item in given)


def _words(given: Any) -> tuple[str, ...]:
    wrong = not isinstance(given, list) or not all(isinstance(word, str) and "\0" not in word for word in given)
    if wrong or (given and not given[0]):
        raise ValueError(
            f"must be a program and its arguments, such as [difft, --color=always], not {shown(given)}"
        )
    return tuple(given)


def _key(given: Any) -> str:
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    if not isinstance(given, str) or not given:
        raise ValueError(f"must be a key, such as a comma in quotes, not {shown(given)}")
    return " " if given == "space" else given


def _key_map(given: Any) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(given, dict):
        raise ValueError(f"must hold names of actions with keys, such as approve: A, not {shown(given)}")  # noqa: TRY004
    for name in given:
        if name not in MAPPABLE:
            raise ValueError(f'"{name}" {unknown_key(name, MAPPABLE)}')
    moved = {name: _keys(name, value) for name, value in given.items()}
    for name, keys in moved.items():
        check_keys(name, keys)
    return moved


def _keys(name: str, given: Any) -> tuple[str, ...]:
    keys = given if isinstance(given, list) else [given]
    digits = [str(key) if isinstance(key, int) and not isinstance(key, bool) else key for key in keys]
    if not all(isinstance(key, str) and key for key in digits):
        raise ValueError(f'"{name}" must have a key, or a list of keys, not {shown(given)}')
    return tuple(" " if key == "space" else key for key in digits)


def _filters(given: Any) -> Mapping[int, str]:
    if not isinstance(given, dict):
        raise ValueError(  # noqa: TRY004 - a wrong setting is a wrong value, whatever its type
            f'must hold digits with filters, such as 6: "agent:docs-bot is:unseen", not {shown(given)}'
        )
    return {_own_digit(digit): _filter(digit, text) for digit, text in given.items()}


def _own_digit(given: Any) -> int:
    digits = [digit for digit in OWN_DIGITS if str(digit) == str(given)]
    if not digits:
        own = ", ".join(map(str, OWN_DIGITS))
        raise ValueError(f"{given} is no digit of yours: {own} are; the others are filters that everybody has")
    return digits[0]


def _filter(digit: Any, given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{digit} must have a filter as you would type it, in quotes, not {shown(given)}")
    wrong: list[FilterError] = []
    for filtered in Filtered:
        try:
            parse(given, filtered)
        except FilterError as error:
            wrong.append(error)
        else:
            return given
    raise ValueError(f'{digit}: "{given}" is no filter, at character {wrong[0].column + 1}: {wrong[0].message}')


def _write_filters(filters: Mapping[int, str]) -> str:
    return f"{{{', '.join(f'{digit}: {json.dumps(text)}' for digit, text in filters.items())}}}"


def _write_key_map(keys: Mapping[str, tuple[str, ...]]) -> str:
    moved = (f"{name}: {json.dumps(list(of), ensure_ascii=False)}" for name, of in keys.items())
    return f"{{{', '.join(moved)}}}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + f" or {words[-1]}"


def _write_time(seconds: float) -> str:
    return length_text(round(seconds * 1_000_000), "unit")


KEY = SettingKind(_key, lambda key: json.dumps(key, ensure_ascii=False))
NAME = SettingKind(_name, str)
SWITCH = SettingKind(_switch, lambda value: "on" if value else "off", "on | off")
TIME = SettingKind(_time, _write_time)
FILTERS = SettingKind(_filters, _write_filters)
KEY_MAP = SettingKind(_key_map, _write_key_map)
WORDS = SettingKind(_words, lambda words: json.dumps(list(words), ensure_ascii=False))
TIMES = SettingKind(_times, lambda times: f"[{', '.join(map(_write_time, times))}]")


class Setting(Struct, frozen=True):
    """One setting.

    Attributes:
        section: Key of the mapping that it stands in; empty at the top.
        name: Its key, and the name of the attribute that it sets.
        kind: What may stand there.
        words: What it does, in one line.
    """

    section: str
    name: str
    kind: SettingKind
    words: str


SECTIONS: Mapping[str, str] = {
    "diff": "How a diff looks when the screen opens; the keys w, d, { and } change it there.",
    "guard": "The decision guard: what makes a key count. Longer is safer.",
    "notify": "How you are called while you look elsewhere.",
    "outside": "Programs of yours that show things outside of the screen.",
    "keys": "Keys, by the names of what they do; what is moved leaves its old key free.",
}

SETTINGS: tuple[Setting, ...] = (
    Setting("", "theme", NAME, "A theme by its name; auto: dark or light, as the terminal."),
    Setting("", "ascii", choice("auto", "on", "off"), "Draw with ASCII only; auto: where the terminal needs it."),
    Setting("", "mouse", SWITCH, "Take clicks and the wheel; off leaves selecting to the terminal."),
    Setting("", "filters", FILTERS, 'Filters for f and a digit, such as {6: "agent:docs-bot is:unseen"}.'),
    Setting(
        "diff",
        "layout",
        choice("auto", "unified", "split"),
        "Before and after below, or beside each other; auto: beside from 160 columns.",
    ),
    Setting("diff", "context", whole(1, 10_000), "Unchanged lines around a change."),
    Setting("diff", "wrap", SWITCH, "Wrap long lines; off cuts them, and what is cut off is not shown."),
    Setting("guard", "arm_moved", TIME, "From the picture to the first key that counts, after you moved."),
    Setting("guard", "arm_advanced", TIME, "The same after the screen moved on by itself."),
    Setting("guard", "arm_arrived", TIME, "The same when a request comes into an empty inbox."),
    Setting("guard", "arm_changed", TIME, "The same when what you look at changed."),
    Setting("guard", "arm_focus", TIME, "The same after the terminal got the focus."),
    Setting("guard", "arm_high", TIME, "At least this long for HIGH risk."),
    Setting("guard", "arm_sheet", TIME, "The same after a question or a sheet opened."),
    Setting("guard", "link_delay", TIME, "Added to all of these, for slow lines."),
    Setting("guard", "repeat_gap", TIME, "A decision key this soon after another does nothing."),
    Setting("guard", "autorepeat", TIME, "Equal keys that come faster than this are one held key."),
    Setting("guard", "enter_after", TIME, "Enter this soon after an approval takes it back."),
    Setting("guard", "hasty_text", TIME, "Text this soon after the text box opened was meant for elsewhere."),
    Setting("guard", "hasty_enter", TIME, "So was Enter this soon: then it is needed twice."),
    Setting("guard", "enter_again", TIME, "Least time between the two."),
    Setting(
        "guard", "paste_gap", TIME, "Enter this soon after text was pasted: it ends a line, and sends nothing."
    ),
    Setting("guard", "burst_keys", whole(2, 100), "So many letters within burst_window are typing."),
    Setting("guard", "burst_window", TIME, "See burst_keys."),
    Setting("guard", "burst_quiet", TIME, "Silence that unlocks the keys after typing."),
    Setting("guard", "quiet_before", TIME, "Silence that a decision key needs before and after it."),
    Setting("guard", "late", TIME, "A key that waited so long in a busy program does nothing."),
    Setting("guard", "hold_one", TIME, "How long u can take it back; 0 is not at all, else 800ms or more."),
    Setting("guard", "hold_many", TIME, "The same for groups, remembering, stopping and HIGH risk."),
    Setting("guard", "dwell", TIME, "A line counts as shown after this long."),
    Setting("guard", "typing_lock", SWITCH, "Lock the decision keys while somebody types."),
    Setting("guard", "require_seen", SWITCH, "Approve only what was shown in full."),
    Setting("notify", "channel", choice("auto", *get_args(Channel)), "How a notice reaches you; auto asks TERM."),
    Setting("notify", "title", SWITCH, "Say in the title of the window what waits."),
    Setting("notify", "every", TIME, "Least time between two notices."),
    Setting("notify", "every_high", TIME, "The same for HIGH risk, which does not wait for the others."),
    Setting("notify", "gather", TIME, "What comes within this is one notice."),
    Setting("notify", "remind", TIMES, "Remind of the oldest request after these; [] never."),
    Setting("notify", "lost_after", TIME, "Say that the queue is lost after this."),
    Setting(
        "notify", "away_after", TIME, "Without a key for so long nobody looks, if the terminal tells no focus."
    ),
    Setting(
        "outside",
        "viewer",
        WORDS,
        "Shows a diff: program and arguments, such as [difft] or [delta, --paging=always].",
    ),
    Setting("keys", "single", SWITCH, "Let single keys decide; off wants the leader right before each that does."),
    Setting("keys", "leader", KEY, "That key: one character that means nothing else."),
    Setting("keys", "profile", choice("default", "arrows"), "arrows moves by arrows and named keys only."),
    Setting("keys", "map", KEY_MAP, "Other keys, such as {approve: A, later: [Z, f5]}."),
)


def value_in(settings: ScreenSettings, setting: Setting) -> Any:
    """What one of the settings is."""
    return getattr(getattr(settings, setting.section) if setting.section else settings, setting.name)


def default_of(setting: Setting) -> Any:
    """What holds while a setting is not given."""
    return value_in(ScreenSettings(), setting)
