"""`signoff policy suggest`: suggests narrow rules from commands that were approved every time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option, open_for_review, queue_option, reveal_option
from signoff.cli.output import complain, print_json, width_of
from signoff.cli.page import Page
from signoff.present.reveal import one_line
from signoff.shown_request.row import short_id
from signoff.text.time import iso, local_time

if TYPE_CHECKING:
    from signoff.config.suggest import Suggestion
    from signoff.policy.redaction.masking import Redactor

__all__ = ["suggest"]


@click.command(
    short_help="Suggest narrow rules for what was always approved.",
    epilog="\b\nExample:\n  signoff policy suggest",
)
@reveal_option
@queue_option
@json_option
def suggest(*, hidden: Redactor, as_json: bool) -> int:
    """Print shell rules, as YAML to paste, for commands that a person approved at least three times.

    Nothing is written. No rule is suggested that is about a command which was ever rejected or of HIGH risk, nor
    for programs that run others.
    """
    from signoff.config.suggest import LEAST_APPROVALS, suggestions

    with open_for_review() as queue:
        found = suggestions(queue.export())
    if as_json:
        print_json([_facts(suggestion, hidden) for suggestion in found])
        return ExitCode.OK
    if not found:
        complain(f"nothing to suggest: no command was approved {LEAST_APPROVALS} times, and never rejected")
        return ExitCode.OK
    print(_yaml(found, hidden), end="")
    return ExitCode.OK


def _yaml(found: Sequence[Suggestion], hidden: Redactor) -> str:
    """The rules as YAML; requests are comments, and stay comments however they are folded."""
    from signoff.config.suggest import rule_lines

    page = Page(width_of(sys.stdout))
    page.add("each rule also lets through what is known to be harmless behind its words", label="# ", fold="#")
    page.add("shell_rules:")
    for suggestion in found:
        for row in rule_lines(suggestion.pattern):
            page.add(row.lstrip(), label=" " * (2 + len(row) - len(row.lstrip())))
        page.add(f"would have answered {len(suggestion.answered)} requests:", label="    # ", fold="    #")
        for record, command in suggestion.answered:
            what = one_line(hidden.mask_text(command, command=True).text, "command")
            label = f"    #   {local_time(record.at)}  {short_id(record.request_id or '-'):8}  "
            page.add(what, label=label, fold="    #")
    return page.text()


def _facts(suggestion: Suggestion, hidden: Redactor) -> dict[str, Any]:
    return {
        "pattern": suggestion.pattern,
        "requests": [
            {
                "seq": record.seq,
                "at": iso(record.at),
                "id": record.request_id,
                "agent": record.agent_name,
                "command": hidden.mask_text(command, command=True).text,
            }
            for record, command in suggestion.answered
        ],
    }
