"""Whether the world is still as the request in focus shows it: files it would change, directories it would run in.

An approval of what is not so any more does no harm: the tool refuses to carry it out, and the call is asked about
again. To know it before saves reading what will not run. Only what lies on this machine is looked at, and only
while somebody looks at the request. A place on a drive that does not answer is never waited for in the event loop:
what touches a path is in functions that are called aside.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from msgspec import Struct

from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import FileChange, SnapshotError
from signoff.queue.records import StoredRequest
from signoff.queue.sqlite.locks import this_host
from signoff_tui.file_watch import FileWatch
from signoff_tui.state.documents import ContentKey, content_key

__all__ = ["DriftWatch", "FilesNow", "Looked", "drift_of"]

_MOST_WATCHED = 200
"""Places that are watched; of a request with more, the first. A longer list would keep the screen waiting."""

_MOST_TOLD = 5
"""Reasons that are told one by one."""


class Looked(Struct, frozen=True):
    """What is known of the files of a request.

    Attributes:
        key: What was looked at.
        reasons: Why it is no longer as shown, one plain and safe sentence each; empty while it is.
        unseen: Whether the files did not answer so far, so that nobody knows.
    """

    key: ContentKey
    reasons: tuple[str, ...] = ()
    unseen: bool = False


class FilesNow(Struct, frozen=True):
    """A look at the files of one request.

    Attributes:
        request: The request.
        watch: Is told first where they lie, so that nothing that happens after the look is missed.
    """

    request: StoredRequest
    watch: FileWatch

    def __call__(self) -> tuple[str, ...]:
        """Look; it may take long, or never end."""
        snapshot = _snapshot(self.request)
        if snapshot is not None:
            places = (step.path if isinstance(step, FileChange) else step.cwd for step in snapshot.steps)
            self.watch.watch(map(Path, islice(dict.fromkeys(places), _MOST_WATCHED)))
        return drift_of(self.request)


def drift_of(request: StoredRequest) -> tuple[str, ...]:
    """Look at the files of a request; it may take long.

    Returns:
        Why it is no longer as shown, one plain and safe sentence each; empty while it is, or if that cannot be
        seen from here.
    """
    snapshot = _snapshot(request)
    reasons = () if snapshot is None else snapshot.drift()
    more = len(reasons) - _MOST_TOLD
    return (*reasons[:_MOST_TOLD], f"{more:,} more of what it names changed") if more > 1 else reasons


class DriftWatch:
    """Says when to look at the files of one request.

    Args:
        look: Called in the event loop with what is to be done aside: at first, and whenever a file was touched.
    """

    def __init__(self, look: Callable[[FilesNow], None]) -> None:
        self._look = look
        self._request: StoredRequest | None = None
        self._watch: FileWatch | None = None

    @property
    def key(self) -> ContentKey | None:
        """What is looked at."""
        return None if self._request is None else content_key(self._request)

    def follow(self, request: StoredRequest | None) -> None:
        """Look at this request from now on, and at no other.

        Args:
            request: What somebody looks at and still waits; None if there is nothing such.
        """
        key = None if request is None else content_key(request)
        if key == self.key:
            return
        self.stop()
        self._request = request
        snapshot = None if request is None else _snapshot(request)
        if request is None or snapshot is None or not snapshot.steps:
            return
        self._watch = FileWatch(self._touched)
        self._watch.start()
        self._look(FilesNow(request, self._watch))

    def stop(self) -> None:
        """Look at nothing any more."""
        if self._watch is not None:
            self._watch.stop()
        self._watch = self._request = None

    def _touched(self) -> None:
        if self._request is not None and self._watch is not None:
            self._look(FilesNow(self._request, self._watch))


def _snapshot(request: StoredRequest) -> Snapshot | None:
    stored = request.submission.snapshot
    if stored is None or request.asked_by.host != this_host():
        return None
    try:
        return Snapshot.from_json(dict(stored), _no_content)
    except SnapshotError:
        return None  # the document says so


def _no_content(sha256: str) -> bytes:
    raise SnapshotError(f"content {sha256} is not needed to look at files")
