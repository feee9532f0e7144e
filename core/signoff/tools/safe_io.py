"""Reading and replacing files at exactly the path that was resolved before, and attachments.

The directory is opened below the descriptor of its root, without following links, and the new content is renamed
into place in the directory that was reached. A link that is swapped in at any moment is refused or replaced, never
followed, and a reader sees the old content or the new, never a part.

The directory itself is locked (`flock`) from the look at the file to the rename. All writers that use this module
take turns, in whatever process, so of two that were shown the same content only one finds it unchanged. No lock
file is left in anybody's project.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import mimetypes
import os
import os.path
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from signoff.approved_call import ChangedSinceApprovedError
from signoff.present.snapshot.files import MAX_FILE_SIZE, named
from signoff.present.snapshot.steps import FileState
from signoff.tools.openat2 import LedElsewhereError, RootDirectory

__all__ = [
    "BECAME_SPECIAL",
    "MAX_ATTACHMENT_SIZE",
    "OLD_FILE",
    "Attachment",
    "LockedFile",
    "attachment",
    "list_beneath",
    "locked_file",
    "read_beneath",
]


_LOCKED = os.O_RDONLY | os.O_DIRECTORY
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_PATIENCE = 10.0
"""The longest time, in seconds, that others may keep a directory locked."""
_PAUSE = 0.01
"""The time between two attempts, in seconds."""


@dataclass(frozen=True, slots=True)
class LockedFile:
    """A file that no other user of the lock can change.

    Attributes:
        root: Directory that it is below.
        relative: Path below the root, without links.
        shown: The state in which it was approved; None for any state.
        directory: Descriptor of the directory that was reached.
    """

    root: RootDirectory
    relative: str
    shown: FileState | None
    directory: int

    @property
    def path(self) -> str:
        """Absolute path."""
        return _absolute(self.root, self.relative)

    @property
    def name(self) -> str:
        """Last component of the path."""
        return _split(self.relative)[1]

    def look(self) -> tuple[FileState, bytes]:
        """Read the file as it is now.

        Returns:
            The state and the content, which is empty if there is no file.

        Raises:
            ChangedSinceApprovedError: The file is not as it was shown.
            OSError: The file cannot be read, is larger than `MAX_FILE_SIZE`, or is not a regular file.
        """
        state, data = self._found()
        self._require(self.shown, state)
        return state, data

    def replace(self, data: bytes, found: FileState | None = None, mode: int | None = None) -> FileState:
        """Replace the content of the file, or create it.

        Args:
            data: The whole new content.
            found: The state that the content was made from; by default that which was shown.
            mode: Permission bits; None keeps those of an existing file, and gives a new one the process's usual
                ones.

        Returns:
            The new state of the file.

        Raises:
            ChangedSinceApprovedError: The file is not as it was shown.
            OSError: The file cannot be written, or was changed since it was found. The old content is untouched.
        """
        kept = self._mode()
        mode = kept if mode is None else mode
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

    def remove(self, found: FileState | None = None) -> None:
        """Remove the file.

        Args:
            found: The state in which it was found; by default that which was shown.

        Raises:
            ChangedSinceApprovedError: The file is not as it was shown.
            OSError: It cannot be removed.
        """
        self._require_unchanged(found)
        os.unlink(self.name, dir_fd=self.directory)

    def _write(self, temporary: str, data: bytes, mode: int | None) -> int:
        """Write a file beside the one to replace and return its permission bits."""
        descriptor = os.open(temporary, _NEW_FILE, 0o666 if mode is None else 0o600, dir_fd=self.directory)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            return stat.S_IMODE(os.fstat(descriptor).st_mode)

    def _require_unchanged(self, found: FileState | None) -> None:
        """Check once more that the path leads to the directory, and that content and permissions are the same."""
        self._require_reached()
        if self.shown is None and found is None:
            return
        state, _ = self._found()
        self._require(self.shown, state)
        if found is not None and not _same(found, state):
            raise OSError(errno.EBUSY, f"{named(self.path)} was changed while it was edited; it was not written")

    def _require(self, shown: FileState | None, now: FileState) -> None:
        if shown is not None and not _same(shown, now):
            raise ChangedSinceApprovedError(named(self.path))

    def _require_reached(self) -> None:
        try:
            with self.root.opened(_split(self.relative)[0]) as now:
                here = os.path.samestat(os.fstat(now), os.fstat(self.directory))
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
            descriptor = os.open(self.name, OLD_FILE, dir_fd=self.directory)
        except FileNotFoundError:
            return nothing, b""
        except OSError as error:
            if error.errno not in BECAME_SPECIAL:
                raise
            raise self._not_regular() from error
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
            raise self._not_regular()
        return stat.S_IMODE(found.st_mode)

    def _not_regular(self) -> OSError:
        if self.shown is not None:
            return ChangedSinceApprovedError(named(self.path))
        return OSError(errno.EINVAL, f"{named(self.path)} is not a regular file any more; it was not written")


@contextmanager
def locked_file(
    root: RootDirectory, relative: str, shown: FileState | None = None, *, make_parents: bool = False
) -> Iterator[LockedFile]:
    """Lock a file for the body, so that nobody else changes it between a look and a replacement.

    Args:
        root: Directory that it is below.
        relative: Path below the root, without links, ``.`` and ``..``.
        shown: The state in which it was approved; any other is refused.
        make_parents: True to make missing directories; for a file that was shown to exist it is ignored.

    Raises:
        ChangedSinceApprovedError: The path does not lead where it was shown to lead.
        LedElsewhereError: Nothing was shown, and a component of the path is a link or no directory.
        OSError: A component of the path is missing, or the directory cannot be locked.
    """
    path = _absolute(root, relative)
    if shown is not None and (shown.real_path != path or shown.link_target is not None):
        raise ChangedSinceApprovedError(f"the place that {named(path)} leads to")
    parent = _split(relative)[0]
    with contextlib.ExitStack() as stack:
        try:
            if make_parents and (shown is None or not shown.exists):
                root.make_directories(parent)
            directory = stack.enter_context(root.opened(parent, _LOCKED))
        except (LedElsewhereError, FileNotFoundError) as error:
            if shown is None:
                raise
            raise ChangedSinceApprovedError(f"the directory of {named(path)}") from error
        _lock(directory, path)
        yield LockedFile(root, relative, shown, directory)


def _absolute(root: RootDirectory, relative: str) -> str:
    return f"{root.path.rstrip('/')}/{relative}"


def _split(relative: str) -> tuple[str, str]:
    """The directory of a file, and the name of the file in it."""
    parent, _, name = relative.rpartition("/")
    return parent or ".", name


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


# -- Reading files and directories at exactly the path that was resolved before.
#
# Everything is opened below the descriptor of its root, so that a link that is swapped in at any moment is
# refused and not followed.

OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Flags for a file that is read: never through a link, and without waiting for anybody."""

