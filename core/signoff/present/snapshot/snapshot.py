"""The snapshot: the effects of a call, taken at one moment and fixed.

A snapshot is shown to the reviewer, named by the decision, and compared with the files before the call
runs. It is taken once, when a request is about to be shown, and reads nothing before that.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from signoff.effects import Command, FileWrite
from signoff.present.document.media import is_binary, media_type
from signoff.present.snapshot.codec import StoredBlobs, confinement_facts, steps_from_json, steps_to_json
from signoff.present.snapshot.files import (
    MAX_FILE_SIZE,
    changed_meanwhile,
    edited,
    is_directory,
    locate,
    look,
    named,
)
from signoff.present.snapshot.steps import (
    CommandRun,
    FileChange,
    FileState,
    SnapshotError,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from signoff.effects import Effect, FileEdit

__all__ = [
    "MAX_FILE_SIZE",
    "CommandRun",
    "FileChange",
    "FileState",
    "Snapshot",
    "SnapshotError",
    "take",
]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The effects of a call, with the content of the files before and after.

    Attributes:
        steps: Files and commands in the order in which they would be touched and run.
        blobs: Content by hash, before and after.
    """

    steps: tuple[Step, ...] = ()
    blobs: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}), repr=False, compare=False)

    @property
    def items(self) -> tuple[FileChange, ...]:
        """The files that would be changed."""
        return tuple(step for step in self.steps if isinstance(step, FileChange))

    @property
    def commands(self) -> tuple[CommandRun, ...]:
        """The commands that would be run."""
        return tuple(step for step in self.steps if isinstance(step, CommandRun))

    def drift(self) -> tuple[str, ...]:
        """Compare the snapshot with the files as they are now.

        Returns:
            The differences, one plain and safe sentence each; empty without any.
        """
        reasons: list[str] = []
        for step in self.steps:
            if isinstance(step, CommandRun):
                reasons.extend(_command_drift(step))
            elif not step.follows:
                reasons.extend(_file_drift(step))
        return tuple(dict.fromkeys(reasons))

    def digest_material(self) -> dict[str, Any]:
        """Everything that would be executed, as JSON values that are the same for the same call.

        Contents are named by their hashes, before and after.
        """
        return {"steps": [_bound(step) for step in self.steps]}

    def to_json(self) -> dict[str, Any]:
        """The snapshot without its blobs, as JSON values."""
        return steps_to_json(self.steps)

    @classmethod
    def from_json(cls, data: Any, blob_loader: Callable[[str], bytes]) -> Snapshot:
        """Restore a snapshot.

        Args:
            data: A result of `to_json`.
            blob_loader: Returns the content with a hash. It is called when a content is needed; its result is
                checked.

        Raises:
            SnapshotError: The data is not a snapshot.
        """
        steps = steps_from_json(data)
        return cls(steps, StoredBlobs(_hashes(steps), blob_loader))


def take(effects: Sequence[Effect]) -> Snapshot:
    """Read the files that effects would touch, and work out their new contents.

    Args:
        effects: The effects that a call declares, in order.

    Raises:
        SnapshotError: An effect cannot be shown; the message says why and what to do.
    """
    taker = _Taker()
    for effect in effects:
        if isinstance(effect, Command):
            taker.add_command(effect)
        else:
            taker.add_file(effect)
    blobs = {sha256: taker.blobs[sha256] for sha256 in _hashes(taker.steps)}
    return Snapshot(tuple(taker.steps), MappingProxyType(blobs))


