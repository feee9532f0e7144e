"""Amendments: hunks refused and calls edited before approval, as drafts and as documents."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from signoff.canonical import canonical, parse_json
from signoff.effects import Effect, FileWrite
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.policy.risk import HIDDEN_VALUE, Assessment, assess
from signoff.present.diff.refine import HunkChoice, applied
from signoff.present.document.build import file_facts
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Choosing, Document
from signoff.present.document.rows import RowKind, fixed, joined
from signoff.present.document.structured import structured_document
from signoff.present.document.text import text_document
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText, findings, reveal
from signoff.present.snapshot.snapshot import MAX_FILE_SIZE
from signoff.present.snapshot.steps import FileChange
from signoff.present.subject import steps_of
from signoff.queue.amendment import EDIT, PARTIAL, Instead
from signoff.queue.errors import QueueError
from signoff.queue.records import Risk, StoredRequest
from signoff.shown_commands import possible_commands
from signoff_tui.state.coverage import Coverages
from signoff_tui.state.documents import Content, ContentKey, ContentStore, content_key, document_of_parts
from signoff_tui.state.inbox import Entry, Inbox
from signoff_tui.text.summary import RISK_WORD

__all__ = [
    "AmendedCall",
    "Editable",
    "OwnChanges",
    "arguments_diff",
    "changed_documents",
    "choosable",
    "edited",
    "spelled",
    "toggled",
    "units_of",
    "what_to_edit",
    "why_not_edited",
    "why_not_given",
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
        self._marked: dict[str, tuple[Content, Content]] = {}
        self._ticks: deque[tuple[ContentKey, AmendedCall | None] | None] = deque(maxlen=UNDONE)

    def of(self, entry: Entry) -> AmendedCall | None:
        """Return the amendment of a request; None if it would run as it was asked."""
        change, decision = self._changes.get(entry.id), entry.request.decision
        if change is None or change.of != content_key(entry.request):
            return None
        return change if decision is None or decision.instead == change.instead else None

    def risk(self, entry: Entry) -> Risk:
        """Return the risk of the call that an approval would run: an edit may raise it."""
        change = self.of(entry)
        risk = None if change is None else change.risk
        return risk or entry.request.submission.risk

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Forget the amendments of requests that are gone, by their ids."""
        self._marked = {key: made for key, made in self._marked.items() if not gone(key)}
        self._edits = {key: text for key, text in self._edits.items() if not gone(key)}
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

    def why_not_edited(self, entry: Entry) -> str | None:
        """Return why nothing of a request can be edited; None if something can."""
        content = self._contents.get(content_key(entry.request))
        if not entry.waiting or content is None:
            return "it does not wait, or was not opened yet"
        return why_not_edited(entry.request, content)

    def text_to_edit(self, entry: Entry, what: Editable) -> str:
        """Return the text for the editor: the last edit, even of an earlier revision, else the present text."""
        change = self.of(entry)
        if change is not None and change.choice is not None and change.instead is not None and what.path:
            return (change.instead.content(what.path) or b"").decode()
        return self._edits.get(entry.id, what.text)

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

    def has_draft(self, entry: Entry) -> bool:
        """True if an edit is kept that would not run."""
        return entry.id in self._edits and self.of(entry) is None


# -- Amendments by a reviewer before approving: hunks that are refused, or an edit. No widgets.
#
# An amended approval covers exactly the amendment that is kept here, once. The armed target, the held and the sent
# decision name it by its digest, so that another toggle makes another target.

_LONGEST_NAME = 1_000
"""The most characters of a path, from its end, that the agent is told of a refusal."""

NOTHING = "nothing"
"""Stands for the digest of the amendment if every hunk is refused."""


class AmendedCall(Struct, frozen=True):
    """The call that would run in place of the one that was asked.

    Attributes:
        of: The key of the contents that it was made from; it does not apply to others.
        content: The shown content: with marks if hunks are chosen; with a key of its own for an edit.
        instead: The amendment; None if all hunks are refused, and there is nothing to approve.
        summary: The approved part in words, such as ``3 of 5 hunks``.
        choice: The approved hunks; None for an edit.
        risk: The risk of the amended call; None if it is that of the call as asked.
    """

    of: ContentKey
    content: Content
    instead: Instead | None
    summary: str
    choice: HunkChoice | None = None
    risk: Risk | None = None

    @property
    def digest(self) -> str:
        """The digest by which the guard knows it."""
        return NOTHING if self.instead is None else self.instead.digest

    @property
    def short(self) -> str:
        """The `summary` for little room: ``3/5``, or ``edited``."""
        if self.choice is None:
            return "edited"
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
    return AmendedCall(content.key, shown, instead, choice.summary, choice)


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


