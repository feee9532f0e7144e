"""What a call is about, told from what it would do and not from what its agent says of it."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import Any

from signoff.present.snapshot import CommandRun, Snapshot, SnapshotError
from signoff.present.steps import Step

__all__ = ["subject_text"]


def subject_text(snapshot: Mapping[str, Any] | None, cwd: str) -> str | None:
    """Return the command, or the path of the file, that a call declared; None if it declared nothing.

    The text is the agent's own: make it safe to show. A damaged snapshot declares nothing.

    Args:
        snapshot: As stored with the request, or None.
        cwd: Absolute working directory of the call; paths below it are told relative to it.
    """
    try:
        steps = Snapshot.from_json(dict(snapshot), _no_content).steps if snapshot is not None else ()
    except SnapshotError:
        return None
    if not steps:
        return None
    # What comes last may be cut by whoever shows it: that it is not all must not.
    which = f"1 of {len(steps)}: " if len(steps) > 1 else ""
    return which + _told(steps[0], cwd)


def _told(step: Step, cwd: str) -> str:
    if isinstance(step, CommandRun):
        return step.command
    below = os.path.relpath(step.path, cwd) if cwd else step.path
    return step.path if below.split(os.sep, 1)[0] == os.pardir else below


def _no_content(sha256: str) -> bytes:
    raise SnapshotError(f"the content {sha256} is not needed here")
