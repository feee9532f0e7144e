"""Trust in settings files, by their exact content and that of the code that they name."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.config.load import TOOLS_FILE, parse_config
from signoff.config.models import AgentConfig
from signoff.policy.trust import require_trusted, trusted_files, untrust
from signoff.settings_yaml import read_text

__all__ = ["contents_of", "load_trusted", "untrust_settings"]


def contents_of(path: str | os.PathLike[str], text: str, config: AgentConfig) -> dict[str, bytes]:
    """Return the contents to trust with a settings file: its own, and that of its custom tools.

    Args:
        path: The settings file.
        text: Its content.
        config: The settings in it.

    Raises:
        FileNotFoundError: There is no `tools.py`, and there are custom tools.
    """
    contents = {os.fspath(path): text.encode()}
    if config.custom_tools:
        tools = Path(path).parent / TOOLS_FILE
        contents[str(tools)] = tools.read_bytes()
    return contents


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
    """Withdraw the trust in a settings file, and in the code beside it if no other trusted file uses it.

    Args:
        path: The settings file, or the code; it need not be there.
        only_gone: Only if it is not there at this moment.

    Returns:
        The files that were trusted until now, sorted.

    Raises:
        TrustError: The list of trust cannot be read.
        OSError: The list cannot be written.
    """
    ended = untrust([path], only_gone=only_gone)
    alone = [
        code
        for code in {str(Path(name).with_name(TOOLS_FILE)) for name in ended}
        if not any(Path(each.name).parent == Path(code).parent and each.name != code for each in trusted_files())
    ]
    return tuple(sorted((*ended, *untrust(alone))))
