"""Settings files that a person trusts: with the code that they name, and by their exact content."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.config.load import TOOLS_FILE, parse_config
from signoff.config.models import AgentConfig
from signoff.policy.trust import require_trusted, trusted_files, untrust
from signoff.settings_yaml import read_text

__all__ = ["contents_of", "load_trusted", "untrust_settings"]


def contents_of(path: str | os.PathLike[str], text: str, config: AgentConfig) -> dict[str, bytes]:
    """What has to be trusted before a settings file counts: itself, and the code of its custom tools.

    Args:
        path: The settings file.
        text: Its content.
        config: What it says.

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
        TrustError: It was never trusted, or it or the code that it names changed since.
        FileNotFoundError: There is no `tools.py`, and there are custom tools.
    """
    text = read_text(path)
    config = parse_config(text, os.fspath(path))
    require_trusted(contents_of(path, text, config))
    return config


def untrust_settings(path: str, *, only_gone: bool = False) -> tuple[str, ...]:
    """Trust a settings file no more; the code beside it neither, unless another settings file there is trusted.

    Args:
        path: The settings file, or the code; it need not be there.
        only_gone: Only if it is not there at this moment.

    Returns:
        The names of what was trusted until now, sorted.

    Raises:
        TrustError: What is trusted cannot be read.
        OSError: It cannot be written.
    """
    ended = untrust([path], only_gone=only_gone)
    alone = [
        code
        for code in {str(Path(name).with_name(TOOLS_FILE)) for name in ended}
        if not any(Path(each.name).parent == Path(code).parent and each.name != code for each in trusted_files())
    ]
    return tuple(sorted((*ended, *untrust(alone))))
