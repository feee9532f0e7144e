"""Looking through 1,000,000 history records beside 10,000, and through 200,000 in PostgreSQL: pages and searches.

The records are written in bulk, through the real tables but without the hash chain, which no page looks at.
"""

from __future__ import annotations

import contextlib
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.measuring import percentile
from postgres_server import Server
from signoff.queue import HistoryFilter, ReviewQueue, open_review_queue
from signoff.queue.codec import asked_by_to_text, decision_to_text, submission_to_text
from signoff.queue.history import HistoryRecord
from signoff.queue.postgres.connection import parse_url
from signoff.queue.records import AskedBy, Decision, RequestState, Submission
from signoff.queue.sql.history import filed_under
from signoff.queue.sqlite.schema import INDEXES, TRIGGERS

SMALL, LARGE = 10_000, 1_000_000
IN_POSTGRES = 200_000
ROUNDS = 100
PAGE = 50
AGENTS, SESSIONS = 10, 200
COLUMNS = "seq, at, agent, session, tool, state, asked_by, submission, decision, reason, took_us, hash"
_NAME = "{NAME}"
_TOOLS = ("shell", "write_file", "read_file", "http_get", "sql", "deploy", "mail", "search")
_COMMON = tuple(f"common{number:02}" for number in range(20))
_RARE = tuple(f"rare{number}" for number in range(2_000))


def run() -> list[dict[str, Any]]:
    """p95 of every kind of look at both sizes, and their ratio; and in PostgreSQL."""
    with _filled(SMALL) as small, _filled(LARGE) as large:
        times = _interleaved({SMALL: small, LARGE: large})
    with _filled_postgres() as queue:
        in_postgres = _interleaved({IN_POSTGRES: queue})
    rows = []
    for name, by_size in times.items():
        below, above = (percentile(by_size[size], 95) for size in (SMALL, LARGE))
        rows += [
            {"name": f"{name}, {SMALL:,} records, p95", "value": below, "unit": "ms"},
            {"name": f"{name}, {LARGE:,} records, p95", "value": above, "unit": "ms"},
            {"name": f"{name}, {LARGE:,} / {SMALL:,}", "value": above / below, "unit": "x"},
            {
                "name": f"{name}, {IN_POSTGRES:,} records in PostgreSQL, p95",
                "value": percentile(in_postgres[name][IN_POSTGRES], 95),
                "unit": "ms",
            },
        ]
    return rows


@contextlib.contextmanager
def _filled_postgres() -> Iterator[ReviewQueue]:
    server = Server()
    try:
        with open_review_queue(server.url) as queue:
            _fill_postgres(server.url)
            yield queue
    finally:
        server.remove()


def _fill_postgres(url: str) -> None:
    """`fill`, for a queue in PostgreSQL; its indexes are kept up meanwhile."""
    filed: list[tuple[object, str]] = []
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f"SET search_path TO {parse_url(url).schema}")
        cursor.execute("ALTER TABLE history DISABLE TRIGGER history_only_grows")
        with cursor.copy(f"COPY history ({COLUMNS}, decided_by) FROM STDIN") as copy:
            for row, words in _records(IN_POSTGRES):
                copy.write_row(row)
                filed.append((row[0], words))
        cursor.execute("CREATE TEMPORARY TABLE filed (seq bigint, words text)")
        with cursor.copy("COPY filed FROM STDIN") as copy:
            for each in filed:
                copy.write_row(each)
        words = "array(SELECT DISTINCT unnest(string_to_array(words, ' ')))"
        cursor.execute(f"INSERT INTO search SELECT seq, array_to_tsvector({words}) FROM filed")
        cursor.execute("UPDATE counters SET value = %s WHERE name = 'filed'", (IN_POSTGRES,))
        cursor.execute("ALTER TABLE history ENABLE TRIGGER history_only_grows")
        cursor.execute("ANALYZE history, search")


@contextlib.contextmanager
def _filled(count: int) -> Iterator[ReviewQueue]:
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        place = Path(name) / "queue"
        open_review_queue(place).close()
        fill(place / "queue.db", count)
        with open_review_queue(place) as queue:
            yield queue


