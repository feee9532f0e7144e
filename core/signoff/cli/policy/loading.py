"""Reading the settings file that a verb is about."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.cli.output import complain, print_json

if TYPE_CHECKING:
    from signoff.config.errors import ConfigError
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
    """Read a file; what is wrong with it is said as `signoff config check` does, and None is returned.

    Args:
        file: The path.
        as_json: Whether the problems are printed as JSON.
    """
    from signoff.config.errors import ConfigError
    from signoff.config.loading import parse_with_marks, read_text
    from signoff.config.verdicts import SettingsVerdicts

    directory = os.path.realpath(Path(file).parent)
    try:
        config, respelled = parse_with_marks(read_text(file), file)
    except ConfigError as error:
        _refuse(error, as_json=as_json)
        return None
    return Loaded(file, directory, config, respelled, SettingsVerdicts(config, directory))


def _refuse(error: ConfigError, *, as_json: bool) -> None:
    from signoff.cli.config_text import problem_facts

    if as_json:
        print_json({"valid": False, "problems": [problem_facts(problem) for problem in error.problems]})
        return
    for problem in error.problems:
        complain(str(problem))
