"""What the reviewer made of requests: hunks that are refused, and edits, also those that are drafts only."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection

from signoff.queue.records import Risk
from signoff_tui.changing import Change, choosable, toggled, units_of, with_marks
from signoff_tui.coverages import Coverages
from signoff_tui.documents import Content, ContentKey, ContentStore, content_key
from signoff_tui.editing import Editable, why_not_edited
from signoff_tui.inbox import Entry, Inbox

__all__ = ["OwnChanges"]

UNDONE = 10
"""Ticks that can be undone: more than typing can make before it is recognized."""


class OwnChanges:
    """Keeps what would run in place of what was asked.

    Args:
        inbox: The requests.
        contents: Their documents.
        coverages: What was shown of them: nobody need have seen what is refused.
    """

    def __init__(self, inbox: Inbox, contents: ContentStore, coverages: Coverages) -> None:
        self._inbox = inbox
        self._contents = contents
        self._coverages = coverages
        self._changes: dict[str, Change] = {}
        self._edits: dict[str, str] = {}
        self._marked: dict[str, tuple[Content, Content]] = {}
        self._ticks: deque[tuple[ContentKey, Change | None] | None] = deque(maxlen=UNDONE)

    def of(self, entry: Entry) -> Change | None:
        """What would run in place of what was asked; None if that is what was asked."""
        change, decision = self._changes.get(entry.id), entry.request.decision
        if change is None or change.of != content_key(entry.request):
            return None
        return change if decision is None or decision.instead == change.instead else None

    def risk(self, entry: Entry) -> Risk:
        """The risk of what an approval would run: an edit may raise it."""
        change = self.of(entry)
        risk = None if change is None else change.risk
        return risk or entry.request.submission.risk

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Forget all that was made of requests that are gone, by their ids."""
        self._marked = {key: made for key, made in self._marked.items() if not gone(key)}
        self._edits = {key: text for key, text in self._edits.items() if not gone(key)}
        self._changes = {key: change for key, change in self._changes.items() if not gone(key)}

    def _set(self, entry: Entry, change: Change | None) -> None:
        if change is None:
            self._changes.pop(entry.id, None)
        else:
            self._changes[entry.id] = change
        coverage = self._coverages.of(content_key(entry.request))
        if coverage is not None:
            coverage.waived = units_of(change)

    # -- choosing hunks ----------------------------------------------------------------------------------

    def may_choose(self, entry: Entry) -> bool:
        """Whether single hunks of the request may be refused."""
        content, change = self._contents.get(content_key(entry.request)), self.of(entry)
        if not entry.waiting or content is None or (change is not None and change.choice is None):
            return False
        return choosable(entry.request, content) is not None

    def toggle_hunks(self, entry: Entry, numbers: Collection[int]) -> Change | None:
        """Refuse hunks of a request that may be chosen, or approve them again; returns what comes of it."""
        content = self._contents.get(content_key(entry.request))
        assert content is not None
        before = self.of(entry)
        self._ticks.append((content_key(entry.request), before))
        self._set(entry, toggled(entry.request, content, before, numbers))
        return self.of(entry)

    def toggled_nothing(self) -> None:
        """Note that the key was pressed in vain: undoing it undoes nothing."""
        self._ticks.append(None)

    def undo_toggle(self) -> None:
        """Undo the last `toggle_hunks` or `toggled_nothing` that was not undone yet."""
        last = self._ticks.pop() if self._ticks else None
        if last is None:
            return
        key, before = last
        if key[0] not in self._inbox:
            return
        entry = self._inbox.entry(key[0])
        if content_key(entry.request) == key:  # hunks of an earlier revision are none of this one
            self._set(entry, before)

    def marked(self, entry: Entry, content: Content) -> Content:
        """The documents with marks at what may be chosen: made once, so that they are not drawn anew."""
        made = self._marked.get(entry.id)
        if made is None or made[0] is not content:
            made = self._marked[entry.id] = content, with_marks(entry.request, content)
        return made[1]

    # -- editing -----------------------------------------------------------------------------------------

    def why_not_edited(self, entry: Entry) -> str | None:
        """Why nothing of a request can be edited; None if something can."""
        content = self._contents.get(content_key(entry.request))
        if not entry.waiting or content is None:
            return "it does not wait, or was not opened yet"
        return why_not_edited(entry.request, content)

    def text_to_edit(self, entry: Entry, what: Editable) -> str:
        """What the editor begins with: the last edit, also one of an earlier revision, else what would run now."""
        change = self.of(entry)
        if change is not None and change.choice is not None and change.instead is not None and what.path:
            return (change.instead.content(what.path) or b"").decode()
        return self._edits.get(entry.id, what.text)

    def take_edit(
        self, entry: Entry, text: str, change: Change | None, of: ContentKey, *, failed: bool = False
    ) -> bool:
        """Keep an edit; False if it is kept as a draft only, because the request is another one by now.

        Args:
            entry: The request.
            text: What it was edited to.
            change: What comes of it; None if that is what was asked, or nothing.
            of: The contents that were edited.
            failed: Whether nothing can come of it.
        """
        self._edits[entry.id] = text
        if failed or of != content_key(entry.request) or not entry.waiting:
            return False
        if change is None:
            del self._edits[entry.id]
        else:
            self._coverages.count(change.content)
        self._set(entry, change)
        return True

    def keeps_edit(self, request_id: str) -> bool:
        """Whether an edit of a request is kept, be it what would run or a draft."""
        return request_id in self._edits

    def has_draft(self, entry: Entry) -> bool:
        """Whether an edit is kept that is not what would run."""
        return entry.id in self._edits and self.of(entry) is None
