"""Reading the settings of the screen, whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from signoff.settings_yaml import ConfigError, Document, KeyPath, read_document, read_text, shown, unknown_key
from signoff_tui.guard import GuardSettings
from signoff_tui.settings.table import SECTIONS, SETTINGS
from signoff_tui.settings.values import DiffSettings, KeySettings, NotifySettings, OutsideSettings, ScreenSettings

__all__ = ["load_settings", "parse_settings"]

_READERS = {(setting.section, setting.name): setting.kind.read for setting in SETTINGS}


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
        name: What messages call it, such as its path.
        themes: Names of the themes that there are; None if any may be named.

    Raises:
        ConfigError: It is not valid; every problem is named with its line and key.
    """
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return ScreenSettings()
    document = read_document(text, name)
    given = _mapping(document, document.value, ())
    top = _section(document, given, "")
    inner = {
        section: _section(document, _mapping(document, given[section], (section,)), section)
        for section in SECTIONS
        if section in given
    }
    settings = ScreenSettings(
        **top,
        diff=DiffSettings(**inner.get("diff", {})),
        guard=_guard(document, inner.get("guard", {})),
        notify=NotifySettings(**inner.get("notify", {})),
        outside=OutsideSettings(**inner.get("outside", {})),
        keys=_keys(document, inner.get("keys", {})),
    )
    if themes is not None and settings.theme not in ("auto", *themes):
        document.complain(("theme",), f'must be auto or one of: {", ".join(themes)}, not "{settings.theme}"')
    if document.problems:
        raise ConfigError(document.problems)
    return settings


def _mapping(document: Document, value: object, path: KeyPath) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    if not document.complained(path):
        document.complain(path, f'must hold keys with values, such as "theme: auto", not {shown(value)}')
    return {}


def _section(document: Document, given: Mapping[str, Any], section: str) -> dict[str, Any]:
    """The valid settings of a section; what is wrong is noted."""
    values: dict[str, Any] = {}
    known = tuple(name for place, name in _READERS if place == section)
    inner = tuple(SECTIONS) if not section else ()
    for name, value in given.items():
        path = (section, name) if section else (name,)
        if name in inner or document.complained(path):
            continue
        if name not in known:
            document.complain(path, unknown_key(name, known + inner))
        elif value is None:
            document.complain(path, "says nothing; give a value, or leave the key out")
        else:
            try:
                values[name] = _READERS[section, name](value)
            except ValueError as error:
                document.complain(path, str(error))
    return values


def _keys(document: Document, values: Mapping[str, Any]) -> KeySettings:
    """The keys, without two that contradict each other: of what was set, the last to do so is told."""
    settings = KeySettings()
    # The profile first: letters that it frees can be used for something else.
    for name in ("profile", "map", "leader", "single"):
        if name not in values:
            continue
        changed = replace(settings, **{name: values[name]})
        try:
            # Whether a leader could be one is known before it is asked for.
            replace(changed, single=changed.single and name != "leader").key_map  # noqa: B018
        except ValueError as error:
            document.complain(("keys", name), str(error))
        else:
            settings = changed
    return settings


def _guard(document: Document, values: Mapping[str, Any]) -> GuardSettings:
    """The times of the guard, each of them acceptable."""
    settings = GuardSettings()
    for name, value in values.items():
        changed = replace(settings, **{name: value})
        try:
            changed.validate()
        except ValueError as error:
            document.complain(("guard", name), str(error).partition(": ")[2] or str(error))
        else:
            settings = changed
    return settings
