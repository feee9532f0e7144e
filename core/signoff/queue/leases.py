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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signoff.queue.packing import pack_text
from signoff.queue.place import create_private_file

__all__ = ["FileLeases", "Lease", "this_boot", "this_host"]

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
        self.machine = this_boot()
        """The running kernel: its processes see each other's locks."""

    def take(self, agent_id: str) -> Lease:
        """Take the lease of a new agent connection.

        Raises:
            OSError: The lock file cannot be created.
        """
        return Lease(self._directory / agent_id)

    def alive(self, agent_id: str) -> bool:
        """Whether the process that took the lease still holds it.

        Only meaningful for an agent on this machine. In doubt the answer is yes: nobody's request is
        ended on suspicion.
        """
        with _guard:
            if agent_id in _own:
                return True
            return _locked_by_another(self._prefix + agent_id)

    def dead(self, agents: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Ids of those who are certainly dead. An agent of another machine is never known to be.

        Args:
            agents: Rows with ``id``, ``host`` and ``boot``.
        """
        return tuple(
            agent["id"]
            for agent in agents
            if self._within_reach(agent["host"], agent["boot"]) and not self.alive(agent["id"])
        )

    def clear(self, agent_ids: Sequence[str]) -> None:
        """Remove what dead agents left behind. Never fails."""
        for agent_id in agent_ids:
            with contextlib.suppress(OSError):
                (self._directory / agent_id).unlink()

    def _within_reach(self, host: str, boot: str) -> bool:
        """Whether the lock of such an agent can be seen from here: same kernel, or an earlier boot."""
        return host == self._host or (boot == self.machine != "")


class Lease:
    """A held lease. The lock file is created, locked, and removed on `release`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        create_private_file(path)
        with _guard:
            self._descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(self._descriptor)
                raise
            _own.add(path.name)

    def release(self) -> None:
        """Give the lease up. Releasing twice is harmless, and so is releasing in a forked child."""
        with _guard:
            if self._path.name not in _own:
                return
            _own.remove(self._path.name)
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


def _locked_by_another(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
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
