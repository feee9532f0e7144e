"""Tags: requests that the person picked one by one, to act on all of them at once.

A tag is on the contents at the time of tagging: it falls when the request changes, ends or is decided, but not
when a decision about the others leaves it out. While anything is tagged, the keys of groups act on exactly that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from signoff_tui.guard import Ref
from signoff_tui.state.inbox import Entry, Inbox, ref_of

__all__ = ["TAGGED", "Tags"]

TAGGED = "tagged"
"""Stands for the tagged set where a group has its id."""

REMEMBERED = 10
"""The most changes that can be undone: more than typing can make before it is recognized."""


class Tags:
    """The tagged requests.

    Args:
        inbox: The requests that can be tagged.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._refs: dict[str, Ref] = {}
        self._before: deque[dict[str, Ref]] = deque(maxlen=REMEMBERED)

    def __contains__(self, request_id: object) -> bool:
        return isinstance(request_id, str) and self._holds(request_id)

    def __len__(self) -> int:
        return len(self.refs)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The references of the tagged requests, in the order of tagging."""
        self._refs = {id_: ref for id_, ref in self._refs.items() if self._holds(id_)}
        return tuple(self._refs.values())

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the tagged requests."""
        return tuple(self._inbox.entry(ref.id) for ref in self.refs)

    def toggle(self, entries: Iterable[Entry]) -> bool | None:
        """Tag the waiting ones of some requests; or untag them, if all are tagged.

        Returns:
            True if they are tagged now; None if none of them waits.
        """
        waiting = [entry for entry in entries if entry.waiting]
        self._before.append(dict(self._refs))
        if not waiting:
            return None
        tagged = not all(entry.id in self for entry in waiting)
        for entry in waiting:
            self._refs.pop(entry.id, None)
            if tagged:
                self._refs[entry.id] = ref_of(entry)
        return tagged

    def clear(self) -> None:
        """Untag everything."""
        self._before.append(dict(self._refs))
        self._refs.clear()

    def decided(self, refs: Iterable[Ref]) -> None:
        """Note a decision, about tagged requests or others: those that it left out stay tagged."""
        for ref in refs:
            self._refs.pop(ref.id, None)

    def undo(self) -> None:
        """Undo the last change of the tags that was not undone yet."""
        if self._before:
            self._refs = self._before.pop()

    def _holds(self, request_id: str) -> bool:
        ref = self._refs.get(request_id)
        if ref is None or request_id not in self._inbox:
            return False
        entry = self._inbox.entry(request_id)
        return entry.request.pending and not entry.sent and ref_of(entry) == ref
