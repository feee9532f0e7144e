"""`signoff policy explain`: shows the parts of a command, and the verdict on each."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option
from signoff.cli.output import print_json, width_of
from signoff.cli.page import Page
from signoff.cli.policy.verdict_text import verdict_facts, why
from signoff.cli.settings_file import read_settings
from signoff.policy.verdict import DOES, floors_of
from signoff.present.reveal import one_line

if TYPE_CHECKING:
    from signoff.policy.verdict import Verdict

__all__ = ["explain"]

_LABEL = 9


@click.command(
    short_help="Say what becomes of each part of a command.",
    epilog='\b\nExample:\n  signoff policy explain signoff.yaml -- "git status; rm -rf build"',
)
@click.argument("file", metavar="FILE")
@click.argument("words", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@json_option
def explain(*, file: str, words: tuple[str, ...], as_json: bool) -> int:
    """Say what FILE makes of a shell command: each part with its rule, what is asked about anyway, and the whole.

    One word is the text of the command; of several a command is made that has just these words.
    """
    loaded = read_settings(file, as_json=as_json)
    if loaded is None:
        return ExitCode.USAGE
    command = words[0] if len(words) == 1 else shlex.join(words)
    verdict = loaded.verdicts.command(command)
    if as_json:
        print_json({"command": command, **verdict_facts(verdict)})
    else:
        print(_text(command, verdict), end="")
    return ExitCode.OK


def _text(command: str, verdict: Verdict) -> str:
    page = Page(width_of(sys.stdout))
    page.add(one_line(command, "command"), label="command".ljust(_LABEL))
    page.add("")
    texts = [one_line(part.text, "command") for part in verdict.parts]
    width = max(map(len, texts), default=0)
    for part, text in zip(verdict.parts, texts, strict=True):
        page.add(f"{text:{width}}  {one_line(part.rule)}", label=DOES[part.level].ljust(_LABEL))
        for reason in part.reasons:
            page.add(one_line(reason), label=" " * _LABEL + "! ")
    for floor in floors_of(verdict):
        page.add(f"the command {one_line(floor)}", label="asks".ljust(_LABEL))
    if verdict.parts or floors_of(verdict):
        page.add("")
    page.add(f"the whole command: {DOES[verdict.level]}, {why(verdict)}")
    return page.text()
