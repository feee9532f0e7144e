"""Writing what was chosen on the screen into the person's settings file; everything else in it stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from signoff.settings_yaml import ConfigError, read_text
from signoff_tui.own_files import put_text
from signoff_tui.saved_filters import OWN_DIGITS
from signoff_tui.settings.loading import parse_settings
from signoff_tui.settings.template import template
from signoff_tui.settings.values import ScreenSettings

__all__ = ["NotKeptError", "keep_filter", "keep_theme"]

_THEME = re.compile(r"^theme:[^\n#]*?(?=[ \t]*(?:#|\r?$))", re.MULTILINE)

_FILTERS_INLINE = re.compile(r"^filters:[ \t]*\{(?P<none>[ \t]*\})?", re.MULTILINE)
_FILTERS_BELOW = re.compile(r"^filters:[ \t]*(?:#[^\n]*)?\r?\n(?P<indent>[ \t]+)", re.MULTILINE)


class NotKeptError(ValueError):
    """The choice could not be written; the message says what to do, and the file is as it was."""


def keep_theme(file: Path, name: str) -> None:
    """Write the name of a theme into a settings file; everything else in it stays, comments too.

    A file that is not there is begun, with every setting and its default.

    Args:
        file: The settings file.
        name: Name of a theme.

    Raises:
        NotKeptError: The file cannot be read, is not valid, or cannot be written.
    """
    _keep(file, lambda text, before: _with_theme(file, text, before, name))


def keep_filter(file: Path, query: str) -> int:
    """Write a filter into a settings file, under the first digit that is free. Arguments otherwise as above.

    Args:
        file: The settings file.
        query: The filter, as it would be typed.

    Returns:
        Its digit; the one that it has already, if it is there.

    Raises:
        NotKeptError: There is no digit left, or the file cannot be read, is not valid, or cannot be written.
    """
    digits: list[int] = []

    def changed(text: str, before: ScreenSettings) -> str:
        known = [digit for digit, own in before.filters.items() if own == query]
        free = [digit for digit in OWN_DIGITS if digit not in before.filters]
        if not known and not free:
            own = ", ".join(map(str, OWN_DIGITS))
            raise NotKeptError(f'not saved: {own} are taken; take one out of "filters" in {file}')
        digits[:] = known or free
        return text if known else _with_filter(file, text, before, digits[0], query)

    _keep(file, changed)
    return digits[0]


def _keep(file: Path, change: Callable[[str, ScreenSettings], str]) -> None:
    """Write what becomes of the text of a file; it is told what the text sets."""
    try:
        text = read_text(file) if file.exists() else template()
        changed = change(text, parse_settings(text, str(file)))
        if changed != text:
            put_text(file, changed)
    except ConfigError as error:
        raise NotKeptError(f"not written: {file.name} is not valid: {error.problems[0].message}") from error
    except OSError as error:
        raise NotKeptError(f"not written: {file}: {error.strerror}") from error


def _with_theme(file: Path, text: str, before: ScreenSettings, name: str) -> str:
    given = f"theme: {name}"
    found = _THEME.search(text)
    changed = text[: found.start()] + given + text[found.end() :] if found else f"{given}\n{text}"
    if not _sets(changed, replace(before, theme=name)):  # such as a file in the other style of YAML, with braces
        raise NotKeptError(f'not written: put "{given}" into {file} yourself')
    return changed


def _with_filter(file: Path, text: str, before: ScreenSettings, digit: int, query: str) -> str:
    wanted = replace(before, filters={**before.filters, digit: query})
    given = f"{digit}: {json.dumps(query, ensure_ascii=False)}"
    for changed in _filter_added(text, given):
        if _sets(changed, wanted):
            return changed
    raise NotKeptError(f"not saved: put {given} below filters in {file} yourself")


def _filter_added(text: str, given: str) -> Iterator[str]:
    """A text with one more filter, as it would be if filters stand in it one way or another."""
    if found := _FILTERS_INLINE.search(text):
        yield f"{text[: found.start()]}filters: {{{given}{'}' if found['none'] else ', '}{text[found.end() :]}"
    if found := _FILTERS_BELOW.search(text):
        yield f"{text[: found.start('indent')]}{found['indent']}{given}\n{text[found.start('indent') :]}"
    yield f"filters: {{{given}}}\n{text}"


def _sets(text: str, wanted: ScreenSettings) -> bool:
    try:
        return parse_settings(text, "") == wanted
    except ConfigError:
        return False
