"""The values for the templates of the reviewer's page: words that are safe to show, and nothing else.

Every text of an agent goes through `signoff.present.reveal` here, or where the command line makes it safe too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from signoff.canonical import canonical
from signoff.command_review import told_command
from signoff.effects import Risk
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.rows import RowKind, number_of
from signoff.present.reveal import clipped, one_line
from signoff.present.snapshot.steps import SnapshotError
from signoff.queue.grant_coverage import never_remembered, reach_of
from signoff.queue.wording import agent_exited, was_not_run
from signoff.shown_request.command_parts import parts_heading, parts_lines
from signoff.shown_request.content import SIGN_OF_ROW, content_of
from signoff.shown_request.facts import end_of, fact_lines, session_reach, warnings_of
from signoff.shown_request.row import kind_of, short_id, tool_of, what_of
from signoff.text.outcome import outcome_text
from signoff.text.risk import risk_reasons
from signoff.text.time import iso, length_text, local_time

if TYPE_CHECKING:
    from signoff.present.document.model import Document
    from signoff.present.document.rows import Row
    from signoff.queue.history import HistoryRecord
    from signoff.queue.lookahead import UpcomingCall
    from signoff.queue.records import DecideResult, Decision, StoredRequest

__all__ = [
    "CONTEXT",
    "MOST_ROWS",
    "HeldMember",
    "HistoryLine",
    "PageRoom",
    "RequestGroup",
    "RequestLine",
    "ShownContent",
    "WholeRequest",
    "decision_words",
    "fingerprint",
    "group_key",
    "held_member",
    "history_line",
    "note_lines",
    "request_groups",
    "request_line",
    "shown_content",
    "whole_request",
]

CONTEXT = 3
"""Unchanged lines around each change, unless more are asked for."""

MOST_ROWS = 4000
MOST_CHARACTERS = 1_000_000
"""Limits of a page. What is left out is counted, and then not everything is shown."""

_WIDTH = 300
_NAME_WIDTH = 60

_RISK = {Risk.LOW: "low risk", Risk.MEDIUM: "medium risk", Risk.HIGH: "HIGH risk"}

_SPOKEN = {RowKind.ADDED: "added", RowKind.REMOVED: "removed"}
"""Words for signs that screen readers skip."""

_SHOWN_ELSEWHERE = frozenset({"risk", "what"})

Load = Callable[[str], bytes]


# -- What waits, a line each.


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A request on one line."""

    id: str
    short: str
    risk: str
    risk_words: str
    kind: str
    agent: str
    session: str
    tool: str
    what: str
    age: str
    since: str
    warnings: int


@dataclass(frozen=True, slots=True)
class RequestGroup:
    """Requests that belong together, or one that belongs to none, which has no name."""

    key: str
    name: str
    announced: int | None
    lines: tuple[RequestLine, ...]

    @property
    def agents(self) -> str:
        """The names of its agents."""
        return ", ".join(dict.fromkeys(each.agent for each in self.lines))


def request_line(request: StoredRequest, now: int) -> RequestLine:
    """Describe a request on one line.

    Args:
        request: The request.
        now: The present, in microseconds since the epoch.
    """
    call = request.submission
    end = request.decided_at if request.decided_at is not None else now
    return RequestLine(
        request.id,
        short_id(request.id),
        call.risk.value,
        _RISK[call.risk],
        kind_of(call),
        clipped(one_line(request.asked_by.name, "agent"), _NAME_WIDTH),
        clipped(one_line(request.asked_by.session), _NAME_WIDTH),
        tool_of(call, _NAME_WIDTH),
        clipped(what_of(call, DEFAULT_REDACTION.also(call.masked_keys)), _WIDTH),
        length_text(end - request.created_at, "words"),
        iso(request.created_at) or "",
        len(warnings_of(request)),
    )


