"""Full-text search by FTS5: an index without contents, of which only the numbers of records come out.

``detail=none`` keeps nothing but which record has which word (https://sqlite.org/fts5.html#the_detail_option);
that is enough for words that must all be there, newest first, and makes the smallest index. Beginnings of words
are indexed too, up to a length: of longer ones FTS5 first collects all that match, and those are few.
"""

from __future__ import annotations

from collections.abc import Sequence

from signoff.queue.sql.engine import Transaction

__all__ = ["SEARCH_TABLE", "FtsIndex"]

SEARCH_TABLE = """
CREATE VIRTUAL TABLE search USING fts5 (
    words, content='', columnsize=0, detail=none, prefix='1 2 3 4 5 6 7 8 9 10', tokenize="ascii tokenchars ':'"
)
"""
"""The words come as `signoff.queue.sql.searching` makes them; the tokenizer only has to part them at blanks."""


class FtsIndex:
    """The `signoff.queue.sql.engine.SearchIndex` of SQLite."""

    combines = True

    def add(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """File a record under its words."""
        transaction.run("INSERT INTO search (rowid, words) VALUES (?, ?)", seq, " ".join(words))

    def remove(self, transaction: Transaction, seq: int, words: Sequence[str]) -> None:
        """Take a record out; the index has no contents, so it must be told what was put in."""
        transaction.run("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)", seq, " ".join(words))

    def matching(self, words: Sequence[str], prefixes: Sequence[str]) -> tuple[str, tuple[object, ...]]:
        """Return a select of the ``seq`` of all records with these words, and its values."""
        parts = (*(f'"{word}"' for word in words), *(f'"{prefix}"*' for prefix in prefixes))
        return "SELECT rowid AS seq FROM search WHERE search MATCH ?", (" AND ".join(parts),)
