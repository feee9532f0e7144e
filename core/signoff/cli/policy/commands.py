"""The verbs of `signoff policy`."""

from __future__ import annotations

import click

from signoff.cli.groups import VerbGroup
from signoff.cli.policy.check import check
from signoff.cli.policy.explain import explain
from signoff.cli.policy.replay import replay
from signoff.cli.policy.suggest import suggest
from signoff.cli.policy.test import judge_lines
from signoff.cli.policy.trust import trust_file, untrust_file

__all__ = ["policy"]


@click.group(
    cls=VerbGroup,
    no_args_is_help=False,
    short_help="Try out what a settings file says of calls.",
    epilog="\b\nExamples:\n  signoff policy check signoff.yaml\n"
    '  signoff policy explain signoff.yaml -- "git status; rm -rf build"\n'
    "  signoff policy replay signoff.yaml --since 7d",
)
def policy() -> None:
    """Try out what a settings file says of calls, and trust it. No verb runs or decides anything."""


for command in (check, judge_lines, explain, replay, suggest, trust_file, untrust_file):
    policy.add_command(command)
