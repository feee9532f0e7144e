"""What a reviewer makes of a request before approving it: hunks that are refused, or an edit. No widgets.

An approval of something else than was asked covers exactly what is kept here, once. What the guard arms for, what
is held and what is sent name it by its digest, so that another tick is another thing to approve.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from signoff.present.diff.refine import Choice, applied
from signoff.present.document.model import Choosing
from signoff.queue.amendment import PARTIAL, Instead
from signoff.queue.records import Risk, StoredRequest
from signoff_tui.documents import Content, ContentKey

__all__ = ["Change", "choosable", "toggled", "units_of", "with_marks"]

_LONGEST_NAME = 1_000
"""Characters of a path that the agent is told of what was refused, from its end."""

NOTHING = "nothing"
"""Stands for the digest of what would run where every hunk is refused."""


class Change(Struct, frozen=True):
    """What would run in place of what was asked.

    Attributes:
        of: The contents that it was made from; others are not changed by it.
        content: What is shown. With hunks chosen it is the same with marks; of an edit it has a key of its own.
        instead: What would run; None if all of it is refused, and there is nothing to approve.
        summary: What is approved, such as ``3 of 5 hunks``.
        choice: Which hunks are approved; None for an edit.
        risk: Of what would run; None if it is that of what was asked.
    """

    of: ContentKey
    content: Content
    instead: Instead | None
    summary: str
    choice: Choice | None = None
    risk: Risk | None = None

    @property
    def digest(self) -> str:
        """What the guard knows it by."""
        return NOTHING if self.instead is None else self.instead.digest

    @property
    def short(self) -> str:
        """`summary` where there is hardly any room: ``3/5``, or ``edited``."""
        if self.choice is None:
            return "edited"
        return f"{len(self.choice.hunks) - len(self.choice.refused)}/{len(self.choice.hunks)}"


def choosable(request: StoredRequest, content: Content) -> Choosing | None:
    """The hunks of a request that may be approved one by one; None if its agent cannot honor that.

    One hunk is no choice: to refuse it is to reject the request.
    """
    if PARTIAL not in request.submission.supports:
        return None
    found = [document.choosing for document in content.documents if document.choosing is not None]
    return found[0] if len(found) == 1 and len(found[0].hunks) > 1 else None


def with_marks(request: StoredRequest, content: Content, choice: Choice | None = None) -> Content:
    """The content with a mark at each hunk that may be approved or refused; as it is where there are none."""
    choosing = choosable(request, content)
    if choosing is None:
        return content
    marked = choice or Choice(choosing.hunks)
    documents = tuple(
        document if document.choosing is None else document.choosing.chosen(marked)
        for document in content.documents
    )
    return replace(content, documents=documents)


def toggled(
    request: StoredRequest, content: Content, before: Change | None, numbers: Collection[int]
) -> Change | None:
    """Refuse hunks, or approve them again.

    Args:
        request: What was asked; its hunks are choosable.
        content: Its documents.
        before: What was changed so far, if anything.
        numbers: Of the hunks.

    Returns:
        The change; None if nothing is refused any more, so that what was asked would run.
    """
    choosing = choosable(request, content)
    assert choosing is not None
    already = before.choice if before is not None else None
    choice = (already or Choice(choosing.hunks)).toggled(numbers)
    if not choice.refused:
        return None
    shown = with_marks(request, content, choice)
    instead = None if choice.nothing_left else _part(request, shown, choice)
    return Change(content.key, shown, instead, choice.summary, choice)


def units_of(change: Change | None) -> frozenset[int]:
    """The coverage units of the hunks that are refused: nobody need have seen them."""
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


def _part(request: StoredRequest, content: Content, choice: Choice) -> Instead:
    document = next(document for document in content.documents if document.choosing is not None)
    path = document.path or ""
    text = applied(document.source("old"), document.source("new"), choice)
    name = path.removeprefix(f"{request.submission.cwd.rstrip('/')}/")
    name = name if len(name) <= _LONGEST_NAME else f"...{name[-_LONGEST_NAME:]}"
    refused = tuple(f"{name} {choice.hunks[number].lines}" for number in sorted(choice.refused))
    return Instead.of_contents({path: text.encode()}, refused=refused, summary=choice.summary)
