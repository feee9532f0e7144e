"""Settings files that a person trusts: with the code that they name, and by their exact content."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.config.loading import parse_config
from signoff.config.models import AgentConfig
from signoff.config.tool_source import TOOLS_FILE
from signoff.policy.trust import require_trusted
from signoff.setting_files.text import read_text

__all__ = ["contents_of", "load_trusted"]


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
