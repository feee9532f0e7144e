"""Arguments of a call that its declared effects do not show.

A decision binds the full arguments, so what the diff or the command does not say must be shown beside it.
Names decide: an argument counts as shown only if its name is one that tools commonly give to a part of an
effect, and its value is that part. Each part of an effect accounts for one argument; another one with the same
value may mean something else, so it is left over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from signoff.present.snapshot import Snapshot
from signoff.present.steps import CommandRun, FileChange

__all__ = ["leftover_arguments"]

_PATH = ("path", "file_path", "filepath", "filename", "file")
_CONTENT = ("content", "contents", "file_text", "text")
_EDIT = (("old", "new"), ("old_str", "new_str"), ("old_string", "new_string"), ("old_text", "new_text"))
_COMMAND = ("command", "cmd")
_CWD = ("cwd", "workdir", "working_directory")


def leftover_arguments(snapshot: Snapshot, arguments: Mapping[str, Any], cwd: str) -> dict[str, Any]:
    """The arguments that nothing in the snapshot shows, in their order.

    Args:
        snapshot: What the call declares it would do; its contents are read.
        arguments: Full arguments of the call.
        cwd: Absolute working directory that relative paths start from.

    Raises:
        SnapshotError: A stored content is damaged.
    """
    left = dict(arguments)
    for step in snapshot.steps:
        if isinstance(step, CommandRun):
            _take_command(left, step, cwd)
        else:
            _take_file(left, step, snapshot.blobs, cwd)
    return left


def _take_command(left: dict[str, Any], step: CommandRun, cwd: str) -> None:
    _take(left, _COMMAND, lambda value: value == step.command)
    _take(left, _CWD, lambda value: _leads_to(value, cwd, (step.cwd, step.real_cwd)))


def _take_file(left: dict[str, Any], step: FileChange, blobs: Mapping[str, bytes], cwd: str) -> None:
    _take(left, _PATH, lambda value: _leads_to(value, cwd, (step.path, step.before.real_path)))
    if step.binary or not any(name in left for name in (*_CONTENT, *(old for old, _ in _EDIT))):
        return
    before = b"" if step.before.sha256 is None else blobs[step.before.sha256]
    after = blobs[step.after_sha256]
    _take(left, _CONTENT, lambda value: _bytes(value) == after)
    _take_edit(left, before, after)


def _take(left: dict[str, Any], names: Iterable[str], shows: Callable[[str], bool]) -> None:
    """Remove the first argument of these names that is shown."""
    for name in names:
        value = left.get(name)
        if isinstance(value, str) and shows(value):
            del left[name]
            return


def _take_edit(left: dict[str, Any], before: bytes, after: bytes) -> None:
    """Remove the two arguments that make an edit: replacing the one by the other gives exactly what is shown."""
    for old_name, new_name in _EDIT:
        old, new = left.get(old_name), left.get(new_name)
        if isinstance(old, str) and isinstance(new, str) and _edits(before, _bytes(old), _bytes(new), after):
            del left[old_name], left[new_name]
            return


def _edits(before: bytes, old: bytes, new: bytes, after: bytes) -> bool:
    return bool(old) and before.count(old) == 1 and before.replace(old, new) == after


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _leads_to(path: str, cwd: str, places: Iterable[str]) -> bool:
    """Whether a path plainly names one of these places; with ".." that would depend on links."""
    whole = PurePosixPath(cwd, path)
    return bool(path) and any(whole == PurePosixPath(place) for place in places)
