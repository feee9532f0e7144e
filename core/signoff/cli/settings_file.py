"""Reading the settings file of a verb, and reporting its problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.cli.output import complain, print_json

if TYPE_CHECKING:
    from signoff.config.verdicts import SettingsFile
    from signoff.settings_yaml import ConfigError

__all__ = ["read_settings"]


def read_settings(file: str, *, as_json: bool = False) -> SettingsFile | None:
    """Read a file; report its problems and return None if it has any.

    Args:
        file: The path.
        as_json: True to print the problems as JSON.
    """
    from signoff.config.verdicts import read_settings_file
    from signoff.settings_yaml import ConfigError

    try:
        return read_settings_file(file)
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
