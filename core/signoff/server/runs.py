"""Runs of hosted agents and their events, in one SQLite file that the server and the host of the runs share.

The server creates runs and asks for their end; the host (`signoff.server.host`) performs them.
Either may be killed at any time: what is stored is true, and the other one goes on from it.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from signoff.private_files import make_directory
from signoff.queue.clock import now_us
from signoff.queue.records import new_id
from signoff.queue.sqlite.wakeups import Bells

__all__ = ["HOST", "Checkpoint", "Event", "Run", "RunMode", "RunStatus", "RunStore", "UnknownRunError"]

HOST = "host"
"""The key of the bell at which the host of the runs sleeps; a stream of events sleeps at the id of its run."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, host TEXT NOT NULL, agent TEXT NOT NULL,
    session TEXT NOT NULL, mode TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL,
    created_at INTEGER NOT NULL, taken INTEGER NOT NULL DEFAULT 0, ending TEXT, ended_at INTEGER,
    output TEXT, error TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS runs_that_go_on ON runs (host) WHERE ended_at IS NULL;
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS events_of_run ON events (run, number);
CREATE TABLE IF NOT EXISTS checkpoints (
    number INTEGER PRIMARY KEY, run TEXT NOT NULL, tool_call_id TEXT NOT NULL, request TEXT NOT NULL,
    revision INTEGER NOT NULL, digest TEXT NOT NULL, UNIQUE (run, tool_call_id)
) STRICT;
CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""

_COLUMNS = "number, id, agent, session, mode, input, status, created_at, ending, ended_at, output, error"
_SELECT = "SELECT " + _COLUMNS + " FROM runs "  # noqa: S608 - no value of anybody is part of it


class RunMode(StrEnum):
    """The mode of a run: it says who answers the calls of a run that need approval."""

    INTERACTIVE = "interactive"
    """A person."""
    DAEMON = "daemon"
    """Nobody, if the settings say `auto_approve_in_daemon`; else a person."""


class RunStatus(StrEnum):
    """The state of a run, in the words of the runs API."""

    RUNNING = "running"
    """It goes on, or is about to begin."""
    PAUSED = "paused_checkpoint"
    """At least one of its calls waits for a person."""
    COMPLETED = "completed"
    """Its agent is done."""
    FAILED = "failed"
    """Its agent ended with an error, or its process is gone."""
    CANCELLED = "cancelled"
    """A call was denied, or somebody cancelled it."""

    @property
    def ended(self) -> bool:
        """True if it never changes again."""
        return self not in (RunStatus.RUNNING, RunStatus.PAUSED)


class UnknownRunError(LookupError):
    """There is no run of that id."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent.

    Attributes:
        number: Its place among all runs, in the order in which they were created.
        id: Its id.
        agent: Name of the agent in the settings.
        session: The session that its remembered approvals belong to.
        mode: Its mode, which says who answers calls that need approval.
        input: The words to the agent.
        status: Its state.
        created_at: Microseconds since the epoch.
        ending: The reason for which its end was asked for; None if nobody asked.
        ended_at: Microseconds since the epoch; None while it goes on.
        output: The answer of the agent; None if there is none.
        error: The reason for which it failed or was cancelled; None otherwise.
    """

    number: int
    id: str
    agent: str
    session: str
    mode: RunMode
    input: str
    status: RunStatus
    created_at: int
    ending: str | None = None
    ended_at: int | None = None
    output: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run.

    Attributes:
        number: Its place among the events of all runs.
        run_id: Id of the run.
        type: Its kind, such as ``run_paused``.
        data: The facts, as JSON.
        at: Microseconds since the epoch.
    """

    number: int
    run_id: str
    type: str
    data: Mapping[str, Any]
    at: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A call of a run that waits for a person.

    Attributes:
        tool_call_id: Id of the call within its run.
        request_id: Id of the request in the queue.
        revision: Its revision.
        digest: The digest of what would run.
    """

    tool_call_id: str
    request_id: str
    revision: int
    digest: str


