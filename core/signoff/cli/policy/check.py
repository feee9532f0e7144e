"""`signoff policy check`: reports the rights of a settings file, with examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option
from signoff.cli.output import print_json
from signoff.cli.policy.verdict_text import verdict_facts, why
from signoff.cli.settings_file import read_settings
from signoff.policy.verdict import DOES
from signoff.present.reveal import clipped, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from signoff.cli.policy.examples import Examples

__all__ = ["check"]

_WIDEST_CALL = 100


@click.command(
    short_help="Say what a file allows, with examples.", epilog="\b\nExample:\n  signoff policy check signoff.yaml"
)
@click.argument("file", metavar="FILE")
@json_option
def check(*, file: str, as_json: bool) -> int:
    """Say all that `signoff config check` says of FILE, and work out examples.

    Nothing is changed and no code is run. A file that is not valid ends with 2, and every problem is named; so
    does a programs.txt of yours that cannot be read.
    """
    loaded = read_settings(file, as_json=as_json)
    if loaded is None:
        return ExitCode.USAGE
    from signoff.cli.config_text import report_facts, report_text
    from signoff.cli.policy.examples import worked_examples
    from signoff.config.report import describe
    from signoff.config.warnings import table_problem, warnings_of

    report = describe(loaded.config, loaded.directory)
    found, problem = warnings_of(loaded, report), table_problem()
    examples = list(worked_examples(loaded.verdicts))
    if as_json:
        facts = report_facts(report, found, problem)
        print_json({"valid": problem is None, "file": file, **facts, "examples": list(map(_facts, examples))})
    else:
        print(report_text(report, found, problem), end="")
        print("".join(f"{line}\n" for line in _lines(examples)), end="")
    return ExitCode.USAGE if problem else ExitCode.OK


def _lines(found: Iterable[Examples]) -> Iterator[str]:
    blocks = list(found)
    yield "examples:" if blocks else "examples: none"
    for block in blocks:
        yield f"  {one_line(block.about)}"
        calls = [clipped(one_line(example.call, "command"), _WIDEST_CALL) for example in block.examples]
        width = max(map(len, calls))
        for example, call in zip(block.examples, calls, strict=True):
            yield f"    {call:{width}}  {DOES[example.verdict.level]}: {why(example.verdict)}"


def _facts(block: Examples) -> dict[str, Any]:
    return {
        "about": block.about,
        "calls": [{"call": example.call, **verdict_facts(example.verdict)} for example in block.examples],
    }
