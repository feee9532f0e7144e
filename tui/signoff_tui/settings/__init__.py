"""The settings of the screen: a person's own file, apart from the settings of agents.

What decides how careful the screen is must not lie where agents write. So it is read from the person's
configuration directory, never from a working directory and never from ``signoff.yaml``.
"""

from __future__ import annotations

from signoff_tui.settings.file import (
    SETTINGS_VARIABLE,
    NotKeptError,
    keep_filter,
    keep_theme,
    load_settings,
    parse_settings,
    settings_file,
    themes_folder,
)
from signoff_tui.settings.models import DiffSettings, KeySettings, ScreenSettings
from signoff_tui.settings.template import template

__all__ = [
    "SETTINGS_VARIABLE",
    "DiffSettings",
    "KeySettings",
    "NotKeptError",
    "ScreenSettings",
    "keep_filter",
    "keep_theme",
    "load_settings",
    "parse_settings",
    "settings_file",
    "template",
    "themes_folder",
]
