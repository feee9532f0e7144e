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
        self._changes: dict[str, AmendedCall] = {}
        self._edits: dict[str, str] = {}
        self._marked: dict[str, tuple[Content, Content]] = {}
        self._ticks: deque[tuple[ContentKey, AmendedCall | None] | None] = deque(maxlen=UNDONE)

    def of(self, entry: Entry) -> AmendedCall | None:
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
        """Whether single hunks of the request may be refused."""
        content, change = self._contents.get(content_key(entry.request)), self.of(entry)
        if not entry.waiting or content is None or (change is not None and change.choice is None):
            return False
        return choosable(entry.request, content) is not None

    def toggle_hunks(self, entry: Entry, numbers: Collection[int]) -> AmendedCall | None:
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
        self, entry: Entry, text: str, change: AmendedCall | None, of: ContentKey, *, failed: bool = False
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


# -- What a reviewer makes of a request before approving it: hunks that are refused, or an edit. No widgets.
#
# An approval of something else than was asked covers exactly what is kept here, once. What the guard arms for,
# what is held and what is sent name it by its digest, so that another tick is another thing to approve.

_LONGEST_NAME = 1_000
"""Characters of a path that the agent is told of what was refused, from its end."""

NOTHING = "nothing"
"""Stands for the digest of what would run where every hunk is refused."""


class AmendedCall(Struct, frozen=True):
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
    choice: HunkChoice | None = None
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


def with_marks(request: StoredRequest, content: Content, choice: HunkChoice | None = None) -> Content:
    """The content with a mark at each hunk that may be approved or refused; as it is where there are none."""
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
    choice = (already or HunkChoice(choosing.hunks)).toggled(numbers)
    if not choice.refused:
        return None
    shown = with_marks(request, content, choice)
    instead = None if choice.nothing_left else _part(request, shown, choice)
    return AmendedCall(content.key, shown, instead, choice.summary, choice)


def units_of(change: AmendedCall | None) -> frozenset[int]:
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


def _part(request: StoredRequest, content: Content, choice: HunkChoice) -> Instead:
    document = next(document for document in content.documents if document.choosing is not None)
    path = document.path or ""
    text = applied(document.source("old"), document.source("new"), choice)
    name = path.removeprefix(f"{request.submission.cwd.rstrip('/')}/")
    name = name if len(name) <= _LONGEST_NAME else f"...{name[-_LONGEST_NAME:]}"
    refused = tuple(f"{name} {choice.hunks[number].lines}" for number in sorted(choice.refused))
    return Instead.of_contents({path: text.encode()}, refused=refused, summary=choice.summary)


# -- Editing a request before it is approved: what goes to the editor, and what comes of it. No widgets here.

_LONGEST_SUFFIX = 12
_HEADING = "EDITED BY YOU: first what you changed,\nthen all that would run instead of what was asked"
_MISLEADS = "it holds characters that mislead, which the editor would be given"
_RISKS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


class Editable(Struct, frozen=True):
    """What of a request can be edited.

    Attributes:
        text: As it was asked.
        suffix: Ending of a file name by which an editor knows its language.
        path: File that would be written; None if the text is the arguments of the call.
    """

    text: str
    suffix: str
    path: str | None


def why_not_edited(request: StoredRequest, content: Content) -> str | None:
    """Why nothing of a request can be edited, or None if something can.

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
    """Why a text is not given to an editor, or None if it is. Of a large text this takes a while.

    Lines that a request leaves as they are mislead nobody who reads the diff, but whoever reads the whole file.
    """
    if what.path is None:
        return None  # it is spelled in ASCII
    text = what.text.removeprefix("\ufeff").replace("\r\n", "\n")
    return _MISLEADS if any(finding.warn for finding in findings(text, "content")) else None


def what_to_edit(request: StoredRequest, content: Content) -> Editable:
    """What of a request is edited, if something can be."""
    if EDIT in request.submission.supports:
        return Editable(spelled(request.submission.arguments), ".json", None)
    document = content.documents[0]
    assert document.path is not None
    name, dot, ending = document.path.rpartition("/")[2].rpartition(".")
    known = name and dot and ending.isascii() and ending.isalnum() and len(ending) < _LONGEST_SUFFIX
    return Editable("".join(document.source("new")), f".{ending}" if known else ".txt", document.path)


def edited(request: StoredRequest, content: Content, what: Editable, text: str) -> AmendedCall | None:
    """What comes of an edit. Compares texts and may take long: runs in a thread.

    Args:
        request: The request as it was when the editor was opened.
        content: Its documents then.
        what: What could be edited.
        text: What it was made.

    Returns:
        The change; None if it says what was asked.

    Raises:
        ValueError: It cannot run; the message says why.
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
        *content.documents[1:],  # what else the approval lets run, as it was asked
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


# -- What was approved in place of what was asked, before and after: for whoever looks at a decision later.

_ARGUMENTS = "arguments.json"
_ASKED = "ASKED: not what ran"


def spelled(arguments: Mapping[str, Any]) -> str:
    """Arguments as a text to edit and to compare: ASCII only, so that nothing in them acts on a terminal."""
    return json.dumps(arguments, indent=2, ensure_ascii=True) + "\n"


def arguments_diff(asked: Mapping[str, Any], arguments: Mapping[str, Any], masks: Redactor) -> Document:
    """The difference between two sets of arguments, entry by entry."""
    return diff_document(spelled(asked).encode(), spelled(arguments).encode(), _ARGUMENTS, masks=masks)


def changed_documents(
    request: StoredRequest, asked: Sequence[Document], instead: Instead, load: Callable[[str], bytes]
) -> tuple[Document, ...]:
    """What the reviewer changed, each under a heading, and last what was asked. May take long: runs in a thread.

    Args:
        request: What was asked.
        asked: Its documents.
        instead: What was approved in its place.
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
        # Whole values are hidden by their names before they are texts, where names say nothing.
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
