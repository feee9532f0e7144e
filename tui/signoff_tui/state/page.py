"""The page of the reading pane: one request, and below it the members of its group that are still to be read.

It begins with one request and grows at its end while it is read: nobody waits for the end, and lines above the
reader stay.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from signoff.effects import Risk
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind, fixed, joined
from signoff.present.kinds import PresentationKind
from signoff.queue.records import StoredRequest
from signoff_tui.state.coverage import PaintedRow
from signoff_tui.state.documents import Content, ContentKey, raw_arguments
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.session import ReviewSession, first_unseen_of, is_unseen
from signoff_tui.text.lines import foreign
from signoff_tui.text.summary import RISK_WORD, summarize

__all__ = ["ContentPage", "Section", "page_from"]

LONGEST = 200
"""The most requests on one page; the next page has the others."""


class Section(Struct, frozen=True):
    """The part of a page that belongs to one request.

    Attributes:
        key: Its content, or None if that cannot be shown.
        request_id: The id of the request.
        document: The first document of it on the page.
        unit: Its first coverage unit on the page.
    """

    key: ContentKey | None
    request_id: str
    document: int
    unit: int


class ContentPage:
    """Contents one after another, with the owner of each line.

    Args:
        desk: The session, with the contents and their coverage.
        order: Ids of the requests, in their order; at least one.
    """

    def __init__(self, desk: ReviewSession, order: Sequence[str]) -> None:
        self._desk = desk
        self._order = list(order)
        self._made: dict[tuple[object, ...], Document] = {}
        self.owner = object()
        """The identity of the page."""
        self.sections: tuple[Section, ...] = ()
        self.documents: tuple[Document, ...] = ()
        self.wanted: Entry | None = None
        """The next request whose documents have to be made for the page to go on."""
        self.complete = False
        """True if every request is on the page, as it is now."""
        self._upto = 0
        self._units: list[int] = []
        self.first = desk.key(desk.inbox.entry(self._order[0]))
        """The content that the page began with."""
        self.renew()
        self.grow()

    @property
    def begins_as_it_did(self) -> bool:
        """True if it still begins with what it began with, and none of its requests is filtered out."""
        inbox, id_ = self._desk.inbox, self._order[0]
        there = id_ in inbox and self._desk.key(inbox.entry(id_)) == self.first
        return there and not any(id_ in inbox and not inbox.is_in_filter(id_) for id_ in self._order[1:])

    def renew(self) -> None:
        """Take over changed requests and new documents."""
        inbox = self._desk.inbox
        self._upto = sum(id_ in inbox for id_ in self._order[: self._upto])
        self._order = [id_ for id_ in self._order if id_ in inbox] or self._order[:1]
        sections: list[Section] = []
        documents: list[Document] = []
        units = 0
        changed: Entry | None = None
        for id_ in self._order[: self._upto]:
            entry = inbox.entry(id_)
            content, failure = self._desk.content(entry), self._desk.failure(entry)
            if content is None and failure is None:
                changed = changed or entry
            sections.append(Section(None if content is None else content.key, id_, len(documents), units))
            if sections[1:] or (content is None and failure is None):
                documents.append(self._heading(entry, content, failure))
            if content is not None:
                documents += content.documents
                units += content.units
            elif failure is not None:
                documents.append(self._made_once("arguments", entry, partial(raw_arguments, entry.request)))
        self.sections, self.documents = tuple(sections), tuple(documents)
        self._units = [section.unit for section in sections]
        following = self._following
        self.wanted = changed or (following if following is not None and not self._is_made(following) else None)
        self.complete = changed is None and following is None

    def grow(self) -> bool:
        """Put the next request on the page; False if there is none, or its documents are not made."""
        following = self._following
        if following is None or not self._is_made(following):
            return False
        self._upto += 1
        self.renew()
        return True

    @property
    def _following(self) -> Entry | None:
        """The first request that is not on the page yet."""
        id_ = self._order[self._upto] if self._upto < len(self._order) else None
        return self._desk.inbox.entry(id_) if id_ is not None and id_ in self._desk.inbox else None

    def _is_made(self, entry: Entry) -> bool:
        return self._desk.content(entry) is not None or self._desk.failure(entry) is not None

    def split(self, parts: Sequence[PaintedRow]) -> Mapping[ContentKey, Sequence[PaintedRow]]:
        """Return parts of the units of the page as parts of the units of the requests that they belong to."""
        split: dict[ContentKey, list[PaintedRow]] = {}
        for part in parts:
            section = self._section_of_unit(part.unit)
            if section.key is not None:
                unit = part.unit - section.unit
                split.setdefault(section.key, []).append(replace(part, unit=unit))
        return split

    def is_shown(self, unit: int) -> bool:
        """True if a unit of the page was shown; one of a request that does not wait need not be."""
        section = self._section_of_unit(unit)
        if section.key is None or section.request_id not in self._desk.inbox:
            return True
        coverage = self._desk.coverages.of(section.key)
        waits = self._desk.inbox.entry(section.request_id).waiting
        return not waits or coverage is None or coverage.is_shown(unit - section.unit)

    @property
    def missing(self) -> int:
        """The number of units of waiting requests on the page that were not shown yet."""
        inbox, found = self._desk.inbox, 0
        for section in self.sections:
            coverage = None if section.key is None else self._desk.coverages.of(section.key)
            if coverage is not None and section.request_id in inbox and inbox.entry(section.request_id).waiting:
                found += coverage.missing
        return found

    @property
    def first_unread(self) -> int | None:
        """The first unit of the first request that was not shown; None if none or all of them were."""
        key = self.sections[0].key if self.sections else None
        coverage = None if key is None else self._desk.coverages.of(key)
        if coverage is None or not 0 < coverage.shown < coverage.needed:
            return None
        return next((unit for unit in range(coverage.units) if not coverage.is_shown(unit)), None)

    def _section_of_unit(self, unit: int) -> Section:
        # A section without units begins where the next one does, and stands before it.
        return self.sections[bisect_right(self._units, unit) - 1]

    def section_at(self, document: int) -> Section | None:
        """Return the section that a document of the page belongs to; None on an empty page."""
        at = bisect_right([section.document for section in self.sections], document) - 1
        return self.sections[at] if at >= 0 else None

    def documents_of(self, request_id: str) -> range:
        """Return the numbers of the documents of a request; an empty range if it is not on the page."""
        starts = [*(section.document for section in self.sections), len(self.documents)]
        found = [at for at, section in enumerate(self.sections) if section.request_id == request_id]
        return range(starts[found[0]], starts[found[0] + 1]) if found else range(0)

    def __contains__(self, request_id: str) -> bool:
        return request_id in self._order

    def _heading(self, entry: Entry, content: Content | None, failure: str | None) -> Document:
        """The heading above a request."""
        return self._made_once(
            f"heading {failure}", entry, partial(_heading_document, self._desk.request(entry), content, failure)
        )

    def _made_once(self, what: str, entry: Entry, make: Callable[[], Document]) -> Document:
        """A document about a request, made once, so that its rows keep their identity."""
        name = (what, *self._desk.key(entry))
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def page_from(desk: ReviewSession, key: RowKey) -> ContentPage | None:
    """Return the page for a row of the list.

    That of a request begins with it, that of a group with its first member that is still to be read. What follows
    are the members below it that are still to be read.

    Args:
        desk: The session.
        key: The row.
    """
    inbox = desk.inbox
    if key.kind == "request":
        if key.id not in inbox:
            return None
        start, group = inbox.entry(key.id), inbox.entry(key.id).group
    else:
        listed = inbox.listed(key) or inbox.members(key)
        first = first_unseen_of(desk, key) or next(iter(listed), None)
        if first is None:
            return None
        start, group = first, key
    members = () if group is None else inbox.listed(group)
    ids = [entry.id for entry in members]
    below = members[ids.index(start.id) + 1 :] if start.id in ids else ()
    return ContentPage(desk, [start.id, *(entry.id for entry in below if is_unseen(desk, entry))][:LONGEST])


def _heading_document(request: StoredRequest, content: Content | None, failure: str | None) -> Document:
    summary, risk = summarize(request), request.submission.risk
    counts = f"  +{content.added} -{content.removed}" if content and (content.added or content.removed) else ""
    danger = "  HIGH: decide it alone" if risk is Risk.HIGH else f"  {RISK_WORD[risk]} risk"
    title = joined(f"{summary.letter} ", summary.named, f"{counts}{danger}")
    if content is not None:
        notes = [*content.alerts, *(() if content.complete else content.notes)]
    elif failure is not None:
        notes = [f"cannot be shown ({failure}): its arguments follow"]
    else:
        notes = ["it changed: preparing what it would do now"]
    runs = [fixed(RowKind.FILE, title), *(fixed(RowKind.NOTE, foreign(words).text) for words in notes)]
    return Document(PresentationKind.TEXT, runs)
