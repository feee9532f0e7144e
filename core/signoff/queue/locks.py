"""One writer at a time, across threads and processes, each in turn and with a time limit.

SQLite's own busy handling polls, and under load some writers starve. Here writers queue at a *turnstile*:
only the one who holds the turnstile may wait for the write lock itself, so a writer that has just
finished cannot slip in again before those who were there first.

Both locks are ``flock`` locks: they exclude threads of one process too, since no two writers ever share an open
file. The files stay open between two writes. Such a lock would survive in a forked child, so children close what
they inherit.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from signoff.queue.place import create_private_file

__all__ = ["WriteLock"]


class WriteLock:
    """The right to write to one queue.

    Args:
        directory: The queue's directory; two lock files are created there.
    """

    def __init__(self, directory: Path) -> None:
        self._turnstile = directory / "turn.lock"
        self._writing = directory / "write.lock"
        self._idle: list[_Locks] = []

    @contextlib.contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """Hold the right for the length of a ``with`` block.

        Args:
            seconds: Longest wait for it.

        Raises:
            TimeoutError: Another process held it for the whole time.
            OSError: A lock file cannot be opened.
        """
        locks = self._locks()
        try:
            locks.take(seconds)
        except BaseException:
            locks.abandon()
            raise
        try:
            yield
        finally:
            locks.release()
            self._idle.append(locks)

    def close(self) -> None:
        """Close the files that no writer uses just now. The lock can be used again all the same."""
        while self._idle:
            self._idle.pop().abandon()

    def _locks(self) -> _Locks:
        while self._idle:
            with contextlib.suppress(IndexError):  # another thread was quicker
                locks = self._idle.pop()
                if locks.usable:
                    return locks
        return _Locks(self._turnstile, self._writing)


class _Locks:
    """Both files, open for one writer at a time; a helper thread waits when the lock is not free."""

    def __init__(self, turnstile: Path, writing: Path) -> None:
        self._turnstile = _open(turnstile)
        try:
            self._writing = _open(writing)
        except OSError:
            os.close(self._turnstile)
            raise
        self.usable = True
        self._guard = threading.Lock()
        self._arrived = threading.Event()
        self._waiting = False
        self._abandoned = False
        _open_locks.add(self)

    def take(self, seconds: float) -> None:
        """Take the lock.

        Raises:
            TimeoutError: It was not free for so long.
        """
        if not self._take_now() and not self._take_within(seconds):
            raise TimeoutError("another process holds the write lock")

    def release(self) -> None:
        """Let the next writer in."""
        if self.usable:  # a forked child has closed what it inherited
            fcntl.flock(self._writing, fcntl.LOCK_UN)

    def abandon(self) -> None:
        """Give up whatever is held or waited for, for good."""
        with self._guard:
            self._abandoned = True
            if not self._waiting:
                self.close()

    def close(self) -> None:
        """Close both files, and thereby end what a process still holds of them."""
        if self.usable:
            self.usable = False
            _open_locks.discard(self)
            for descriptor in (self._turnstile, self._writing):
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def _take_now(self) -> bool:
        try:
            fcntl.flock(self._turnstile, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(self._writing, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        return True

    def _take_within(self, seconds: float) -> bool:
        """Wait for the lock. A blocking ``flock`` knows no time limit, hence the thread."""
        self._arrived.clear()
        self._waiting = True
        threading.Thread(target=self._wait, name="signoff-write-lock", daemon=True).start()
        return self._arrived.wait(seconds)

    def _wait(self) -> None:
        try:
            fcntl.flock(self._turnstile, fcntl.LOCK_EX)
            fcntl.flock(self._writing, fcntl.LOCK_EX)
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        finally:
            with self._guard:
                self._waiting = False
                if self._abandoned:  # too late, nobody wants it any more
                    self.close()
        self._arrived.set()


_open_locks: set[_Locks] = set()  # what a forked child must close


def _open(path: Path) -> int:
    while True:
        try:
            return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                create_private_file(path)


def _forget_in_child() -> None:
    for locks in tuple(_open_locks):
        locks.close()


os.register_at_fork(after_in_child=_forget_in_child)
