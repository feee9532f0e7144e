"""Amendments: hunks refused and calls edited before approval, as drafts and as documents."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace as replace_fields
from difflib import unified_diff
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from signoff.amended_call import amended
from signoff.canonical import canonical, parse_json
from signoff.effects import Effect, FileWrite
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.policy.risk import HIDDEN_VALUE, Assessment, assess, assess_stored
from signoff.present.diff.refine import HunkChoice, applied
from signoff.present.document.build import file_facts
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Choosing, Document
from signoff.present.document.rows import RowKind, fixed, joined
from signoff.present.document.text import text_document
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText, findings, reveal
from signoff.present.snapshot.snapshot import MAX_FILE_SIZE
from signoff.present.snapshot.steps import CommandRun, FileChange, SnapshotError
from signoff.present.subject import steps_of
from signoff.queue.amendment import EDIT, PARTIAL, Instead, command_argument, why_not_arguments
from signoff.queue.errors import QueueError
from signoff.queue.records import Risk, StoredRequest
from signoff_tui.state.coverage import Coverages
from signoff_tui.state.documents import (
    Content,
    ContentKey,
    ContentStore,
    content_key,
    make_content,
    scanned,
)
from signoff_tui.state.inbox import Entry, Inbox
from signoff_tui.state.message import as_message
from signoff_tui.text.summary import RISK_WORD

__all__ = [
    "DECIDED",
    "EDITED",
    "AmendedCall",
    "Editable",
    "OwnChanges",
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
        self._comparing: set[str] = set()
        self._marked: dict[str, tuple[Content, Content]] = {}
        self._ticks: deque[tuple[ContentKey, AmendedCall | None] | None] = deque(maxlen=UNDONE)

    def of(self, entry: Entry) -> AmendedCall | None:
        """Return the amendment of a request; None if it would run as it was asked."""
        change, decision = self._changes.get(entry.id), entry.request.decision
        if change is None or change.of != content_key(entry.request):
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

    def why_not_edited(self, entry: Entry) -> str | None:
        """Return why nothing of a request can be edited; None if something can."""
        content = self._contents.get(content_key(entry.request))
        if not entry.waiting:
            return DECIDED
        return "open it first" if content is None else why_not_edited(entry.request, content)

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
        """The `summary` for little room: ``3/5``, or `EDITED`."""
        if self.choice is None:
            return EDITED
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


# -- Editing a request before it is approved: the text to edit, and the amendment made of it. No widgets.

EDITED = "edited by you"
DECIDED = "already decided"

_LONGEST_SUFFIX = 12
_HEADING = "EDITED BY YOU: first what you changed,\nthen all that would run instead of what was asked"
_MISLEADS = "has misleading characters"
_RISKS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)

Form = Literal["command", "arguments", "content"]


class Editable(Struct, frozen=True):
    """The part of a request that can be edited.

    Attributes:
        form: A command line, all arguments as JSON, or the content of a file.
        text: The text as it was asked.
        suffix: Ending of a file name by which an editor knows its language.
        path: File that would be written; None if the text is no content.
        runs: True if the agent can run the edit; else it is only suggested to it.
    """

    form: Form
    text: str
    suffix: str
    path: str | None = None
    runs: bool = True

    def is_asked(self, text: str) -> bool:
        """True if an edit says what was asked."""
        if self.form != "arguments":
            return text == self.text
        return canonical(parse_arguments(text)) == canonical(parse_arguments(self.text))

    def why_not(self, text: str) -> str | None:
        """Return what is wrong with an edit, or None."""
        if self.form == "command" and not text.strip():
            return "there is no command left to run"
        try:
            if self.form == "arguments":
                parse_arguments(text)
        except ValueError as error:
            return str(error)
        return None

    def suggestion(self, text: str) -> str:
        """Return an edit as a message to an agent that cannot run it."""
        match self.form:
            case "command":
                return f"run this instead: {text}"
            case "arguments":
                return f"call it with this instead: {canonical(parse_arguments(text))}"
            case _:
                lines = (self.text.splitlines(keepends=True), text.splitlines(keepends=True))
                return "write it with this change:\n" + "".join(unified_diff(*lines, "asked", "instead"))


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the arguments that a text spells.

    Raises:
        ValueError: It is not a JSON object; the message says where.
    """
    arguments = parse_json(text)
    if not isinstance(arguments, dict):
        raise ValueError("the arguments are not a JSON object")  # noqa: TRY004 - what was typed, no type of ours
    return arguments


