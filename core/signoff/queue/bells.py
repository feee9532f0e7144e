"""Wake-ups between processes: one named pipe per sleeper, rung after the commit.

Bells hang under a *key*: the id of a request (a thread waits for it), a session (an event loop waits for
some of its requests) or `REVIEWERS`. Ringing a key wakes everyone who sleeps under it. A bell says "look
again" and nothing else; it may be lost (the ringer may die before ringing), so every sleep is bounded.

A pipe with a reader is alive. A pipe without one was left behind by a process that died, and whoever
rings it takes it down.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

__all__ = ["RELOOK_SECONDS", "REVIEWERS", "Bell", "Bells"]

REVIEWERS = "reviewers"
"""The key under which reviewers sleep."""

RELOOK_SECONDS = 1.0
"""Longest sleep without a look, because a wake-up can always be lost."""


_UNFINISHED_SECONDS = 60.0
"""After this long, a pipe that was made and not hung up belongs to nobody."""


class Bells:
    """The bells of one queue.

    Args:
        directory: Where they hang; private to the user.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def hang(self, key: str) -> Bell:
        """Put up a bell. From its return on, every ring of the key is heard.

        Raises:
            OSError: The pipe cannot be created.
        """
        # Made under a hidden name and moved when it has a reader: a ringer would take down a bell
        # that it found without one.
        hidden = self._directory / f".{secrets.token_hex(8)}"
        os.mkfifo(hidden, 0o600)
        descriptor = -1
        try:
            hidden.chmod(0o600)
            # Open for writing as well, so that the pipe never reports its end.
            descriptor = os.open(hidden, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            path = self._place(hidden, key)
            return Bell(descriptor, lambda: _take_down(path))
        except OSError:
            hidden.unlink(missing_ok=True)
            if descriptor >= 0:
                os.close(descriptor)
            raise

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key. Never fails: they look again anyway."""
        try:
            names = os.listdir(self._directory / key)  # noqa: PTH208 (names are all we need)
        except OSError:
            return
        for name in names:
            _ring(self._directory / key / name)

    def tidy(self) -> None:
        """Take down what dead processes left behind. Never fails, and nobody who sleeps is disturbed."""
        with contextlib.suppress(OSError):
            for entry in list(self._directory.iterdir()):
                if entry.name.startswith("."):
                    _remove_unfinished(entry)
                    continue
                for bell in list(entry.iterdir()):
                    _ring(bell, silently=True)
                with contextlib.suppress(OSError):  # whoever hangs a bell here makes the directory again
                    entry.rmdir()

    def _place(self, hidden: Path, key: str) -> Path:
        directory = self._directory / key
        target = directory / secrets.token_hex(8)
        while True:
            with contextlib.suppress(FileExistsError, FileNotFoundError):
                directory.mkdir(0o700)
                directory.chmod(0o700)
            try:
                return hidden.rename(target)
            except FileNotFoundError:
                # The last sleeper under this key left and took the directory along.
                if not hidden.exists():
                    raise


class Bell:
    """What one sleeper listens to. Used by one thread; a context manager.

    Args:
        descriptor: Readable, without blocking, when somebody has rung; closed together with the bell.
        take_down: Called before that.
    """

    def __init__(self, descriptor: int, take_down: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self._take_down = take_down

    def sleep(self, seconds: float) -> None:
        """Return when rung or when the time is over, whichever is first."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        if poll.poll(max(0.0, seconds) * 1000):
            self.hush()

    def hush(self) -> None:
        """Forget all rings so far."""
        with contextlib.suppress(BlockingIOError):
            while len(os.read(self.descriptor, 4096)) == 4096:
                pass

    def close(self) -> None:
        """Take the bell down. Closing twice is harmless."""
        if self.descriptor < 0:
            return
        self._take_down()
        os.close(self.descriptor)
        self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _remove_unfinished(hidden: Path) -> None:
    """Remove a pipe that was made and never hung up, unless somebody may be about to."""
    with contextlib.suppress(OSError):
        if time.time() - hidden.lstat().st_mtime > _UNFINISHED_SECONDS:
            hidden.unlink()


def _ring(path: Path, *, silently: bool = False) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # nobody has it open for reading: its owner died
            _take_down(path)
        return
    os.close(descriptor)
    if silently:
        return
    # Rung through a descriptor that also reads: writing to a pipe whose only reader has just left
    # would kill programs that do not ignore SIGPIPE. A full pipe has been rung often enough.
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "wb", buffering=0) as pipe:
            pipe.write(b"!")


def _take_down(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
    with contextlib.suppress(OSError):  # others may sleep under the same key
        path.parent.rmdir()
