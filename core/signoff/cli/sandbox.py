"""`signoff sandbox`: runs a command under the sandbox of the operating system, and says what that holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import json_option
from signoff.cli.output import complain, print_json
from signoff.cli.settings_file import read_settings
from signoff.present.reveal import one_line

if TYPE_CHECKING:
    from signoff.tools.os_sandbox import OSSandbox

__all__ = ["sandbox"]

_config_option = click.option("--config", "file", metavar="FILE", required=True, help="The settings of the agent.")


@click.group()
def sandbox() -> None:
    """The sandbox of the operating system around the commands of an agent."""


@sandbox.command(
    "exec",
    epilog="\b\nExample:\n  signoff sandbox exec --config signoff.yaml -- pytest -q",
    short_help="Run a command under the sandbox of a settings file.",
)
@_config_option
@click.option(
    "--approved", is_flag=True, help="As a command that a person approved; else as one that was not asked about."
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_command(*, file: str, approved: bool, command: tuple[str, ...]) -> int:
    """Run COMMAND under the sandbox that FILE makes for commands, in the directory of FILE.

    It ends with the exit code of the command, 128 and the number if a signal ended it, and 2 if it was not started:
    it never runs without the sandbox.
    """
    from signoff.confine.errors import LaunchError

    confined = _os_sandbox(file)
    if confined is None:
        return ExitCode.USAGE
    try:
        started = confined.start(command, approved=approved)
    except LaunchError as error:
        complain(f"not started: {error}")
        return ExitCode.USAGE
    code = started.process.wait()
    for line in started.swept():
        complain(line)
    return code


@sandbox.command(
    epilog="\b\nExample:\n  signoff sandbox explain --config signoff.yaml",
    short_help="Say what commands may touch.",
)
@_config_option
@json_option
def explain(*, file: str, as_json: bool) -> int:
    """Say what the commands of an agent may touch: those that a person approves, and all others."""
    confined = _os_sandbox(file)
    if confined is None:
        return ExitCode.USAGE
    kinds = {"a command that a person approves": True, "a command that is not asked about": False}
    profiles = {name: confined.profile(approved=approved) for name, approved in kinds.items()}
    if as_json:
        print_json({name: profile.facts() | {"digest": profile.digest()} for name, profile in profiles.items()})
        return ExitCode.OK
    for name, approved in kinds.items():
        print(f"{name} ({confined.backend}): {confined.line(approved=approved)}")
        for path, access in profiles[name].paths:
            print(f"  {access.name.lower():5}  {one_line(path, 'path')}")
    return ExitCode.OK


@sandbox.command(
    epilog="\b\nExample:\n  signoff sandbox check", short_help="Say whether commands can be confined here."
)
@json_option
def check(*, as_json: bool) -> int:
    """Try each way to confine a command, and say what came of it. Ends with 1 if none works."""
    from signoff.confine.backends import BACKENDS
    from signoff.confine.detect import Unusable, detect

    found = {name: detect(name) for name in BACKENDS}
    if as_json:
        print_json(
            {
                name: {
                    "usable": not isinstance(each, Unusable),
                    "problem": str(each) if isinstance(each, Unusable) else None,
                }
                for name, each in found.items()
            }
        )
    else:
        for name, each in found.items():
            if isinstance(each, Unusable):
                print(f"{name}: cannot be used: {each.reason}; {each.remedy}")
                if each.raw_line:
                    print(f"  it says: {each.raw_line}")
                continue
            print(f"{name}: works")
            for one in each.checks:
                print(f"  ok  {one}")
    return ExitCode.OK if any(not isinstance(each, Unusable) for each in found.values()) else ExitCode.NO


def _os_sandbox(file: str) -> OSSandbox | None:
    """The sandbox that a settings file makes; None, and a complaint, if there is none."""
    from signoff.tools.file_sandbox import FileSandbox
    from signoff.tools.os_sandbox import OSSandbox

    read = read_settings(file)
    if read is None:
        return None
    config, directory = read.config.sandbox, os.path.realpath(read.directory)
    if config is None:
        complain(f"{file} has no sandbox: name the directories that commands may touch")
        return None
    try:
        roots = FileSandbox({"paths": config.paths}, cwd=directory).places
        return OSSandbox(
            roots, read.config.shell, config.os_sandbox_profile, cwd=directory, backends=config.os_sandbox_backends
        )
    except ValueError as error:
        complain(str(error))
        return None