class RunStore:
    """The runs in a directory. May be used by several threads and processes.

    Args:
        directory: Holds the file and the bells; made, for its owner only, if it is not there.

    Raises:
        OSError: The directory cannot be made.
        sqlite3.Error: The file cannot be used.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        make_directory(directory / "bells")
        self.bells = Bells(directory / "bells")
        self._guard = threading.Lock()
        file = directory / "runs.db"
        file.touch(0o600)
        self._database = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")  # an event that was sent survives a loss of power
        self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self.bells.close()
        with self._guard:
            self._database.close()

    # -- what the server writes -------------------------------------------------------------------------------

    def create(self, host: str, agent: str, session: str | None, mode: RunMode, text: str) -> Run:
        """Store a new run for a host, and wake it."""
        ident, now = f"run-{new_id()}", now_us()
        with self._writing() as database:
            number = database.execute(
                "INSERT INTO runs (id, host, agent, session, mode, input, status, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (ident, host, agent, session or ident, mode, text, RunStatus.RUNNING, now),
            ).lastrowid
            _insert_event(database, ident, "run_started", {"agent": agent, "mode": mode}, now)
        self.bells.ring(HOST)
        return Run(number or 0, ident, agent, session or ident, mode, text, RunStatus.RUNNING, now)

    def request_end(self, run_id: str, reason: str) -> bool:
        """Ask the host of a run to cancel it; False if it has ended.

        Raises:
            UnknownRunError: There is no such run.
        """
        with self._writing() as database:
            changed = database.execute(
                "UPDATE runs SET ending = coalesce(ending, ?) WHERE id = ? AND ended_at IS NULL", (reason, run_id)
            ).rowcount
        if not changed:
            self.get(run_id)
            return False
        self.bells.ring(HOST)
        return True

    def end_abandoned(self, is_there: Callable[[str], bool]) -> None:
        """End the runs whose hosts are gone.

        Args:
            is_there: Tells if a host still runs.
        """
        hosts = [host for (host,) in self._rows("SELECT DISTINCT host FROM runs WHERE ended_at IS NULL")]
        for host in hosts:
            if is_there(host):
                continue
            left = self._rows("SELECT id FROM runs WHERE host = ? AND ended_at IS NULL", host)
            for (run_id,) in left:
                self.end(run_id, RunStatus.FAILED, "run_failed", error="the process that hosted the run is gone")

    def waits_for(self, host: str) -> bool:
        """True if a run has not been begun by its host."""
        return bool(
            self._rows("SELECT 1 FROM runs WHERE host = ? AND taken = 0 AND ended_at IS NULL LIMIT 1", host)
        )

    def hand_over(self, lost: str, host: str) -> None:
        """Give the runs that a lost host had not begun to another one."""
        with self._writing() as database:
            database.execute("UPDATE runs SET host = ? WHERE host = ? AND taken = 0", (host, lost))

    # -- what the host writes ---------------------------------------------------------------------------------

    def fail_untaken(self, host: str, error: str) -> None:
        """End the runs that a host has not begun."""
        for (run_id,) in self._rows("SELECT id FROM runs WHERE host = ? AND taken = 0 AND ended_at IS NULL", host):
            self.end(run_id, RunStatus.FAILED, "run_failed", error=error)

    def take_new(self, host: str) -> list[Run]:
        """Return the runs of a host that go on and that it has not seen yet; each is returned once."""
        with self._writing() as database:
            rows = database.execute(
                "UPDATE runs SET taken = 1 WHERE host = ? AND taken = 0 AND ended_at IS NULL RETURNING "  # noqa: S608
                + _COLUMNS,
                (host,),
            ).fetchall()
        return sorted(map(_run, rows), key=lambda run: run.number)

    def end_requests(self, host: str) -> dict[str, str]:
        """Return the runs of a host that somebody asked to end: the reason by the id of the run."""
        asked = "SELECT id, ending FROM runs WHERE host = ? AND ended_at IS NULL AND ending IS NOT NULL"
        return dict(self._rows(asked, host))

    def add_events(self, run_id: str, *events: tuple[str, Mapping[str, Any]], counts: Sequence[str] = ()) -> None:
        """Add events to a run, and count; nothing happens in a run that has ended.

        Args:
            run_id: The run.
            events: Type and data of each.
            counts: Names of metrics that grow by one.
        """
        with self._writing() as database:
            if _goes_on(database, run_id):
                self._add_events(database, run_id, events, counts)
        self.bells.ring(run_id)

    def pause(
        self,
        run_id: str,
        checkpoint: Checkpoint,
        *events: tuple[str, Mapping[str, Any]],
        counts: Sequence[str] = (),
    ) -> None:
        """Store that a call waits for a person; a new revision takes the place of the one before."""
        with self._writing() as database:
            if not _goes_on(database, run_id):
                return
            database.execute(
                "INSERT INTO checkpoints (run, tool_call_id, request, revision, digest) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (run, tool_call_id) DO UPDATE SET request = excluded.request,"
                " revision = excluded.revision, digest = excluded.digest",
                (run_id, checkpoint.tool_call_id, checkpoint.request_id, checkpoint.revision, checkpoint.digest),
            )
            _set_status(database, run_id)
            self._add_events(database, run_id, events, counts)
        self.bells.ring(run_id)

    def resume(self, run_id: str, tool_call_id: str, *events: tuple[str, Mapping[str, Any]]) -> None:
        """Store that a call waits no longer; the run goes on if no other call of it waits."""
        with self._writing() as database:
            if not _goes_on(database, run_id):
                return
            database.execute("DELETE FROM checkpoints WHERE run = ? AND tool_call_id = ?", (run_id, tool_call_id))
            _set_status(database, run_id)
            self._add_events(database, run_id, events)
        self.bells.ring(run_id)

    def end(
        self,
        run_id: str,
        status: RunStatus,
        event: str,
        data: Mapping[str, Any] | None = None,
        *,
        output: str | None = None,
        error: str | None = None,
    ) -> None:
        """Store the end of a run; the first end stands."""
        output, error = _storable(output), _storable(error)
        facts = {"output": output, "error": error} if data is None else data
        facts = {name: value for name, value in facts.items() if value is not None}
        with self._writing() as database:
            now = now_us()
            ended = database.execute(
                "UPDATE runs SET status = ?, ended_at = ?, output = ?, error = ?"
                " WHERE id = ? AND ended_at IS NULL",
                (status, now, output, error, run_id),
            ).rowcount
            if ended:
                database.execute("DELETE FROM checkpoints WHERE run = ?", (run_id,))
                _insert_event(database, run_id, event, facts, now)
        self.bells.ring(run_id)

    # -- what both read ---------------------------------------------------------------------------------------

    def get(self, run_id: str) -> Run:
        """Return a run.

        Raises:
            UnknownRunError: There is no such run.
        """
        rows = self._rows(_SELECT + "WHERE id = ?", run_id)
        if not rows:
            raise UnknownRunError(run_id)
        return _run(rows[0])

    def latest(self, limit: int, before: int | None = None) -> list[Run]:
        """Return the newest runs, newest first.

        Args:
            limit: The most of them.
            before: Only runs with a lower number.
        """
        wanted = _SELECT + "WHERE number < ? ORDER BY number DESC LIMIT ?"
        return [_run(row) for row in self._rows(wanted, before or _HIGHEST, limit)]

    def events(self, run_id: str, after: int = 0, limit: int = 200) -> list[Event]:
        """Return the events of a run with a higher number than `after`, in order, `limit` at most."""
        wanted = (
            "SELECT number, run, type, data, at FROM events WHERE run = ? AND number > ? ORDER BY number LIMIT ?"
        )
        rows = self._rows(wanted, run_id, after, limit)
        return [Event(number, run, kind, json.loads(data), at) for number, run, kind, data, at in rows]

    def checkpoints(self, run_id: str) -> list[Checkpoint]:
        """Return the calls of a run that wait for a person, in the order in which they came."""
        wanted = "SELECT tool_call_id, request, revision, digest FROM checkpoints WHERE run = ? ORDER BY number"
        return [Checkpoint(*row) for row in self._rows(wanted, run_id)]

    def counts(self) -> dict[str, int]:
        """Return the metrics that were counted, since the first run."""
        return dict(self._rows("SELECT name, value FROM counts"))

    def count_by_status(self) -> dict[str, int]:
        """Return the number of runs in each state."""
        return dict(self._rows("SELECT status, count(*) FROM runs GROUP BY status"))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _rows(self, statement: str, *values: object) -> list[Any]:
        with self._guard:
            return self._database.execute(statement, values).fetchall()

    def _add_events(
        self,
        database: sqlite3.Connection,
        run_id: str,
        events: Sequence[tuple[str, Mapping[str, Any]]],
        counts: Sequence[str] = (),
    ) -> None:
        for kind, data in events:
            _insert_event(database, run_id, kind, data, now_us())
        for name in counts:
            database.execute(
                "INSERT INTO counts VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1", (name,)
            )


_HIGHEST = 2**62


def _insert_event(database: sqlite3.Connection, run_id: str, kind: str, data: Mapping[str, Any], at: int) -> None:
    database.execute(
        "INSERT INTO events (run, type, data, at) VALUES (?, ?, ?, ?)", (run_id, kind, json.dumps(data), at)
    )


def _goes_on(database: sqlite3.Connection, run_id: str) -> bool:
    return (
        database.execute("SELECT 1 FROM runs WHERE id = ? AND ended_at IS NULL", (run_id,)).fetchone() is not None
    )


def _storable(text: str | None) -> str | None:
    """A text as SQLite takes it: half characters are written out."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()


def _set_status(database: sqlite3.Connection, run_id: str) -> None:
    """Paused exactly while a call waits."""
    database.execute(
        "UPDATE runs SET status = CASE WHEN EXISTS (SELECT 1 FROM checkpoints WHERE run = runs.id)"
        " THEN ? ELSE ? END WHERE id = ? AND ended_at IS NULL",
        (RunStatus.PAUSED, RunStatus.RUNNING, run_id),
    )


def _run(row: tuple[Any, ...]) -> Run:
    number, ident, agent, session, mode, text, status, created_at, *end = row
    return Run(number, ident, agent, session, RunMode(mode), text, RunStatus(status), created_at, *end)
