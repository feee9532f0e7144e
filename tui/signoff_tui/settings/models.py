"""The model of the settings of the screen, from which reader, default file and guide are made."""

# Annotations are no strings here: settings_of reads them, and to compile strings would take it milliseconds.

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from signoff.filter import Filtered, FilterError, parse
from signoff.settings_yaml import shown, unknown_key
from signoff.text.time import length_text, read_length
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import MAPPABLE, KeyMap, check_keys
from signoff_tui.notify.policy import NotifySettings

__all__ = [
    "DiffSettings",
    "KeySettings",
    "OutsideSettings",
    "ScreenSettings",
    "Setting",
    "SettingKind",
    "settings_of",
]


# -- How a setting is read from what a file holds, and written back.

_SWITCHES = {"on": True, True: True, "off": False, False: False}


class SettingKind(Struct, frozen=True):
    """One kind of value.

    Attributes:
        read: From the value in the file; a ValueError says what it must be.
        write: To text that reads back as the same.
        accepts: Values that may stand there, in words; empty if the default says it.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], str]
    accepts: str = ""


def _choice(*words: str) -> SettingKind:
    """One of some words."""

    def read(given: Any) -> str:
        given = {True: "on", False: "off"}.get(given, given) if isinstance(given, bool) else given
        if given not in words:
            raise ValueError(f"must be {_listed(words)}, not {shown(given)}")
        return str(given)

    return SettingKind(read, str, " | ".join(words))


def _whole(accepted: range) -> SettingKind:
    """A whole number."""

    def read(given: Any) -> int:
        if not isinstance(given, int) or isinstance(given, bool) or given not in accepted:
            raise ValueError(f"must be a whole number from {accepted[0]} to {accepted[-1]}, not {shown(given)}")
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


def _filters(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise ValueError(f'must be a list of filters, such as ["agent:docs-bot is:unseen"], not {shown(given)}')  # noqa: TRY004 - a wrong setting is a wrong value, whatever its type
    return tuple(map(_filter, given))


def _filter(given: Any) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"must have filters as you would type them, in quotes, not {shown(given)}")
    wrong: list[FilterError] = []
    for filtered in Filtered:
        try:
            parse(given, filtered)
        except FilterError as error:
            wrong.append(error)
        else:
            return given
    raise ValueError(f'"{given}" is no filter, at character {wrong[0].column + 1}: {wrong[0].message}')


def _write_key_map(keys: Mapping[str, tuple[str, ...]]) -> str:
    moved = (f"{name}: {json.dumps(list(of), ensure_ascii=False)}" for name, of in keys.items())
    return f"{{{', '.join(moved)}}}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + f" or {words[-1]}"


def _write_time(seconds: float) -> str:
    return length_text(round(seconds * 1_000_000), "unit")


Name = Annotated[str, SettingKind(_name, str)]
Filters = Annotated[
    tuple[str, ...], SettingKind(_filters, lambda filters: json.dumps(list(filters), ensure_ascii=False))
]
MovedKeys = Annotated[Mapping[str, tuple[str, ...]], SettingKind(_key_map, _write_key_map)]
Program = Annotated[
    tuple[str, ...], SettingKind(_words, lambda words: json.dumps(list(words), ensure_ascii=False))
]

_KINDS: Mapping[Any, SettingKind] = {
    bool: SettingKind(_switch, lambda value: "on" if value else "off", "on | off"),
    float: SettingKind(_time, _write_time),
    tuple[float, ...]: SettingKind(_times, lambda times: f"[{', '.join(map(_write_time, times))}]"),
}
"""The kinds of settings whose type says enough."""


# -- What can be set: each field with its type, what may narrow that, and the words beside it in the default file.


class DiffSettings(Struct, frozen=True):
    """The look of diffs when the screen opens."""

    layout: Annotated[
        Literal["auto", "unified", "split"],
        "Before and after below, or beside each other; auto: beside from 130 columns of content.",
    ] = "auto"
    context: Annotated[int, range(1, 10_001), "Unchanged lines around a change."] = 3
    wrap: Annotated[bool, "Wrap long lines; off cuts them, and what is cut off is not shown."] = True


class OutsideSettings(Struct, frozen=True):
    """Programs of the person that show things outside of the screen."""

    viewer: Annotated[
        Program, "Shows a diff: program and arguments, such as [difft] or [delta, --paging=always]."
    ] = ()


class KeySettings(Struct, frozen=True):
    """The person's keys."""

    map: Annotated[MovedKeys, "Other keys, such as {approve: A, later: [f5, f6]}."] = {}

    @property
    def key_map(self) -> KeyMap:
        """The meaning of each key.

        Raises:
            ValueError: Two of the keys contradict each other.
        """
        return KeyMap(self.map)

    def check(self, name: str) -> None:
        """Refuse keys that contradict each other.

        Args:
            name: The setting that was changed last.

        Raises:
            ValueError: They do.
        """
        self.key_map  # noqa: B018


class ScreenSettings(Struct, frozen=True):
    """All settings of the screen: those at the top, and sections."""

    theme: Annotated[Name, "A theme by its name; auto: dark, light or sixteen colors, as the terminal."] = "auto"
    mouse: Annotated[bool, "Take clicks and the wheel; off leaves selecting to the terminal."] = True
    filters: Annotated[Filters, 'Filters of yours for f, such as ["agent:docs-bot is:unseen"].'] = ()
    diff: Annotated[
        DiffSettings, "How a diff looks when the screen opens; the keys d, { and } change it there."
    ] = DiffSettings()
    guard: Annotated[GuardSettings, "The decision guard: what makes a key count. Longer is safer."] = (
        GuardSettings()
    )
    notify: Annotated[NotifySettings, "How you are called while you look elsewhere."] = NotifySettings()
    outside: Annotated[OutsideSettings, "Programs of yours that show things outside of the screen."] = (
        OutsideSettings()
    )
    keys: Annotated[KeySettings, "Keys, by the names of what they do; what is moved leaves its old key free."] = (
        KeySettings()
    )


# -- What the reader, the default file and the guide take from the model.


class Setting(Struct, frozen=True):
    """One setting, or a section of them.

    Attributes:
        name: Its key, and the name of the attribute that it sets.
        words: Its effect, in one line.
        kind: The kind of its value; of a section its model.
    """

    name: str
    words: str
    kind: SettingKind | type[Struct]


@cache
def settings_of(model: type[Struct]) -> Mapping[str, Setting]:
    """The settings of a model by name, in order."""
    hints = get_type_hints(model, include_extras=True)
    return {name: _setting(name, *get_args(hints[name])) for name in model.__struct_fields__}


def _setting(name: str, of: Any, *told: Any) -> Setting:
    """A setting from the parts of its annotation: the type, what may narrow it, the words."""
    *narrower, words = told
    if narrower:
        kind = _whole(*narrower) if of is int else narrower[0]
    else:
        kind = _choice(*get_args(of)) if get_origin(of) is Literal else _KINDS.get(of, of)
    return Setting(name, words, kind)
