"""The person's settings file: its place, reading it whole or not at all, and writing what was chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import platformdirs
from msgspec import Struct
from msgspec.structs import replace

from signoff.settings_yaml import ConfigError, KeyPath, YamlDocument, read_document, read_text, shown, unknown_key
from signoff_tui.settings.models import ScreenSettings, settings_of
from signoff_tui.settings.template import template
from signoff_tui.state.persistence import put_text

__all__ = [
    "SETTINGS_VARIABLE",
    "NotKeptError",
    "keep_filter",
    "keep_theme",
    "load_settings",
    "parse_settings",
    "settings_file",
    "themes_folder",
]

M = TypeVar("M", bound=Struct)


def load_settings(path: Path, *, themes: Collection[str] | None = None) -> ScreenSettings:
    """Read a settings file.

    Args:
        path: The file: YAML, UTF-8.
        themes: Names of the themes that there are; None if any may be named.

    Raises:
        ConfigError: It cannot be read or is not valid; every problem is named with its line and key.
    """
    return parse_settings(read_text(path), str(path), themes=themes)


def parse_settings(text: str, name: str = "settings", *, themes: Collection[str] | None = None) -> ScreenSettings:
    """Read the text of a settings file. What it does not set has its default.

    Args:
        text: YAML.
        name: Its name in messages, such as its path.
        themes: Names of the themes that there are; None if any may be named.

    Raises:
        ConfigError: It is not valid; every problem is named with its line and key.
    """
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return ScreenSettings()
    document = read_document(text, name)
    settings = _read(document, ScreenSettings, document.value, ())
    if themes is not None and settings.theme not in ("auto", *themes):
        document.complain(("theme",), f'must be auto or one of: {", ".join(themes)}, not "{settings.theme}"')
    if document.problems:
        raise ConfigError(document.problems)
    return settings


def _read(document: YamlDocument, model: type[M], given: object, path: KeyPath) -> M:
    """The settings of a model; what is wrong is noted, and has its default."""
    if not isinstance(given, dict):
        if not document.complained(path):
            document.complain(path, f'must hold keys with values, such as "theme: auto", not {shown(given)}')
        return model()
    known = settings_of(model)
    values: dict[str, Any] = {}
    for name, value in given.items():
        place = (*path, name)
        kind = known[name].kind if name in known else None
        if isinstance(kind, type):
            values[name] = _read(document, kind, value, place)
        elif document.complained(place):
            continue
        elif kind is None:
            document.complain(place, unknown_key(name, tuple(known)))
        elif value is None:
            document.complain(place, "says nothing; give a value, or leave the key out")
        else:
            try:
                values[name] = kind.read(value)
            except ValueError as error:
                document.complain(place, str(error))
    return _agreed(document, model, values, path)


def _agreed(document: YamlDocument, model: type[M], values: Mapping[str, Any], path: KeyPath) -> M:
    """The settings that go together: of what was set, the last that contradicts the others is told."""
    settings = model()
    check = getattr(model, "check", None)
    if check is None:
        return model(**values)
    for name, value in values.items():
        changed = replace(settings, **{name: value})
        try:
            check(changed, name)
        except ValueError as error:
            document.complain((*path, name), str(error))
        else:
            settings = changed
    return settings


# -- Writing what was chosen on the screen into the person's settings file; everything else in it stays.

_THEME = re.compile(r"^theme:[^\n#]*?(?=[ \t]*(?:#|\r?$))", re.MULTILINE)

_FILTERS_INLINE = re.compile(r"^filters:[ \t]*\[(?P<none>[ \t]*\])?", re.MULTILINE)
_FILTERS_BELOW = re.compile(r"^filters:[ \t]*(?:#[^\n]*)?\r?\n(?P<indent>[ \t]*)(?=-)", re.MULTILINE)


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


def keep_filter(file: Path, query: str) -> None:
    """Write a filter into a settings file, before the others; one that is there stays. Otherwise as `keep_theme`.

    Args:
        file: The settings file.
        query: The filter, as it would be typed.

    Raises:
        NotKeptError: The file cannot be read, is not valid, or cannot be written.
    """
    _keep(file, lambda text, before: text if query in before.filters else _with_filter(file, text, before, query))


def _keep(file: Path, change: Callable[[str, ScreenSettings], str]) -> None:
    """Write what becomes of the text of a file; it is told what the text sets."""
    try:
        there = file.exists()
        text = read_text(file) if there else template()
        changed = change(text, parse_settings(text, str(file)))
        if changed != text or not there:
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


def _with_filter(file: Path, text: str, before: ScreenSettings, query: str) -> str:
    wanted = replace(before, filters=(query, *before.filters))
    given = json.dumps(query, ensure_ascii=False)
    for changed in _filter_added(text, given):
        if _sets(changed, wanted):
            return changed
    raise NotKeptError(f"not saved: put {given} below filters in {file} yourself")


def _filter_added(text: str, given: str) -> Iterator[str]:
    """A text with one more filter, as it would be if filters stand in it one way or another."""
    if found := _FILTERS_INLINE.search(text):
        yield f"{text[: found.start()]}filters: [{given}{']' if found['none'] else ', '}{text[found.end() :]}"
    if found := _FILTERS_BELOW.search(text):
        yield f"{text[: found.start('indent')]}{found['indent']}- {given}\n{text[found.start('indent') :]}"
    yield f"filters: [{given}]\n{text}"


def _sets(text: str, wanted: ScreenSettings) -> bool:
    try:
        return parse_settings(text, "") == wanted
    except ConfigError:
        return False


# -- Where a person's own settings and themes lie.

SETTINGS_VARIABLE = "SIGNOFF_SETTINGS"
"""Names another settings file of the screen."""


def settings_file(variables: Mapping[str, str]) -> Path:
    """The settings file of the screen, whether it is there or not.

    Args:
        variables: The environment.
    """
    named = variables.get(SETTINGS_VARIABLE)
    return Path(named).expanduser() if named else _folder() / "screen.yaml"


def themes_folder() -> Path:
    """The folder of the person's own themes, whether it is there or not."""
    return _folder() / "themes"


def _folder() -> Path:
    return Path(platformdirs.user_config_path("signoff", appauthor=False))
