"""The declared effects of a tool call, as plain data, and the word for the harm that they may do.

A tool declares the effects of a call without touching a disk: files that it would write or edit, commands that it
would run. Everything else follows from that declaration: the snapshot for the reviewer, the risk, the digest that
a decision names, and the check that the files are still as they were shown.

This module is the standard library only: every layer may use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

__all__ = ["Command", "Confinement", "Effect", "FileEdit", "FileWrite", "Risk", "SnapshotError"]


class Risk(StrEnum):
    """The possible harm of a call, computed by the core from parsed facts."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    """Never remembered, never part of a group approval."""


@dataclass(frozen=True, slots=True)
class FileWrite:
    """Create a file, or replace the whole content of an existing one.

    Attributes:
        path: Absolute path of the file as the tool would open it.
        content: The whole new content. Text is written as UTF-8, without newline translation.
        replaces: SHA-256 of the only content that it may replace, in hexadecimal, "" if there may be no file yet;
            None for any content. Nobody is asked to write over another one.
        mode: Permission bits that the file gets; None leaves them as they are.
    """

    path: str
    content: str | bytes
    replaces: str | None = None
    mode: int | None = None

    @property
    def data(self) -> bytes:
        """The bytes that would be written."""
        if isinstance(self.content, bytes):
            return self.content
        return self.content.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class FileEdit:
    """Replace the only occurrence of one text in an existing file.

    Attributes:
        path: Absolute path of the file as the tool would open it.
        old: Text that must occur exactly once.
        new: Text that takes its place.
    """

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Confinement:
    """The sandbox of the operating system that a command runs in.

    Attributes:
        backend: The way in which it is confined, such as ``bwrap``; ``external`` if somebody says that all of the
            agent is confined, ``none`` if the command is not.
        profile: SHA-256 of what it may touch, in hexadecimal; "" if that is not known.
        words: What it may do, in a line.
    """

    backend: str
    profile: str
    words: str


@dataclass(frozen=True, slots=True)
class Command:
    """Run a command line with a shell.

    Attributes:
        command: The text handed to the shell.
        cwd: Absolute working directory.
        env: Environment variables that are added or changed; empty for none.
        confinement: The sandbox that it runs in; None if nobody says.
    """

    command: str
    cwd: str
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    confinement: Confinement | None = None


Effect = FileWrite | FileEdit | Command


class SnapshotError(ValueError):
    """The effects of a call cannot be shown, so nobody can be asked about it."""
