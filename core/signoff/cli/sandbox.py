"""`signoff sandbox`: runs a command in the sandbox of the operating system, and says what that holds."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.groups import VerbGroup
from signoff.cli.options import chosen_place, json_option, queue_option
from signoff.cli.output import complain, print_json
from signoff.cli.settings_file import read_settings
from signoff.present.document.rows import number_of
from signoff.present.reveal import one_line

if TYPE_CHECKING:
    from signoff.config.verdicts import SettingsFile
    from signoff.confine.detect import Unusable, Usable
    from signoff.confine.profile import OSProfile
    from signoff.tools.file_sandbox import FileSandbox, TriedChange
    from signoff.tools.os_sandbox import OSSandbox, Started
    from signoff.tools.review import TriedOutcome

__all__ = ["sandbox"]

_config_option = click.option("--config", "file", metavar="FILE", required=True, help="Settings of the agent.")

_KINDS = {"a command that a person approves": True, "a command that is not asked about": False}


@click.group(cls=VerbGroup, short_help="Commands in the sandbox of the operating system.")
def sandbox() -> None:
    """Commands in the sandbox of the operating system, as the settings of an agent have it."""


@sandbox.command(
    "exec",
    epilog="\b\nExamples:\n"
    "  signoff sandbox exec --config signoff.yaml -- pytest -q\n"
    "  signoff sandbox exec --config signoff.yaml --mode review -- make format",
    short_help="Run a command in the sandbox of a settings file.",
)
@_config_option
@click.option(
    "--mode",
    type=click.Choice(["allowed", "approved", "review"]),
    default="allowed",
    help="It may touch what a command may that is not asked about (allowed), or that a person approved; or it"
    " works on copies, and you approve what it changed (review).",
)
@queue_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_command(*, file: str, mode: str, command: tuple[str, ...]) -> int:
    """Run COMMAND in the sandbox that FILE makes for commands, in the directory of FILE.

    It ends with the exit code of the command, 128 and the number if a signal ended it. With 2 it was not started:
    it never runs without the sandbox. In mode review it ends with 1 if a change was not approved.
    """
    from signoff.confine.errors import LaunchError

    found = _os_sandbox(file)
    if found is None:
        return ExitCode.USAGE
    files, confined = found
    for words in confined.fallback:
        complain(words)
    try:
        if mode == "review":
            return _review(command, files, confined, chosen_place())
        started = confined.start(command, approved=mode == "approved")
    except (LaunchError, ValueError) as error:
        complain(f"not started: {error}")
        return ExitCode.USAGE
    code = _end_of(started)
    for line in started.swept():
        complain(line)
    return code


def _end_of(started: Started) -> int:
    """The exit code of a command; an interrupt is for the command, and its end is awaited."""
    usual = signal.signal(signal.SIGINT, lambda *_: started.process.send_signal(signal.SIGTERM))
    try:
        return started.process.wait()
    finally:
        signal.signal(signal.SIGINT, usual)


def _review(command: Sequence[str], files: FileSandbox, confined: OSSandbox, place: str | None) -> int:
    from signoff.tools.review import trial

    with trial(confined.writable) as copies:
        code = _end_of(confined.start_on_copies(command, copies.copies))
        changes, left_out = copies.changes()
        for line in left_out:
            complain(line)
        if not changes:
            return code
        outcomes = _ask(command, files, place, changes)
    for each in outcomes:
        complain(each.words)
    return code if all(each.approved for each in outcomes) else ExitCode.NO


def _ask(
    command: Sequence[str], files: FileSandbox, place: str | None, changes: Sequence[TriedChange]
) -> list[TriedOutcome]:
    from signoff.connection import connect_agent
    from signoff.controller import ApprovalController
    from signoff.tools.review import review

    complain(f"it changed {number_of(len(changes), 'file')}; what may be changed waits for approval")
    with connect_agent(place=place, cwd=files.cwd, via="command line") as queue:
        controller = ApprovalController(queue=queue)
        return review(changes, files, controller, "run_command", {"command": shlex.join(command)})


@sandbox.command(
    "explain",
    epilog="\b\nExample:\n  signoff sandbox explain --config signoff.yaml",
    short_help="Say what commands may touch.",
)
@_config_option
@json_option
def explain(*, file: str, as_json: bool) -> int:
    """Say what the commands of an agent may touch: those that a person approves, and all others.

    It is what is enforced now; where that is less than the settings say, a line tells why. It ends with 2 if no
    command can be started.
    """
    from signoff.settings_yaml import dotted

    found = _os_sandbox(file)
    if found is None:
        return ExitCode.USAGE
    _, confined = found
    for key, words in confined.findings():
        complain(f"{dotted(('sandbox', *key))}: {words}")
    profiles = {name: _enforced(confined, approved=approved) for name, approved in _KINDS.items()}
    if as_json:
        print_json({name: _profile_facts(each) for name, each in profiles.items()})
    else:
        for name, approved in _KINDS.items():
            print(f"{name} ({confined.backend}): {one_line(confined.line(approved=approved))}")
            profile = profiles[name]
            for path, access in () if isinstance(profile, str) else profile.paths:
                print(f"  {access.name.lower():5}  {one_line(path, 'path')}")
    return ExitCode.USAGE if all(isinstance(each, str) for each in profiles.values()) else ExitCode.OK


def _enforced(confined: OSSandbox, *, approved: bool) -> OSProfile | str:
    """The walls that are enforced for a command, or the reason for which none is started."""
    from signoff.confine.errors import LaunchError

    try:
        return confined.enforced(approved=approved)
    except LaunchError as error:
        return str(error)


def _profile_facts(profile: OSProfile | str) -> dict[str, Any]:
    return {"problem": profile} if isinstance(profile, str) else profile.facts() | {"digest": profile.digest()}


@sandbox.command(
    "check",
    epilog="\b\nExample:\n  signoff sandbox check",
    short_help="Say whether commands can be confined here.",
)
@json_option
def check(*, as_json: bool) -> int:
    """Try each way to confine a command, and say what came of it. Ends with 1 if none works."""
    from signoff.confine.backends import BACKENDS
    from signoff.confine.detect import Unusable, detect

    found = {name: detect(name) for name in BACKENDS}
    if as_json:
        print_json({name: _facts(each) for name, each in found.items()})
    else:
        for name, each in found.items():
            print(*_lines(name, each), sep="\n")
    return ExitCode.NO if all(isinstance(each, Unusable) for each in found.values()) else ExitCode.OK


def _facts(found: Usable | Unusable) -> dict[str, Any]:
    from signoff.confine.detect import Usable

    if isinstance(found, Usable):
        return {"usable": True, "problem": None, "not_held": list(found.not_held)}
    return {"usable": False, "problem": str(found), "not_held": []}


def _lines(name: str, found: Usable | Unusable) -> Iterator[str]:
    from signoff.confine.detect import Usable

    if isinstance(found, Usable):
        less = ", and holds less: it is used only where os_sandbox_backends names it"
        yield f"{name}: works{less if found.not_held else ''}"
        yield from (f"  ok  {one}" for one in found.checks)
        yield from (f"  no  {one}" for one in found.not_held)
        return
    yield one_line(f"{name}: cannot be used: {found.reason}; {found.remedy}")
    if found.raw_line:
        yield one_line(f"  it says: {found.raw_line}")


def _os_sandbox(file: str) -> tuple[FileSandbox, OSSandbox] | None:
    """The file tools of a settings file, and its sandbox; None, and a complaint, if there is none."""
    read = read_settings(file)
    if read is None:
        return None
    if read.config.sandbox is None:
        complain(f"{file} has no sandbox: name the directories that commands may touch")
        return None
    try:
        return _built(read)
    except ValueError as error:
        complain(str(error))
        return None


def _built(read: SettingsFile) -> tuple[FileSandbox, OSSandbox]:
    from signoff.tools.file_sandbox import FileSandbox

    assert read.config.sandbox is not None
    directory = os.path.realpath(read.directory)
    required = {"require_os_sandbox": True, "os_sandbox": None, "os_sandbox_fallback": "fail_fast"}
    files = FileSandbox(read.config.sandbox.model_copy(update=required), cwd=directory)
    confined = files.os_sandbox(read.config.shell, directory)
    assert confined is not None
    return files, confined
