"""The settings of the screen: a person's own file, apart from the settings of agents.

What decides how careful the screen is must not lie where agents write. So it is read from the person's
configuration directory, never from a working directory and never from ``signoff.yaml``.
"""

from __future__ import annotations

from signoff_tui.settings.keeping import NotKeptError, keep_filter, keep_theme
from signoff_tui.settings.loading import load_settings, parse_settings
from signoff_tui.settings.places import SETTINGS_VARIABLE, replies_file, settings_file, themes_folder
from signoff_tui.settings.template import template
from signoff_tui.settings.values import DiffSettings, KeySettings, NotifySettings, ScreenSettings

__all__ = [
    "SETTINGS_VARIABLE",
    "DiffSettings",
    "KeySettings",
    "NotKeptError",
    "NotifySettings",
    "ScreenSettings",
    "keep_filter",
    "keep_theme",
    "load_settings",
    "parse_settings",
    "replies_file",
    "settings_file",
    "template",
    "themes_folder",
]
