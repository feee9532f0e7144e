"""All contents of a group one after another, as one page, with the owner of each line.

The page has the members in the order of the list when it was opened; later members come at the end. It begins with
the first of them and grows at its end while it is read: nobody waits for the end, and lines above the reader stay.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct

from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind, fixed, joined
from signoff.present.kinds import PresentationKind
from signoff.queue.records import Risk
from signoff_tui.state.coverage import PaintedRow
from signoff_tui.state.documents import Content, ContentKey, content_key
from signoff_tui.state.inbox import Entry, RowKey
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.lines import foreign
from signoff_tui.text.summary import RISK_WORD, summarize

__all__ = ["GroupPage", "Section"]

LONGEST = 200
"""The most members on one page; others have to be read one by one."""


class Section(Struct, frozen=True):
    """The part of a page that belongs to one member.

    Attributes:
        key: Its content, or None if that cannot be shown.
        request_id: The id of the member.
        document: The first document of it on the page: its heading.
        unit: Its first coverage unit on the page.
    """

    key: ContentKey | None
    request_id: str
    document: int
    unit: int


class GroupPage:
    """The page of one group.

    Args:
        desk: The session, with the contents and their coverage.
        group: The key of the group.
    """

    def __init__(self, desk: ReviewSession, group: RowKey) -> None:
        self._desk = desk
        self.group = group
        self._order: list[str] = []
        self._headings: dict[tuple[object, ...], Document] = {}
        self.owner = object()
        """The identity of the page, different from other documents and other pages of the group."""
        self.sections: tuple[Section, ...] = ()
        self.documents: tuple[Document, ...] = ()
        self.wanted: Entry | None = None
        """The next member whose documents have to be made for the page to go on."""
        self.complete = False
        """True if every member with room is on the page, as it is now."""
        self._upto = 0
        self._units: list[int] = []
        self.left_out = 0
        """The number of members without room on the page."""
        self.renew()
        self.grow()

    def renew(self) -> None:
        """Take over new members, changed ones, and new documents."""
        inbox = self._desk.inbox
        listed = [entry.id for entry in inbox.listed(self.group) if entry.request.pending]
        known = set(self._order)
        self._upto = sum(id_ in inbox for id_ in self._order[: self._upto])
        self._order = [id_ for id_ in self._order if id_ in inbox]
        self._order += [id_ for id_ in listed if id_ not in known]
        self.left_out = max(len(self._order) - LONGEST, 0)
        del self._order[LONGEST:]
        sections: list[Section] = []
        documents: list[Document] = []
        units = 0
        changed: Entry | None = None
        for number, id_ in enumerate(self._order[: self._upto], 1):
            entry = inbox.entry(id_)
            content, failure = self._asked(entry), self._desk.failure(entry)
            if content is None and failure is None:
                changed = changed or entry
            key = None if content is None else content.key
            sections.append(Section(key, id_, len(documents), units))
            documents.append(self._heading(number, entry, content, failure))
            if content is not None:
                documents += content.documents
                units += content.units
        self.sections, self.documents = tuple(sections), tuple(documents)
        self._units = [section.unit for section in sections]
        following = self._following
        self.wanted = changed or (following if following is not None and not self._is_made(following) else None)
        self.complete = changed is None and following is None

    def grow(self) -> bool:
        """Put the next member on the page; False if there is none, or its documents are not made."""
        following = self._following
        if following is None or not self._is_made(following):
            return False
        self._upto += 1
        self.renew()
        return True

    @property
    def made(self) -> int:
        """The number of members that are on the page so far."""
        return self._upto

    @property
    def members(self) -> int:
        """The number of members with room on the page, whether they are on it already or not."""
        return len(self._order)

    @property
    def _following(self) -> Entry | None:
        """The first member that is not on the page yet."""
        return self._desk.inbox.entry(self._order[self._upto]) if self._upto < len(self._order) else None

    def _is_made(self, entry: Entry) -> bool:
        return self._asked(entry) is not None or self._desk.failure(entry) is not None

    def _asked(self, entry: Entry) -> Content | None:
        """The content as asked: an amendment is shown, and approved, on its own."""
        return self._desk.contents.get(content_key(entry.request))

    def split(self, parts: Sequence[PaintedRow]) -> Mapping[ContentKey, Sequence[PaintedRow]]:
        """Return parts of the units of the page as parts of the units of the members that they belong to."""
        split: dict[ContentKey, list[PaintedRow]] = {}
        for part in parts:
            section = self._section_of_unit(part.unit)
            if section.key is not None:
                unit = part.unit - section.unit
                split.setdefault(section.key, []).append(PaintedRow(unit, part.index, part.count))
        return split

    def is_shown(self, unit: int) -> bool:
        """True if a unit of the page was shown; one of a request decided meanwhile need not be."""
        section = self._section_of_unit(unit)
        entry = self._desk.inbox.entry(section.request_id)
        coverage = self._desk.asked_coverage(entry)
        return not entry.waiting or coverage is None or coverage.is_shown(unit - section.unit)

    def _section_of_unit(self, unit: int) -> Section:
        # A section without units begins where the next one does, and stands before it.
        return self.sections[bisect_right(self._units, unit) - 1]

    def section_at(self, document: int) -> int:
        """Return the section that a document of the page belongs to."""
        return max(bisect_right([section.document for section in self.sections], document) - 1, 0)

    def section_of(self, request_id: str) -> Section | None:
        """Return the section of a member, if it is on the page already."""
        return next((section for section in self.sections if section.request_id == request_id), None)

    @property
    def shown(self) -> tuple[int, int]:
        """The number of shown units, and of all units, of waiting members on the page."""
        entries = [self._desk.inbox.entry(section.request_id) for section in self.sections]
        coverages = [self._desk.asked_coverage(entry) for entry in entries if entry.waiting]
        known = [coverage for coverage in coverages if coverage is not None]
        return sum(coverage.shown for coverage in known), sum(coverage.needed for coverage in known)

    def _heading(self, number: int, entry: Entry, content: Content | None, failure: str | None) -> Document:
        """The heading above a member, made once, so that rows keep their identity."""
        change = self._desk.changes.of(entry)
        changed = "" if change is None else "you edited it" if change.choice is None else "you refused parts of it"
        name = (number, len(self._order), content_key(entry.request), failure, changed)
        if name not in self._headings:
            self._headings[name] = _heading_document(
                f"{number}/{len(self._order)}", entry, content, failure, changed=changed
            )
        return self._headings[name]


def _heading_document(
    number: str, entry: Entry, content: Content | None, failure: str | None, *, changed: str
) -> Document:
    summary, risk = summarize(entry.request), entry.request.submission.risk
    counts = f"  +{content.added} -{content.removed}" if content and (content.added or content.removed) else ""
    danger = "  HIGH: decide it alone" if risk is Risk.HIGH else f"  risk {RISK_WORD[risk]}"
    title = joined(f"{number}  {summary.letter} ", summary.tool, "  ", summary.what, f"{counts}{danger}")
    if content is not None:
        notes = [*content.alerts, *(() if content.complete else content.notes)]
    else:
        again = "it changed: preparing what it would do now"
        notes = [again if failure is None else f"cannot be shown: {failure}"]
    if changed:
        notes.insert(0, f"{changed}: decide it alone, this is what was asked")
    runs = [fixed(RowKind.FILE, title), *(fixed(RowKind.NOTE, foreign(words).text) for words in notes)]
    return Document(PresentationKind.TEXT, runs)
