"""Steps as JSON values, and back; stored data are not trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from signoff.effects import Confinement
from signoff.present.snapshot.steps import (
    CommandRun,
    FileChange,
    FileState,
    SnapshotError,
    Step,
)

__all__ = ["StoredBlobs", "steps_from_json", "steps_to_json"]

_VERSION = 1


def steps_to_json(steps: Sequence[Step]) -> dict[str, Any]:
    """Steps as JSON values."""
    return {"version": _VERSION, "steps": [_step_to_json(step) for step in steps]}


def steps_from_json(data: Any) -> tuple[Step, ...]:
    """Restore the result of `steps_to_json`.

    Raises:
        SnapshotError: The data is something else, or of another version.
    """
    record = _Record(data)
    version = record.whole("version")
    if version != _VERSION:
        raise SnapshotError(f"the stored snapshot has version {version}, not {_VERSION}; ask again")
    return tuple(_step_from_json(_Record(step)) for step in record.items("steps"))


class StoredBlobs(Mapping[str, bytes]):
    """Contents by hash, loaded and checked on demand.

    Raises:
        SnapshotError: A content is asked for and the loaded one has another hash.
    """

    def __init__(self, hashes: tuple[str, ...], load: Callable[[str], bytes]) -> None:
        self._hashes = hashes
        self._load = load

    def __getitem__(self, sha256: str) -> bytes:
        if sha256 not in self._hashes:
            raise KeyError(sha256)
        data = self._load(sha256)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise SnapshotError(f"the stored content {sha256} is damaged; ask again")
        return data

    def __iter__(self) -> Iterator[str]:
        return iter(self._hashes)

    def __len__(self) -> int:
        return len(self._hashes)


class _Record:
    """A JSON object whose fields must be there and of the right type."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict):
            raise SnapshotError("the stored snapshot is damaged: an object is missing; ask again")
        self._data = data

    def _field(self, name: str, kind: type | tuple[type, ...]) -> Any:
        value = self._data.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SnapshotError(
                f'the stored snapshot is damaged: "{name}" is missing or of a wrong type; ask again'
            )
        return value

    def text(self, name: str) -> str:
        value: str = self._field(name, str)
        return value

    def text_or_none(self, name: str) -> str | None:
        value: str | None = self._field(name, (str, type(None)))
        return value

    def whole(self, name: str) -> int:
        value: int = self._field(name, int)
        return value

    def whole_or_none(self, name: str) -> int | None:
        value: int | None = self._field(name, (int, type(None)))
        return value

    def has(self, name: str) -> bool:
        return name in self._data

    def truth(self, name: str) -> bool:
        value: bool = self._field(name, bool)
        return value

    def items(self, name: str) -> list[Any]:
        value: list[Any] = self._field(name, list)
        return value

    def record(self, name: str) -> _Record:
        return _Record(self._field(name, dict))

    def texts(self, name: str) -> Mapping[str, str]:
        values: dict[str, Any] = self._field(name, dict)
        record = _Record(values)
        return MappingProxyType({key: record.text(key) for key in values})


def confinement_facts(confinement: Confinement | None) -> dict[str, dict[str, str]]:
    """Return the sandbox of a command as JSON; nothing if nobody said anything about one."""
    if confinement is None:
        return {}
    facts = {"backend": confinement.backend, "profile": confinement.profile, "words": confinement.words}
    return {"confinement": facts}


def _step_to_json(step: Step) -> dict[str, Any]:
    if isinstance(step, CommandRun):
        return {
            "kind": "command",
            "command": step.command,
            "cwd": step.cwd,
            "env": dict(step.env),
            "real_cwd": step.real_cwd,
            **confinement_facts(step.confinement),
        }
    state = step.before
    return {
        "kind": "file",
        "path": step.path,
        "before": {
            "exists": state.exists,
            "sha256": state.sha256,
            "size": state.size,
            "mode": state.mode,
            "link_target": state.link_target,
            "real_path": state.real_path,
        },
        "after_sha256": step.after_sha256,
        "after_size": step.after_size,
        "binary": step.binary,
        "media_type": step.media_type,
        "follows": step.follows,
        **({} if step.after_mode is None else {"after_mode": step.after_mode}),
    }


def _step_from_json(record: _Record) -> Step:
    kind = record.text("kind")
    if kind == "command":
        confinement = None
        if record.has("confinement"):
            told = record.record("confinement")
            confinement = Confinement(told.text("backend"), told.text("profile"), told.text("words"))
        return CommandRun(
            record.text("command"), record.text("cwd"), record.texts("env"), record.text("real_cwd"), confinement
        )
    if kind == "file":
        return FileChange(
            path=record.text("path"),
            before=_state_from_json(record.record("before")),
            after_sha256=record.text("after_sha256"),
            after_size=record.whole("after_size"),
            binary=record.truth("binary"),
            media_type=record.text_or_none("media_type"),
            follows=record.truth("follows"),
            after_mode=record.whole("after_mode") if record.has("after_mode") else None,
        )
    raise SnapshotError("the stored snapshot is damaged: a step of unknown kind; ask again")


def _state_from_json(record: _Record) -> FileState:
    return FileState(
        exists=record.truth("exists"),
        sha256=record.text_or_none("sha256"),
        size=record.whole("size"),
        mode=record.whole_or_none("mode"),
        link_target=record.text_or_none("link_target"),
        real_path=record.text("real_path"),
    )
