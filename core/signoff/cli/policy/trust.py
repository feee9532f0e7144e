"""`signoff policy trust` and `untrust`: make a settings file count, or no longer."""

from __future__ import annotations

import sys

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.output import at_terminal, complain, typed_answer
from signoff.cli.settings_file import read_settings
from signoff.present.reveal import one_line

__all__ = [
    "trust_file",
    "untrust_file",
]


@click.command(
    "trust",
    short_help="Let a file count, with exactly this content.",
    epilog="\b\nExample:\n  signoff policy trust signoff.yaml",
)
@click.argument("file", metavar="FILE")
@click.option("--yes", is_flag=True, help="Do not ask.")
def trust_file(*, file: str, yes: bool) -> int:
    """Say what FILE allows, and remember that you trust it and the code that it names, as they are now.

    Agents work where such files lie. One that was changed since it was trusted is refused until you trust it
    again, and the screen says so.
    """
    from signoff.cli.config_text import report_text
    from signoff.config.report import describe
    from signoff.config.trust import contents_of
    from signoff.config.warnings import table_problem, warnings_of
    from signoff.policy.trust import TrustError, trust

    read = read_settings(file, as_json=False)
    if read is None:
        return ExitCode.USAGE
    try:
        contents = contents_of(file, read.text, read.config)
        report = describe(read.config, read.directory)
        print(report_text(report, warnings_of(read, report), table_problem()), end="")
        if not yes and not _confirmed(contents):
            complain("not confirmed; nothing is trusted that was not before")
            return ExitCode.NO
        trust(contents)
    except (OSError, TrustError) as error:
        complain(str(error))
        return ExitCode.USAGE
    for name in contents:
        print(f"trusted as it is now: {one_line(name, 'path')}")
    return ExitCode.OK


def _confirmed(contents: dict[str, bytes]) -> bool:
    if not at_terminal(sys.stdin, sys.stderr):
        raise click.UsageError("without a terminal to ask at, nothing is trusted; add --yes if this is wanted")
    names = ", ".join(str(one_line(name, "path")) for name in contents)
    return typed_answer(f"\nType yes to trust {names} as they are now: ") == "yes"


# -- `signoff policy untrust`: a settings file no longer counts, whatever it holds.


@click.command(
    "untrust",
    short_help="Let a file count no more; it may be gone.",
    epilog="\b\nExample:\n  signoff policy untrust old/signoff.yaml",
)
@click.argument("file", metavar="FILE")
def untrust_file(*, file: str) -> int:
    """Trust FILE no more, and the code beside it neither if no other settings file there is trusted.

    Agents that start from now on refuse it. FILE need not be there any more.
    """
    from signoff.config.trust import untrust_settings
    from signoff.policy.trust import TrustError

    try:
        ended = untrust_settings(file)
    except (OSError, TrustError) as error:
        complain(str(error))
        return ExitCode.USAGE
    if not ended:
        complain(f"{one_line(file, 'path')} is not trusted, so nothing was changed")
        return ExitCode.USAGE
    for name in ended:
        print(f"trusted no more: {one_line(name, 'path')}")
    return ExitCode.OK
