"""The subject of a call, from its effects and not from its agent's description."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from signoff.present.kinds import PresentationKind
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import CommandRun, FileChange, SnapshotError, Step

__all__ = ["SERVER_SIGN", "is_outside", "is_removal", "step_kind", "step_text", "steps_of", "subject_text"]

SERVER_SIGN = "/"
"""Stands between the name of a server and the name of its tool."""


def steps_of(snapshot: Mapping[str, Any] | None) -> tuple[Step, ...]:
    """Return the declared steps of a call, without the contents of its files; none without a snapshot.

    Args:
        snapshot: As stored with the request, or None.

    Raises:
        SnapshotError: The snapshot is damaged.
    """
    return () if snapshot is None else Snapshot.from_json(dict(snapshot), _no_content).steps


def subject_text(snapshot: Mapping[str, Any] | None, cwd: str) -> str | None:
    """Return the command, or the path of the file, that a call declared; None if it declared nothing.

    The text is the agent's own: make it safe to show. A damaged snapshot declares nothing.

    Args:
        snapshot: As stored with the request, or None.
        cwd: Absolute working directory of the call; paths below it are given relative to it.
    """
    try:
        steps = steps_of(snapshot)
    except SnapshotError:
        return None
    if not steps:
        return None
    # The end may be cut wherever this is shown: that something follows must not be.
    which = f"1 of {len(steps)}: " if len(steps) > 1 and not is_removal(steps) else ""
    return which + step_text(steps[0], cwd)


def is_removal(steps: Sequence[Step]) -> bool:
    """True if the steps empty a file and remove it, and no more: to people that is one change of one file."""
    match steps:
        case [FileChange(after_size=0) as emptied, CommandRun() as then]:
            # Of a link the file behind it would stay.
            there = emptied.before.exists and emptied.before.link_target is None
            return there and then.command == f"rm -- {shlex.quote(emptied.path)}" and not then.env
        case _:
            return False


def step_kind(step: Step) -> PresentationKind:
    """Return the kind of a step."""
    match step:
        case CommandRun():
            return PresentationKind.COMMAND
        case FileChange(binary=True):
            return PresentationKind.BINARY
        case FileChange():
            return PresentationKind.DIFF if step.before.exists else PresentationKind.FILE_CONTENT
        case _:
            assert_never(step)


def step_text(step: Step, cwd: str) -> str:
    """Return the command, or the path: relative to the working directory if it is below that."""
    if isinstance(step, CommandRun):
        return step.command
    return step.path if not cwd or is_outside(step.path, cwd) else os.path.relpath(step.path, cwd)


def is_outside(path: str, cwd: str) -> bool:
    """True if an absolute path is not below a directory."""
    return os.path.relpath(path, cwd).split(os.sep, 1)[0] == os.pardir


def _no_content(sha256: str) -> bytes:
    raise SnapshotError(f"the content {sha256} is not needed here")
