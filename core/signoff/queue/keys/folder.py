"""The directory of the keys, and the check that it is safe.

The directory belongs to the user alone, and so does each file in it; none is a link or has a second name. Files
are replaced whole: a reader sees the old one or the new one, and a writer holds the lock.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from signoff import private_files
from signoff.queue.errors import ReviewerKeysError

__all__ = ["KEYS_VARIABLE", "KeysFolder", "Stamp", "keys_folder"]

KEYS_VARIABLE = "SIGNOFF_KEYS_DIR"
"""Environment variable that names the directory of the keys."""

_NOT_TO_BE_READ = 0o077
_NOT_TO_BE_CHANGED = 0o022
_LARGEST = 1_000_000

Stamp = tuple[int, ...]
"""A stamp of a file that differs after it was replaced or changed."""


class KeysFolder(NamedTuple):
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

    @property
    def known_history(self) -> Path:
        """The newest records of histories that a reviewer has seen."""
        return self.directory / "known-history"

    def stamp(self) -> Stamp | None:
        """The stamp of the list of reviewers; None if there is none."""
        return _stamp(f"{self.directory}/reviewers.pub")  # asked for each seal: a path object is slow

    def key_stamp(self) -> Stamp | None:
        """The stamp of the secret key's file; None if there is none."""
        return _stamp(f"{self.directory}/deciding.key")

    def read_secret(self) -> bytes | None:
        """Return the content of the secret key's file, or None if there is none.

        Raises:
            ReviewerKeysError: The file cannot be read, or others can read or change it.
        """
        return _read(self.deciding_key, _NOT_TO_BE_READ, os.geteuid())

    def read_reviewers(self) -> bytes | None:
        """Return the content of the list of reviewers, or None if there is none.

        Raises:
            ReviewerKeysError: The file cannot be read, or others can change it.
        """
        return _read(self.reviewers, _NOT_TO_BE_CHANGED, os.geteuid(), 0)

    def read_known_history(self) -> bytes | None:
        """Return the noted newest records of histories, or None if nothing is noted.

        Raises:
            ReviewerKeysError: The file cannot be read, or others can change it.
        """
        return _read(self.known_history, _NOT_TO_BE_CHANGED, os.geteuid())

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock of the directory, which is made if it is not there.

        Raises:
            ReviewerKeysError: The directory is unsafe, or cannot be written to.
        """
        with contextlib.ExitStack() as held:
            try:
                private_files.make_directory(self.directory)
                private_files.refuse_foreign_directory(self.directory, _NOT_TO_BE_READ)
                held.enter_context(private_files.locked(self.directory / "lock"))
            except private_files.UnsafeFileError as error:
                raise ReviewerKeysError(str(error)) from error
            except OSError as error:
                raise ReviewerKeysError(
                    f"the keys of reviewers cannot be kept in {self.directory}: {error.strerror};"
                    f" make that possible, or set {KEYS_VARIABLE} to a directory of your own"
                ) from error
            yield

    def put(self, path: Path, content: bytes) -> None:
        """Write a file whole, in place of the one that is there.

        Args:
            path: One of the paths of this folder; the lock is held.
            content: The content.

        Raises:
            ReviewerKeysError: The file was not written.
        """
        try:
            private_files.put(path, content)
        except OSError as error:
            raise ReviewerKeysError(f"{path} was not written: {error.strerror}") from error


def keys_folder() -> KeysFolder:
    """Return the directory of the keys: ``SIGNOFF_KEYS_DIR``, or one in the user's configuration."""
    named = os.environ.get(KEYS_VARIABLE) or ""
    if named and not os.path.isabs(named):  # noqa: PTH117 (asked for each decision: path objects are slow)
        return KeysFolder(Path(os.path.abspath(Path(named).expanduser())))  # noqa: PTH100 (keeps links visible)
    return _folder(named, os.environ.get("XDG_CONFIG_HOME"), os.environ.get("HOME"))


@lru_cache(maxsize=8)
def _folder(named: str, *_: str | None) -> KeysFolder:
    if named:
        return KeysFolder(Path(os.path.abspath(named)))  # noqa: PTH100 (keeps links visible)
    import platformdirs  # late: most programs never ask

    return KeysFolder(Path(platformdirs.user_config_path("signoff", appauthor=False)) / "keys")


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_mode


def _read(path: Path, forbidden: int, *owners: int) -> bytes | None:
    try:
        return private_files.read_own(path, forbidden=forbidden, owners=frozenset(owners), most=_LARGEST)
    except private_files.UnsafeFileError as error:
        raise ReviewerKeysError(str(error)) from error
