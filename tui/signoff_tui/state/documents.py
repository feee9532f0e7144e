"""The documents of requests, made in a thread on demand, and cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from signoff.command_review import WORDS, ToldPart, told_command
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.policy.shell.plain_commands import plain_facts
from signoff.present.document.build import documents_for
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind, RowRun, joined
from signoff.present.document.structured import structured_document
from signoff.present.document.text import PartRow, parts_document
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText
from signoff.present.snapshot.snapshot import Snapshot
from signoff.queue.records import StoredRequest
from signoff.shown_commands import ShownCommand, shown_commands

__all__ = [
    "KEPT",
    "Content",
    "ContentKey",
    "ContentStore",
    "content_key",
    "document_of_parts",
    "make_content",
    "raw_arguments",
    "revealed_key",
    "scanned",
    "told_at_once",
]


# -- The parts of a request's commands as rows below them, each with its risk and its rule.

_SCREENFUL, _LONG = 12, 2_000
"""The parts or lines, and the characters, of a command from which the heading announces its parts."""

_RISK = 5
"""Cells for the risk of a part."""


def told_at_once(command: ShownCommand) -> bool:
    """True if the parts of a command are found at once, without a parser."""
    return len(command.text) <= _LONG and plain_facts(command.text) is not None


def document_of_parts(command: ShownCommand, request: StoredRequest, masks: Redactor | None) -> Document:
    """Work out the parts of a command. It may take seconds, and reports unreadable text instead of failing.

    Of a command of one part, which stands above it, only the rule is told, if there is one.

    Args:
        command: The command.
        request: The request of the command.
        masks: The rules of what to hide; None hides nothing.
    """
    told = told_command(command, request, masks)
    if told.is_one_part and command.argument is None:
        rules = () if told.rules is None else (partial(joined, told.rules),)
        about = (RowRun(RowKind.ABOUT, text=text) for text in (*told.parts[0].alone, *rules))
        return Document(PresentationKind.COMMAND, about)
    width = max((len(_joined(part)) for part in told.parts if not part.depth), default=0)
    remarks = [_row(remark, "the line ") for remark in told.remarks]
    long = len(told.parts) > _SCREENFUL or command.text.count("\n") > _SCREENFUL or len(command.text) > _LONG
    source = () if told.rules is None else ("   ", told.rules)
    return parts_document(
        joined(f"{told.guess}{told.found}", *source),
        [
            *(row for row in remarks if row.level == len(WORDS) - 1),
            *(_row(part, f"{_joined(part):<{width}}") for part in told.parts),
            *(row for row in remarks if row.level < len(WORDS) - 1),
        ],
        WORDS,
        notes=(told.found.replace(":", " below the command:", 1),) if long else (),
    )


def _row(part: ToldPart, before: str) -> PartRow:
    risk, indent = WORDS[part.level], "  " * part.depth
    about = tuple(partial(_indented, _RISK + len(indent), said) for said in part.about)
    return PartRow(part.level, f"{risk:<{_RISK}}{indent}{before}", len(risk), part.text, about)


def _indented(columns: int, said: Callable[[], SafeText]) -> SafeText:
    return joined(" " * columns, said())


def _joined(part: ToldPart) -> str:
    """The words that join a part to the one above."""
    joins = "may run" if part.doubtful else part.joined
    return f"{joins} " if joins else ""


KEPT = 400
"""The number of requests whose documents are kept."""

SCANNED_AT_ONCE = 500
"""The most units of a content that is scanned before it is shown: that is not noticed."""

ContentKey = tuple[str, int, str]
"""Request id, revision, digest: other contents have another key."""


class Unparsed(Struct, frozen=True):
    """Commands that are still to be broken into their parts.

    Attributes:
        request: The request of the commands.
        commands: The commands in the order in which they are shown.
        masks: The rules of what to hide; None hides nothing.
    """

    request: StoredRequest
    commands: tuple[ShownCommand, ...]
    masks: Redactor | None

    def with_parts(self, documents: tuple[Document, ...]) -> tuple[Document, ...]:
        """Return the documents, with the parts of each command below it."""
        shown = list(documents)
        for command in reversed(self.commands):
            if len(parts := document_of_parts(command, self.request, self.masks)):
                shown.insert(command.after, parts)
        return tuple(shown)


class Content(Struct, frozen=True):
    """The shown content of a request.

    Attributes:
        key: The key of the content.
        documents: The documents; at least one.
        units: Coverage units of all documents.
        added: Added lines over all files.
        removed: Removed lines over all files.
        complete: False when not everything can be shown: binary contents, cut short by the tool.
        notes: Plain facts for the header.
        scanned: True if it was searched for misleading text. Until then it does not count as all shown.
        alerts: The findings, one sentence for each kind.
        misleads: True if some of them are about more than its length.
        unparsed: Commands in it whose parts are not shown yet; until then it is not scanned.
    """

    key: ContentKey
    documents: tuple[Document, ...]
    units: int
    added: int
    removed: int
    complete: bool
    notes: tuple[str, ...]
    scanned: bool = False
    alerts: tuple[str, ...] = ()
    misleads: bool = False
    unparsed: Unparsed | None = None

    @property
    def can_be_all_shown(self) -> bool:
        """True if seeing every unit is seeing all of it."""
        return self.complete and self.scanned

    def lines_changed(self, *, new: bool) -> str:
        """Return ``+12 -3``, of a new file ``+140``; empty if no lines change."""
        if not (self.added or self.removed):
            return ""
        return f"+{self.added}" if new and not self.removed else f"+{self.added} -{self.removed}"


def content_key(request: StoredRequest) -> ContentKey:
    """Return the key of the present content of a request."""
    return request.id, request.revision, request.submission.digest


def revealed_key(request: StoredRequest) -> ContentKey:
    """Return the key of the content with its secrets: reading it does not count as reading the content."""
    return request.id, request.revision, f"{request.submission.digest} revealed"


def make_content(request: StoredRequest, blob: Callable[[str], bytes], *, revealed: bool = False) -> Content:
    """Make the documents of a request. Reads the queue and may take long: runs in a thread.

    Large ones are not scanned yet, so that the first page need not wait for the last, and commands that need a
    parser have no parts: see `scanned`.

    Args:
        request: The request.
        blob: Returns a stored content by its hash.
        revealed: Show secrets instead of marks.
    """
    submission = request.submission
    stored = submission.snapshot
    snapshot = Snapshot.from_json(dict(stored), blob) if stored is not None else None
    masks = None if revealed else DEFAULT_REDACTION.also(submission.masked_keys)
    documents = documents_for(
        snapshot, submission.presentation, submission.arguments, submission.cwd, masks=masks, headed=True
    )
    commands = shown_commands(request, len(documents))
    for document in documents:
        document.prepare(first=True)
    content = Content(
        key=revealed_key(request) if revealed else content_key(request),
        documents=documents,
        units=sum(document.units for document in documents),
        added=sum(document.added for document in documents),
        removed=sum(document.removed for document in documents),
        complete=all(document.complete for document in documents),
        notes=_notes_of(documents),
        unparsed=Unparsed(request, commands, masks) if commands else None,
    )
    few = content.units <= SCANNED_AT_ONCE and not any(document.has_long_lines for document in documents)
    quick = few and all(map(told_at_once, commands))
    return scanned(content) if quick else content


def scanned(content: Content) -> Content:
    """Return the same content, searched for misleading text, its commands with their parts.

    It may take long: runs in a thread.
    """
    found = [alert for document in content.documents for alert in document.scan()]
    alerts = tuple(dict.fromkeys(alert.message for alert in found))
    misleads = any(alert.kind != "long" for alert in found)
    documents = content.documents if content.unparsed is None else content.unparsed.with_parts(content.documents)
    return replace(
        content,
        documents=documents,
        notes=_notes_of(documents),
        scanned=True,
        alerts=alerts,
        misleads=misleads,
        unparsed=None,
    )


def _notes_of(documents: Sequence[Document]) -> tuple[str, ...]:
    """The facts for the heading: those that a row says are left out, unless something cannot be shown."""
    notes: list[str] = []
    for document in documents:
        top = islice(document, len(document.notes))
        said = {row.text.text for row in top if row.kind is RowKind.NOTE} if document.complete else set()
        notes += [note for note in document.notes if note not in said]
    return tuple(notes)


class ContentStore:
    """A cache of documents by key; the least recently used ones are forgotten."""

    def __init__(self) -> None:
        self._made: OrderedDict[ContentKey, Content] = OrderedDict()
        self._failed: dict[ContentKey, str] = {}
        self._wanted: set[ContentKey] = set()

    def get(self, key: ContentKey) -> Content | None:
        """Return the documents, or None while they are not made."""
        content = self._made.get(key)
        if content is not None:
            self._made.move_to_end(key)
        return content

    def failure(self, key: ContentKey) -> str | None:
        """Return why the documents cannot be made, or None."""
        return self._failed.get(key)

    def want(self, key: ContentKey) -> bool:
        """Note that the documents are wanted; False if they are being made, or were made."""
        if key in self._made or key in self._wanted or key in self._failed:
            return False
        self._wanted.add(key)
        return True

    def store(self, content: Content) -> None:
        """Keep made documents."""
        self._wanted.discard(content.key)
        self._made[content.key] = content
        while len(self._made) > KEPT:
            self._made.popitem(last=False)

    def clear(self) -> None:
        """Forget all documents, so that they are made anew."""
        self._made.clear()
        self._failed.clear()
        self._wanted.clear()

    def fail(self, key: ContentKey, why: str) -> None:
        """Note that the documents cannot be made."""
        self._wanted.discard(key)
        self._failed[key] = why


# -- The arguments of a call whose preview cannot be made: something to look at, but no proof.


def raw_arguments(request: StoredRequest) -> Document:
    """Return the arguments as they were sent, without their secrets."""
    submission = request.submission
    return structured_document(dict(submission.arguments), masks=DEFAULT_REDACTION.also(submission.masked_keys))
