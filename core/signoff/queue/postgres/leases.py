"""Leases of live agents: each holds an advisory lock, which the server gives up with its session.

On one machine the kernel knows better and at once, whatever the network does. A process is known by its id and its
start time, within one boot and one pid namespace (proc_pid_stat(5), pid_namespaces(7)).

Elsewhere an agent that has lost its connection mostly comes back: a laptop changes networks or sleeps. Whoever
sees first that its lock is missing notes the time in ``absences``, and whoever sees it back removes the note, so
nothing is written while nothing happens. It no longer counts when it has been away for the time that the URL of
whoever looks names. What was before the last start of the server does not count: nobody could be connected then.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from signoff.queue.clock import SECOND
from signoff.queue.errors import QueueUnavailableError
from signoff.queue.postgres.connection import PostgresPlace
from signoff.queue.postgres.wakeups import Listener
from signoff.queue.sql.engine import PATIENCE_SECONDS, Query, Row, Transaction
from signoff.queue.sqlite.locks import this_boot

__all__ = [
    "SessionLeases",
    "agent_lock",
    "making_lock",
    "screens_lock",
]


_OBSERVE_SECONDS = 0.5
"""The locks are not looked at more often than this."""

# A lock of 64 bits is shown in two halves (https://www.postgresql.org/docs/current/view-pg-locks.html). Whoever
# may connect can take any lock, so it counts only if it is held by the role that the agent logged in as.
_HELD = """
SELECT (classid::bigint << 32) | objid::bigint AS lock, usename AS login
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_LOGINS = "SELECT id, login FROM agents WHERE ended_at IS NULL"
_ABSENT = """
SELECT agent_id,
    GREATEST(since, floor(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint) AS since
FROM absences
"""
_NOTE_ABSENT = """
INSERT INTO absences (agent_id, since) SELECT id, ? FROM agents WHERE id = ANY(?) AND ended_at IS NULL
ON CONFLICT DO NOTHING
"""
_NOTE_BACK = "DELETE FROM absences WHERE agent_id = ANY(?)"
_NOTE_SECONDS = 0.5
"""Longest wait for other writers before an absence is noted: it may be noted by the next one who looks."""


class Database(Protocol):
    """The engine, as leases need it."""

    @property
    def now(self) -> int:
        """The time by the server's clock, microseconds since the epoch."""

    def select(self, *queries: Query) -> list[Sequence[Row]]:
        """Look at the database."""

    def write(self, *, durable: bool, patience: float) -> AbstractContextManager[Transaction]:
        """Change something."""


class SessionLeases:
    """The leases of one queue.

    Args:
        engine: Looks for locks.
        listener: Holds those of this process.
        place: The queue's.
    """

    def __init__(self, engine: Database, listener: Listener, place: PostgresPlace) -> None:
        self._engine = engine
        self._listener = listener
        self._schema = place.schema
        self._timeout_us = place.agent_timeout * SECOND
        self._home = _pid_namespace()
        self.machine = f"{self._home}:{_start_time(os.getpid())}" if self._home else ""
        """Boot, pid namespace and start time of this process, or "" where the kernel does not tell."""
        self._guard = threading.Lock()
        self._observed_at = float("-inf")
        self._absent: dict[str, int] = {}  # agents elsewhere without a lock, and since when

    def take(self, agent_id: str) -> PostgresLease:
        """Take the lease of a new agent connection.

        Raises:
            OSError: There are too many open files or threads.
            QueueUnavailableError: The server cannot be reached or refuses.
        """
        lock = agent_lock(self._schema, agent_id)
        self._listener.hold(lock, PATIENCE_SECONDS)
        return PostgresLease(self._listener, lock)

    def dead(self, agents: Sequence[Row]) -> dict[str, int | None]:
        """Those who are dead, of agents that are on record as connected, by id.

        With each that is elsewhere for how many microseconds it had lost its connection; with one whose process
        has ended, None.

        Args:
            agents: Rows with ``id``, ``boot`` and ``pid``.

        Raises:
            QueueUnavailableError: The queue cannot be read.
        """
        gone: dict[str, int | None] = {}
        elsewhere = []
        for agent in agents:
            home, _, started = agent["boot"].rpartition(":")
            if home != self._home or not home:
                elsewhere.append(agent["id"])
            elif _has_ended(agent["pid"], started):
                gone[agent["id"]] = None
        if elsewhere:
            with self._guard:
                if time.monotonic() - self._observed_at >= _OBSERVE_SECONDS:
                    self._observe(elsewhere)
                absent, now = self._absent, self._engine.now
            away = {each: now - absent[each] for each in elsewhere if each in absent}
            gone |= {each: lost for each, lost in away.items() if lost >= self._timeout_us}
        return gone

    def clear(self, agent_ids: Iterable[str]) -> None:
        """Forget dead agents; notes of their absence are removed by whoever looks next."""

    def _observe(self, agent_ids: Sequence[str]) -> None:
        locks, notes, agents = self._engine.select((_HELD, ()), (_ABSENT, ()), (_LOGINS, ()))
        now = self._engine.now
        held = {(row["lock"], row["login"]) for row in locks}
        logins = {row["id"]: row["login"] for row in agents}
        noted = {row["agent_id"]: row["since"] for row in notes}
        without = [each for each in agent_ids if (agent_lock(self._schema, each), logins.get(each)) not in held]
        self._absent = {each: noted.get(each, now) for each in without}
        self._observed_at = time.monotonic()
        self._note(now, [each for each in without if each not in noted], list(noted.keys() - set(without)))

    def _note(self, now: int, absent: list[str], back: list[str]) -> None:
        """Note who has been away since now, and who is back; who may not write remembers nothing."""
        if not absent and not back:
            return
        with (
            contextlib.suppress(QueueUnavailableError),
            self._engine.write(durable=False, patience=_NOTE_SECONDS) as transaction,
        ):
            if absent:
                transaction.put(_NOTE_ABSENT, now, absent)
            if back:
                transaction.put(_NOTE_BACK, back)


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
