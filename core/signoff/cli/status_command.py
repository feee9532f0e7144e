"""`signoff status` for calls that the quick parser does not know."""

from __future__ import annotations

from typing import cast, get_args

import click

from signoff.cli.options import chosen_place, queue_option
from signoff.cli.status import StatusCall, StatusFormat, run_status

__all__ = ["status"]

_EPILOG = """\b
Example, in ~/.tmux.conf:
  set -g status-right '#(signoff status --format tmux)'

\b
Exit codes: 0 nothing waits, 10 requests wait, 20 HIGH risk waits,
30 there is no queue, or it cannot be read.
"""


@click.command(epilog=_EPILOG, short_help="Print one line for a status bar.")
@click.option("--format", "style", type=click.Choice(get_args(StatusFormat)), default="plain", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@queue_option
def status(*, style: str, as_json: bool) -> int:
    """Print one line: how many requests wait, how many of HIGH risk, the longest wait, and if a screen is open."""
    return run_status(StatusCall(chosen_place(), cast("StatusFormat", "json" if as_json else style)))
