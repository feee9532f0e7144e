"""How a setting is read from what a file holds, and written back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from signoff.filter import Filtered, FilterError, parse
from signoff.settings_yaml import shown, unknown_key
from signoff_tui.durations import duration_text, parse_duration
from signoff_tui.keymap import MAPPABLE, check_keys
from signoff_tui.saved_filters import OWN_DIGITS

__all__ = ["FILTERS", "KEY", "KEY_MAP", "NAME", "SWITCH", "TIME", "TIMES", "WORDS", "Kind", "choice", "whole"]

_SWITCHES = {"on": True, True: True, "off": False, False: False}


class Kind(Struct, frozen=True):
    """One kind of value.

    Attributes:
        read: From the value in the file; a ValueError says what it must be.
        write: To text that reads back as the same.
        accepts: What may stand there, in words; empty if the default says it.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], str]
    accepts: str = ""


def choice(*words: str) -> Kind:
    """One of some words."""

    def read(given: Any) -> str:
        given = {True: "on", False: "off"}.get(given, given) if isinstance(given, bool) else given
        if given not in words:
            raise ValueError(f"must be {_listed(words)}, not {shown(given)}")
        return str(given)

    return Kind(read, str, " | ".join(words))


def whole(least: int, most: int) -> Kind:
    """A whole number."""

    def read(given: Any) -> int:
        if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {shown(given)}")
        return given

    return Kind(read, str)


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
        try:
            return parse_duration(str(given))
        except ValueError as error:
            raise ValueError(f"{error}, not {shown(given)}") from None
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


KEY = Kind(_key, lambda key: json.dumps(key, ensure_ascii=False))
NAME = Kind(_name, str)
SWITCH = Kind(_switch, lambda value: "on" if value else "off", "on | off")
TIME = Kind(_time, duration_text)
FILTERS = Kind(_filters, _write_filters)
KEY_MAP = Kind(_key_map, _write_key_map)
WORDS = Kind(_words, lambda words: json.dumps(list(words), ensure_ascii=False))
TIMES = Kind(_times, lambda times: f"[{', '.join(map(duration_text, times))}]")
