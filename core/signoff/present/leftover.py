"""Arguments of a call that its declared effects do not show.

A decision binds the full arguments, so what the diff or the command does not say must be shown beside it. An
argument that is the path, the content, an edited part or the command itself is shown already.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

from signoff.present.snapshot import Snapshot
from signoff.present.steps import CommandRun, FileChange

__all__ = ["leftover_arguments"]


def leftover_arguments(snapshot: Snapshot, arguments: Mapping[str, Any], cwd: str) -> dict[str, Any]:
    """The arguments that nothing in the snapshot shows.

    Args:
        snapshot: What the call declares it would do; its contents are read.
        arguments: Full arguments of the call.
        cwd: Absolute working directory that relative paths start from.

    Raises:
        SnapshotError: A stored content is damaged.
    """
    paths = set(_paths(snapshot))
    whole = {step.command for step in snapshot.commands}
    edits: set[str] = set()
    for before, after in _texts(snapshot):
        whole.add(after)
        edits |= _edit_parts(before, after, arguments)

    def shown(value: Any) -> bool:
        if not isinstance(value, str) or not value:
            return False
        in_effects = value in whole or value in edits
        return in_effects or os.path.normpath(os.path.join(cwd, value)) in paths  # noqa: PTH118 - not this disk

    return {name: value for name, value in arguments.items() if not shown(value)}


def _edit_parts(before: str, after: str, arguments: Mapping[str, Any]) -> set[str]:
    """The two arguments that make an edit: replacing the one by the other gives exactly what is shown."""
    texts = [value for value in arguments.values() if isinstance(value, str)]
    for old, new in permutations(texts, 2):
        if before.count(old) == 1 and before.replace(old, new) == after:
            return {old, new}
    return set()


def _paths(snapshot: Snapshot) -> Iterator[str]:
    for step in snapshot.steps:
        if isinstance(step, CommandRun):
            yield from (step.cwd, step.real_cwd)
        else:
            yield from (step.path, step.before.real_path)


def _texts(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Before and after of each text file."""
    for step in snapshot.steps:
        if isinstance(step, FileChange) and not step.binary:
            before = b"" if step.before.sha256 is None else snapshot.blobs[step.before.sha256]
            yield before.decode("utf-8"), snapshot.blobs[step.after_sha256].decode("utf-8")