def request_groups(requests: Sequence[StoredRequest], now: int) -> tuple[RequestGroup, ...]:
    """Sort requests into groups, each in the place of its first member.

    Args:
        requests: The requests, oldest first.
        now: The present, in microseconds since the epoch.
    """
    found: dict[str, list[StoredRequest]] = {}
    for request in requests:
        found.setdefault(group_key(request) or request.id, []).append(request)
    return tuple(_group(key, members, now) for key, members in found.items())


def _group(key: str, members: Sequence[StoredRequest], now: int) -> RequestGroup:
    call = members[0].submission
    name = clipped(one_line(call.group_id), _NAME_WIDTH) if call.group_id else ""
    size = call.group_size if call.group_size != len(members) else None
    return RequestGroup(key, name, size, tuple(request_line(request, now) for request in members))


def group_key(request: StoredRequest) -> str | None:
    """Return the name of a request's group in addresses, or None: agents choose ids, and two sessions the same."""
    name = request.submission.group_id
    if not name:
        return None
    return hashlib.sha256(canonical([request.asked_by.session, name]).encode()).hexdigest()[:32]


def fingerprint(requests: Iterable[StoredRequest]) -> str:
    """Return a text that differs when the requests, or how far they are, differ."""
    told = [[request.id, request.revision, request.state.value] for request in requests]
    return hashlib.sha256(canonical(told).encode()).hexdigest()[:16]


# -- The content of a request.


@dataclass(slots=True)
class PageRoom:
    """The room that is left on a page."""

    rows: int = MOST_ROWS
    characters: int = MOST_CHARACTERS

    def take(self, row: Row) -> bool:
        """Take the room of one row; False if there is not enough."""
        if self.rows < 1 or self.characters < len(row.text):
            self.rows = 0
            return False
        self.rows -= 1
        self.characters -= len(row.text)
        return True


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a document: pieces of text, each with the names of its styles."""

    kind: str
    sign: str
    spoken: str
    old_no: str
    new_no: str
    pieces: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A document, or the parts of a command."""

    kind: str
    title: str
    counts: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    left_out: str = ""

    @property
    def has_old(self) -> bool:
        """True if lines of the version before have numbers."""
        return any(row.old_no for row in self.rows)

    @property
    def has_new(self) -> bool:
        """True if lines of the version after have numbers."""
        return any(row.new_no for row in self.rows)


@dataclass(frozen=True, slots=True)
class ShownContent:
    """The content of a request.

    Attributes:
        parts: The shown documents and remarks.
        complete: True if that is everything.
        problem: The reason for which nothing can be shown, or "".
        folded: True if unchanged lines are folded.
    """

    parts: tuple[ShownPart, ...]
    complete: bool
    problem: str = ""
    folded: bool = False


def shown_content(
    request: StoredRequest, load: Load, context: int = CONTEXT, room: PageRoom | None = None
) -> ShownContent:
    """Show the content of a request. It may take seconds.

    Args:
        request: The request.
        load: Returns a stored content by its hash.
        context: Unchanged lines around each change.
        room: The room that is left on the page; a page of its own if left out.

    Raises:
        QueueError: A stored content cannot be loaded.
    """
    room = room or PageRoom()
    try:
        made = content_of(request, load, context)
        parts: list[ShownPart] = []
        for number, document in enumerate(made.documents, start=1):
            parts.append(_part(document, room))
            parts += [
                _command_part(parts_heading(told), parts_lines(told, context), told.facts.risk)
                for command in made.commands
                if command.after == number
                for told in [
                    told_command(command, request, DEFAULT_REDACTION.also(request.submission.masked_keys))
                ]
            ]
    except SnapshotError as error:
        return ShownContent((), complete=False, problem=f"this request cannot be shown: {one_line(str(error))}")
    complete = made.complete and not any(part.left_out for part in parts)
    folded = any(document.folds for document in made.documents)
    return ShownContent(tuple(parts), complete, folded=folded)


