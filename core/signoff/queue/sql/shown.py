"""What a reviewer's connection handed out to be shown, so that a yes is to that and to nothing else.

A request in the database never changes what it says; but whoever can write there may change it for as long as
somebody looks. The signature of a decision is on what the request says then, so it has to be what was shown.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable

from signoff.queue.packing import pack_text
from signoff.queue.sql.engine import Look, Row

__all__ = ["Shown"]

_MOST = 100_000
"""Most requests that are kept in mind."""

_Content = tuple[str, int, bytes]


class Shown:
    """What was handed out. May be shared by threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._contents: dict[tuple[str, int], bytes | None] = {}

    def note(self, rows: Iterable[Row]) -> None:
        """Keep in mind that these rows of ``requests`` were handed out."""
        seen = [_content(row) for row in rows]
        with self._guard:
            for request_id, revision, content in seen:
                before = self._contents.setdefault((request_id, revision), content)
                if before != content:
                    self._contents[request_id, revision] = None  # nobody knows which of them is on the screen
            while len(self._contents) > _MOST:
                del self._contents[next(iter(self._contents))]

    def note_one(self, look: Look, request_id: str, revision: int) -> None:
        """`note`, for a request that was read in the same look."""
        row = _row(look, request_id, revision)
        if row is not None:
            self.note([row])

    def differs(self, look: Look, request_id: str, revision: int) -> bool:
        """Whether a request says something else now than when it was handed out; no if it never was."""
        row = _row(look, request_id, revision)
        if row is None or (request_id, revision) not in self._contents:
            return False
        return self._contents[request_id, revision] != _content(row)[2]


def _row(look: Look, request_id: str, revision: int) -> Row | None:
    return look.row(
        "SELECT id, revision, submission FROM requests WHERE id = ? AND revision = ?",
        pack_text(request_id),
        revision,
    )


def _content(row: Row) -> _Content:
    text = row["submission"].encode("utf-8", "surrogatepass")
    return row["id"], row["revision"], hashlib.sha256(text).digest()
