"""The steps of a call, as plain data: files that it changes and commands that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from signoff.effects import Confinement, SnapshotError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CommandRun", "FileChange", "FileState", "SnapshotError", "Step"]


class FileState(Struct, frozen=True):
    """A file as it was at one moment.

    Attributes:
        exists: True if there is a file.
        sha256: Hash of the content in hexadecimal, None without a file.
        size: Size in bytes, 0 without a file.
        mode: Permission bits, including set-id and sticky; None without a file.
        link_target: The target of the path itself, None if it is no link.
        real_path: The path with every link followed.
    """

    exists: bool
    sha256: str | None
    size: int
    mode: int | None
    link_target: str | None
    real_path: str


class FileChange(Struct, frozen=True):
    """One file that would be created, replaced or edited.

    Edits of the same file that follow each other without a command between them are one change.

    Attributes:
        path: Absolute path as the tool would open it.
        before: The file as it was found.
        after_sha256: Hash of the content that it would have, in hexadecimal.
        after_size: Size that it would have, in bytes.
        binary: True if the content before or after is not text.
        media_type: Type of the content after if that is binary, else of the content before; None
            for text.
        follows: True if an earlier step of the same call writes this file. `before` is then the state that
            that step leaves, not the file on the disk.
        after_mode: Permission bits that it would get; None if they stay as they are.
    """

    path: str
    before: FileState
    after_sha256: str
    after_size: int
    binary: bool
    media_type: str | None
    follows: bool = False
    after_mode: int | None = None


class CommandRun(Struct, frozen=True):
    """One command that would be run.

    Attributes:
        command: Text handed to the shell.
        cwd: Absolute working directory as the tool names it.
        env: Environment variables that are added or changed.
        real_cwd: The working directory with every link followed.
        confinement: The sandbox that it would run in; None if nobody says.
    """

    command: str
    cwd: str
    env: Mapping[str, str]
    real_cwd: str
    confinement: Confinement | None = None


Step: TypeAlias = FileChange | CommandRun
