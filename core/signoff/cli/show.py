"""`signoff show`: shows everything about one request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option, open_for_review, queue_option, reveal_option
from signoff.cli.output import complain, print_json
from signoff.cli.page import Page
from signoff.cli.render import add_request, approve_call, request_facts, seen_token
from signoff.command_review import told_command
from signoff.present.kinds import sent_command
from signoff.present.snapshot.snapshot import SnapshotError
from signoff.queue.grant_coverage import reach_of
from signoff.shown_request.content import content_of
from signoff.shown_request.facts import warnings_of
from signoff.shown_request.row import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from signoff.command_review import ToldCommand
    from signoff.policy.redaction.masking import Redactor
    from signoff.policy.shell.explain import CommandPart
    from signoff.policy.verdict import PartVerdict
    from signoff.present.document.model import Document
    from signoff.queue.records import StoredRequest
    from signoff.shown_request.content import CallContent

__all__ = ["show"]


@click.command(epilog="\b\nExample:\n  signoff show 1a2b3c4d")
@click.argument("request_id", metavar="ID")
@click.option(
    "--context",
    type=click.IntRange(0, 1_000_000),
    default=3,
    show_default=True,
    help="Unchanged lines around changes.",
)
@reveal_option
@queue_option
@json_option
def show(*, request_id: str, context: int, hidden: Redactor, as_json: bool) -> int:
    """Show all of one request. ID is its beginning, as `signoff list` prints it.

    Nothing is cut, and nothing in the text can act on the terminal: what would be hidden is written out.
    Signs before the lines: + added, - removed, $ command, = file, @ place in it, * fact, : unchanged lines left
    out (see --context), # and ! words of signoff, > the line before goes on. [secret, N characters] stands for a
    password or token (see --reveal): look before you approve what may hide more than that.
    """
    with open_for_review() as queue:
        request = queue.find(request_id)
        now = queue.now
        try:
            content = content_of(request, queue.blob, context, hidden)
            if as_json:
                print_json(_facts(request, content, now, hidden))
                return ExitCode.OK
            page = Page.on(sys.stdout)
            add_request(page, request, content, now, hidden)
        except SnapshotError as error:
            complain(f"this request cannot be shown: {error}")
            return ExitCode.QUEUE
    page.write(sys.stdout)
    if request.pending:
        print(f"\napprove with: {approve_call(request, complete=content.complete)}")
    return ExitCode.OK


def _facts(request: StoredRequest, content: CallContent, now: int, hidden: Redactor) -> dict[str, Any]:
    submission = request.submission
    hidden = hidden.also(submission.masked_keys)
    found = reach_of(submission)
    return {
        **request_facts(request, kind_of(submission), now, hidden),
        "seen": seen_token(request),
        "arguments": hidden.mask_value(submission.arguments),
        "payload": hidden.mask_value(submission.payload),
        "reach": {
            "breadth": found.breadth.lower(),
            "free": list(found.free),
            "wants_wide": found.breadth.careless,
        },
        "presentation": _presentation(submission.presentation, hidden),
        "batch_position": submission.batch_position,
        "batch_remaining": hidden.mask_value(submission.batch_remaining),
        "warnings": warnings_of(request),
        "complete": content.complete,
        "documents": [_document_facts(document) for document in content.documents],
        "commands": [_parts_facts(told_command(command, request, hidden)) for command in content.commands],
    }


def _presentation(sent: Mapping[str, Any] | None, hidden: Redactor) -> Any:
    """The presentation that the tool sent; the content of a command is masked as a command."""
    if sent is None or sent_command(sent) is None:
        return hidden.mask_value(sent)
    content = hidden.mask_value(sent.get("content"), "command")
    return {**hidden.mask_value(sent), "content": content}


def _document_facts(document: Document) -> dict[str, Any]:
    return {
        "kind": document.kind,
        "path": document.path,
        "added": document.added,
        "removed": document.removed,
        "complete": document.complete,
        "notes": list(document.notes),
        "warnings": [alert.message for alert in document.scan()],
        "rows": [{"kind": row.kind, "text": row.text.text} for row in document],
    }


def _parts_facts(told: ToldCommand) -> dict[str, Any]:
    """Return the remarks on a command as JSON values, with secrets hidden; nothing is left out."""
    facts = told.facts
    return {
        "command": told.masked(told.command.text),
        "cwd": told.command.cwd,
        "argument": told.command.argument,
        "risk": facts.risk,
        "rule_file": told.rule_file,
        "rules": None if told.rules is None else told.rules.text,
        "parts": [_part_facts(told, part) for part in facts.parts],
        "remarks": [
            {"text": told.masked(each.words), "risk": each.risk, "unread": each.unread} for each in facts.remarks
        ],
    }


def _part_facts(told: ToldCommand, part: CommandPart) -> dict[str, Any]:
    return {
        "text": told.masked(part.text),
        "joined": part.joined,
        "depth": part.depth,
        "times": part.times,
        "doubtful": part.doubtful,
        "writes": [told.masked(path) for path in part.writes],
        "risk": part.risk,
        "reasons": list(part.reasons),
        "rule": _rule_facts(told, part.verdict),
    }


def _rule_facts(told: ToldCommand, verdict: PartVerdict | None) -> dict[str, Any] | None:
    if verdict is None or told.rule_file is None:
        return None
    return {
        "name": told.masked(verdict.rule),
        "verdict": verdict.level.name.lower(),
        "reasons": [told.masked(reason) for reason in verdict.reasons],
    }
