"""The place of a queue on this machine, and the check that it is safe.

A queue is a directory of its own. Write access to it allows answering for the reviewer, and read access shows
every argument of every tool call. So the directory belongs to the user alone, is reached
without links, and lies on a file system of this machine: SQLite's write-ahead log needs memory that all
its users share (https://sqlite.org/wal.html, "Disadvantages").
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple, TypeGuard

from signoff.private_files import make_directory
from signoff.queue.errors import (
    QueueNotFoundError,
    QueuePlaceError,
    QueueUnavailableError,
)

__all__ = [
    "PLACE_VARIABLE",
    "QueuePlace",
    "create_private_file",
    "has_password",
    "is_postgres",
    "locate",
    "refuse_unsafe_file",
    "usual_place",
]

PLACE_VARIABLE = "SIGNOFF_QUEUE"
"""Environment variable that names the queue when the caller does not."""

_SCHEME = "postgresql://"
_PASSWORD = re.compile(r"[^/]*//([^/?#@]*:[^@]+@|[^?]*\?(.*&)?(ssl)?password=.)", re.DOTALL)
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"  # compiled late: a queue given as a path does not pay for it
_PRIVATE_FILE = 0o600
_MOUNTS = Path("/proc/self/mountinfo")

# File systems that several machines may use at once, or that a virtual machine shares with its host.
_SHARED_FILE_SYSTEMS = frozenset(
    {"9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "fakeowner", "gfs", "gfs2", "glusterfs"}
    | {"gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs"}
    | {"vboxsf", "virtiofs", "vmhgfs"}
)
# FUSE can be anything, so it counts as remote, except for these.
_LOCAL_FUSE = frozenset({"fuse.cryfs", "fuse.encfs", "fuse.fuse-overlayfs", "fuse.gocryptfs"})


class QueuePlace(NamedTuple):
    """The directory of one queue and the names inside it.

    Attributes:
        directory: Absolute path of the queue's own directory.
        trusted: The ancestor below which no component may be a link.
    """

    directory: Path
    trusted: Path

    @property
    def database(self) -> Path:
        """The SQLite file. Nothing but SQLite may open it."""
        return self.directory / "queue.db"

    @property
    def bells(self) -> Path:
        """Directory of the wake-up pipes."""
        return self.directory / "bells"

    @property
    def leases(self) -> Path:
        """Directory of the agents' lock files."""
        return self.directory / "leases"

    @property
    def option(self) -> str:
        """The name of the queue on a command line: one of the user's names, else a path; "" for the default."""
        default = locate("default").directory
        if self.directory == default:
            return ""
        by_name = self.directory.parent == default.parent and re.fullmatch(_NAME, self.directory.name)
        return self.directory.name if by_name else str(self.directory)

    def prepare(self) -> None:
        """Create missing directories and files, then check everything.

        Raises:
            QueuePlaceError: The place is unsafe.
            QueueUnavailableError: The directories cannot be created.
        """
        try:
            make_directory(self.trusted)
            for directory in self._own():
                self._create(directory)
        except OSError as error:
            raise QueueUnavailableError(
                f"cannot create the queue at {self.directory}: {error.strerror}"
            ) from error
        self._check_content()

    def check(self) -> None:
        """Make sure that the place belongs to the user alone and is on this machine.

        Raises:
            QueueNotFoundError: There is no queue.
            QueuePlaceError: The place is unsafe; the message says what to do.
        """
        for directory in self._own()[:-2]:
            self._check_directory(directory)
        self._check_content()
        if not self.database.exists():
            raise QueueNotFoundError(f"there is no queue at {self.directory}")
        for directory in (self.bells, self.leases):  # a queue without them is still there
            try:
                self._create(directory)
            except OSError as error:
                raise QueueUnavailableError(f"cannot create {directory}: {error.strerror}") from error

    def _own(self) -> tuple[Path, ...]:
        """Every directory below the trusted ancestor, from the top down."""
        parts = self.directory.relative_to(self.trusted).parts
        way = (self.trusted.joinpath(*parts[: n + 1]) for n in range(len(parts)))
        return (*way, self.bells, self.leases)

    def _create(self, directory: Path) -> None:
        with contextlib.suppress(FileExistsError):  # a link that leads nowhere, which is reported below
            make_directory(directory, parents=False)
        self._check_directory(directory)  # before anything is created through a link

    def _check_directory(self, directory: Path) -> None:
        inside = directory.is_relative_to(self.directory)
        forbidden = 0o077 if inside else 0o022  # others may see the way, but not change it
        _refuse_unsafe_directory(directory, forbidden, queue=self.directory)

    def _check_content(self) -> None:
        refuse_unsafe_file(self.database)
        _refuse_shared_file_system(self.directory)


def is_postgres(place: object) -> TypeGuard[str]:
    """True if a place given by a user names a queue in PostgreSQL."""
    return isinstance(place, str) and place.startswith(_SCHEME)


def has_password(place: object) -> TypeGuard[str]:
    """True if a place given by a user is a URL, of a queue or not, with a password in it."""
    return isinstance(place, str) and "://" in place and _PASSWORD.match(place) is not None


