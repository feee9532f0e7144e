"""A group of commands that are loaded when they are called: most of what each of them needs is its own."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LateGroup"]


class LateGroup(click.Group):
    """Commands by name, each made by a module of its own.

    Args:
        homes: For each command its module, and its name there.
        settings: As for `click.Group`.
    """

    def __init__(self, *, homes: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self._homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in order. Nothing is loaded."""
        return sorted(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if there is none of that name."""
        if cmd_name not in self._homes:
            return None
        module, name = self._homes[cmd_name]
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command
