"""Reading the settings file that a verb is about, and saying what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.cli.output import complain, print_json

if TYPE_CHECKING:
    from signoff.config.errors import ConfigError
    from signoff.config.models import AgentConfig
    from signoff.config.spellings import Respelled

__all__ = ["read_settings"]


def read_settings(file: str, *, as_json: bool) -> tuple[AgentConfig, Respelled] | None:
    """Read a file; what is wrong with it is said, and None is returned.

    Args:
        file: The path.
        as_json: Whether the problems are printed as JSON.

    Returns:
        The settings, and where in the file each value stands.
    """
    from signoff.config.errors import ConfigError
    from signoff.config.loading import parse_with_marks, read_text

    try:
        return parse_with_marks(read_text(file), file)
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
