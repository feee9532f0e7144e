"""The engines that the conformance tests run on, and how to open connections to each."""

from __future__ import annotations

import atexit
import contextlib
import functools
import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import psycopg

from postgres_server import server
from signoff.queue import (
    AgentInfo,
    AgentQueue,
    ReviewQueue,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue.postgres.connection import parse_url
from signoff.queue.postgres.roles import QueueRoles, set_up
from signoff.queue.sql.agent_queue import SqlAgentQueue
from signoff.queue.sqlite.wakeups import REVIEWERS


class Opener:
    """Opens connections to one queue and closes them all in the end.

    Args:
        place: Where the queue is, as users write it.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self._open: list[Any] = []

    @property
    def asking_place(self) -> str:
        """The queue, as agents open it."""
        return self.place

    def reviewing_place(self, reviewer: str) -> str:
        """The queue, as a reviewer opens it."""
        return self.place

    def agent(self, name: str = "refactor", session: str = "s-41") -> AgentQueue:
        """Connect an agent."""
        queue = open_agent_queue(AgentInfo(name, session, "/work"), self.asking_place)
        self._open.append(queue)
        return queue

    def review(self, reviewer: str = "anna") -> ReviewQueue:
        """Connect a reviewer."""
        queue = open_review_queue(self.reviewing_place(reviewer), reviewer=reviewer)
        self._open.append(queue)
        return queue

    def crash(self, queue: AgentQueue | ReviewQueue) -> None:
        """Leave a connection as the death of its process does: nothing is said, and others can tell."""
        self._open.remove(queue)
        queue._engine.close()
        if hasattr(queue, "_lease"):
            queue._lease.release(told=False)

    def sleepers(self) -> int:
        """How many bells hang under which agents of this process sleep."""
        raise NotImplementedError

    def forge(self, statement: str, *values: object) -> None:
        """Run a statement as somebody who goes around us, and removes the rules of the database for it."""
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection."""
        for queue in reversed(self._open):
            queue.close()


class SqliteOpener(Opener):
    """A queue in a directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(str(directory / "queue"))

    def sleepers(self) -> int:
        bells = Path(self.place, "bells").glob("*/*")
        return sum(bell.parent.name != REVIEWERS for bell in bells)

    def forge(self, statement: str, *values: object) -> None:
        with contextlib.closing(sqlite3.connect(f"{self.place}/queue.db")) as file, file:
            for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                file.execute(f"DROP TRIGGER {name}")
            file.execute(statement, values)


class PostgresOpener(Opener):
    """A queue in a schema that no other test uses at the same time.

    Making a schema takes far longer than emptying it, so a few of them serve all tests.
    """

    _emptied: ClassVar[list[str]] = []

    def __init__(self, _: Path | None = None) -> None:
        used = bool(self._emptied)
        self._name = self._emptied.pop() if used else f"t{secrets.token_hex(6)}"
        super().__init__(f"{server().url}&queue={self._name}")
        if not used:
            self.make()

    def make(self) -> None:
        """Make the queue, unless whoever opens it first shall do so."""

    def crash(self, queue: AgentQueue | ReviewQueue) -> None:
        super().crash(queue)
        if isinstance(queue, SqlAgentQueue):  # as if another process had its id by now
            with self.administrator() as admin:
                admin.execute(
                    "UPDATE agents SET boot = regexp_replace(boot, '[0-9]+$', '0') WHERE id = %s",
                    (queue._asked_by.agent_id,),
                )

    def sleepers(self) -> int:
        return sum(queue._engine.bells.sleepers(besides=REVIEWERS) for queue in self._open)

    def forge(self, statement: str, *values: object) -> None:
        with self.administrator() as admin:
            admin.execute("SET session_replication_role = replica")
            admin.execute(statement.replace("?", "%s"), values)

    def close(self) -> None:
        super().close()
        _empty(parse_url(self.place).schema)
        self._emptied.append(self._name)

    def administrator(self) -> psycopg.Connection:
        """Connect to the queue's schema as somebody who goes around us."""
        schema = parse_url(self.place).schema
        return psycopg.connect(server().url, autocommit=True, options=f"-c search_path={schema}")


class FreshPostgresOpener(PostgresOpener):
    """The same in a schema of its own, which is dropped in the end, whatever was done to it."""

    _emptied: ClassVar[list[str]] = []  # stays so

    def close(self) -> None:
        Opener.close(self)
        with self.administrator() as admin:
            admin.execute("SET client_min_messages = warning")
            admin.execute(f'DROP SCHEMA IF EXISTS "{parse_url(self.place).schema}" CASCADE')


class RolesOpener(PostgresOpener):
    """The same with roles: agents log in as ``asker``, reviewers under their own names."""

    ROLES = QueueRoles(owner="queue_owner", ask="asking", review="reviewing")
    _emptied: ClassVar[list[str]] = []

    def make(self) -> None:
        for role in (self.ROLES.owner, self.ROLES.ask, self.ROLES.review):
            server().make_role(role, "NOLOGIN")
        set_up(parse_url(self.place), self.ROLES, print)

    @property
    def asking_place(self) -> str:
        return self.place_of("asker", self.ROLES.ask)

    def reviewing_place(self, reviewer: str) -> str:
        return self.place_of(reviewer, self.ROLES.review)

    def place_of(self, login: str, group: str) -> str:
        """The queue, as a role opens it that is a member of another."""
        server().make_role(login, f"LOGIN IN ROLE {group}")
        return self.place.replace("//signoff@", f"//{quote(login)}@")


@functools.cache
def _emptier() -> psycopg.Connection:
    """The connection that empties schemas: to open one for each test costs the server more than to empty one."""
    emptier = psycopg.connect(server().url, autocommit=True)
    atexit.register(emptier.close)
    return emptier


def _empty(schema: str) -> None:
    emptier = _emptier()
    try:
        emptier.execute("SELECT set_config('search_path', %s, false)", (schema,))
    except psycopg.OperationalError:  # the server was restarted
        _emptier.cache_clear()
        atexit.unregister(emptier.close)
        _emptier().execute("SELECT set_config('search_path', %s, false)", (schema,))
    _emptier().execute(_EMPTY)


# The rules of the queue do not hold for a replica, so this is refused to nobody who may be one.
_EMPTY = """
SET session_replication_role = replica;
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = current_schema AND tablename NOT IN ('format', 'counters', 'roles')
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', name); END LOOP;
END $$;
UPDATE counters SET value = CASE name WHEN 'change' THEN 1 ELSE 0 END;
"""

ENGINES: dict[str, Callable[[Path], Opener]] = {
    "postgres": PostgresOpener,
    "roles": RolesOpener,
    "sqlite": SqliteOpener,
}
"""The engines that the suite of queues runs on."""

NAMED: dict[str, Callable[[Path], Opener]] = {**ENGINES, "fresh postgres": FreshPostgresOpener}
"""These, and those that only run the tests that name them."""
