"""Reading the settings file that a verb is about."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.cli.settings_file import read_settings

if TYPE_CHECKING:
    from signoff.config.models import AgentConfig
    from signoff.config.spellings import Respelled
    from signoff.config.verdicts import SettingsVerdicts

__all__ = ["Loaded", "load"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A settings file that is valid.

    Attributes:
        file: Its path, as it was given.
        directory: Where relative paths start, absolute and without links.
        config: What it says.
        respelled: Where in it each value stands.
        verdicts: What it says of calls.
    """

    file: str
    directory: str
    config: AgentConfig
    respelled: Respelled
    verdicts: SettingsVerdicts


def load(file: str, *, as_json: bool = False) -> Loaded | None:
    """Read a file; what is wrong with it is said, and None is returned.

    Args:
        file: The path.
        as_json: Whether the problems are printed as JSON.
    """
    from signoff.config.verdicts import SettingsVerdicts

    settings = read_settings(file, as_json=as_json)
    if settings is None:
        return None
    directory = os.path.realpath(Path(file).parent)
    verdicts = SettingsVerdicts(settings.config, directory)
    return Loaded(file, directory, settings.config, settings.respelled, verdicts)
