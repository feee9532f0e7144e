"""Amendments: hunks refused and calls edited before approval, as drafts of one screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from signoff.effects import Risk
from signoff.present.diff.refine import HunkChoice, applied
from signoff.present.document.model import Choosing
from signoff.queue.amendment import PARTIAL, Instead
from signoff.queue.records import StoredRequest
from signoff_tui.state.coverage import Coverages
from signoff_tui.state.documents import Content, ContentKey, ContentStore, content_key
from signoff_tui.state.inbox import Entry, Inbox

if TYPE_CHECKING:
    from signoff_tui.state.edits import Editable

__all__ = [
    "EDITED",
    "AmendedCall",
    "OwnChanges",
    "choosable",
    "toggled",
    "units_of",
    "with_marks",
]


UNDONE = 10
"""The most toggles that can be undone: more than typing can make before it is recognized."""


class OwnChanges:
    """The amendments of requests on this screen, before they are approved.

    Args:
        inbox: The requests.
        contents: Their documents.
        coverages: Their coverage: refused hunks need not have been seen.
    """

    def __init__(self, inbox: Inbox, contents: ContentStore, coverages: Coverages) -> None:
        self._inbox = inbox
        self._contents = contents
        self._coverages = coverages
        self._changes: dict[str, AmendedCall] = {}
        self._edits: dict[str, str] = {}
        self._comparing: set[str] = set()
        self._marked: dict[str, tuple[Content, Content]] = {}
        self._ticks: deque[tuple[ContentKey, AmendedCall | None] | None] = deque(maxlen=UNDONE)

    def of(self, entry: Entry) -> AmendedCall | None:
        """Return the amendment of a request; None if it would run as it was asked."""
        request = entry.request
        change, decision = self._changes.get(request.id), request.decision
        if change is None or change.of != content_key(request):
            return None
        return change if decision is None or decision.instead == change.instead else None

    def request(self, entry: Entry) -> StoredRequest:
        """Return a request about the call that an approval would run: an edit has a name and a risk of its own."""
        change = self.of(entry)
        return entry.request if change is None else change.request

    def risk(self, entry: Entry) -> Risk:
        """Return the risk of the call that an approval would run."""
        return self.request(entry).submission.risk

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Forget the amendments of requests that are gone, by their ids."""
        self._marked = {key: made for key, made in self._marked.items() if not gone(key)}
        self._edits = {key: text for key, text in self._edits.items() if not gone(key)}
        self._comparing = {key for key in self._comparing if not gone(key)}
        self._changes = {key: change for key, change in self._changes.items() if not gone(key)}

    def _set(self, entry: Entry, change: AmendedCall | None) -> None:
        if change is None:
            self._changes.pop(entry.id, None)
        else:
            self._changes[entry.id] = change
        coverage = self._coverages.of(content_key(entry.request))
        if coverage is not None:
            coverage.waived = units_of(change)

    # -- choosing hunks ----------------------------------------------------------------------------------

    def may_choose(self, entry: Entry) -> bool:
        """True if single hunks of the request may be refused."""
        content, change = self._contents.get(content_key(entry.request)), self.of(entry)
        if not entry.waiting or content is None or (change is not None and change.choice is None):
            return False
        return choosable(entry.request, content) is not None

    def toggle_hunks(self, entry: Entry, numbers: Collection[int]) -> AmendedCall | None:
        """Refuse hunks of a request that may be chosen, or approve them again; returns the amendment."""
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
        if content_key(entry.request) == key:  # hunks of an earlier revision do not belong to this one
            self._set(entry, before)

    def marked(self, entry: Entry, content: Content) -> Content:
        """Return the documents with marks at hunks to choose: made once, so that they are not drawn anew."""
        made = self._marked.get(entry.id)
        if made is None or made[0] is not content:
            made = self._marked[entry.id] = content, with_marks(entry.request, content)
        return made[1]

    # -- editing -----------------------------------------------------------------------------------------

    def text_to_edit(self, entry: Entry, what: Editable) -> str:
        """Return the text to go on from: the last edit, even of an earlier revision, else the present text."""
        change = self.of(entry)
        if change is not None and change.choice is not None and change.instead is not None and what.path:
            return (change.instead.content(what.path) or b"").decode()
        return self._edits.get(entry.id, what.text)

    def keep_draft(self, request_id: str, what: Editable, text: str) -> None:
        """Keep an edit that was not accepted; one that changes nothing is dropped."""
        if text and text != what.text:
            self._edits[request_id] = text
        else:
            self._edits.pop(request_id, None)

    def compare(self, entry: Entry) -> None:
        """Note that an edit was accepted and is compared: until `take_edit` there is nothing to approve."""
        self._comparing.add(entry.id)

    def is_compared(self, entry: Entry) -> bool:
        """True while an edit of a request is compared with what was asked."""
        return entry.id in self._comparing

    def take_edit(
        self, entry: Entry, text: str, change: AmendedCall | None, of: ContentKey, *, failed: bool = False
    ) -> bool:
        """Keep an edit; False if it is kept as a draft only, because the request has changed.

        Args:
            entry: The request.
            text: The edited text.
            change: The amendment; None if the text says what was asked, or cannot run.
            of: The contents that were edited.
            failed: True if the text cannot run.
        """
        self._comparing.discard(entry.id)
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
        """True if an edit of a request is kept, as an amendment or as a draft."""
        return request_id in self._edits


