"""Tables of the SQLite queue, and the rules that SQLite itself enforces.

Whatever the code above does: an end state stays, a decision is never rewritten, the history only grows.
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue.sql.engine import Transaction

__all__ = [
    "ANCHORS",
    "APPLICATION_ID",
    "BLOB_USES",
    "INDEXES",
    "SCHEMA_VERSION",
    "SEARCH_TABLE",
    "STATEMENTS",
    "TRIGGERS",
    "FtsIndex",
]


# -- Full-text search by FTS5: an index without contents, of which only the numbers of records come out.
#
# ``detail=none`` keeps nothing but which record has which word (https://sqlite.org/fts5.html#the_detail_option);
# that is enough for words that must all be there, newest first, and makes the smallest index. Beginnings of
# words are indexed too, up to a length: of longer ones FTS5 first collects all that match, and those are few.

SEARCH_TABLE = """
CREATE VIRTUAL TABLE search USING fts5 (
    words, content='', columnsize=0, detail=none, prefix='1 2 3 4 5 6 7 8 9 10', tokenize="ascii tokenchars ':'"
)
"""
"""The words come as `signoff.queue.sql.history` makes them; the tokenizer only has to part them at blanks."""


class FtsIndex:
    """The `signoff.queue.sql.engine.SearchIndex` of SQLite."""

    writable = True
    combines = True

    def add(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """File a record under its words."""
        transaction.put("INSERT INTO search (rowid, words) VALUES (?, ?)", seq, " ".join(words))

    def remove(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """Take a record out; the index has no contents, so it must be told what was put in."""
        transaction.put("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)", seq, " ".join(words))

    def matching(self, words: Sequence[str], prefixes: Sequence[str]) -> tuple[str, tuple[object, ...]]:
        """Return a select of the ``seq`` of all records with these words, and its values."""
        parts = (*(f'"{word}"' for word in words), *(f'"{prefix}"*' for prefix in prefixes))
        return "SELECT rowid AS seq FROM search WHERE search MATCH ?", (" AND ".join(parts),)


APPLICATION_ID = 0x5349474E
"""Marks the file as ours: ``SIGN`` (https://sqlite.org/pragma.html#pragma_application_id)."""

SCHEMA_VERSION = 4
"""Stored as ``user_version``. A file with a higher one is refused untouched, one with a lower one is brought up
to date by `signoff.queue.sqlite.migrations`."""

_COUNTERS = """
CREATE TABLE counters (
    name TEXT PRIMARY KEY NOT NULL,
    value INTEGER NOT NULL
) WITHOUT ROWID
"""

_AGENTS = """
CREATE TABLE agents (
    id TEXT PRIMARY KEY NOT NULL,
    info TEXT NOT NULL,
    session TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    boot TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER
)
"""

_BLOBS = """
CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    compressed BLOB NOT NULL
)
"""

# Decisions are JSON with "approved" first (signoff.queue.codec), so that SQLite can check it too.
_REQUESTS = """
CREATE TABLE requests (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL CHECK (revision >= 1),
    session TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    payload_key TEXT NOT NULL,
    batch_id TEXT,
    risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
    submission TEXT NOT NULL,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    asked_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    state TEXT NOT NULL CHECK (state IN
        ('pending', 'approved', 'rejected', 'expired', 'withdrawn', 'superseded')),
    decision TEXT,
    decided_at INTEGER,
    state_note TEXT,
    delivered_at INTEGER,
    change INTEGER NOT NULL,
    UNIQUE (id, revision),
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK (state <> 'approved' OR COALESCE(decision, '') GLOB '{"approved":true,*'),
    CHECK (state <> 'rejected' OR COALESCE(decision, '') GLOB '{"approved":false,*'),
    CHECK (state NOT IN ('pending', 'expired', 'withdrawn') OR decision IS NULL),
    CHECK (state NOT IN ('expired', 'withdrawn', 'superseded') OR state_note IS NOT NULL),
    CHECK (state <> 'pending' OR delivered_at IS NULL)
)
"""

_GRANTS = """
CREATE TABLE grants (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    payload_key TEXT NOT NULL,
    info TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER,
    revoked_at INTEGER,
    revoked_by TEXT,
    kind TEXT NOT NULL DEFAULT 'exact' CHECK (kind IN ('exact', 'pattern')),
    CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
)
"""

# `submission` is stored here only for calls that never were a request.
_HISTORY = """
CREATE TABLE history (
    seq INTEGER PRIMARY KEY NOT NULL,
    at INTEGER NOT NULL,
    request_seq INTEGER REFERENCES requests (seq),
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    request_id TEXT,
    state TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    submission TEXT,
    decision TEXT,
    reason TEXT NOT NULL,
    took_us INTEGER NOT NULL,
    hash TEXT NOT NULL,
    decided_by TEXT,
    CHECK ((request_seq IS NULL) = (submission IS NOT NULL)),
    CHECK (state <> 'approved' OR COALESCE(decision, '') GLOB '{"approved":true,*')
)
"""

ANCHORS = """
CREATE TABLE anchors (
    seq INTEGER PRIMARY KEY NOT NULL,
    hash TEXT NOT NULL
)
"""
"""The hash of the last history record that was deleted because of its age: what the first one left follows."""

BLOB_USES = """
CREATE TABLE blob_uses (
    sha256 TEXT NOT NULL REFERENCES blobs (sha256),
    request_seq INTEGER NOT NULL REFERENCES requests (seq),
    PRIMARY KEY (sha256, request_seq)
) WITHOUT ROWID
"""
"""The contents of each request, so that a content goes with the last of its requests."""

# Most of them are written with each request or decision: there is none that no statement needs. What waits is few,
# and found by one of them. The history is filtered by the terms of its search.
INDEXES = (
    "CREATE INDEX blob_uses_request ON blob_uses (request_seq)",
    "CREATE UNIQUE INDEX requests_one_pending ON requests (id) WHERE state = 'pending'",
    "CREATE INDEX requests_deadline ON requests (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL",
    "CREATE UNIQUE INDEX requests_key ON requests (session, key, revision)",
    "CREATE INDEX requests_change ON requests (change)",
    "CREATE INDEX agents_alive ON agents (started_at) WHERE ended_at IS NULL",
    "CREATE UNIQUE INDEX grants_in_force ON grants (session, tool, kind, payload_key) WHERE revoked_at IS NULL",
    "CREATE INDEX history_request ON history (request_id, seq) WHERE request_id IS NOT NULL",
    "CREATE INDEX history_at ON history (at)",
    "CREATE INDEX history_request_seq ON history (request_seq) WHERE request_seq IS NOT NULL",
)

TRIGGERS = (
    """
    CREATE TRIGGER requests_content_stays BEFORE UPDATE OF seq, id, revision, session, key, digest,
        payload_key, batch_id, risk, submission, created_at, expires_at ON requests
    BEGIN SELECT RAISE(ABORT, 'what was asked is never rewritten'); END
    """,
    """
    CREATE TRIGGER requests_end_stays BEFORE UPDATE OF state ON requests
    WHEN OLD.state <> 'pending' AND NEW.state <> OLD.state
        AND NOT (OLD.state IN ('approved', 'rejected') AND NEW.state = 'superseded')
    BEGIN SELECT RAISE(ABORT, 'an ended request never changes its state'); END
    """,
    """
    CREATE TRIGGER requests_answer_stays
    BEFORE UPDATE OF decision, decided_at, agent_id, asked_by ON requests
    WHEN OLD.state <> 'pending' AND (NEW.decision IS NOT OLD.decision
        OR NEW.decided_at IS NOT OLD.decided_at OR NEW.agent_id IS NOT OLD.agent_id
        OR NEW.asked_by IS NOT OLD.asked_by)
    BEGIN SELECT RAISE(ABORT, 'a decision is never rewritten'); END
    """,
    """
    CREATE TRIGGER requests_delivered_once BEFORE UPDATE OF delivered_at ON requests
    WHEN OLD.delivered_at IS NOT NULL AND NEW.delivered_at IS NOT OLD.delivered_at
    BEGIN SELECT RAISE(ABORT, 'an answer is delivered once'); END
    """,
    """
    CREATE TRIGGER requests_stay BEFORE DELETE ON requests
    WHEN OLD.state = 'pending' OR (SELECT value FROM counters WHERE name = 'pruned') = 0
    BEGIN SELECT RAISE(ABORT, 'requests are deleted only together with old history'); END
    """,
    """
    CREATE TRIGGER history_stays BEFORE UPDATE ON history
    BEGIN SELECT RAISE(ABORT, 'history is never rewritten'); END
    """,
    """
    CREATE TRIGGER history_is_kept BEFORE DELETE ON history
    WHEN OLD.seq > (SELECT value FROM counters WHERE name = 'pruned')
    BEGIN SELECT RAISE(ABORT, 'history is deleted only from its beginning, and never unnoticed'); END
    """,
    """
    CREATE TRIGGER history_only_grows BEFORE INSERT ON history
    WHEN NEW.seq <> 1 + COALESCE((SELECT MAX(seq) FROM history),
        (SELECT value FROM counters WHERE name = 'pruned'))
    BEGIN SELECT RAISE(ABORT, 'history is written without gaps'); END
    """,
    """
    CREATE TRIGGER grants_stay_revoked BEFORE UPDATE ON grants
    WHEN OLD.revoked_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'a revoked grant never changes'); END
    """,
    """
    CREATE TRIGGER grants_cover_the_same BEFORE UPDATE OF id, session, tool, kind, payload_key, info ON grants
    BEGIN SELECT RAISE(ABORT, 'what a grant covers is never rewritten'); END
    """,
)

STATEMENTS = (
    _COUNTERS,
    _AGENTS,
    _BLOBS,
    _REQUESTS,
    _GRANTS,
    _HISTORY,
    ANCHORS,
    BLOB_USES,
    SEARCH_TABLE,
    *INDEXES,
    *TRIGGERS,
    # Starts at 1, because cursor 0 means "from the beginning".
    "INSERT INTO counters (name, value) VALUES ('change', 1)",
    # Seq of the last history record that was deleted because of its age; 0 while all are there.
    "INSERT INTO counters (name, value) VALUES ('pruned', 0)",
    # Seq of the last history record that the search index knows.
    "INSERT INTO counters (name, value) VALUES ('filed', 0)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
"""SQL that makes an empty database a queue, to be run in one transaction."""
