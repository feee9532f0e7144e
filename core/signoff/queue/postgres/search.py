"""Full-text search by a ``tsvector`` for each history record.

The vectors are made of finished words, so none of PostgreSQL's parsers and dictionaries has a say, and every
engine finds the same (https://www.postgresql.org/docs/current/textsearch-features.html, ``array_to_tsvector``).
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue.sql.engine import Transaction

__all__ = ["SEARCH_TABLE", "VectorIndex"]

# New words wait in a list that every search reads, so it is kept short.
SEARCH_TABLE = """
CREATE TABLE search (
    seq BIGINT PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX search_words ON search USING gin (words) WITH (gin_pending_list_limit = 256);
"""


class VectorIndex:
    """The `signoff.queue.sql.engine.SearchIndex` of PostgreSQL."""

    # GIN yields no order, and the planner knows from its statistics which column narrows most.
    combines = False

    def add(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """File a record under its words."""
        transaction.run("INSERT INTO search (seq, words) VALUES (?, array_to_tsvector(?))", seq, list(words))

    def remove(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """Take a record out; the table knows what it was filed under."""
        transaction.run("DELETE FROM search WHERE seq = ?", seq)

    def matching(self, words: Sequence[str], prefixes: Sequence[str]) -> tuple[str, tuple[object, ...]]:
        """Return a select of the ``seq`` of all records with these words, and its values."""
        parts = (*(f"'{word}'" for word in words), *(f"'{prefix}':*" for prefix in prefixes))
        return "SELECT seq FROM search WHERE words @@ ?::tsquery", (" & ".join(parts),)
