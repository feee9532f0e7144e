"""`signoff policy untrust`: a settings file counts no more, whatever it holds."""

from __future__ import annotations

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.output import complain, one_line

__all__ = ["untrust_file"]


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