# -- Amendments by a reviewer before approving: hunks that are refused, or an edit. No widgets.
#
# An amended approval covers exactly the amendment that is kept here, once. The armed target, the held and the sent
# decision name it by its digest, so that another toggle makes another target.

_LONGEST_NAME = 1_000
"""The most characters of a path, from its end, that the agent is told of a refusal."""

EDITED = "edited by you"
"""Stands beside the name of an edited call."""

NOTHING = "nothing"
"""Stands for the digest of the amendment if every hunk is refused."""


class AmendedCall(Struct, frozen=True):
    """The call that would run in place of the one that was asked.

    Attributes:
        of: The key of the contents that it was made from; it does not apply to others.
        request: The request about the call that would run, by which it is named; of an edit with its risk.
        content: The shown content: with marks if hunks are chosen; with a key of its own for an edit.
        instead: The amendment; None if all hunks are refused, and there is nothing to approve.
        summary: The approved part in words, such as ``3 of 5 hunks``.
        choice: The approved hunks; None for an edit.
    """

    of: ContentKey
    request: StoredRequest
    content: Content
    instead: Instead | None
    summary: str
    choice: HunkChoice | None = None

    @property
    def digest(self) -> str:
        """The digest by which the guard knows it."""
        return NOTHING if self.instead is None else self.instead.digest

    @property
    def short(self) -> str:
        """The `summary` of a choice for little room: ``3/5``."""
        assert self.choice is not None
        return f"{len(self.choice.hunks) - len(self.choice.refused)}/{len(self.choice.hunks)}"


def choosable(request: StoredRequest, content: Content) -> Choosing | None:
    """Return the hunks of a request that may be approved one by one; None if its agent cannot honor that.

    One hunk is no choice: refusing it is rejecting the request.
    """
    if PARTIAL not in request.submission.supports:
        return None
    found = [document.choosing for document in content.documents if document.choosing is not None]
    return found[0] if len(found) == 1 and len(found[0].hunks) > 1 else None


def with_marks(request: StoredRequest, content: Content, choice: HunkChoice | None = None) -> Content:
    """Return the content with a mark at each hunk to choose; as it is without any."""
    choosing = choosable(request, content)
    if choosing is None:
        return content
    marked = choice or HunkChoice(choosing.hunks)
    documents = tuple(
        document if document.choosing is None else document.choosing.chosen(marked)
        for document in content.documents
    )
    return replace(content, documents=documents)


def toggled(
    request: StoredRequest, content: Content, before: AmendedCall | None, numbers: Collection[int]
) -> AmendedCall | None:
    """Refuse hunks, or approve them again.

    Args:
        request: The request; its hunks are choosable.
        content: Its documents.
        before: The amendment so far, if there is one.
        numbers: The numbers of the hunks.

    Returns:
        The amendment; None if nothing is refused any more, so that the call would run as asked.
    """
    choosing = choosable(request, content)
    assert choosing is not None
    already = before.choice if before is not None else None
    choice = (already or HunkChoice(choosing.hunks)).toggled(numbers)
    if not choice.refused:
        return None
    shown = with_marks(request, content, choice)
    instead = None if choice.nothing_left else _part(request, shown, choice)
    return AmendedCall(content.key, request, shown, instead, choice.summary, choice)


def units_of(change: AmendedCall | None) -> frozenset[int]:
    """Return the coverage units of refused hunks, which nobody need have seen."""
    if change is None or change.choice is None:
        return frozenset()
    content, choice = change.content, change.choice
    units: set[int] = set()
    first = 0
    for document in content.documents:
        if document.choosing is not None:
            ends = [*document.hunks[1:], len(document)]
            for number in choice.refused:
                inside = document.units_in(document.hunks[number], ends[number])
                units.update(first + unit for unit in inside)
        first += document.units
    return frozenset(units)


def _part(request: StoredRequest, content: Content, choice: HunkChoice) -> Instead:
    document = next(document for document in content.documents if document.choosing is not None)
    path = document.path or ""
    text = applied(document.source("old"), document.source("new"), choice)
    name = path.removeprefix(f"{request.submission.cwd.rstrip('/')}/")
    name = name if len(name) <= _LONGEST_NAME else f"...{name[-_LONGEST_NAME:]}"
    refused = tuple(f"{name} {choice.hunks[number].lines}" for number in sorted(choice.refused))
    return Instead.of_contents({path: text.encode()}, refused=refused, summary=choice.summary)
