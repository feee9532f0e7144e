"""Signs of life: each agent connection holds a lock that the kernel releases when its process dies.

The lock is a POSIX record lock: unlike ``flock`` it does not pass to forked children, so a child that
outlives the agent does not keep it alive. It has two traps (fcntl(2), "Record locking"): closing *any*
descriptor of the file drops the lock of the whole process, and a process never conflicts with itself.
Therefore this module remembers which leases are its own and never opens those files again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.private_files import make_directory
from signoff.queue.bells import RELOOK_SECONDS
from signoff.queue.packing import pack_text
from signoff.queue.place import create_private_file

__all__ = ["FileLeases", "Lease", "this_boot", "this_host"]

_MISSING_SECONDS = 3 * RELOOK_SECONDS
"""So long a lease may be missing before its agent counts as dead: one that waits has put it up again by then."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_guard = threading.Lock()
_own: set[str] = set()  # agents whose lease this process holds


class FileLeases:
    """The leases of one queue on this machine.

    Args:
        directory: Where the lock files are; private to the user.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._prefix = os.path.join(directory, "")  # noqa: PTH118 - paths are made for each agent at each look
        self._host = pack_text(this_host())
        self._taken: list[Lease] = []
        self._missing: dict[str, float] = {}
        self.machine = this_boot()
        """The running kernel: its processes see each other's locks."""

    def take(self, agent_id: str) -> Lease:
        """Take the lease of a new agent connection.

        Raises:
            OSError: The lock file cannot be created.
        """
        with contextlib.suppress(FileNotFoundError):
            return self._kept(Lease(self._directory / agent_id))
        make_directory(self._directory, parents=False)  # somebody has swept it away
        return self._kept(Lease(self._directory / agent_id))

    def renew(self) -> None:
        """Put up again what this connection holds and somebody swept away.."""
        for lease in self._taken:
            with contextlib.suppress(OSError):
                lease.renew()

    def alive(self, agent_id: str) -> bool | None:
        """Tell whether a process holds the lease; None if it is not there. Only for agents on this machine."""
        with _guard:
            return agent_id in _own or _locked_by_another(self._prefix + agent_id)

    def dead(self, agents: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Ids of those who are certainly dead. An agent of another machine is never known to be.

        Args:
            agents: Rows with ``id``, ``host``, ``boot`` and ``pid``.
        """
        return tuple(
            agent["id"]
            for agent in agents
            if self._within_reach(agent["host"], agent["boot"]) and self._is_dead(agent)
        )

    def clear(self, agent_ids: Sequence[str]) -> None:
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

    def _kept(self, lease: Lease) -> Lease:
        self._taken = [each for each in self._taken if each.held] + [lease]
        return lease

    def _within_reach(self, host: str, boot: str) -> bool:
        """Whether the lock of such an agent can be seen from here: same kernel, or an earlier boot."""
        return host == self._host or (boot == self.machine != "")


class Lease:
    """A held lease. The lock file is created, locked, and removed on `release`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _guard:
            self._descriptor = _locked_file(path)
            _own.add(path.name)

    @property
    def held(self) -> bool:
        """Whether this process still holds it."""
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
            told: Whether the queue knows that the agent ends. If not, the file stays and tells it.
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
    """Whether somebody else holds a lease; None if it is not there."""
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


def _forget_in_child() -> None:
    """A forked child holds none of its parent's locks, and must not inherit a taken guard."""
    global _guard  # noqa: PLW0603
    _guard = threading.Lock()
    _own.clear()


os.register_at_fork(after_in_child=_forget_in_child)
