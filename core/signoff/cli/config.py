"""`signoff config`: checks settings of agents, and writes the first settings file of the screen."""

from __future__ import annotations

import os

import click

from signoff import private_files
from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.options import json_option
from signoff.cli.output import print_json
from signoff.cli.settings_file import read_settings

__all__ = ["config"]


@click.group(cls=VerbGroup, no_args_is_help=False, short_help="Settings of agents, and of your screen.")
def config() -> None:
    """Two kinds of settings, in two places.

    What the tools of an agent may do, and what must be approved, is in a signoff.yaml beside the agent: check and
    schema are about that. How your screen looks and when its keys count is in a file of yours, which init writes:
    it lies where agents have no business.
    """


@config.command(
    epilog="\b\nExample:\n  signoff config init && $EDITOR ~/.config/signoff/screen.yaml",
    short_help="Write the settings of your screen, with every default.",
)
@click.option("--force", is_flag=True, help="Put the defaults in the place of a file that is there.")
def init(*, force: bool) -> int:
    """Write the settings file of the screen, with every setting, its default and what it does.

    It goes to your configuration directory, or to the file that SIGNOFF_SETTINGS names. It is not the settings of
    an agent: see signoff config check.
    """
    from signoff_tui.settings import settings_file, template

    path = settings_file(os.environ)
    if path.exists() and not force:
        raise click.UsageError(f"{path} is there already; --force puts the defaults in its place")
    try:
        private_files.make_directory(path.parent)
        with private_files.new_file(path, replaces=force) as file:
            file.write(template().encode())
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error
    print(f"wrote {path}: the settings of your screen; what agents may do is in their own signoff.yaml")
    return ExitCode.OK


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
    every problem is named; so does a programs.txt of yours that cannot be read.
    """
    from signoff.cli.config_text import report_facts, report_text
    from signoff.config.report import describe
    from signoff.config.warnings import table_problem, warnings_of

    read = read_settings(file, as_json=as_json)
    if read is None:
        return ExitCode.USAGE
    report = describe(read.config, read.directory)
    found, problem = warnings_of(read, report), table_problem()
    if as_json:
        print_json({"valid": problem is None, "file": file, **report_facts(report, found, problem)})
    else:
        print(report_text(report, found, problem), end="")
    return ExitCode.USAGE if problem else ExitCode.OK
