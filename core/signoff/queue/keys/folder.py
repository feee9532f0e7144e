"""Where the keys are, and whether that place is safe.

The directory belongs to the user alone, and so does each file in it; none is a link or has a second name. Files
are put there whole: whoever reads sees the old one or the new one, and whoever writes holds the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signoff import private_files
from signoff.queue.errors import ReviewerKeysError

__all__ = ["KEYS_VARIABLE", "KeysFolder", "Stamp", "keys_folder"]

KEYS_VARIABLE = "SIGNOFF_KEYS_DIR"
"""Environment variable that names the directory of the keys."""

_PRIVATE_DIRECTORY = 0o700
_PRIVATE_FILE = 0o600
_NOT_TO_BE_READ = 0o077
_NOT_TO_BE_CHANGED = 0o022
_LARGEST = 1_000_000

Stamp = tuple[int, ...]
"""Differs if a file was replaced or changed."""


@dataclass(frozen=True, slots=True)
class KeysFolder:
    """The directory of the keys and the names inside it.

    Attributes:
        directory: Absolute path.
    """

    directory: Path

    @property
    def deciding_key(self) -> Path:
        """The secret key of the reviewer."""
        return self.directory / "deciding.key"

    @property
    def reviewers(self) -> Path:
        """The public keys of the reviewers who are trusted."""
        return self.directory / "reviewers.pub"

    def stamp(self) -> Stamp | None:
        """What the list of reviewers looks like from outside; None if there is none."""
        try:
            found = os.lstat(f"{self.directory}/reviewers.pub")  # asked for each seal: a path object is slow
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_mode

    def read_secret(self) -> bytes | None:
        """Return the content of the secret key's file, or None if there is none.

        Raises:
            ReviewerKeysError: The file cannot be read, or others can read or change it.
        """
        return self._read(self.deciding_key, _NOT_TO_BE_READ, {os.geteuid()})

    def read_reviewers(self) -> bytes | None:
        """Return the content of the list of reviewers, or None if there is none.

        Raises:
            ReviewerKeysError: The file cannot be read, or others can change it.
        """
        return self._read(self.reviewers, _NOT_TO_BE_CHANGED, {os.geteuid(), 0})

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of the directory, which is made if it is not there.

        Raises:
            ReviewerKeysError: The directory is unsafe, or cannot be written to.
        """
        try:
            self.directory.parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_DIRECTORY)
            with contextlib.suppress(FileExistsError):
                self.directory.mkdir(_PRIVATE_DIRECTORY)
            self._check_directory(_NOT_TO_BE_READ)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self.directory / "lock", flags, _PRIVATE_FILE)
        except OSError as error:
            raise ReviewerKeysError(
                f"the keys of reviewers cannot be kept in {self.directory}: {error.strerror};"
                f" make that possible, or set {KEYS_VARIABLE} to a directory of your own"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def put(self, path: Path, content: bytes) -> None:
        """Write a file whole, in place of the one that is there.

        Args:
            path: One of the paths of this folder; the lock is held.
            content: What is in it.

        Raises:
            ReviewerKeysError: It was not written.
        """
        try:
            private_files.put(path, content)
        except OSError as error:
            raise ReviewerKeysError(f"{path} was not written: {error.strerror}") from error

    def _read(self, path: Path, forbidden: int, owners: set[int]) -> bytes | None:
        try:
            self._check_directory(forbidden)
            # Not to wait for the other end of a pipe.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(path, flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            link = "; it is a link: put the file itself there" if path.is_symlink() else ""
            raise ReviewerKeysError(f"cannot read {path}: {error.strerror}{link}") from error
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise ReviewerKeysError(f"{path} is not a regular file; move it away")
            if found.st_nlink != 1:
                raise ReviewerKeysError(f"{path} has {found.st_nlink} names; remove the others, or move it away")
            _refuse_foreign(path, found, forbidden, owners, "chmod 600")
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ReviewerKeysError(f"{path} is larger than {_LARGEST} bytes; it holds no keys, move it away")
        return content

    def _check_directory(self, forbidden: int) -> None:
        found = self.directory.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise ReviewerKeysError(f"{self.directory} is a link; name the directory itself in {KEYS_VARIABLE}")
        if not stat.S_ISDIR(found.st_mode):
            raise ReviewerKeysError(f"{self.directory} is not a directory; move it away")
        _refuse_foreign(self.directory, found, forbidden, {os.geteuid(), 0}, "chmod 700")


def keys_folder() -> KeysFolder:
    """Return the directory of the keys: what ``SIGNOFF_KEYS_DIR`` says, else one in the user's configuration."""
    named = os.environ.get(KEYS_VARIABLE)
    if named:
        return KeysFolder(Path(os.path.abspath(Path(named).expanduser())))  # noqa: PTH100 (keeps links visible)
    import platformdirs  # late: most programs never ask

    return KeysFolder(Path(platformdirs.user_config_path("signoff", appauthor=False)) / "keys")


def _refuse_foreign(path: Path, found: os.stat_result, forbidden: int, owners: set[int], remedy: str) -> None:
    if found.st_uid not in owners:
        raise ReviewerKeysError(f"{path} belongs to user {found.st_uid}, not to you; move it away")
    if found.st_mode & forbidden:
        raise ReviewerKeysError(
            f"other users have access to {path} (mode {stat.S_IMODE(found.st_mode):04o});"
            f" make sure that what is in there is yours, then run: {remedy} {path}"
        )
