"""Coding agents that run a command before each of their calls: a hook.

A hook reads one event from standard input and answers with its exit code and one JSON object. Most agents run the
call if the answer is anything they did not expect. So each agent has a dialect of its own here, and a refusal is
said in every way that the agent understands: exit code, standard error, and JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import cast

from signoff.adapters.hooks.calls import Dialect

__all__ = ["DIALECTS", "dialect"]

DIALECTS: Mapping[str, str] = MappingProxyType(
    {
        "claude-code": "signoff.adapters.hooks.claude_code",
        "codex": "signoff.adapters.hooks.codex",
        "copilot": "signoff.adapters.hooks.copilot",
        "crush": "signoff.adapters.hooks.crush",
        "cursor": "signoff.adapters.hooks.cursor",
        "gemini": "signoff.adapters.hooks.gemini",
        "goose": "signoff.adapters.hooks.goose",
        "opencode": "signoff.adapters.hooks.opencode",
        "qwen": "signoff.adapters.hooks.qwen",
        "vibe": "signoff.adapters.hooks.vibe",
    }
)
"""The module of each dialect, by the name of the agent on the command line."""


def dialect(name: str) -> Dialect:
    """Return the dialect of an agent.

    Args:
        name: One of `DIALECTS`.

    Raises:
        KeyError: There is none of that name.
    """
    return cast("Dialect", import_module(DIALECTS[name]).DIALECT)