def _part(document: Document, room: PageRoom) -> ShownPart:
    rows: list[ShownRow] = []
    left_out = ""
    for index in range(len(document)):
        row = document.row(index)
        if not room.take(row):
            left_out = number_of(len(document) - index, "line")
            break
        rows.append(_row(document, index, row))
    counts = f"+{document.added} -{document.removed}" if document.added or document.removed else ""
    remarks = {document.row(index).text.text for index in range(len(rows)) if rows[index].kind == RowKind.NOTE}
    told = document.path is None or any(row.kind == RowKind.PLACE for row in rows)
    return ShownPart(
        document.kind.value.replace("_", " "),
        "" if told else one_line(document.path or "", "path"),
        counts,
        tuple(note for note in document.notes if note not in remarks),
        tuple(alert.message for alert in document.scan()),
        tuple(rows),
        left_out,
    )


def _row(document: Document, index: int, row: Row) -> ShownRow:
    marks = [("sign", start, stop) for start, stop in row.text.hidden]
    if row.lead:
        marks.append(("lead", 0, row.lead))
    if row.kind in _SPOKEN:
        marks += [("word", start, stop) for start, stop in document.emphasis(index)]
    return ShownRow(
        row.kind.value.replace(" ", "-"),
        "" if row.kind is RowKind.HUNK else SIGN_OF_ROW.get(row.kind, ""),
        _SPOKEN.get(row.kind, ""),
        "" if row.old_no is None else str(row.old_no),
        "" if row.new_no is None else str(row.new_no),
        tuple(_pieces(row.text.text, marks)),
    )


def _pieces(text: str, marks: Sequence[tuple[str, int, int]]) -> Iterator[tuple[str, str]]:
    """Cut a text where styles begin and end."""
    ends = sorted({0, len(text), *(at for _, *both in marks for at in both)})
    for start, stop in pairwise(ends):
        styles = sorted({style for style, begin, end in marks if begin <= start and stop <= end})
        yield " ".join(styles), text[start:stop]


def _command_part(heading: str, remarks: Iterable[str], risk: Risk) -> ShownPart:
    rows = tuple(ShownRow("about", "#", "", "", "", (("", remark),)) for remark in remarks)
    return ShownPart("parts of the command", heading, _RISK[risk], (), (), rows)


# -- One request, whole.


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """All that is shown of one request.

    Attributes:
        line: It on one line.
        revision: Its revision.
        digest: Its digest.
        pending: True if it waits for a decision.
        end: Its end in words, or "".
        notes: The reviewer's words on it, a line each.
        description: The words of its agent on it.
        reasons: Reasons for its risk.
        facts: Labels and texts of all other facts.
        warnings: Warnings about the texts around the content.
        content: Its content.
        upcoming: The calls that follow: tool and arguments.
        session: The coverage of an approval for the session; "" if there is none.
        not_remembered: The reason for which there is none, or "".
        careless: True if such an approval leaves everything open.
        group: Key of its group, or "".
        supports: The answers that its agent can honor.
    """

    line: RequestLine
    revision: int
    digest: str
    pending: bool
    end: str
    notes: tuple[str, ...]
    description: str
    reasons: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    content: ShownContent
    upcoming: tuple[tuple[str, str], ...]
    session: str
    not_remembered: str
    careless: bool
    group: str
    supports: frozenset[str] = field(default_factory=frozenset)


