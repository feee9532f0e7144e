"""Editing a request before it is approved: what goes to the editor, and what comes of it. No widgets here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from signoff.canonical import canonical, parse_json
from signoff.effects import Effect, FileWrite
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.risk import HIDDEN_VALUE, Assessment, assess
from signoff.present.document.build import file_facts
from signoff.present.document.diff import diff_document
from signoff.present.document.model import Document
from signoff.present.document.structured import structured_document
from signoff.present.document.text import text_document
from signoff.present.reveal import findings
from signoff.present.snapshot.snapshot import MAX_FILE_SIZE
from signoff.present.snapshot.steps import FileChange
from signoff.present.subject import steps_of
from signoff.queue.amendment import EDIT, PARTIAL, Instead
from signoff.queue.records import Risk, StoredRequest
from signoff.shown_commands import possible_commands
from signoff_tui.changed_documents import arguments_diff, spelled
from signoff_tui.changing import Change
from signoff_tui.command_parts import document_of_parts
from signoff_tui.documents import Content, content_key
from signoff_tui.summary import RISK_WORD

__all__ = ["Editable", "edited", "what_to_edit", "why_not_edited", "why_not_given"]

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
    is_text = document.path is not None and document.kind in {"diff", "file_content"}
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


def edited(request: StoredRequest, content: Content, what: Editable, text: str) -> Change | None:
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


def _with_arguments(request: StoredRequest, text: str) -> Change | None:
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


def _change(request: StoredRequest, instead: Instead, documents: tuple[Document, ...], risk: Assessment) -> Change:
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
    return Change(key, content, instead, instead.summary, risk=risk.risk if raised else was)


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
