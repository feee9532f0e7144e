"""Trust in settings files, by their exact content and that of the code that they name."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.config.load import TOOLS_FILE, parse_config
from signoff.config.models import AgentConfig
from signoff.policy.trust import require_trusted, trusted_files, untrust
from signoff.settings_yaml import ConfigError, read_text

__all__ = ["contents_of", "load_trusted", "untrust_settings"]


def contents_of(path: str | os.PathLike[str], text: str, config: AgentConfig) -> dict[str, bytes]:
    """Return the contents to trust with a settings file: its own, and that of the code that it names.

    That is `tools.py` if there are custom tools, and the modules and files beside the settings that `agents` name.
    What that code imports is not part of it.

    Args:
        path: The settings file.
        text: Its content.
        config: The settings in it.

    Raises:
        FileNotFoundError: There is no `tools.py`, and there are custom tools.
    """
    contents = {os.fspath(path): text.encode()}
    for code in _named_code(Path(path).parent, config):
        # os.path.isfile: a word of a command may be no name of a file at all.
        if code.name == TOOLS_FILE or os.path.isfile(code):  # noqa: PTH113
            contents[str(code)] = code.read_bytes()
    return contents


def _named_code(directory: Path, config: AgentConfig) -> list[Path]:
    """The files beside a settings file in which there is code that it names, if they are there."""
    found = [directory / TOOLS_FILE] if config.custom_tools else []
    for agent in config.agents.values():
        entry = agent.python or agent.pydantic_ai
        if entry is not None:
            parts = entry.partition(":")[0].split(".")
            found += (directory.joinpath(*parts[: end + 1], "__init__.py") for end in range(len(parts)))
            found.append(directory.joinpath(*parts).with_suffix(".py"))
        found += (directory / word for word in agent.command or () if not Path(word).is_absolute())
    return list(dict.fromkeys(found))


def load_trusted(path: str | os.PathLike[str]) -> AgentConfig:
    """Read a settings file that a person trusts with exactly this content.

    Args:
        path: The file.

    Raises:
        ConfigError: The file is not valid.
        TrustError: The file was never trusted, or it or the code that it names has changed since.
        FileNotFoundError: There is no `tools.py`, and there are custom tools.
    """
    text = read_text(path)
    config = parse_config(text, os.fspath(path))
    require_trusted(contents_of(path, text, config))
    return config


def untrust_settings(path: str, *, only_gone: bool = False) -> tuple[str, ...]:
    """Withdraw the trust in a settings file, and in the code that it names if no other trusted file names it.

    Args:
        path: The settings file, or the code; it need not be there.
        only_gone: Only if it is not there at this moment.

    Returns:
        The files that were trusted until now, sorted.

    Raises:
        TrustError: The list of trust cannot be read.
        OSError: The list cannot be written.
    """
    before = {each.name: each.trusted for each in trusted_files()}
    ended = untrust([path], only_gone=only_gone)
    named = {code for name in ended for code in _code_named_in(name, before[name])}
    kept = {
        code for name, content in before.items() if name not in ended for code in _code_named_in(name, content)
    }
    return tuple(sorted((*ended, *untrust(sorted(named - kept)))))


def _code_named_in(name: str, content: bytes | None) -> set[str]:
    """The files whose code a trusted settings file names; those of another kind of file are none."""
    try:
        config = parse_config((content or b"").decode(), name)
    except (ConfigError, UnicodeDecodeError):
        return set()
    return set(map(str, _named_code(Path(name).parent, config)))
