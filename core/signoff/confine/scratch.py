"""Directories for confined commands: temporary files of one that has no ``/tmp`` of its own, and copies."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import tempfile
import uuid
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

__all__ = ["Scratch", "directory_while_alive"]

_TMP = "/tmp"  # noqa: S108 - the name that environments of commands have for it


class Scratch:
    """A new directory, to be removed with the process object of its command, or when this program ends."""

    def __init__(self) -> None:
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="signoff-"))

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment in which ``HOME`` and ``TMPDIR`` are this directory where they were ``/tmp``."""
        moved = {name: self.path for name in ("HOME", "TMPDIR") if env.get(name) == _TMP}
        return {"TMPDIR": self.path} | dict(env) | moved

    def remove(self) -> None:
        """Remove it."""
        _remove(self.path)

    def remove_with(self, process: subprocess.Popen[bytes]) -> None:
        """Remove it once nobody has the process object any more."""
        weakref.finalize(process, _remove, self.path)


_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def directory_while_alive(prefix: str) -> Iterator[str]:
    """Make a directory for the body, for its owner alone, and remove it afterwards.

    It is locked (`flock`) as long as this process lives. Those that killed processes left are removed first.

    Args:
        prefix: The beginning of its name.

    Raises:
        OSError: It cannot be made.
    """
    top = os.path.realpath(tempfile.gettempdir())
    _remove_left(top, prefix)
    path, lock = _locked(top, prefix)
    try:
        yield path
    finally:
        _remove(path)
        os.close(lock)


def _locked(top: str, prefix: str) -> tuple[str, int]:
    """A new directory, and the descriptor that locks it."""
    while True:
        path = tempfile.mkdtemp(prefix=prefix, dir=top)
        with suppress(FileNotFoundError):  # removed as one that was left
            lock = os.open(path, _DIRECTORY)
            with suppress(OSError):  # a file system without locks: nobody can remove it as left
                fcntl.flock(lock, fcntl.LOCK_EX)
            if _leads_to(path, lock):
                return path, lock
            os.close(lock)


def _remove_left(top: str, prefix: str) -> None:
    """Remove directories of this user that no process has locked."""
    with suppress(OSError):
        for name in os.listdir(top):  # noqa: PTH208
            if name.startswith(prefix):
                with suppress(OSError):  # another's, a link, or locked
                    _remove_if_left(os.path.join(top, name))  # noqa: PTH118


def _remove_if_left(path: str) -> None:
    lock = os.open(path, _DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(lock)
        is_private = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        if is_private and _leads_to(path, lock):
            _remove(path)
    finally:
        os.close(lock)


def _leads_to(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _remove(top: str) -> None:
    """Remove a directory that a command may have made of any depth, and unreadable. No link is followed."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        with suppress(OSError):
            for entry in tuple(os.scandir(folder)):
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        os.chmod(entry.path, stat.S_IRWXU)  # noqa: PTH101
                        near = os.path.join(top, uuid.uuid4().hex)  # noqa: PTH118 - a deep path has no name
                        os.rename(entry.path, near)  # noqa: PTH104
                        waiting.append(near)
                    else:
                        os.unlink(entry.path)  # noqa: PTH108
            if folder != top:
                os.rmdir(folder)  # noqa: PTH106
    with suppress(OSError):
        os.rmdir(top)  # noqa: PTH106