def whole_request(
    request: StoredRequest, shown: ShownContent, upcoming: Iterable[UpcomingCall], now: int
) -> WholeRequest:
    """Describe one request.

    Args:
        request: The request.
        shown: Its content.
        upcoming: The calls that its agent announced with it.
        now: The present, in microseconds since the epoch.
    """
    call = request.submission
    hidden = DEFAULT_REDACTION.also(call.masked_keys)
    why_not = never_remembered(call)
    elsewhere = _SHOWN_ELSEWHERE if request.pending else _SHOWN_ELSEWHERE | {"state"}
    return WholeRequest(
        line=request_line(request, now),
        revision=request.revision,
        digest=call.digest,
        pending=request.pending,
        end="" if request.pending else end_of(request),
        notes=note_lines(request.decision.note if request.decision else None),
        description=one_line(hidden.mask_text(call.description).text, "description"),
        reasons=tuple(map(one_line, risk_reasons(call.risk_reasons))),
        facts=tuple(fact for fact in fact_lines(request, now, hidden) if fact[0] not in elsewhere),
        warnings=tuple(warnings_of(request)),
        content=shown,
        upcoming=tuple(
            (one_line(each.tool_name, "tool_name"), one_line(canonical(hidden.mask_value(dict(each.arguments)))))
            for each in upcoming
        ),
        session="" if why_not else session_reach(request),
        not_remembered=why_not or "",
        careless=why_not is None and reach_of(call).breadth.careless,
        group=group_key(request) or "",
        supports=call.supports,
    )


def note_lines(note: str | None) -> tuple[str, ...]:
    """Return the lines of a note."""
    return tuple(map(one_line, note.split("\n"))) if note else ()


# -- A decision that is held.


@dataclass(frozen=True, slots=True)
class HeldMember:
    """A request of a held decision.

    Attributes:
        line: It on one line.
        changed: True if it is not as it was shown any more.
        verdict: The answer of the queue in a word, or "".
        message: The answer in a sentence, or "".
    """

    line: RequestLine
    changed: bool
    verdict: str
    message: str


def held_member(
    request: StoredRequest, target: tuple[str, int, str], result: DecideResult | None, now: int
) -> HeldMember:
    """Describe a request of a held decision.

    Args:
        request: The request as it is now.
        target: Its id, revision and digest as they were shown.
        result: The answer of the queue, if there is one.
        now: The present, in microseconds since the epoch.
    """
    as_shown = request.pending and (request.id, request.revision, request.submission.digest) == target
    verdict, message = ("", "") if result is None else (result.kind.value, one_line(result.message))
    return HeldMember(request_line(request, now), not as_shown, verdict, message)


def decision_words(decision: Decision) -> str:
    """Return a decision as an order."""
    if not decision.approved:
        return "Reject, and stop the batch" if decision.hard else "Reject"
    if decision.deliberate:
        return "Approve what was not shown completely"
    return "Approve for the session" if decision.remember else "Approve"


# -- The history.


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A record of the history."""

    seq: int
    at: str
    at_iso: str
    state: str
    outcome: str
    by: str
    why: str
    risk: str
    risk_words: str
    agent: str
    session: str
    tool: str
    what: str
    notes: tuple[str, ...]
    request_id: str


def history_line(found: HistoryRecord) -> HistoryLine:
    """Describe a record of the history."""
    hidden = DEFAULT_REDACTION.also(found.masked_keys)
    decision = found.decision
    by = (
        "nobody" if decision is None else " ".join(filter(None, (decision.source, one_line(decision.by, "agent"))))
    )
    notes = note_lines(found.reason if decision is None else decision.note)
    if decision is not None and decision.instead is not None:
        notes += (one_line(hidden.mask_text(decision.instead.words).text),)
    if decision is not None and decision.deliberate:
        notes += ("approved although not everything had been shown",)
    return HistoryLine(
        found.seq,
        local_time(found.at),
        iso(found.at) or "",
        found.state.value,
        outcome_text(
            found.state,
            decision,
            "row",
            gone=agent_exited(found.reason),
            unrun=was_not_run(found.state, found.reason),
        ),
        by,
        clipped(one_line(hidden.mask_text(found.why).text), _WIDTH),
        found.risk.value,
        _RISK[found.risk],
        clipped(one_line(found.agent_name, "agent"), _NAME_WIDTH),
        clipped(one_line(found.session), _NAME_WIDTH),
        tool_of(found, _NAME_WIDTH),
        clipped(what_of(found, hidden), _WIDTH),
        notes,
        found.request_id or "",
    )
