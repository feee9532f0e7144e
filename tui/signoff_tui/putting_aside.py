"""Puts requests aside for later, and takes them back."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from signoff_tui.inbox import Entry, Inbox

__all__ = ["PuttingAside"]

UNDONE = 10
"""Changes between waiting and later that can be undone: more than typing can make before it is recognized."""


class PuttingAside:
    """Keeps what waits and what comes later apart.

    Args:
        inbox: The requests.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._before: deque[dict[str, bool]] = deque(maxlen=UNDONE)

    def toggle(self) -> bool | None:
        """Put the request under the cursor aside, or what waits of the group, or take it back.

        Returns:
            Whether it is aside now; None if there is nothing to put aside.
        """
        group, entry = self._inbox.focused_group(), self._inbox.focused_request()
        if entry is not None:
            members: Sequence[Entry] = (entry,)
        else:
            members = () if group is None else self._inbox.listed(group.key)
        waiting = [member for member in members if member.waiting]
        if not waiting:
            self._before.append({})  # to undo this key undoes nothing
            return None
        aside = not all(member.later for member in waiting)
        self._before.append({member.id: member.later for member in waiting})
        self._inbox.set_later([member.id for member in waiting], later=aside)
        return aside

    def undo(self) -> None:
        """Undo the last `toggle` that was not undone yet."""
        if self._before:
            for request_id, later in self._before.pop().items():
                if request_id in self._inbox:
                    self._inbox.set_later([request_id], later=later)