def usual_place() -> str:
    """Return the place of the queue where none is named: that of ``SIGNOFF_QUEUE``, else ``default``."""
    return os.environ.get(PLACE_VARIABLE) or "default"


def locate(place: str | os.PathLike[str] | None = None) -> QueuePlace:
    """Resolve the place that a user wrote. Nothing is touched.

    Args:
        place: A path object, or text: with a slash (or starting with ``.`` or ``~``) it is a path,
            otherwise the name of a queue in the user's data directory. None takes the environment
            variable ``SIGNOFF_QUEUE``, and without that the name ``default``.

    Raises:
        QueuePlaceError: It is a URL, or a name with characters that names may not have.
    """
    if place is None:
        place = usual_place()
    if isinstance(place, str) and (url := re.match("[^/]*://", place)):  # what follows may hold a password
        raise QueuePlaceError(
            f"{url[0]}... is no queue: the URL of one begins with {_SCHEME}, and all else is a directory,"
            " with a slash, or a name"
        )
    if isinstance(place, str) and "/" not in place and not place.startswith((".", "~")):
        return _named(place)
    try:
        directory = Path(os.path.abspath(Path(place).expanduser()))  # noqa: PTH100 (keeps links visible)
    except RuntimeError as error:
        raise QueuePlaceError(f"{place} names no directory: {error}") from error
    return QueuePlace(directory, directory.parent)


def _named(name: str) -> QueuePlace:
    if not re.fullmatch(_NAME, name):
        raise QueuePlaceError(
            f"{name!r} is not the name of a queue: use letters, digits, '.', '_' and '-', or a path with a slash"
        )
    # Imported late: a queue given as a path does not pay for it.
    import platformdirs

    own = Path(platformdirs.user_data_path("signoff", appauthor=False))
    return QueuePlace(own / "queues" / name, own.parent)


def create_private_file(path: Path) -> None:
    """Create an empty file that only the user may read and write, whatever the umask.

    Raises:
        FileExistsError: Something of that name exists.
        OSError: It cannot be created.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, _PRIVATE_FILE)
    try:
        os.fchmod(descriptor, _PRIVATE_FILE)
    finally:
        os.close(descriptor)


def refuse_unsafe_file(path: Path) -> None:
    """Make sure that a file, if it exists, is a regular file of the user's own and private.

    Raises:
        QueuePlaceError: The file is none of that.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise QueuePlaceError(f"{path} is not a regular file; move it away")
    _refuse_foreign(path, found, 0o077, "chmod 600")


def _refuse_unsafe_directory(path: Path, forbidden: int, *, queue: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise QueueNotFoundError(f"there is no queue at {queue}") from None
    except OSError as error:
        raise QueueUnavailableError(f"cannot look at {path}: {error.strerror}") from error
    if stat.S_ISLNK(found.st_mode):
        raise QueuePlaceError(
            f"{path} is a link; a queue is never reached through links: name the directory itself"
        )
    if not stat.S_ISDIR(found.st_mode):
        raise QueuePlaceError(f"{path} is not a directory; move it away or name another place")
    _refuse_foreign(path, found, forbidden, "chmod 700")


def _refuse_foreign(path: Path, found: os.stat_result, forbidden: int, remedy: str) -> None:
    if found.st_uid != os.geteuid():
        raise QueuePlaceError(
            f"{path} belongs to user {found.st_uid}, not to you; name another place for your queue"
        )
    if found.st_mode & forbidden:
        raise QueuePlaceError(
            f"other users have access to {path} (mode {stat.S_IMODE(found.st_mode):04o});"
            f" make sure that what is in there is yours, then run: {remedy} {path}"
        )


def _refuse_shared_file_system(directory: Path) -> None:
    kind = file_system_of(directory)
    shared = kind in _SHARED_FILE_SYSTEMS or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)
    if shared:
        raise QueuePlaceError(
            f"{directory} is on a {kind} file system, where locks and shared memory are not reliable;"
            f" set {PLACE_VARIABLE} to a directory on a local disk"
        )


def file_system_of(directory: Path, mounts: Path = _MOUNTS) -> str:
    """Return the type of the file system that a directory lies on, or "" where that is not known.

    Args:
        directory: An existing directory.
        mounts: A table in the format of ``/proc/self/mountinfo`` (proc_pid_mountinfo(5)).
    """
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return ""
    # Compared as bytes: some machines have hundreds of mounts, and every command runs this.
    real = os.fsencode(os.path.realpath(directory))
    best, kind = b"", ""
    for line in lines:
        before, _, after = line.partition(b" - ")
        point = _unescape(before.split(b" ")[4])
        inside = real == point or real.startswith(point.rstrip(b"/") + b"/")
        # A later mount on the same point hides the earlier one.
        if inside and len(point) >= len(best):
            best, kind = point, os.fsdecode(after.split(b" ")[0])
    return kind


def _unescape(field: bytes) -> bytes:
    return re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), field)