def _interleaved(queues: dict[int, ReviewQueue]) -> dict[str, dict[int, list[float]]]:
    """Milliseconds of every kind of look at every queue, in turn; all of them find a full page."""
    source = random.Random(2)
    times: dict[str, dict[int, list[float]]] = {}
    for _ in range(ROUNDS):
        agent, session = f"agent{source.randrange(AGENTS)}", f"session{source.randrange(SESSIONS)}"
        one, two = source.sample(_COMMON, 2)
        rejected = frozenset({RequestState.REJECTED})
        looks = {
            "newest page": HistoryFilter(),
            "page in the middle": HistoryFilter(),
            "page of one agent and state": HistoryFilter(agent_name=agent, states=rejected),
            "page of one session": HistoryFilter(session=session),
            "text search, one word": HistoryFilter(text=f"{one} "),
            "text search, two words": HistoryFilter(text=f"{one} {two} "),
            "text search, beginning of a word": HistoryFilter(text=one[:-1]),
            "text search in one agent": HistoryFilter(text=f"{one} ", agent_name=agent),
        }
        for name, which in looks.items():
            for size, queue in queues.items():
                before = source.randrange(size // 4, size // 2) if name == "page in the middle" else None
                start = time.perf_counter()
                queue.history(which, before=before, limit=PAGE)
                took = (time.perf_counter() - start) * 1e3
                times.setdefault(name, {}).setdefault(size, []).append(took)
    return times


def fill(database: Path, count: int) -> None:
    """Write records without flushing and without indexes, then put back what the schema asks for.

    Args:
        database: The file of a queue without a history.
        count: How many records to write.
    """
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as file:
        file.execute("PRAGMA synchronous = OFF")
        file.execute("PRAGMA cache_size = -200000")
        rules = [(each.split()[2 if each.split()[1] != "UNIQUE" else 3], each) for each in INDEXES]
        rules = [(name, each) for name, each in rules if name.startswith("history_")]
        for name, _ in rules:
            file.execute(f"DROP INDEX {name}")
        file.execute("DROP TRIGGER history_only_grows")
        file.execute("BEGIN IMMEDIATE")
        for row, words in _records(count):
            file.execute(f"INSERT INTO history ({COLUMNS}, decided_by) VALUES ({'?, ' * 12}?)", row)
            file.execute("INSERT INTO search (rowid, words) VALUES (?, ?)", (row[0], words))
        file.execute("UPDATE counters SET value = ? WHERE name = 'filed'", (count,))
        for _, statement in rules:
            file.execute(statement)
        file.execute(next(each for each in TRIGGERS if "history_only_grows" in each))
        file.execute("COMMIT")
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _records(count: int) -> Iterator[tuple[tuple[object, ...], str]]:
    """Rows of the history and what they are filed under; the constant parts are encoded once per kind."""
    source = random.Random(1)
    kinds = [_kind(number) for number in range(1_000)]
    for seq in range(1, count + 1):
        agent, session, tool, state, asked_by, content, decision, words = source.choice(kinds)
        some = " ".join((*source.sample(_COMMON, 2), source.choice(_RARE)))
        content = content.replace(_NAME, some)
        row = (seq, seq * 1_000, agent, session, tool, state, asked_by, content, decision)
        yield (*row, "", 1_000, f"{seq:064x}", "anna"), f"{words} {some}"


def _kind(number: int) -> tuple[str, ...]:
    agent, session, tool = f"agent{number % AGENTS}", f"session{number % SESSIONS}", _TOOLS[number % len(_TOOLS)]
    approved = number % 7 != 0
    state = RequestState.APPROVED if approved else RequestState.REJECTED
    asked_by = AskedBy(f"id{number}", agent, session, 1, "host", "api")
    arguments = {"path": f"/work/file{number}", "mode": "w"}
    submission = Submission(
        key=f"k{number}",
        tool_name=tool,
        description=f"Do {_NAME} now",
        payload=arguments,
        payload_key="{}",
        arguments=arguments,
        digest=f"{number:064d}",
        cwd="/work",
    )
    decision = Decision(approved=approved, by="anna")
    record = HistoryRecord.about(asked_by, submission, state, at=1, decision=decision, took_us=1_000)
    return (
        agent,
        session,
        tool,
        state.value,
        asked_by_to_text(asked_by),
        submission_to_text(submission),
        decision_to_text(decision),
        " ".join(filed_under(record)),
    )
