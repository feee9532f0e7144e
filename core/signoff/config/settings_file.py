"""A settings file that is valid: what it says, where in it that stands, and what it says of calls."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from signoff.config.loading import parse_with_marks
from signoff.config.models import AgentConfig
from signoff.config.spellings import Respelled
from signoff.config.verdicts import SettingsVerdicts
from signoff.setting_files.paths import KeyPath
from signoff.setting_files.text import read_text

__all__ = ["SettingsFile", "read_settings_file"]


@dataclass(frozen=True)
class SettingsFile:
    """A settings file that is valid.

    Attributes:
        file: Its path, as it was given.
        text: Its content.
        config: What it says.
        respelled: Where in it each value stands.
    """

    file: str
    text: str
    config: AgentConfig
    respelled: Respelled

    @property
    def directory(self) -> str:
        """Where relative paths start, absolute and without links."""
        return os.path.realpath(Path(self.file).parent)

    @cached_property
    def verdicts(self) -> SettingsVerdicts:
        """What it says of calls."""
        return SettingsVerdicts(self.config, self.directory)

    def line_of(self, path: KeyPath) -> int | None:
        """The line on which a value stands, from 1; None if it stands nowhere."""
        mark = self.respelled.place(path)[0]
        return None if mark is None else mark.line


def read_settings_file(file: str) -> SettingsFile:
    """Read a settings file.

    Args:
        file: The path.

    Raises:
        ConfigError: It cannot be read or is not valid; every problem is named with its line and key.
    """
    text = read_text(file)
    return SettingsFile(file, text, *parse_with_marks(text, file))
