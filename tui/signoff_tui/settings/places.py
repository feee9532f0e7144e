"""Where a person's own settings and themes lie."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs

__all__ = ["SETTINGS_VARIABLE", "replies_file", "settings_file", "themes_folder"]

SETTINGS_VARIABLE = "SIGNOFF_SETTINGS"
"""Names another settings file of the screen."""


def settings_file(variables: Mapping[str, str]) -> Path:
    """The settings file of the screen, whether it is there or not.

    Args:
        variables: The environment.
    """
    named = variables.get(SETTINGS_VARIABLE)
    return Path(named).expanduser() if named else _folder() / "screen.yaml"


def replies_file(variables: Mapping[str, str]) -> Path:
    """The file of the person's replies, beside the settings file, whether it is there or not.

    Args:
        variables: The environment.
    """
    return settings_file(variables).with_name("replies.yaml")


def themes_folder() -> Path:
    """The folder of the person's own themes, whether it is there or not."""
    return _folder() / "themes"


def _folder() -> Path:
    return Path(platformdirs.user_config_path("signoff", appauthor=False))
