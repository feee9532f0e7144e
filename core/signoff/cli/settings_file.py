"""Reading the settings file that a verb is about, and saying what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.cli.output import complain, print_json

if TYPE_CHECKING:
    from signoff.config.models import AgentConfig
    from signoff.config.spellings import Respelled
    from signoff.setting_files.errors import ConfigError

__all__ = ["SettingsFile", "read_settings"]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file that is valid.

    Attributes:
        config: What it says.
        respelled: Where in it each value stands.
        text: Its content.
    """

    config: AgentConfig
    respelled: Respelled
    text: str


def read_settings(file: str, *, as_json: bool) -> SettingsFile | None:
    """Read a file; what is wrong with it is said, and None is returned.

    Args:
        file: The path.
        as_json: Whether the problems are printed as JSON.
    """
    from signoff.config.loading import parse_with_marks
    from signoff.setting_files.errors import ConfigError
    from signoff.setting_files.text import read_text

    try:
        text = read_text(file)
        return SettingsFile(*parse_with_marks(text, file), text)
    except ConfigError as error:
        _refuse(error, as_json=as_json)
        return None


def _refuse(error: ConfigError, *, as_json: bool) -> None:
    from signoff.cli.config_text import problem_facts

    if as_json:
        print_json({"valid": False, "problems": [problem_facts(problem) for problem in error.problems]})
        return
    for problem in error.problems:
        complain(str(problem))
