"""Drift: files and directories that are not as the request in focus shows them any more.

An approval of an outdated request does no harm: the tool refuses to run it, and the call is asked about again. To
know it earlier saves reading in vain. Only files of this machine are looked at, and only while somebody looks at
the request. The event loop never waits for a drive that does not answer: functions that touch a path run beside
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from msgspec import Struct

from signoff.command_review import removed_now
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import CommandRun, FileChange, SnapshotError
from signoff.queue.records import StoredRequest
from signoff.queue.sqlite.locks import this_host
from signoff_tui.file_watch import FileWatch
from signoff_tui.state.documents import ContentKey, content_key

__all__ = ["DriftWatch", "FilesNow", "Looked", "drift_of"]

_MOST_WATCHED = 200
"""The most places that are watched; a longer list would keep the screen waiting."""

_MOST_TOLD = 5
"""The most reasons that are listed one by one."""


class Looked(Struct, frozen=True):
    """The known state of the files of a request.

    Attributes:
        key: The key of the content that was looked at.
        reasons: The differences, one plain and safe sentence each; empty without any.
        unseen: True if the files did not answer so far, so that nobody knows.
        removed: What its commands would remove, as it is now, in plain and safe words.
    """

    key: ContentKey
    reasons: tuple[str, ...] = ()
    unseen: bool = False
    removed: tuple[str, ...] = ()


class FilesNow(Struct, frozen=True):
    """A look at the files of one request.

    Attributes:
        request: The request.
        watch: Gets their paths first, so that no change after the look is missed.
    """

    request: StoredRequest
    watch: FileWatch

    def __call__(self) -> Looked:
        """Look; it may take long, or never end."""
        snapshot = _snapshot(self.request)
        if snapshot is not None:
            places = (step.path if isinstance(step, FileChange) else step.cwd for step in snapshot.steps)
            self.watch.watch(map(Path, islice(dict.fromkeys(places), _MOST_WATCHED)))
        return Looked(content_key(self.request), drift_of(self.request), removed=_removed(snapshot))


def _removed(snapshot: Snapshot | None) -> tuple[str, ...]:
    """Name the files and directories that the commands of a call would remove."""
    commands = () if snapshot is None else (step for step in snapshot.steps if isinstance(step, CommandRun))
    removing = (step for step in commands if re.search(r"\brm\b", step.command))
    return tuple(words for step in removing for words in removed_now(step.command, step.real_cwd))


def drift_of(request: StoredRequest) -> tuple[str, ...]:
    """Look at the files of a request; it may take long.

    Returns:
        The differences, one plain and safe sentence each; empty without any, or if they cannot be seen from here.
    """
    snapshot = _snapshot(request)
    reasons = () if snapshot is None else snapshot.drift()
    more = len(reasons) - _MOST_TOLD
    return (*reasons[:_MOST_TOLD], f"{more:,} more of what it names changed") if more > 1 else reasons


class DriftWatch:
    """Decides when to look at the files of one request.

    Args:
        look: Called in the event loop with work for a thread: at first, and whenever a file was touched.
    """

    def __init__(self, look: Callable[[FilesNow], None]) -> None:
        self._look = look
        self._request: StoredRequest | None = None
        self._watch: FileWatch | None = None

    @property
    def key(self) -> ContentKey | None:
        """The key of the content that is looked at."""
        return None if self._request is None else content_key(self._request)

    def follow(self, request: StoredRequest | None) -> None:
        """Look at this request from now on, and at no other.

        Args:
            request: The waiting request in focus; None if there is none.
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
        """Stop looking."""
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