BECAME_SPECIAL = frozenset({errno.ELOOP, errno.ENXIO})
"""Errors of opening a file that has become a link, a FIFO or a socket."""

_LISTED = os.O_RDONLY | os.O_DIRECTORY
_ATTEMPTS = 3


def read_beneath(root: RootDirectory, relative: str, *, many_names: bool = False) -> bytes:
    """Read a regular file of bearable size.

    Args:
        root: The directory that it is below.
        relative: Its path below the root, without links and ``..``.
        many_names: True if it may have more than one name (hard link).

    Raises:
        FileNotFoundError: There is no such file.
        PermissionError: The file is not a regular one, a link leads elsewhere, or it has more names than it may.
        ValueError: The file is larger than `MAX_FILE_SIZE`.
        OSError: The file cannot be read, or keeps changing.
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
    """Yield the paths of all files below a directory, relative and in order, without following links.

    Directories that are missing or cannot be listed have no files.

    Args:
        root: The root that the directory is in, or that it is.
        relative: Its path below the root, without links and ``..``.

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
    """The content of a file, at most one byte over the limit, and its state before and after it was read."""
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


# -- Attachments.

MAX_ATTACHMENT_SIZE = 20 * 1024 * 1024
"""Largest file, in bytes, that can be attached."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file with the facts that a model needs about it.

    Attributes:
        data: The whole content.
        media_type: Such as ``image/png``; by the ending of the name, else text or plain bytes.
        name: Last component of the path.
    """

    data: bytes = field(repr=False)
    media_type: str
    name: str


def attachment(path: str, data: bytes) -> Attachment:
    """Make an attachment of the content of a file.

    Args:
        path: The path of the file.
        data: Its content.

    Raises:
        ValueError: The content is larger than `MAX_ATTACHMENT_SIZE`.
    """
    if len(data) > MAX_ATTACHMENT_SIZE:
        limit = MAX_ATTACHMENT_SIZE // (1024 * 1024)
        raise ValueError(f"{named(path)} is larger than {limit} MB, too large to be attached")
    return Attachment(data, _media_type(path, data), os.path.basename(path))  # noqa: PTH119 - text


def _media_type(path: str, data: bytes) -> str:
    guessed, encoding = mimetypes.guess_type(path)
    if guessed is not None and encoding is None:
        return guessed
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain"