def why_not_edited(request: StoredRequest, content: Content) -> str | None:
    """Return why nothing of a request can be edited, or None if something can.

    Args:
        request: The request.
        content: Its documents.
    """
    if HIDDEN_VALUE in request.submission.risk_reasons:
        return "has secrets"
    if not content.scanned:
        return "still looking for misleading characters"
    return _MISLEADS if content.misleads else None


def why_not_given(what: Editable) -> str | None:
    """Return why a text is not given to an editor, or None if it is. For a large text this takes a while.

    The diff hides unchanged lines that could mislead a reader of the whole file, as in an editor.
    """
    if what.path is None:
        return None  # a command was looked through, and all of the arguments can be seen
    text = what.text.removeprefix("\ufeff").replace("\r\n", "\n")
    return _MISLEADS if any(finding.warn for finding in findings(text, "content")) else None


def what_to_edit(request: StoredRequest, content: Content) -> Editable:
    """Return the part of a request that is edited: its command, its file, else its arguments."""
    submission = request.submission
    match steps_of(submission.snapshot):
        case (CommandRun(command=command),):
            runs = EDIT in submission.supports and command_argument(submission) is not None
            return Editable("command", command, ".sh", runs=runs)
        case (FileChange(binary=False, path=path),):
            name, dot, ending = path.rpartition("/")[2].rpartition(".")
            known = name and dot and ending.isascii() and ending.isalnum() and len(ending) < _LONGEST_SUFFIX
            text = "".join(content.documents[0].source("new"))
            return Editable(
                "content", text, f".{ending}" if known else ".txt", path, runs=PARTIAL in submission.supports
            )
        case ():
            return Editable(
                "arguments", spelled(submission.arguments).rstrip(), ".json", runs=EDIT in submission.supports
            )
        case _:
            return Editable("arguments", spelled(submission.arguments).rstrip(), ".json", runs=False)


def edited(request: StoredRequest, content: Content, what: Editable, text: str) -> AmendedCall | None:
    """Return the amendment of an edit. Compares texts and may take long: runs in a thread.

    Args:
        request: The request as it was when it was edited.
        content: Its documents then.
        what: The editable part.
        text: The edited text.

    Returns:
        The amendment; None if the text says what was asked.

    Raises:
        ValueError: The text cannot run; the message says why.
    """
    if (why_not := what.why_not(text)) is not None:
        raise ValueError(why_not)
    if what.is_asked(text):
        return None
    if what.path is not None:
        return _with_content(request, content, what.path, what.text, text)
    submission = request.submission
    if what.form == "command":
        arguments = {**submission.arguments, command_argument(submission) or "": text}
        summary = "edited command"
    else:
        arguments, asked = parse_arguments(text), submission.arguments
        names = [name for name in {**asked, **arguments} if _differs(asked, arguments, name)]
        summary = f"edited arguments {', '.join(names)}"[:200]
    if (why_not := why_not_arguments(submission, arguments)) is not None:
        raise ValueError(why_not)
    instead = Instead(arguments=arguments, summary=summary)
    changed = amended_request(request, instead)
    made = scanned(make_content(changed, _no_content))
    documents = (difference(request, instead), *made.documents)
    return _change(request, changed, instead, documents, assess_stored(changed.submission))


def _with_content(request: StoredRequest, content: Content, path: str, asked: str, text: str) -> AmendedCall:
    data = text.encode()
    if len(data) > MAX_FILE_SIZE:
        raise ValueError(f"it is larger than {MAX_FILE_SIZE // 2**20} MB")
    (step,) = (step for step in steps_of(request.submission.snapshot) if isinstance(step, FileChange))
    before = "".join(content.documents[0].source("old")).encode() if step.before.exists else None
    instead = Instead.of_contents({path: data}, summary="edited content")
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    documents = (
        diff_document(asked.encode(), data, path, masks=masks),
        diff_document(before, data, path, facts=file_facts(step), masks=masks),
        *content.documents[1:],  # the other parts that the approval covers, as they were asked
    )
    effects = (FileWrite(path, data), FileWrite(step.before.real_path, b""))
    arguments = {**request.submission.arguments, "edited content": text}
    return _change(request, request, instead, documents, _assessed(request, arguments, effects))


