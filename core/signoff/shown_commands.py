"""The commands that a request shows, or that it may run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from signoff.present.snapshot.steps import CommandRun
from signoff.present.subject import steps_of
from signoff.queue.records import StoredRequest

__all__ = ["ShownCommand", "possible_commands", "shown_commands"]

_NAMES = ("command", "cmd")
"""Arguments that tools of others pass to a shell."""


class ShownCommand(Struct, frozen=True):
    """A command that a request shows.

    Attributes:
        after: The number of the request's documents that stand above its parts.
        text: The command.
        cwd: The directory in which it would run, without links.
        argument: The name of its argument, if it is only guessed that a shell runs it.
    """

    after: int
    text: str
    cwd: str
    argument: str | None = None


def shown_commands(request: StoredRequest, documents: int) -> tuple[ShownCommand, ...]:
    """Return the commands of a request.

    Args:
        request: The request.
        documents: The number of documents it shows: one for each step first, the arguments last.

    Raises:
        SnapshotError: The snapshot is damaged.
    """
    submission = request.submission
    steps = steps_of(submission.snapshot)
    if not steps:
        return possible_commands(submission.arguments, submission.cwd, documents)
    return tuple(
        ShownCommand(after, step.command, step.real_cwd)
        for after, step in enumerate(steps, start=1)
        if isinstance(step, CommandRun)
    )


def possible_commands(arguments: Mapping[str, Any], cwd: str, documents: int = 0) -> tuple[ShownCommand, ...]:
    """Return the arguments of a call that a shell may run, as far as their names tell.

    Args:
        arguments: All arguments of the call.
        cwd: The directory in which it would run.
        documents: The number of documents that stand above the parts.
    """
    named = ((name, arguments.get(name)) for name in _NAMES)
    return tuple(
        ShownCommand(documents, text, cwd, name) for name, text in named if isinstance(text, str) and text.strip()
    )
