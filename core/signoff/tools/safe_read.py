"""Reading files and directories at exactly the path that was resolved before.

Everything is opened below the descriptor of its root, so that a link that is swapped in at any moment is refused
and not followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

from signoff.present.snapshot.files import MAX_FILE_SIZE, named
from signoff.tools.beneath import LedElsewhereError, RootDirectory

__all__ = ["BECAME_SPECIAL", "OLD_FILE", "list_beneath", "read_beneath"]

OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Flags for a file that is read: never through a link, and without waiting for anybody."""

BECAME_SPECIAL = frozenset({errno.ELOOP, errno.ENXIO})
"""What opening so says of a file that has become a link, a FIFO or a socket."""

_LISTED = os.O_RDONLY | os.O_DIRECTORY
_ATTEMPTS = 3


def read_beneath(root: RootDirectory, relative: str, *, many_names: bool = False) -> bytes:
    """Read a regular file of bearable size.

    Args:
        root: The directory that it is below.
        relative: Where it is, without links and ``..``.
        many_names: Whether it may have more than one name (hard link).

    Raises:
        FileNotFoundError: There is none.
        PermissionError: It is no regular file, a link leads elsewhere, or it has more names than it may.
        ValueError: It is larger than `MAX_FILE_SIZE`.
        OSError: It cannot be read, or keeps changing.
    """
    parent, _, name = relative.rpartition("/")
    with root.opened(parent or ".") as directory:
        for _ in range(_ATTEMPTS):
            # Opening some devices has effects, so the type is asked for first.
            _require_regular(name, os.stat(name, dir_fd=directory, follow_symlinks=False))
            before, data, after = _contents(directory, name)
            _require_regular(name, before)
            if before.st_nlink > 1 and not many_names:
                raise LedElsewhereError(f"{named(name)} got a second name while it was opened")
            if len(data) > MAX_FILE_SIZE:
                raise ValueError(f"{named(name)} is larger than {MAX_FILE_SIZE // 2**20} MB")
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                return data
    raise OSError(errno.EBUSY, f"{named(name)} keeps changing while it is read; try again when it rests")


def list_beneath(root: RootDirectory, relative: str) -> Iterator[str]:
    """Paths of all files below a directory, relative to it, in order; links to directories are left out.

    Directories that are missing or cannot be listed have no files.

    Args:
        root: The directory that it is below, or that it is.
        relative: Where it is, without links and ``..``.

    Raises:
        LedElsewhereError: A link leads elsewhere.
    """
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            names, directories = _entries(root, "/".join(part for part in (relative, below) if part))
        except LedElsewhereError:
            raise
        except (FileNotFoundError, PermissionError):
            continue
        prefix = f"{below}/" if below else ""
        yield from (prefix + name for name in names)
        waiting += [prefix + name for name in reversed(directories)]


def _entries(root: RootDirectory, relative: str) -> tuple[list[str], list[str]]:
    """Names of the files and of the directories in a directory, each in order."""
    names, directories = [], []
    with root.opened(relative, _LISTED) as descriptor, os.scandir(descriptor) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                directories.append(entry.name)
            elif not entry.is_dir():
                names.append(entry.name)
    return sorted(names), sorted(directories)


def _contents(directory: int, name: str) -> tuple[os.stat_result, bytes, os.stat_result]:
    """Content of a file, at most one byte more than may be, and its state before and after it was read."""
    try:
        descriptor = os.open(name, OLD_FILE, dir_fd=directory)
    except OSError as error:
        if error.errno not in BECAME_SPECIAL:
            raise
        raise LedElsewhereError(f"{named(name)} was led elsewhere while it was opened") from error
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        before = os.fstat(descriptor)
        data = file.read(MAX_FILE_SIZE + 1) if stat.S_ISREG(before.st_mode) else b""
        return before, data, os.fstat(descriptor)


def _require_regular(name: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise LedElsewhereError(f"{named(name)} is not a regular file")
