"""Files and directories for their owner only.

A file is complete or absent: a reader sees the old content or the new one. A file that trust depends on is read
only if nobody else can have written it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = [
    "UnsafeFileError",
    "locked",
    "make_directory",
    "new_file",
    "put",
    "read_own",
    "refuse_foreign_directory",
]

_PRIVATE = 0o600
_PRIVATE_DIRECTORY = 0o700


class UnsafeFileError(Exception):
    """A file or directory cannot be read, or may be somebody else's; the message says what to do."""


def make_directory(path: Path, *, parents: bool = True) -> None:
    """Make a directory that only its owner may enter, whatever the umask; an existing one stays.

    Args:
        path: The directory.
        parents: True to make missing parents too, in the same way.

    Raises:
        OSError: The directory cannot be made, or something else is in its place.
    """
    if parents and path.parent != path and not path.parent.exists():
        make_directory(path.parent)
    try:
        path.mkdir(_PRIVATE_DIRECTORY)
    except (FileExistsError, IsADirectoryError):  # macOS raises the latter for "/"
        if not path.is_dir():
            raise
    else:
        path.chmod(_PRIVATE_DIRECTORY)  # an unusual umask may have taken rights from the owner


def read_own(path: Path, *, forbidden: int, owners: frozenset[int], most: int) -> bytes | None:
    """Return the content of a file on which trust depends, or None if there is none.

    Neither the file nor its directory is a link, and the file has no second name.

    Args:
        path: The file.
        forbidden: Mode bits that neither the file nor its directory may have.
        owners: User ids to whom it may belong; the directory may also belong to root.
        most: The most bytes that it may have.

    Raises:
        UnsafeFileError: The file cannot be read, or is not to be trusted.
    """
    try:
        refuse_foreign_directory(path.parent, forbidden)
        # So that opening a pipe does not wait for its other end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        link = "; it is a link: put the file itself there" if path.is_symlink() else ""
        raise UnsafeFileError(f"cannot read {path}: {error.strerror}{link}") from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise UnsafeFileError(f"{path} is not a regular file; move it away")
    with os.fdopen(descriptor, "rb") as file:
        if found.st_nlink != 1:
            raise UnsafeFileError(f"{path} has {found.st_nlink} names; remove the others, or move it away")
        _refuse_foreign(path, found, forbidden, owners, "chmod 600")
        content = file.read(most + 1)
    if len(content) > most:
        raise UnsafeFileError(f"{path} is larger than {most} bytes; it is none of ours, move it away")
    return content


def refuse_foreign_directory(path: Path, forbidden: int) -> None:
    """Make sure that a directory is no link, and belongs to this user or root.

    Args:
        path: The directory.
        forbidden: Mode bits that it may not have.

    Raises:
        UnsafeFileError: The directory is a link, belongs to somebody else, or has such bits.
        OSError: The directory is absent, or cannot be looked at.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise UnsafeFileError(f"{path} is a link; put the directory itself there")
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafeFileError(f"{path} is not a directory; move it away")
    _refuse_foreign(path, found, forbidden, frozenset({os.geteuid(), 0}), "chmod 700")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file for the length of a ``with`` block; it is made if it is not there.

    Args:
        path: The file. It stays empty.

    Raises:
        OSError: The file cannot be opened, or is a link.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
    try:
        os.fchmod(descriptor, _PRIVATE)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _refuse_foreign(
    path: Path, found: os.stat_result, forbidden: int, owners: frozenset[int], remedy: str
) -> None:
    if found.st_uid not in owners:
        raise UnsafeFileError(f"{path} belongs to user {found.st_uid}, not to you; move it away")
    if found.st_mode & forbidden:
        raise UnsafeFileError(
            f"other users have access to {path} (mode {stat.S_IMODE(found.st_mode):04o});"
            f" make sure that what is in there is yours, then run: {remedy} {path}"
        )


@contextlib.contextmanager
def new_file(target: Path, *, replaces: bool, mode: int = _PRIVATE) -> Iterator[BinaryIO]:
    """Write a file that is durable after the block; if the block fails, nothing changes.

    Args:
        target: The path. A link there is replaced, not followed.
        replaces: True to replace a file that is there; it stays until the new one is complete.
        mode: Its permissions, whatever the umask says.

    Raises:
        FileExistsError: There is a file, and it may not be replaced.
        OSError: The file cannot be written.
    """
    draft = target.with_name(f".{target.name}.{os.urandom(8).hex()}") if replaces else target
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            yield file
            file.flush()
            os.fsync(descriptor)
        if replaces:
            draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def put(target: Path, content: bytes, *, mode: int = _PRIVATE) -> None:
    """Write a file whole, in place of one that may be there.

    Args:
        target: The file. A link there is replaced, not followed.
        content: The content.
        mode: Its permissions.

    Raises:
        OSError: The file cannot be written; it is as it was.
    """
    with new_file(target, replaces=True, mode=mode) as file:
        file.write(content)