# -- Editing a request before it is approved: the text for the editor, and the amendment made of it. No widgets.

_LONGEST_SUFFIX = 12
_HEADING = "EDITED BY YOU: first what you changed,\nthen all that would run instead of what was asked"
_MISLEADS = "it holds characters that mislead, which the editor would be given"
_RISKS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


class Editable(Struct, frozen=True):
    """The part of a request that can be edited.

    Attributes:
        text: The text as it was asked.
        suffix: Ending of a file name by which an editor knows its language.
        path: File that would be written; None if the text is the arguments of the call.
    """

    text: str
    suffix: str
    path: str | None


def why_not_edited(request: StoredRequest, content: Content) -> str | None:
    """Return why nothing of a request can be edited, or None if something can.

    Args:
        request: The request.
        content: Its documents.
    """
    submission = request.submission
    if not {EDIT, PARTIAL} & submission.supports:
        return "the agent can only run what it asked for"
    if HIDDEN_VALUE in submission.risk_reasons:
        return "it holds a secret, which the editor would be given"
    if not content.scanned:
        return "it is still looked through for characters that mislead: try again in a moment"
    if content.alerts:
        return _MISLEADS
    document = content.documents[0]
    is_text = document.path is not None and document.kind.has_file_lines
    return None if EDIT in submission.supports or is_text else "it is no text"


def why_not_given(what: Editable) -> str | None:
    """Return why a text is not given to an editor, or None if it is. For a large text this takes a while.

    The diff hides unchanged lines that could mislead a reader of the whole file, as in an editor.
    """
    if what.path is None:
        return None  # its text is ASCII
    text = what.text.removeprefix("\ufeff").replace("\r\n", "\n")
    return _MISLEADS if any(finding.warn for finding in findings(text, "content")) else None


def what_to_edit(request: StoredRequest, content: Content) -> Editable:
    """Return the part of a request that is edited, if something can be."""
    if EDIT in request.submission.supports:
        return Editable(spelled(request.submission.arguments), ".json", None)
    document = content.documents[0]
    assert document.path is not None
    name, dot, ending = document.path.rpartition("/")[2].rpartition(".")
    known = name and dot and ending.isascii() and ending.isalnum() and len(ending) < _LONGEST_SUFFIX
    return Editable("".join(document.source("new")), f".{ending}" if known else ".txt", document.path)


def edited(request: StoredRequest, content: Content, what: Editable, text: str) -> AmendedCall | None:
    """Return the amendment of an edit. Compares texts and may take long: runs in a thread.

    Args:
        request: The request as it was when the editor was opened.
        content: Its documents then.
        what: The editable part.
        text: The edited text.

    Returns:
        The amendment; None if the text says what was asked.

    Raises:
        ValueError: The text cannot run; the message says why.
    """
    if what.path is None:
        return _with_arguments(request, text)
    if text == what.text:
        return None
    data = text.encode()
    if len(data) > MAX_FILE_SIZE:
        raise ValueError(f"it is larger than {MAX_FILE_SIZE // 2**20} MB")
    (step,) = (step for step in steps_of(request.submission.snapshot) if isinstance(step, FileChange))
    before = "".join(content.documents[0].source("old")).encode() if step.before.exists else None
    instead = Instead.of_contents({what.path: data}, summary="edited content")
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    documents = (
        diff_document(what.text.encode(), data, what.path, masks=masks),
        diff_document(before, data, what.path, facts=file_facts(step), masks=masks),
        *content.documents[1:],  # the other parts that the approval covers, as they were asked
    )
    effects = (FileWrite(what.path, data), FileWrite(step.before.real_path, b""))
    arguments = {**request.submission.arguments, "edited content": text}
    return _change(request, instead, documents, _assessed(request, arguments, effects))


def _with_arguments(request: StoredRequest, text: str) -> AmendedCall | None:
    asked = request.submission.arguments
    arguments = parse_json(text)
    if not isinstance(arguments, Mapping):
        raise ValueError("the arguments are not a JSON object")  # noqa: TRY004 - what was typed, not a type of ours
    if canonical(dict(arguments)) == canonical(dict(asked)):
        return None
    names = [name for name in {**asked, **arguments} if _differs(asked, arguments, name)]
    instead = Instead(arguments=arguments, summary=f"edited arguments {', '.join(names)}"[:200])
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    documents = (
        arguments_diff(asked, arguments, masks),
        structured_document(dict(arguments), masks=masks),
        *(
            document_of_parts(each, request, masks)
            for each in possible_commands(arguments, request.submission.cwd)
        ),
    )
    return _change(request, instead, documents, _assessed(request, arguments, ()))


