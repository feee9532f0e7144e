"""Files as they are now, read without blocking or being led astray, and the results of edits.

A path may name a FIFO that never delivers, a device, or a link that is swapped during the look. Only a regular
file of bounded size is read, reached by the very path that is reported with it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from signoff.present.reveal import reveal
from signoff.present.snapshot.steps import FileState, SnapshotError

if TYPE_CHECKING:
    from signoff.effects import FileEdit
    from signoff.present.snapshot.steps import FileState


__all__ = [
    "MAX_FILE_SIZE",
    "ResolvedPath",
    "changed_meanwhile",
    "edited",
    "is_directory",
    "locate",
    "look",
    "named",
]


MAX_FILE_SIZE = 64 * 1024 * 1024
"""Largest file, in bytes, that is shown to a reviewer and kept for the record."""

_ATTEMPTS = 3
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK | os.O_NOFOLLOW
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link that leads back to itself",
}


class _ChangedMeanwhileError(Exception):
    """The file was written or replaced between two looks at it."""


class ResolvedPath(Struct, frozen=True):
    """The target of a path.

    Attributes:
        real_path: The path with every link followed.
        link_target: The target of the path itself, None if it is no link.
    """

    real_path: str
    link_target: str | None


def named(path: str) -> str:
    """A path in quotes, safe to show."""
    return f'"{reveal(path, "path").text}"'


def locate(path: str) -> ResolvedPath:
    """Resolve a path, whether or not a file is there.

    Raises:
        SnapshotError: The path is not absolute, or cannot be the path of a file.
    """
    if not Path(path).is_absolute():
        raise SnapshotError(f"{named(path)} is not an absolute path; give the full path")
    try:
        target = os.readlink(path)  # noqa: PTH115  the exact text, also with a trailing slash
    except OSError:
        target = None
    except ValueError as error:
        raise SnapshotError(f"{named(path)} cannot be the path of a file: {error}") from error
    return ResolvedPath(os.path.realpath(path), target)


def is_directory(path: str) -> bool:
    """True if a path leads to a directory that can be looked at."""
    return os.path.isdir(path)  # noqa: PTH112  unlike pathlib's, it never raises


def look(path: str) -> tuple[FileState, bytes]:
    """Read a file and everything about it that a reviewer has to know.

    Args:
        path: Absolute path; links are followed and reported.

    Returns:
        The state and the content, which is empty if there is no file.

    Raises:
        SnapshotError: The path is not absolute, the file is not a regular one, is larger than
            `MAX_FILE_SIZE`, cannot be read, or keeps changing.
    """
    for _ in range(_ATTEMPTS):
        place = locate(path)
        try:
            found = _read(path, place.real_path)
        except _ChangedMeanwhileError:
            continue
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise SnapshotError(
                f"{named(path)} cannot be read ({reason}), so the change cannot be shown; "
                "check the path and its permissions"
            ) from error
        if locate(path) != place:
            continue
        if found is None:
            return FileState(False, None, 0, None, place.link_target, place.real_path), b""
        mode, data = found
        digest = hashlib.sha256(data).hexdigest()
        return FileState(True, digest, len(data), mode, place.link_target, place.real_path), data
    raise SnapshotError(f"{named(path)} keeps changing while it is read; try again when it rests")


def _read(path: str, real_path: str) -> tuple[int, bytes] | None:
    """Mode and content of the file at a path without links, None if there is none."""
    try:
        # Opening some devices has effects, so the type is asked for first.
        _require_regular(path, os.lstat(real_path))
        descriptor = os.open(real_path, _FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:  # became a link, or a FIFO or a socket
            raise _ChangedMeanwhileError from error
        raise
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor has no path
        status = os.fstat(descriptor)
        _require_regular(path, status)
        data = file.read(MAX_FILE_SIZE + 1)
        now = os.fstat(descriptor)
    if len(data) > MAX_FILE_SIZE:
        raise _too_large(path)
    if (status.st_size, status.st_mtime_ns) != (now.st_size, now.st_mtime_ns):
        raise _ChangedMeanwhileError
    return stat.S_IMODE(now.st_mode), data


def _require_regular(path: str, status: os.stat_result) -> None:
    """Refuse anything but a regular file of bearable size."""
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "a special file")
        raise SnapshotError(f"{named(path)} is {kind}, not a regular file; name a regular file")
    if status.st_size > MAX_FILE_SIZE:
        raise _too_large(path)


def _too_large(path: str) -> SnapshotError:
    limit = MAX_FILE_SIZE // (1024 * 1024)
    return SnapshotError(
        f"{named(path)} is larger than {limit} MB, too large to be shown; "
        "change it in a way that a reviewer can read"
    )


# -- The result of a `FileEdit`, or the reason why it or another change cannot be done.


def changed_meanwhile(path: str) -> SnapshotError:
    """The reason why a change that was made from another state of a file is not applied to it."""
    return SnapshotError(
        f"{named(path)} was changed meanwhile by something else, so this change was not applied to it"
    )


def edited(edit: FileEdit, before: FileState, data: bytes) -> bytes:
    """Return the content of a file after an edit.

    Args:
        edit: The edit.
        before: State of the file.
        data: Content of the file.

    Raises:
        SnapshotError: There is no file, it is not UTF-8 text, or the text to replace does not
            occur exactly once. The message says what to do.
    """
    where = named(edit.path)
    if not before.exists:
        raise SnapshotError(f"{where} does not exist, so nothing can be replaced; write it instead")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise SnapshotError(
            f"{where} is not UTF-8 text, so text in it cannot be replaced; write the whole file"
        ) from None
    old, new = _encoded(edit.old, "old", where), _encoded(edit.new, "new", where)
    if not old:
        raise SnapshotError(f"the text to replace in {where} is empty; name the text to replace")
    first = data.find(old)
    if first < 0:
        raise SnapshotError(f"the text to replace is not in {where}; {_why_missing(old, data)}")
    second = data.find(old, first + 1)  # not past the first: "aa" occurs twice in "aaa"
    if second >= 0:
        raise SnapshotError(
            f"the text to replace is more than once in {where}, first on the lines "
            f"{_line(data, first)} and {_line(data, second)}; "
            "add text around it until it occurs once"
        )
    return data[:first] + new + data[first + len(old) :]


def _encoded(text: str, name: str, where: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise SnapshotError(
            f'"{name}" of the edit of {where} holds half a character (a lone surrogate); send text'
        ) from None


def _why_missing(old: bytes, data: bytes) -> str:
    """Advice about a text that was not found."""
    if _with_crlf(old) in data:
        return "it would be with CRLF line ends: give the text with the line ends of the file"
    if old.replace(b"\r\n", b"\n") in data:
        return "it would be with LF line ends: give the text with the line ends of the file"
    return "read the file again and give the text exactly as it stands there"


def _with_crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _line(data: bytes, offset: int) -> int:
    """Number of the line, from 1, that holds an offset."""
    return data.count(b"\n", 0, offset) + 1
