"""Locks of a queue in files: one writer at a time, and signs of life of agents.

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
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.private_files import make_directory
from signoff.queue.location import create_private_file
from signoff.queue.sqlite.wakeups import RELOOK_SECONDS
from signoff.queue.text_escape import pack_text

__all__ = [
    "FileLease",
    "FileLeases",
    "WriteLock",
    "this_boot",
    "this_host",
]


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


# -- Signs of life: each agent connection holds a lock that the kernel releases when its process dies.
#
# The lock is a POSIX record lock: unlike ``flock`` it does not pass to forked children, so a child that outlives
# the agent does not keep it alive. It has two traps (fcntl(2), "Record locking"): closing *any* descriptor of
# the file drops the lock of the whole process, and a process never conflicts with itself. Therefore this module
# remembers which leases are its own and never opens those files again.

_MISSING_SECONDS = 3 * RELOOK_SECONDS
"""So long a lease may be missing before its agent counts as dead: one that waits has put it up again by then."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_guard = threading.Lock()
_own: set[str] = set()  # agents whose lease this process holds


class FileLeases:
    """The leases of one queue on this machine.

    Args:
        directory: Holds the lock files; private to the user.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._prefix = os.path.join(directory, "")  # noqa: PTH118 - paths are made for each agent at each look
        self._host = pack_text(this_host())
        self._taken: list[FileLease] = []
        self._missing: dict[str, float] = {}
        self.machine = this_boot()
        """The running kernel: its processes see each other's locks."""

    def take(self, agent_id: str) -> FileLease:
        """Take the lease of a new agent connection.

        Raises:
            OSError: The lock file cannot be created.
        """
        with contextlib.suppress(FileNotFoundError):
            return self._kept(FileLease(self._directory / agent_id))
        make_directory(self._directory, parents=False)  # somebody has swept it away
        return self._kept(FileLease(self._directory / agent_id))

    def renew(self) -> None:
        """Put up again what this connection holds and somebody swept away."""
        for lease in self._taken:
            with contextlib.suppress(OSError):
                lease.renew()

    def alive(self, agent_id: str) -> bool | None:
        """Tell whether a process holds the lease; None if it is not there. Only for agents on this machine."""
        with _guard:
            return agent_id in _own or _locked_by_another(self._prefix + agent_id)

    def dead(self, agents: Sequence[Mapping[str, Any]]) -> dict[str, int | None]:
        """Those who are certainly dead, by id. An agent of another machine is never known to be.

        Args:
            agents: Rows with ``id``, ``host``, ``boot`` and ``pid``.
        """
        return {
            agent["id"]: None
            for agent in agents
            if self._within_reach(agent["host"], agent["boot"]) and self._is_dead(agent)
        }

    def clear(self, agent_ids: Iterable[str]) -> None:
        """Remove what dead agents left behind. Never fails."""
        for agent_id in agent_ids:
            self._missing.pop(agent_id, None)
            with contextlib.suppress(OSError):
                (self._directory / agent_id).unlink()

    def _is_dead(self, agent: Mapping[str, Any]) -> bool:
        """Judge an agent by its lease. One that was swept away says little: who waits puts it up again."""
        agent_id = agent["id"]
        alive = self.alive(agent_id)
        if alive is not None:
            self._missing.pop(agent_id, None)
            return not alive
        if agent["boot"] != self.machine or not _exists(agent["pid"]):
            return True
        now = time.monotonic()
        return now - self._missing.setdefault(agent_id, now) >= _MISSING_SECONDS

    def _kept(self, lease: FileLease) -> FileLease:
        self._taken = [each for each in self._taken if each.held] + [lease]
        return lease

    def _within_reach(self, host: str, boot: str) -> bool:
        """True if the lock of such an agent can be seen from here: same kernel, or an earlier boot."""
        return host == self._host or (boot == self.machine != "")


class FileLease:
    """A held lease. The lock file is created, locked, and removed on `release`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _guard:
            self._descriptor = _locked_file(path)
            _own.add(path.name)

    @property
    def held(self) -> bool:
        """True if this process still holds it."""
        return self._path.name in _own

    def renew(self) -> None:
        """Put the lock file up again if it was swept away.

        Raises:
            OSError: That is not possible, for example because the whole queue is gone.
        """
        try:
            os.stat(self._path, follow_symlinks=False)  # noqa: PTH116 (at every look of an agent)
        except FileNotFoundError:
            with _guard:
                if not self.held:
                    return
                with contextlib.suppress(FileExistsError):
                    make_directory(self._path.parent, parents=False)
                before, self._descriptor = self._descriptor, _locked_file(self._path)
                os.close(before)

    def release(self, *, told: bool = True) -> None:
        """Give the lease up. Releasing twice is harmless, and so is releasing in a forked child.

        Args:
            told: True if the queue knows that the agent ends. If not, the file stays and tells it.
        """
        with _guard:
            if not self.held:
                return
            _own.remove(self._path.name)
            if told:
                with contextlib.suppress(OSError):
                    self._path.unlink()
            os.close(self._descriptor)


def this_host() -> str:
    """Name of this machine, for people."""
    return os.uname().nodename


def this_boot() -> str:
    """Identity of the running kernel, or "" where it has none. Locks are shared within one kernel."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's, or no process id at all
        pass
    return True


def _locked_file(path: Path) -> int:
    """Create a lease, which is locked from the moment it is there; returns its descriptor."""
    draft = path.with_name(f".{path.name}")
    create_private_file(draft)
    descriptor = os.open(draft, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft.rename(path)
    except OSError:
        os.close(descriptor)
        draft.unlink(missing_ok=True)
        raise
    return descriptor


def _locked_by_another(path: str) -> bool | None:
    """True if somebody else holds a lease; None if it is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        return True
    try:
        # A shared lock: two that look at the same time do not take each other for the agent.
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _forget_leases_in_child() -> None:
    """A forked child holds none of its parent's locks, and must not inherit a taken guard."""
    global _guard  # noqa: PLW0603
    _guard = threading.Lock()
    _own.clear()


os.register_at_fork(after_in_child=_forget_leases_in_child)