def _change(
    request: StoredRequest, instead: Instead, documents: tuple[Document, ...], risk: Assessment
) -> AmendedCall:
    was = request.submission.risk
    raised = _RISKS.index(risk.risk) > _RISKS.index(was)
    level = RISK_WORD[risk.risk]
    words = f"{_HEADING}\nrisk {level} by your edit: {', '.join(risk.reasons)}" if raised else _HEADING
    shown = (text_document(words), *documents)
    key = content_key(request)
    content = Content(
        key=(*key[:2], f"{key[2]} edited {instead.digest}"),
        documents=shown,
        units=sum(document.units for document in shown),
        added=documents[-1].added,
        removed=documents[-1].removed,
        complete=all(document.complete for document in shown),
        notes=("edited by you", *(note for document in documents for note in document.notes)),
        scanned=True,
        alerts=tuple(dict.fromkeys(alert.message for document in shown for alert in document.scan())),
    )
    return AmendedCall(key, content, instead, instead.summary, risk=risk.risk if raised else was)


def _assessed(request: StoredRequest, arguments: Mapping[str, Any], effects: tuple[Effect, ...]) -> Assessment:
    submission = request.submission
    return assess(
        submission.tool_name,
        arguments,
        effects,
        submission.cwd,
        description=submission.description,
        shown=submission.presentation,
        masked_keys=submission.masked_keys,
    )


def _differs(asked: Mapping[str, Any], arguments: Mapping[str, Any], name: str) -> bool:
    if name not in asked or name not in arguments:
        return True
    return canonical(asked[name]) != canonical(arguments[name])


# -- Amendments before and after, for whoever looks at a decision later.

_ARGUMENTS = "arguments.json"
_ASKED = "ASKED: not what ran"


def spelled(arguments: Mapping[str, Any]) -> str:
    """Return arguments as a text to edit and to compare: ASCII only, so that it cannot act on a terminal."""
    return json.dumps(arguments, indent=2, ensure_ascii=True) + "\n"


def arguments_diff(asked: Mapping[str, Any], arguments: Mapping[str, Any], masks: Redactor) -> Document:
    """Return the difference between two sets of arguments, entry by entry."""
    return diff_document(spelled(asked).encode(), spelled(arguments).encode(), _ARGUMENTS, masks=masks)


def changed_documents(
    request: StoredRequest, asked: Sequence[Document], instead: Instead, load: Callable[[str], bytes]
) -> tuple[Document, ...]:
    """Return the reviewer's changes, each under a heading, and then the request. Runs in a thread.

    Args:
        request: The request.
        asked: Its documents.
        instead: The amendment.
        load: Returns a stored content by its hash.
    """
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    return (*_changes(request, asked, instead, load, masks), _heading(_ASKED), *asked)


def _changes(
    request: StoredRequest,
    asked: Sequence[Document],
    instead: Instead,
    load: Callable[[str], bytes],
    masks: Redactor,
) -> Iterator[Document]:
    if instead.arguments is not None:
        yield _heading("CHANGED by the reviewer: - asked, + ran")
        # Values are hidden whole, by their names, before they are texts: in a text the names tell nothing.
        before, after = (
            masks.mask_value(dict(each)) for each in (request.submission.arguments, instead.arguments)
        )
        yield arguments_diff(before, after, masks)
    for path, sha256 in instead.contents.items():
        name = reveal(path, "path")
        document = next((each for each in asked if each.path == path), None)
        try:
            written = load(sha256)
        except QueueError as error:
            yield _heading(
                joined("CHANGED by the reviewer: ", name),
                f"what was written is not stored any more: {error}",
            )
            continue
        yield _heading(joined("CHANGED by the reviewer: - asked, + written: ", name))
        before = None if document is None else "".join(document.source("new")).encode()
        yield diff_document(before, written, path, masks=masks)


def _heading(words: SafeText | str, note: str = "") -> Document:
    notes = [fixed(RowKind.NOTE, reveal(note, "content"))] if note else []
    return Document(PresentationKind.TEXT, [fixed(RowKind.FILE, words), *notes])
