"""`signoff config`: what a settings file allows, and the schema of one for editors."""

from __future__ import annotations

import os
from pathlib import Path

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option
from signoff.cli.output import print_json
from signoff.cli.settings_file import read_settings

__all__ = ["config"]


@click.group(no_args_is_help=False, short_help="Check a settings file, print the schema of one.")
def config() -> None:
    """Settings of an agent: what its tools may do, and what must be approved."""


@config.command(epilog="\b\nExample:\n  signoff config schema > signoff.schema.json")
def schema() -> int:
    """Print the JSON Schema of a settings file, for editors."""
    from signoff.config.schema import config_schema

    print_json(config_schema())
    return ExitCode.OK


@config.command(epilog="\b\nExample:\n  signoff config check signoff.yaml", short_help="Say what a file allows.")
@click.argument("file", metavar="FILE")
@json_option
def check(*, file: str, as_json: bool) -> int:
    """Say in words what each rule of a settings file now allows, and warn of what was hardly meant.

    Nothing is changed and no code is run: tools.py is read, not loaded. A file that is not valid ends with 2, and
    every problem is named.
    """
    from signoff.cli.config_text import report_facts, report_text
    from signoff.config.cautions import cautions
    from signoff.config.report import describe
    from signoff.setting_files.errors import Problem

    read = read_settings(file, as_json=as_json)
    if read is None:
        return ExitCode.USAGE
    report = describe(read.config, Path(file).parent)
    found = [
        Problem(file, *read.respelled.place(caution.path), caution.message)
        for caution in cautions(report, os.path.realpath(file))
    ]
    found.sort(key=Problem.by_place)
    if as_json:
        print_json({"valid": True, "file": file, **report_facts(report, found)})
    else:
        print(report_text(report, found), end="")
    return ExitCode.OK
