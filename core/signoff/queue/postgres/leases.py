"""Leases of live agents: each holds an advisory lock, which the server gives up with its session.

On one machine the kernel knows better and at once. A process is known by its id and its start time, within
one boot and one pid namespace (proc_pid_stat(5), pid_namespaces(7)).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from signoff.queue.postgres.wakeups import Listener
from signoff.queue.sql.engine import PATIENCE_SECONDS, Look, Row
from signoff.queue.sqlite.locks import this_boot

__all__ = [
    "LEASE_SECONDS",
    "SessionLeases",
    "agent_lock",
    "making_lock",
    "screens_lock",
]


LEASE_SECONDS = 5.0
"""An agent elsewhere is dead when its lock has been missing for so long, by this process' own clock."""

_OBSERVE_SECONDS = 0.5
"""The locks are not looked at more often than this; a verdict needs ten times as long."""

# A lock of 64 bits is shown in two halves (https://www.postgresql.org/docs/current/view-pg-locks.html).
_HELD = """
SELECT (classid::bigint << 32) | objid::bigint AS lock FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Reads(Protocol):
    """The engine, as leases need it."""

    @property
    def generation(self) -> int:
        """The number of connections made so far."""

    def read(self) -> AbstractContextManager[Look]:
        """Look at the database."""


class SessionLeases:
    """The leases of one queue.

    Args:
        engine: Looks for locks.
        listener: Holds those of this process.
        schema: The queue's.
    """

    def __init__(self, engine: Reads, listener: Listener, schema: str) -> None:
        self._engine = engine
        self._listener = listener
        self._schema = schema
        self._home = _pid_namespace()
        self.machine = f"{self._home}:{_start_time(os.getpid())}" if self._home else ""
        """Boot, pid namespace and start time of this process, or "" where the kernel does not tell."""
        self._guard = threading.Lock()
        self._observed = (float("-inf"), 0)  # when, and on which connection
        self._missing: dict[str, float] = {}  # agents without a lock, and since when

    def take(self, agent_id: str) -> PostgresLease:
        """Take the lease of a new agent connection.

        Raises:
            OSError: There are too many open files or threads.
            QueueUnavailableError: The server cannot be reached or refuses.
        """
        lock = agent_lock(self._schema, agent_id)
        self._listener.hold(lock, PATIENCE_SECONDS)
        return PostgresLease(self._listener, lock)

    def dead(self, agents: Sequence[Row]) -> tuple[str, ...]:
        """Ids of those who are certainly dead, of agents that are on record as connected.

        Args:
            agents: Rows with ``id``, ``boot`` and ``pid``.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        gone = {agent["id"] for agent in agents if self._is_gone(agent)}
        doubtful = [agent["id"] for agent in agents if agent["id"] not in gone]
        if doubtful:
            gone |= self._without_lease(doubtful)
        return tuple(agent["id"] for agent in agents if agent["id"] in gone)

    def clear(self, agent_ids: Sequence[str]) -> None:
        """Forget dead agents."""
        for agent_id in agent_ids:
            self._missing.pop(agent_id, None)

    def _is_gone(self, agent: Row) -> bool:
        """True if the kernel says that the agent's process has ended."""
        home, _, started = agent["boot"].rpartition(":")
        return home == self._home != "" and _has_ended(agent["pid"], started)

    def _without_lease(self, agent_ids: Sequence[str]) -> set[str]:
        with self._guard:
            if time.monotonic() - self._observed[0] >= _OBSERVE_SECONDS:
                self._observe(agent_ids)
            at, _ = self._observed
            missing = self._missing
        return {each for each in agent_ids if each in missing and at - missing[each] >= LEASE_SECONDS}

    def _observe(self, agent_ids: Sequence[str]) -> None:
        with self._engine.read() as look:
            held = {row["lock"] for row in look.rows(_HELD)}
        now, generation = time.monotonic(), self._engine.generation
        before = self._missing
        # After a gap nobody knows what was in between. And who lost the server gets the time to find it again.
        if now - self._observed[0] > LEASE_SECONDS or generation != self._observed[1]:
            before = {}
        without = [each for each in agent_ids if agent_lock(self._schema, each) not in held]
        self._missing = {agent_id: before.get(agent_id, now) for agent_id in without}
        self._observed = (now, generation)


class PostgresLease:
    """A held lease."""

    def __init__(self, listener: Listener, lock: int) -> None:
        self._listener = listener
        self._lock = lock
        self._process = os.getpid()

    def release(self, *, told: bool = True) -> None:  # the server tells either way
        """Give it up. Releasing twice is harmless, and so is releasing in a forked child."""
        if os.getpid() == self._process:
            self._listener.drop(self._lock)


def _pid_namespace() -> str:
    """The scope of process ids: boot and pid namespace, or "" where the kernel does not tell."""
    boot = this_boot()
    try:
        return f"{boot}:{os.stat('/proc/self/ns/pid').st_ino}" if boot else ""  # noqa: PTH116 (a magic link)
    except OSError:
        return ""


def _has_ended(pid: int, started: str) -> bool:
    """True if the process that had an id ended. In doubt it did not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it is somebody else's, or no process id at all
        pass
    now = _start_time(pid)
    return now not in ("", started) or _is_zombie(pid)


def _start_time(pid: int) -> str:
    """The start of a process, in clock ticks since the boot, or "" if that is not known."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _is_zombie(pid: int) -> bool:
    """True if a process ended and only its parent has not noticed yet."""
    if _stat(pid)[:1] != ["Z"]:
        return False
    # The first thread may have ended while others go on.
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/task").iterdir())) <= 1
    return False


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat`, from the state (field 3) on."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()  # the name before may contain blanks and parentheses


# -- Advisory locks: whole numbers of 64 bits, or two of 32, that the server lets sessions hold.


def making_lock(schema: str) -> int:
    """The lock of whoever makes a queue or brings it up to date; up to format 3, that of the one writer."""
    return _number(f"signoff queue {schema}")


def agent_lock(schema: str, agent_id: str) -> int:
    """The lock that a living agent holds."""
    return _number(f"signoff agent {schema} {agent_id}")


def screens_lock(schema: str) -> int:
    """First half of the locks that screens share, of 31 bits; the other half is a time."""
    return _number(f"signoff screens {schema}") & 0x7FFF_FFFF


def _number(words: str) -> int:
    digest = hashlib.blake2b(words.encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
