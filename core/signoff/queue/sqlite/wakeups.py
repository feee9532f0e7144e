"""Wake-ups between processes: one named pipe per sleeper, rung after the commit.

Bells hang under a *key*: the id of a request (a thread waits for it), a session (an event loop waits for
some of its requests) or `REVIEWERS`. Ringing a key wakes everyone who sleeps under it. A bell says "look
again" and nothing else; it may be lost (the ringer may die before ringing), so every sleep is bounded.

A pipe with a reader is alive. A pipe without one was left behind by a process that died, and whoever
rings it takes it down.

Making and removing a pipe takes longer than waking somebody through it. So a few that are not needed any more stay
where they hang, and the next sleeper moves one to its own key. A ring under the old key is then heard by nobody,
which is what its owner wanted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

from signoff.private_files import make_directory

__all__ = ["AWAKE_SECONDS", "RELOOK_SECONDS", "REVIEWERS", "Bell", "Bells"]

REVIEWERS = "reviewers"
"""The key under which reviewers sleep."""

RELOOK_SECONDS = 1.0
"""Longest sleep without a look, because a wake-up can always be lost."""

AWAKE_SECONDS = 5.0
"""So long a sleeper that said it is awake counts as awake: one that hangs says nothing any more."""


_UNFINISHED_SECONDS = 60.0
"""After this long, a pipe that was made and not hung up belongs to nobody."""


_MOST_IDLE = 8
"""Most pipes that are kept for later."""


class _Pipe(NamedTuple):
    """A pipe with a reader, and where it hangs."""

    descriptor: int
    path: Path

    def take_down(self) -> None:
        _take_down(self.path)
        os.close(self.descriptor)


class Bells:
    """The bells of one queue.

    Args:
        directory: Holds the bells; private to the user.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._guard = threading.Lock()
        self._idle: list[_Pipe] = []
        self._most_idle = _MOST_IDLE

    def hang(self, key: str) -> Bell:
        """Put up a bell. From its return on, every ring of the key is heard.

        Raises:
            OSError: The pipe cannot be created.
        """
        pipe = self._moved(key) or self._made_in_time(key)
        try:
            return Bell(os.dup(pipe.descriptor), lambda: self._keep(pipe))
        except OSError:
            pipe.take_down()
            raise

    def close(self) -> None:
        """Take down what nobody sleeps under; from now on, every bell goes with its sleeper."""
        with self._guard:
            self._most_idle = 0
            idle, self._idle = self._idle, []
        for pipe in idle:
            pipe.take_down()

    def ring(self, key: str) -> None:
        """Wake everyone who sleeps under the key. Never fails: they look again anyway."""
        hung = f"{self._directory}/{key}"  # plain text: paths as objects cost more than the system calls
        try:
            names = os.listdir(hung)  # noqa: PTH208 (names are all we need)
        except OSError:
            return
        for name in names:
            _ring(f"{hung}/{name}")

    def awake(self, key: str) -> bool:
        """Tell if somebody who is alive under the key said lately that it is awake. Never fails."""
        hung = f"{self._directory}/{key}"
        try:
            return any(_is_awake(f"{hung}/{name}") for name in os.listdir(hung))  # noqa: PTH208 (as in `ring`)
        except OSError:
            return False

    def tidy(self) -> None:
        """Take down what dead processes left behind. Never fails, and nobody who sleeps is disturbed."""
        with contextlib.suppress(OSError):
            for entry in list(self._directory.iterdir()):
                if entry.name.startswith("."):
                    _remove_unfinished(entry)
                    continue
                for bell in list(entry.iterdir()):
                    _ring(str(bell), silently=True)
                with contextlib.suppress(OSError):  # whoever hangs a bell here makes the directory again
                    entry.rmdir()

    def _made_in_time(self, key: str) -> _Pipe:
        try:
            return self._made(key)
        except FileNotFoundError:  # somebody has swept the directory away; without its queue there is no other
            make_directory(self._directory, parents=False)
            return self._made(key)

    def _made(self, key: str) -> _Pipe:
        # Made under a hidden name and moved when it has a reader: a ringer would take down a bell
        # that it found without one.
        hidden = self._directory / f".{os.urandom(8).hex()}"
        os.mkfifo(hidden, 0o600)
        descriptor = -1
        try:
            hidden.chmod(0o600)
            # Open for writing as well, so that the pipe never reports its end.
            descriptor = os.open(hidden, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            return _Pipe(descriptor, self._place(hidden, key))
        except OSError:
            hidden.unlink(missing_ok=True)
            if descriptor >= 0:
                os.close(descriptor)
            raise

    def _moved(self, key: str) -> _Pipe | None:
        """An idle pipe, now under this key, or None if there is none."""
        with self._guard:
            pipe = self._idle.pop() if self._idle else None
        if pipe is None:
            return None
        try:
            path = self._place(pipe.path, key)
        except OSError:  # somebody has removed it
            pipe.take_down()
            return None
        _remove_if_empty(pipe.path.parent)
        _hush(pipe.descriptor)
        return _Pipe(pipe.descriptor, path)

    def _keep(self, pipe: _Pipe) -> None:
        with self._guard:
            if len(self._idle) < self._most_idle:
                self._idle.append(pipe)
                return
        pipe.take_down()

    def _place(self, pipe: Path, key: str) -> Path:
        directory = self._directory / key
        target = directory / os.urandom(8).hex()
        while True:
            with contextlib.suppress(FileExistsError, FileNotFoundError):
                make_directory(directory, parents=False)
            try:
                return pipe.rename(target)
            except FileNotFoundError:
                # The last sleeper under this key left and took the directory along.
                if not pipe.exists():
                    raise


class Bell:
    """The bell of one sleeper. Used by one thread; a context manager.

    Args:
        descriptor: Readable, without blocking, when somebody has rung; closed together with the bell.
        take_down: Called before that.
    """

    def __init__(self, descriptor: int, take_down: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self._take_down = take_down

    def sleep(self, seconds: float) -> bool:
        """Return when rung, which is True, or when the time is over, whichever is first."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        rung = bool(poll.poll(max(0.0, seconds) * 1000))
        if rung:
            self.hush()
        return rung

    @property
    def hangs(self) -> bool:
        """True if ringers can find it: nobody has swept it away."""
        return os.fstat(self.descriptor).st_nlink > 0

    def say_awake(self) -> None:
        """Note at the pipe that its sleeper is awake, for `Bells.awake`. Never fails."""
        # The time of the last reading: ringers change that of the last writing only.
        with contextlib.suppress(OSError):
            os.utime(self.descriptor)

    def hush(self) -> None:
        """Forget all rings so far."""
        _hush(self.descriptor)

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


def _ring(path: str, *, silently: bool = False) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # nobody has it open for reading: its owner died
            _take_down(Path(path))
        return
    try:
        if not silently:
            _ring_through(path)
    finally:
        os.close(descriptor)


def _ring_through(path: str) -> None:
    # A descriptor that also reads: writing to a pipe whose only reader has just left would kill
    # programs that do not ignore SIGPIPE. A full pipe has been rung often enough.
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.write(descriptor, b"!")
        finally:
            os.close(descriptor)


def _is_awake(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # without a reader, or just taken down
        return False
    try:
        return abs(time.time() - os.fstat(descriptor).st_atime) < AWAKE_SECONDS
    finally:
        os.close(descriptor)


def _hush(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while len(os.read(descriptor, 4096)) == 4096:
            pass


def _take_down(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
    _remove_if_empty(path.parent)


def _remove_if_empty(directory: Path) -> None:
    with contextlib.suppress(OSError):  # others may sleep under the same key
        directory.rmdir()
