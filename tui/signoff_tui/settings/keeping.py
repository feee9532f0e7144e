"""Writing a choice that was made on the screen into the person's settings file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from signoff.setting_files.errors import ConfigError
from signoff.setting_files.text import read_text
from signoff_tui.own_files import put_text
from signoff_tui.settings.loading import parse_settings
from signoff_tui.settings.template import template
from signoff_tui.settings.values import ScreenSettings

__all__ = ["NotKeptError", "keep_theme"]

_THEME = re.compile(r"^theme:[^\n#]*?(?=[ \t]*(?:#|\r?$))", re.MULTILINE)


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
    try:
        text = _with_theme(file, name) if file.exists() else template(ScreenSettings(theme=name))
        put_text(file, text)
    except ConfigError as error:
        raise NotKeptError(f"not written: {file.name} is not valid: {error.problems[0].message}") from error
    except OSError as error:
        raise NotKeptError(f"not written: {file}: {error.strerror}") from error


def _with_theme(file: Path, name: str) -> str:
    text = read_text(file)
    before = parse_settings(text, str(file))
    given = f"theme: {name}"
    found = _THEME.search(text)
    changed = text[: found.start()] + given + text[found.end() :] if found else f"{given}\n{text}"
    try:
        as_wanted = parse_settings(changed, str(file)) == replace(before, theme=name)
    except ConfigError:
        as_wanted = False
    if not as_wanted:  # such as a file in the other style of YAML, with braces
        raise NotKeptError(f'not written: put "{given}" into {file} yourself')
    return changed
