"""Replacing a file as a whole, at exactly the path that was resolved before, if it still is as it was shown.

Every directory on the way is opened without following links, and the new content is renamed into place in the
directory that was reached. A link that is swapped in at any moment is refused or replaced, never followed, and a
reader sees the old content or the new, never a part.

The directory itself is locked (`flock`) from the look at the file to the rename. All that write through this
module take turns, in whatever process, so of two that were shown the same content only one finds it unchanged.
No lock file is left in anybody's project.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from signoff.binding import ChangedSinceApprovedError
from signoff.present.files import MAX_FILE_SIZE, named
from signoff.present.steps import FileState

__all__ = ["LockedFile", "locked_file"]

# Where there is O_PATH, a directory that may be passed but not listed can be opened too.
_PASSED = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCKED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_LED_ELSEWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

_PATIENCE = 10.0
"""Seconds that others may keep a directory locked."""
_PAUSE = 0.01
"""Seconds between two attempts."""


@dataclass(frozen=True, slots=True)
class LockedFile:
    """A file that nobody else who asks for the lock can change.

    Attributes:
        path: Absolute path without links.
        shown: The file as it was approved; None if it need not be found in any state.
        directory: Descriptor of the directory that was reached.
    """

    path: str
    shown: FileState | None
    directory: int

    @property
    def name(self) -> str:
        """Last component of the path."""
        return self.path.rpartition("/")[2]

    def look(self) -> tuple[FileState, bytes]:
        """Read the file as it is now.

        Returns:
            The state and the content, which is empty if there is no file.

        Raises:
            ChangedSinceApprovedError: It is not as it was shown.
            OSError: It cannot be read, is larger than `MAX_FILE_SIZE`, or is something else than a regular file.
        """
        state, data = self._found()
        self._require(self.shown, state)
        return state, data

    def replace(self, data: bytes, found: FileState | None = None) -> FileState:
        """Put a new content in the place of the file, or create it.

        The permission bits of an existing file are kept; a new one gets the process's usual ones.

        Args:
            data: The whole new content.
            found: The state that the content was made from; by default that which was shown.

        Returns:
            The file as it was left.

        Raises:
            ChangedSinceApprovedError: The file is not as it was shown.
            OSError: It cannot be written, or was changed since it was found. The old content is untouched.
        """
        mode = self._mode()
        temporary = f".{self.name[:40]}.{uuid.uuid4().hex}.tmp"
        try:
            mode = self._write(temporary, data, mode)
            self._require_unchanged(found)
            os.rename(temporary, self.name, src_dir_fd=self.directory, dst_dir_fd=self.directory)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=self.directory)
            raise
        return FileState(True, hashlib.sha256(data).hexdigest(), len(data), mode, None, self.path)

    def _write(self, temporary: str, data: bytes, mode: int | None) -> int:
        """Write a file beside the one to replace and return its permission bits."""
        descriptor = os.open(temporary, _NEW_FILE, 0o666, dir_fd=self.directory)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            return stat.S_IMODE(os.fstat(descriptor).st_mode)

    def _require_unchanged(self, found: FileState | None) -> None:
        """The last look: content, permissions, and that the directory still is where the path leads."""
        if self.shown is None and found is None:
            return
        self._require_reached()
        state, _ = self._found()
        self._require(self.shown, state)
        if found is not None and not _same(found, state):
            raise OSError(errno.EBUSY, f"{named(self.path)} was changed while it was edited; it was not written")

    def _require(self, shown: FileState | None, now: FileState) -> None:
        if shown is not None and not _same(shown, now):
            raise ChangedSinceApprovedError(named(self.path))

    def _require_reached(self) -> None:
        parent = self.path.rpartition("/")[0] or "/"
        try:
            here = os.path.realpath(parent) == parent
            here = here and os.path.samestat(os.lstat(parent), os.fstat(self.directory))
        except OSError:
            here = False
        if here:
            return
        if self.shown is not None:
            raise ChangedSinceApprovedError(f"the directory of {named(self.path)}")
        raise OSError(errno.EBUSY, f"the directory of {named(self.path)} was moved; the file was not written")

    def _found(self) -> tuple[FileState, bytes]:
        nothing = FileState(False, None, 0, None, None, self.path)
        # Opening some devices has effects, so the type is asked for first.
        if self._mode() is None:
            return nothing, b""
        try:
            descriptor = os.open(self.name, _OLD_FILE, dir_fd=self.directory)
        except FileNotFoundError:
            return nothing, b""
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
            status = os.fstat(descriptor)
            data = file.read(MAX_FILE_SIZE + 1)
        if not stat.S_ISREG(status.st_mode) or len(data) > MAX_FILE_SIZE:
            raise OSError(errno.EINVAL, f"{named(self.path)} is too large or not a regular file any more")
        digest = hashlib.sha256(data).hexdigest()
        return FileState(True, digest, len(data), stat.S_IMODE(status.st_mode), None, self.path), data

    def _mode(self) -> int | None:
        """Permission bits of the file that is there, None if there is none."""
        try:
            found = os.stat(self.name, dir_fd=self.directory, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            if self.shown is not None:
                raise ChangedSinceApprovedError(named(self.path))
            raise OSError(errno.EINVAL, f"{named(self.path)} is not a regular file any more; it was not written")
        return stat.S_IMODE(found.st_mode)


@contextmanager
def locked_file(path: str, shown: FileState | None = None, *, make_parents: bool = False) -> Iterator[LockedFile]:
    """Keep a file for the body, so that it can be looked at and replaced without anybody else coming between.

    Args:
        path: Absolute path without links, ``.`` and ``..``.
        shown: The file as it was approved; any other is refused.
        make_parents: Whether missing directories are made. Those of a file that was shown to exist never are.

    Raises:
        ChangedSinceApprovedError: The path does not lead where it was shown to lead.
        OSError: A component of the path is missing, a link or no directory; or the directory cannot be locked.
    """
    if shown is not None and (shown.real_path != path or shown.link_target is not None):
        raise ChangedSinceApprovedError(f"the place that {named(path)} leads to")
    *parents, _ = (part for part in path.split("/") if part)
    make = make_parents and (shown is None or not shown.exists)
    with contextlib.ExitStack() as stack:
        try:
            directory = stack.enter_context(_opened(parents, make=make))
        except OSError as error:
            if shown is None or error.errno not in _LED_ELSEWHERE:
                raise
            raise ChangedSinceApprovedError(f"the directory of {named(path)}") from error
        _lock(directory, path)
        yield LockedFile(path, shown, directory)


def _same(shown: FileState, now: FileState) -> bool:
    return (shown.exists, shown.sha256, shown.mode) == (now.exists, now.sha256, now.mode)


def _lock(directory: int, path: str) -> None:
    """Lock a directory until its descriptor is closed; a dead process holds nothing."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise OSError(
                    errno.EBUSY, f"another program keeps the directory of {named(path)} locked; try again later"
                ) from None
            time.sleep(_PAUSE)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OSError(
                error.errno,
                f"the directory of {named(path)} cannot be locked ({reason}); the file was not written",
            ) from error
        else:
            return


@contextmanager
def _opened(parents: list[str], *, make: bool) -> Iterator[int]:
    """A descriptor of the directory reached from the file system's root."""
    current = os.open("/", _PASSED)
    try:
        for parent in parents:
            below = _open_or_make(parent, current) if make else os.open(parent, _PASSED, dir_fd=current)
            os.close(current)
            current = below
        reached = os.open(".", _LOCKED, dir_fd=current)  # a descriptor that only passes cannot be locked
        os.close(current)
        current = reached
        yield current
    finally:
        os.close(current)


def _open_or_make(name: str, parent: int) -> int:
    try:
        return os.open(name, _PASSED, dir_fd=parent)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
        return os.open(name, _PASSED, dir_fd=parent)
