"""The parts of the commands of a request as rows below it, each with its risk and the rule that is about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from signoff.command_review import WORDS, ToldPart, told_command
from signoff.policy.redaction.masking import Redaction
from signoff.policy.shell.plain_commands import plain_facts
from signoff.present.document.model import Document
from signoff.present.document.rows import joined
from signoff.present.document.text import PartRow, parts_document
from signoff.present.reveal import SafeText
from signoff.queue.records import StoredRequest
from signoff.shown_commands import ShownCommand

__all__ = ["document_of_parts", "told_at_once"]

_SCREENFUL, _LONG = 12, 2_000
"""Parts or lines of a command, and its characters, from which the heading of the request says what is below."""

_RISK = 5
"""Cells for the risk of a part."""


def told_at_once(command: ShownCommand) -> bool:
    """Whether the parts of a command are told at once, without any parser."""
    return len(command.text) <= _LONG and plain_facts(command.text) is not None


def document_of_parts(command: ShownCommand, request: StoredRequest, masks: Redaction | None) -> Document:
    """Work out the parts of a command. It may take seconds, and never fails: what cannot be told is said.

    Args:
        command: The command.
        request: Whose it is.
        masks: Says what is hidden; None hides nothing.
    """
    told = told_command(command, request, masks)
    width = max((len(_joined(part)) for part in told.parts if not part.depth), default=0)
    remarks = [_row(remark, "the line ") for remark in told.remarks]
    long = len(told.parts) > _SCREENFUL or command.text.count("\n") > _SCREENFUL or len(command.text) > _LONG
    rules = () if told.rules is None else ("   ", told.rules)
    return parts_document(
        joined(f"{told.guess}{told.found}", *rules),
        [
            *(row for row in remarks if row.level == len(WORDS) - 1),
            *(() if told.says_nothing_more else (_row(part, f"{_joined(part):<{width}}") for part in told.parts)),
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
    """What joins a part to the one above, or stands before it in its stead."""
    joins = "may run" if part.doubtful else part.joined
    return f"{joins} " if joins else ""
