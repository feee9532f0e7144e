"""Callbacks of authors: their requests, and calls from synchronous and asynchronous code."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, assert_never

from pydantic import ValidationError

from signoff.present.document.rows import RowKind
from signoff.present.kinds import PresentationKind
from signoff.types import ApprovalDecision, ApprovalPresentation, ApprovalRequest, DecisionSource, PresentationType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.present.document.model import Document
    from signoff.present.snapshot.snapshot import Snapshot
    from signoff.queue.records import Submission


__all__ = [
    "awaited",
    "call_from_async",
    "call_from_sync",
    "finished",
    "same_but_shown",
    "shown_to_callback",
    "truncate_for_display",
]


_Function = Callable[[ApprovalRequest], object]
_CALLBACK = "the approval callback"
_NOT_A_NO = frozenset({DecisionSource.EXPIRY, DecisionSource.WITHDRAWAL, DecisionSource.ERROR})


async def call_from_async(callback: _Function, request: ApprovalRequest) -> ApprovalDecision:
    """Ask a callback; a synchronous one is called in a thread.

    Raises:
        TypeError: The callback did not return an `ApprovalDecision`.
    """
    return _checked(await awaited(callback, request))


def call_from_sync(callback: _Function, request: ApprovalRequest) -> ApprovalDecision:
    """Ask a callback; an asynchronous one is run in an event loop of its own.

    Raises:
        TypeError: The callback did not return an `ApprovalDecision`.
    """
    return _checked(finished(callback, request))


async def awaited(function: _Function, request: ApprovalRequest, who: str = _CALLBACK) -> object:
    """Return the result of an author's function; a synchronous one is called in a thread.

    Args:
        function: Plain or asynchronous.
        request: Its argument.
        who: Name of the function in errors.

    Raises:
        TypeError: The function made a model that pydantic refuses.
    """
    with _own_mistakes(who):
        if inspect.iscoroutinefunction(function):
            return await function(request)
        answer = await asyncio.to_thread(function, request)
        return await _finish(answer) if inspect.isawaitable(answer) else answer


def finished(function: _Function, request: ApprovalRequest, who: str = _CALLBACK) -> object:
    """Return the result of an author's function; an asynchronous one is run in an event loop of its own.

    Args:
        function: Plain or asynchronous.
        request: Its argument.
        who: Name of the function in errors.

    Raises:
        TypeError: The function made a model that pydantic refuses.
    """
    with _own_mistakes(who):
        answer = function(request)
        if not inspect.isawaitable(answer):
            return answer
        if not _in_event_loop():
            return asyncio.run(_finish(answer))
        with ThreadPoolExecutor(1, thread_name_prefix="signoff-callback") as thread:
            return thread.submit(asyncio.run, _finish(answer)).result()


@contextlib.contextmanager
def _own_mistakes(who: str) -> Iterator[None]:
    """Report a wrong answer as the author's mistake: frameworks take a pydantic error for the model's."""
    try:
        yield
    except ValidationError as error:
        raise TypeError(f"{who} failed: {error}") from error


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _finish(answer: Awaitable[object]) -> object:
    return await answer


def _checked(answer: object) -> ApprovalDecision:
    """Check the answer of a callback and set its source: a callback is not the reviewer's screen."""
    if not isinstance(answer, ApprovalDecision):
        raise TypeError(f"the approval callback returned {type(answer).__name__}; return an ApprovalDecision")
    if answer.instead is not None:
        # It would run without a verdict: the policy was not asked about it.
        raise TypeError("the approval callback approved something else than was asked; only a queue can do that")
    if answer.approved is not True and answer.source in _NOT_A_NO:
        return answer
    return answer.model_copy(update={"source": DecisionSource.CALLBACK})


# -- Presentations of requests: made from declared effects for a callback, made by authors, and shortened by
# tools.
#
# The screen makes its own from the snapshot. A callback gets the same rows as text, made only when it is about
# to be asked, and safe to print.

_SIGNS = {RowKind.ADDED: "+", RowKind.REMOVED: "-", RowKind.CONTEXT: " "}


def truncate_for_display(content: str, max_lines: int = 50) -> str:
    """Shorten a text for an `ApprovalPresentation`; its last line then says how many lines are missing.

    Put the whole text into ``metadata["full_content"]``: without it a reviewer is told that the rest cannot be
    shown, and approving what was not fully shown is recorded as such.

    Args:
        content: The whole text.
        max_lines: Most lines that are kept.

    Raises:
        ValueError: `max_lines` is negative.
    """
    if max_lines < 0:
        raise ValueError(f"max_lines is a number of lines, not {max_lines}")
    lines = content.split("\n")
    missing = len(lines) - max_lines
    return content if missing <= 0 else "\n".join([*lines[:max_lines], "", f"... [{missing} more lines]"])


def same_but_shown(request: ApprovalRequest, enriched: object) -> ApprovalRequest:
    """Return the request with the presentation that the hook of a controller made for it.

    Args:
        request: The request of the tool.
        enriched: The result of ``_enrich_presentation``.

    Raises:
        TypeError: The result is no request, or differs in more than its presentation.
    """
    if not isinstance(enriched, ApprovalRequest):
        raise TypeError(f"_enrich_presentation returned {type(enriched).__name__}; return the ApprovalRequest")
    shown = request.model_copy(update={"presentation": enriched.presentation})
    if shown != enriched:
        raise TypeError(
            "_enrich_presentation changed more than the presentation; copy the request with model_copy"
        )
    return shown


def shown_to_callback(request: ApprovalRequest, snapshot: Snapshot, submission: Submission) -> ApprovalRequest:
    """Return the request with a presentation of its declared effects.

    Args:
        request: The request of the tool.
        snapshot: The snapshot of its effects.
        submission: The call as it would be posted: its arguments and working directory.

    Returns:
        The request with a presentation of the effects, then of the arguments that those do not show, then of
        the tool's own presentation, labeled as such. Marks stand in place of secrets. The type is that of the only
        part; several parts are one text.
        Without effects it is the request itself.
    """
    if not snapshot.steps:
        return request
    from signoff.policy.redaction.masking import DEFAULT_REDACTION
    from signoff.present.document.build import documents_for

    masks = DEFAULT_REDACTION.also(submission.masked_keys)
    documents = documents_for(snapshot, submission.presentation, submission.arguments, submission.cwd, masks=masks)
    only = documents[0] if len(documents) == 1 else None
    shown = ApprovalPresentation(
        type="text" if only is None else _type_of(only.kind),
        content="\n".join(line for document in documents for line in _lines(document)),
        language=None if only is None else only.language_name,
    )
    return request.model_copy(update={"presentation": shown})


def _type_of(kind: PresentationKind) -> PresentationType:
    match kind:
        case PresentationKind.DIFF:
            return "diff"
        case PresentationKind.FILE_CONTENT:
            return "file_content"
        case PresentationKind.COMMAND:
            return "command"
        case PresentationKind.STRUCTURED | PresentationKind.TEXT | PresentationKind.BINARY:
            return "text"  # rows that signoff made: no JSON, and no bytes
        case _:
            assert_never(kind)


def _lines(document: Document) -> Iterator[str]:
    for row in document:
        yield f"{_SIGNS.get(row.kind, '')}{row.text.text}"
