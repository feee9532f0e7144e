"""One writer at a time, across threads and processes, each in turn and with a time limit.

SQLite's own busy handling polls, and under load some writers starve. Here writers queue at a *turnstile*:
only the one who holds the turnstile may wait for the write lock itself, so a writer that has just
finished cannot slip in again before those who were there first.

Both locks are ``flock`` locks: they exclude threads of one process too, since every attempt opens the
files anew. Such a lock would survive in a forked child, so children close what they inherit.
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

_held: set[int] = set()  # descriptors that a forked child must close


class WriteLock:
    """The right to write to one queue.

    Args:
        directory: The queue's directory; two lock files are created there.
    """

    def __init__(self, directory: Path) -> None:
        self._turnstile = directory / "turn.lock"
        self._writing = directory / "write.lock"

    @contextlib.contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """Hold the right for the length of a ``with`` block.

        Args:
            seconds: Longest wait for it.

        Raises:
            TimeoutError: Another process held it for the whole time.
            OSError: A lock file cannot be opened.
        """
        attempt = _Attempt(self._turnstile, self._writing)
        try:
            if not attempt.now() and not attempt.within(seconds):
                raise TimeoutError("another process holds the write lock")
            yield
        finally:
            attempt.end()


class _Attempt:
    """One attempt to get the lock; a helper thread waits when it is not free."""

    def __init__(self, turnstile: Path, writing: Path) -> None:
        self._turnstile = _open(turnstile)
        try:
            self._writing = _open(writing)
        except OSError:
            _close(self._turnstile)
            raise
        self._guard = threading.Lock()
        self._arrived = threading.Event()
        self._waiting = False
        self._ended = False

    def now(self) -> bool:
        """Take both locks if they are free."""
        try:
            fcntl.flock(self._turnstile, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(self._writing, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        return True

    def within(self, seconds: float) -> bool:
        """Wait for the lock. A blocking ``flock`` knows no time limit, hence the thread."""
        self._waiting = True
        threading.Thread(target=self._wait, name="signoff-write-lock", daemon=True).start()
        return self._arrived.wait(seconds)

    def end(self) -> None:
        """Release the lock, or give up waiting for it."""
        with self._guard:
            self._ended = True
            if not self._waiting:
                self._close()

    def _wait(self) -> None:
        try:
            fcntl.flock(self._turnstile, fcntl.LOCK_EX)
            fcntl.flock(self._writing, fcntl.LOCK_EX)
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        finally:
            with self._guard:
                self._waiting = False
                if self._ended:  # too late, nobody wants it any more
                    self._close()
        self._arrived.set()

    def _close(self) -> None:
        _close(self._writing)
        _close(self._turnstile)


def _open(path: Path) -> int:
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                create_private_file(path)
        else:
            _held.add(descriptor)
            return descriptor


def _close(descriptor: int) -> None:
    _held.discard(descriptor)
    os.close(descriptor)


def _forget_in_child() -> None:
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)