class _Taker:
    """The state of each file while effects are gone through in order."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.blobs: dict[str, bytes] = {}
        self._written: dict[str, FileState] = {}  # by real path: the state after earlier steps
        self._open: dict[str, int] = {}  # by real path: the step that a next edit joins

    def add_command(self, effect: Command) -> None:
        """Add a command; later edits are steps of their own."""
        self.steps.append(_command_run(effect))
        self._open.clear()

    def add_file(self, effect: FileWrite | FileEdit) -> None:
        """Add a change of a file, or join it to the change it follows directly."""
        place = locate(effect.path)
        follows = place.real_path in self._written
        if follows:
            before = replace(self._written[place.real_path], link_target=place.link_target)
            data = self.blobs[before.sha256 or ""]
        else:
            before, data = look(effect.path)
            if before.sha256 is not None:
                self.blobs[before.sha256] = data
        mode = None
        if isinstance(effect, FileWrite):
            if effect.replaces not in {None, before.sha256 or ""}:
                raise changed_meanwhile(effect.path)
            after, mode = effect.data, effect.mode
        else:
            after = edited(effect, before, data)
        if len(after) > MAX_FILE_SIZE:
            raise SnapshotError(
                f"{named(effect.path)} would be larger than {MAX_FILE_SIZE // 2**20} MB, "
                "too large to be shown; write it in parts"
            )
        self._add(_change(effect.path, before, data, after, follows=follows, mode=mode), after)

    def _add(self, change: FileChange, after: bytes) -> None:
        real_path = change.before.real_path
        self.blobs[change.after_sha256] = after
        self._written[real_path] = replace(
            change.before,
            exists=True,
            sha256=change.after_sha256,
            size=change.after_size,
            mode=change.before.mode if change.after_mode is None else change.after_mode,
        )
        index = self._open.get(real_path)
        if index is not None:
            first = self.steps[index]
            if isinstance(first, FileChange) and first.path == change.path:
                original = self.blobs[first.before.sha256] if first.before.sha256 else b""
                mode = first.after_mode if change.after_mode is None else change.after_mode
                self.steps[index] = _change(
                    first.path, first.before, original, after, follows=first.follows, mode=mode
                )
                return
        self._open[real_path] = len(self.steps)
        self.steps.append(change)


def _hashes(steps: Sequence[Step]) -> tuple[str, ...]:
    """Hashes of all contents that steps name, each once."""
    hashes: dict[str, None] = {}
    for step in steps:
        if isinstance(step, FileChange):
            if step.before.sha256 is not None:
                hashes[step.before.sha256] = None
            hashes[step.after_sha256] = None
    return tuple(hashes)


def _change(
    path: str, before: FileState, data: bytes, after: bytes, *, follows: bool, mode: int | None
) -> FileChange:
    kind = None
    if is_binary(after):
        kind = media_type(after, path)
    elif is_binary(data):
        kind = media_type(data, path)
    digest = hashlib.sha256(after).hexdigest()
    return FileChange(path, before, digest, len(after), kind is not None, kind, follows, mode)


def _command_run(effect: Command) -> CommandRun:
    for text in (effect.command, *effect.env, *effect.env.values()):
        if "\0" in text:
            raise SnapshotError("a command or its environment holds a NUL, which no shell can be given; remove it")
    if any(not name or "=" in name for name in effect.env):
        raise SnapshotError('an environment variable has no name, or "=" in it; rename it')
    real_cwd = locate(effect.cwd).real_path
    if not is_directory(real_cwd):
        raise SnapshotError(f"the working directory {named(effect.cwd)} is not a directory; name one that exists")
    env = MappingProxyType(dict(sorted(effect.env.items())))
    return CommandRun(effect.command, effect.cwd, env, real_cwd, effect.confinement)


def _command_drift(step: CommandRun) -> list[str]:
    where = f"the working directory {named(step.cwd)}"
    if not is_directory(step.cwd):
        return [f"{where} is gone"]
    try:
        now = locate(step.cwd).real_path
    except SnapshotError as error:
        return [str(error)]
    return [] if now == step.real_cwd else [f"{where} now leads to another place"]


def _file_drift(step: FileChange) -> list[str]:
    shown, where = step.before, named(step.path)
    try:
        now, _ = look(step.path)
    except SnapshotError as error:
        return [str(error)]
    reasons = []
    if now.link_target != shown.link_target:
        reasons.append(f"{where} is now a different link, or no link any more")
    if now.real_path != shown.real_path:
        reasons.append(f"{where} now leads to {named(now.real_path)}")
    if now.exists and not shown.exists:
        reasons.append(f"{where} appeared")
    elif shown.exists and not now.exists:
        reasons.append(f"{where} is gone")
    elif now.sha256 != shown.sha256:
        reasons.append(f"{where} was changed")
    if now.exists and shown.exists and now.mode != shown.mode:
        reasons.append(f"{where} has other permissions")
    return reasons


def _bound(step: Step) -> dict[str, Any]:
    """The part of a step that a decision is bound to."""
    if isinstance(step, CommandRun):
        return {
            "kind": "command",
            "command": step.command,
            "cwd": step.cwd,
            "real_cwd": step.real_cwd,
            "env": dict(sorted(step.env.items())),
            **confinement_facts(step.confinement),
        }
    return {
        "kind": "file",
        "path": step.path,
        "real_path": step.before.real_path,
        "link_target": step.before.link_target,
        "mode": step.before.mode,
        "before": step.before.sha256,
        "after": step.after_sha256,
        **({} if step.after_mode is None else {"after_mode": step.after_mode}),
    }
