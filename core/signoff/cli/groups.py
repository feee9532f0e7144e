"""Groups of verbs: loaded when they are called, since they share little code; a mistyped verb gets the nearest."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click

__all__ = ["LateGroup", "VerbGroup"]


class VerbGroup(click.Group):
    """A group that names the verb that a mistyped one was meant for."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first word names."""
        word = args[0]
        if not word.startswith("-") and self.get_command(ctx, word) is None:
            verbs = self.list_commands(ctx)
            near = [verb for verb in verbs if word and verb.startswith(word)] or get_close_matches(word, verbs, 1)
            ctx.fail(f"there is no verb {word!r}{f', did you mean {near[0]}?' if near else ''}")
        return super().resolve_command(ctx, args)


class LateGroup(VerbGroup):
    """A group of commands, each made by a module of its own.

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
