"""The verb `hook` with all its options; `signoff.cli.hook` runs it."""

from __future__ import annotations

import math
from typing import NoReturn

import click

from signoff.adapters.hooks import DIALECTS
from signoff.cli.hook import MARGIN, HookOptions, run_hook
from signoff.cli.options import chosen_place, queue_option

__all__ = ["hook"]

_EPILOG = """\b
signoff init puts this into the settings of an agent:
  signoff hook claude-code || exit 2

\b
"|| exit 2" keeps calls from running where signoff is missing or crashes.
Exit codes: 0 the answer is on standard output, or there is nothing to say;
2 the call must not run; 49 Crush shall end its turn.
"""


@click.command(epilog=_EPILOG)
@click.argument("agent", type=click.Choice(sorted(DIALECTS)))
@click.option(
    "--timeout",
    type=click.FloatRange(min=MARGIN, min_open=True),
    metavar="SECONDS",
    help="The timeout of the hook in the agent's settings, if it is another one than in the guide.",
)
@queue_option
def hook(*, agent: str, timeout: float | None) -> NoReturn:
    """Answer the event that an agent writes to standard input, when a person has decided.

    AGENT is the one whose hook this is.
    """
    if timeout is not None and not math.isfinite(timeout):
        raise click.BadParameter(f"{timeout} is no number of seconds", param_hint="--timeout")
    run_hook(HookOptions(agent, chosen_place(), timeout))
