"""Edits of a call before it is approved: the text to edit, the call that is made of it, and the difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace as replace_fields
from difflib import unified_diff
from typing import Any, Literal

from msgspec import Struct

from signoff.amended_call import amended
from signoff.canonical import canonical, parse_json
from signoff.effects import Effect, FileWrite, Risk
from signoff.policy.redaction.masking import DEFAULT_REDACTION, Redactor
from signoff.policy.risk import HIDDEN_VALUE, Assessment, assess, assess_stored
from signoff.present.document.build import file_facts
from signoff.present.document.diff import FileFacts, diff_document
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind, fixed, joined
from signoff.present.document.text import text_document
from signoff.present.kinds import PresentationKind
from signoff.present.reveal import SafeText, findings, reveal
from signoff.present.snapshot.snapshot import MAX_FILE_SIZE
from signoff.present.snapshot.steps import CommandRun, FileChange, SnapshotError
from signoff.present.subject import steps_of
from signoff.queue.amendment import EDIT, PARTIAL, Instead, command_argument, why_not_arguments
from signoff.queue.errors import QueueError
from signoff.queue.records import StoredRequest
from signoff_tui.state.amendments import AmendedCall
from signoff_tui.state.documents import Content, content_key, make_content, scanned
from signoff_tui.state.inbox import Entry
from signoff_tui.state.message import as_message
from signoff_tui.text.summary import RISK_WORD

__all__ = [
    "DECIDED",
    "Editable",
    "changed_documents",
    "edited",
    "what_to_edit",
    "why_not_edited",
    "why_not_given",
]

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
                lines = unified_diff(self.text.splitlines(), text.splitlines(), "asked", "instead", lineterm="")
                return "\n".join(("write it with this change:", *lines))


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the arguments that a text spells.

    Raises:
        ValueError: It is not a JSON object; the message says where.
    """
    arguments = parse_json(text)
    if not isinstance(arguments, dict):
        raise ValueError("the arguments are not a JSON object")  # noqa: TRY004 - what was typed, no type of ours
    return arguments


def why_not_edited(entry: Entry, content: Content | None) -> str | None:
    """Return why nothing of a request can be edited, or None if something can.

    Args:
        entry: The request.
        content: Its documents; None before they are made.
    """
    request = entry.request
    if not entry.waiting:
        return DECIDED
    if content is None:
        return "open it first"
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
        shown=[submission.presentation],
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
        return diff_document(before, after, "", facts=FileFacts(headed=True), masks=masks)
    # Values are hidden whole, by their names, before they are texts: in a text the names tell nothing.
    before, after = (
        spelled(masks.mask_value(dict(each))).encode()
        for each in (request.submission.arguments, instead.arguments)
    )
    return diff_document(before, after, _ARGUMENTS, facts=FileFacts(headed=True), masks=masks)


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