def _change(
    request: StoredRequest,
    changed: StoredRequest,
    instead: Instead,
    documents: tuple[Document, ...],
    risk: Assessment,
) -> AmendedCall:
    raised = _RISKS.index(risk.risk) > _RISKS.index(request.submission.risk)
    level = RISK_WORD[risk.risk]
    words = f"{_HEADING}\nrisk {level} by your edit: {', '.join(risk.reasons)}" if raised else _HEADING
    shown = (text_document(words), *documents)
    submission = replace_fields(
        changed.submission,
        digest=f"{request.submission.digest} edited {instead.digest}",
        risk=risk.risk,
        risk_reasons=risk.reasons,
    )
    changed = replace_fields(changed, submission=submission)
    content = Content(
        key=content_key(changed),
        documents=shown,
        units=sum(document.units for document in shown),
        added=documents[-1].added,
        removed=documents[-1].removed,
        complete=all(document.complete for document in shown),
        notes=tuple(note for document in documents for note in document.notes),
        scanned=True,
        alerts=tuple(dict.fromkeys(alert.message for document in shown for alert in document.scan())),
    )
    return AmendedCall(content_key(request), changed, content, instead, instead.summary)


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
_RAN = "RAN: all of it"
_CHANGED = "CHANGED by the reviewer"


def spelled(arguments: Mapping[str, Any]) -> str:
    """Return arguments as a text to edit and to compare, in ASCII if any of it could not be seen or would act."""
    text = json.dumps(arguments, indent=2, ensure_ascii=False) + "\n"
    return text if as_message(text) == text else json.dumps(arguments, indent=2) + "\n"


def amended_request(request: StoredRequest, instead: Instead) -> StoredRequest:
    """Return a request about the call that runs instead; nothing is left of what was shown of the other one."""
    submission = replace_fields(amended(request.submission, instead), presentation=None)
    return replace_fields(request, submission=submission)


def difference(request: StoredRequest, instead: Instead) -> Document:
    """Return the difference between a call as it was asked and with other arguments."""
    assert instead.arguments is not None
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    name = command_argument(request.submission)
    if name is not None:
        before, after = (f"{each[name]}\n".encode() for each in (request.submission.arguments, instead.arguments))
        return diff_document(before, after, "", masks=masks)
    # Values are hidden whole, by their names, before they are texts: in a text the names tell nothing.
    before, after = (
        spelled(masks.mask_value(dict(each))).encode()
        for each in (request.submission.arguments, instead.arguments)
    )
    return diff_document(before, after, _ARGUMENTS, masks=masks)


def changed_documents(
    request: StoredRequest, asked: Sequence[Document], instead: Instead, load: Callable[[str], bytes]
) -> tuple[Document, ...]:
    """Return what a reviewer changed, and then all that ran, or was asked. Runs in a thread.

    Args:
        request: The request.
        asked: Its documents.
        instead: The amendment.
        load: Returns a stored content by its hash.
    """
    if instead.arguments is not None:
        ran = scanned(make_content(amended_request(request, instead), load))
        heading = _heading(f"{_CHANGED}: - asked, + ran")
        return (heading, difference(request, instead), _heading(_RAN), *ran.documents)
    masks = DEFAULT_REDACTION.also(request.submission.masked_keys)
    return (*_changes(asked, instead, load, masks), _heading(_ASKED), *asked)


def _changes(
    asked: Sequence[Document], instead: Instead, load: Callable[[str], bytes], masks: Redactor
) -> Iterator[Document]:
    for path, sha256 in instead.contents.items():
        name = reveal(path, "path")
        document = next((each for each in asked if each.path == path), None)
        try:
            written = load(sha256)
        except QueueError as error:
            yield _heading(joined(f"{_CHANGED}: ", name), f"what was written is not stored any more: {error}")
            continue
        yield _heading(joined(f"{_CHANGED}: - asked, + written: ", name))
        before = None if document is None else "".join(document.source("new")).encode()
        yield diff_document(before, written, path, masks=masks)


def _no_content(sha256: str) -> bytes:
    raise SnapshotError(f"the content {sha256} is not needed here")


def _heading(words: SafeText | str, note: str = "") -> Document:
    notes = [fixed(RowKind.NOTE, reveal(note, "content"))] if note else []
    return Document(PresentationKind.TEXT, [fixed(RowKind.FILE, words), *notes])
