"""Replacing a file as a whole, at exactly the path that was resolved before.

Every directory on the way is opened without following links, and the new content is renamed into place in
the directory that was reached. A link that is swapped in at any moment is refused or replaced, never followed,
and a reader sees the old content or the new, never a part.
"""

from __future__ import annotations

import contextlib
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["replace_file"]

# Where there is O_PATH, a directory that may be passed but not listed can be opened too.
_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def replace_file(path: str, data: bytes) -> None:
    """Write a file, creating it and missing directories above it.

    The permission bits of an existing file are kept; a new one gets the process's usual ones.

    Args:
        path: Absolute path without links, ``.`` and ``..``.
        data: The whole new content.

    Raises:
        OSError: It could not be written, a component of the path is a link or no directory, or something
            other than a regular file is there. The old content is untouched.
    """
    *parents, name = (part for part in path.split("/") if part)
    with _opened(parents) as directory:
        mode = _mode_of(name, directory)
        temporary = f".{name[:40]}.{uuid.uuid4().hex}.tmp"
        descriptor = os.open(temporary, _NEW_FILE, 0o666, dir_fd=directory)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                file.write(data)
                file.flush()
                if mode is not None:
                    os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=directory)
            raise


@contextmanager
def _opened(parents: list[str]) -> Iterator[int]:
    """A descriptor of the directory reached from the file system's root, made where it is missing."""
    current = os.open("/", _DIRECTORY)
    try:
        for parent in parents:
            below = _open_or_make(parent, current)
            os.close(current)
            current = below
        yield current
    finally:
        os.close(current)


def _open_or_make(name: str, parent: int) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
        return os.open(name, _DIRECTORY, dir_fd=parent)


def _mode_of(name: str, directory: int) -> int | None:
    """Permission bits of the file that is there, None if there is none."""
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{name!r} is not a regular file any more; it was not written")
    return stat.S_IMODE(found.st_mode)
