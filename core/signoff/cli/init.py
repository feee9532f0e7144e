"""`signoff init`: puts the hook into the settings of the coding agents that are there, and takes it out."""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from signoff import private_files
from signoff.adapters.hooks import DIALECTS, dialect
from signoff.adapters.hooks.calls import Dialect
from signoff.adapters.hooks.installation import (
    HookPlace,
    PluginPlace,
    SettingsError,
    has_hook,
    with_hook,
    without_hook,
)
from signoff.cli.exit_codes import ExitCode
from signoff.cli.output import at_terminal, complain, typed_answer
from signoff.present.reveal import one_line

__all__ = ["init", "is_here", "own_program"]

BACKUP = ".before-signoff"
"""What the name of the file as it was ends with."""

_EPILOG = """\b
Examples:
  signoff init                 every agent that is on this machine
  signoff init claude-code
  signoff init --undo          take the hooks out again
"""


@click.command(epilog=_EPILOG, short_help="Have your coding agents ask, or no more.")
@click.argument("agents", metavar="[AGENT]...", nargs=-1, type=click.Choice(sorted(DIALECTS)))
@click.option("--undo", is_flag=True, help="Take the hook out of the settings.")
@click.option("--yes", "agreed", is_flag=True, help="Do not ask before a file is written.")
def init(*, agents: tuple[str, ...], undo: bool, agreed: bool) -> int:
    """Put the hook into the settings of coding agents, after showing what changes.

    Without AGENT those that are on this machine. The file as it was stays beside the new one.
    """
    if not agreed and not at_terminal(sys.stdin, sys.stderr):
        raise click.UsageError("init asks before it writes, which needs a terminal; without one give --yes")
    found = [dialect(name) for name in agents or sorted(DIALECTS)]
    if not agents:
        found = [each for each in found if is_here(each)]
        if not found:
            print("no coding agent was found; signoff init --help names those that it knows")
            return ExitCode.OK
    done = [_change(each, undo=undo, agreed=agreed) for each in found]
    return ExitCode.OK if all(done) else ExitCode.NO


def is_here(spoken: Dialect) -> bool:
    """True if an agent is on this machine."""
    place = spoken.place
    found = place.program and shutil.which(place.program)
    return bool(found) or place.sign(os.environ).is_dir()


def _change(spoken: Dialect, *, undo: bool, agreed: bool) -> bool:
    """Change the settings of one agent; False if they are not as they should be afterwards."""
    named = spoken.place.file(os.environ)
    path = named.resolve()  # a link stays one
    where = f"{spoken.title}: {named}"
    try:
        before, original = _read(path), _original(path, spoken.place)
        after = _changed(before, original, spoken.place, undo=undo)
        if after == before:
            print(f"{where} {'has no hook of signoff' if undo else 'has the hook already'}")
            return True
        _show(before, after, str(named))
        if not agreed and typed_answer(f"{'write' if after else 'remove'} {one_line(str(named))}? [y/N] ") not in {
            "y",
            "yes",
        }:
            complain(f"{where} was left as it is")
            return False
        replaced = before if not original or without_hook(before, spoken.place) == before else ""
        _write(path, before, after, backup=replaced)
    except (OSError, UnicodeError, SettingsError) as error:
        complain(f"{where} was left as it is: {error}")
        return False
    backup = f"; as it was: {path.name}{BACKUP}" if replaced else ""
    print(f"{where} {'written' if after else 'removed'}{backup}")
    if not undo:
        if spoken.place.still_to_do:
            print(spoken.place.still_to_do)
        print(f"check it: ask {spoken.title} to run a command, and look here: signoff")
    return True


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8") if path.exists() else ""


def _original(path: Path, place: HookPlace | PluginPlace) -> str:
    """The file beside it that was kept, if that has no hook of ours; "" for none."""
    try:
        kept = _read(path.with_name(path.name + BACKUP))
        return kept if without_hook(kept, place) == kept else ""
    except ValueError:
        return ""


def _changed(before: str, original: str, place: HookPlace | PluginPlace, *, undo: bool) -> str:
    signoff = own_program()
    if not undo:
        return before if has_hook(before, place, signoff) else with_hook(before, place, signoff)
    after = without_hook(before, place)
    try:
        is_original = after != before and without_hook(with_hook(original, place, signoff), place) == after
    except SettingsError:
        return after
    return original if is_original else after


def own_program() -> str:
    """Return this program as a shell of the agent finds it: by its name, if that leads here."""
    own = Path(sys.argv[0]).absolute()
    found = shutil.which("signoff")
    if found is not None and (not own.exists() or Path(found).resolve() == own.resolve()):
        return "signoff"
    return shlex.quote(str(own if own.name == "signoff" else Path(sys.executable).with_name("signoff")))


def _show(before: str, after: str, name: str) -> None:
    """Print the change as a diff."""
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm=""):
        print(one_line(line))


def _write(path: Path, before: str, after: str, *, backup: str) -> None:
    """Write a file, and the one beside it; one in which nothing is left goes.

    Raises:
        SettingsError: It is not what was shown.
    """
    content = after.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    if backup:
        private_files.put(path.with_name(path.name + BACKUP), backup.encode(), mode=mode)
    if _read(path) != before:
        raise SettingsError("it was changed meanwhile; give the command again")
    if after:
        private_files.put(path, content, mode=mode)
    else:
        path.unlink()
