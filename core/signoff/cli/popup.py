"""`signoff popup`: opens the screen in a popup window of tmux, which closes when the screen is left."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, queue_option

__all__ = ["popup", "too_old"]

OLDEST_TMUX = (3, 2)
_SIZE = ("-w", "90%", "-h", "90%")
_PASSED_ON = ("SIGNOFF_", "XDG_", "LANG", "LC_", "PYTHONPATH", "PYTHONUTF8", "NO_COLOR", "PG")

_EPILOG = """\b
In ~/.tmux.conf, a key that opens the screen over whatever you do:
  bind-key S run-shell -b 'signoff popup'

\b
The same by itself when tmux hears a bell while HIGH risk waits:
  set-hook -g alert-bell 'run-shell -b "signoff status >/dev/null || test $? -ne 20 || signoff popup"'
"""


@click.command(epilog=_EPILOG, short_help="Open the screen in a tmux popup.")
@click.option("--read-only", is_flag=True, help="Look only: no key on the screen decides anything.")
@queue_option
@click.pass_context
def popup(context: click.Context, *, read_only: bool) -> int:
    """Open the screen in a popup of tmux 3.2 or newer; it closes when you leave the screen."""
    tmux = _tmux()
    options = context.find_root().params
    words = [sys.executable, "-P", "-m", "signoff.cli"]
    if options.get("theme"):
        words += ["--theme", options["theme"]]
    words += ["--ascii"] if options.get("ascii_only") else []
    words += ["--read-only"] if read_only or options.get("read_only") else []
    variables = dict(os.environ)
    if (place := chosen_place()) is not None:
        variables["SIGNOFF_QUEUE"] = place
    # The popup is a child of tmux, not of this process. Its environment goes through a file that only its owner
    # can read: a queue may be a URL with a password, and everyone can read the words of a command.
    with tempfile.TemporaryDirectory(prefix="signoff-popup-") as folder:
        script = Path(folder, "open")
        script.write_text(_script(words, variables), encoding="utf-8", errors="surrogateescape")
        done = subprocess.run(
            # Closed on success only: an error message stays to be read.
            [tmux, "display-popup", "-EE", *_SIZE, "-d", str(Path.cwd()), shlex.join(["sh", str(script)])],
            capture_output=True,
            check=False,
        )
    if done.stderr:
        raise click.ClickException(f"tmux opened no popup: {done.stderr.decode(errors='replace').strip()}")
    return ExitCode.OK


def _tmux() -> str:
    """Return the path of a tmux that has popups.

    Raises:
        click.UsageError: This is not inside tmux, or its version has no popups.
    """
    if not os.environ.get("TMUX"):
        raise click.UsageError("a popup needs tmux, and this is not inside one; open the screen with: signoff")
    tmux = shutil.which("tmux")
    if tmux is None:
        raise click.UsageError("a popup needs the program tmux, which is not on the PATH")
    version = subprocess.run([tmux, "-V"], capture_output=True, text=True, check=False).stdout.strip()
    if too_old(version):
        raise click.UsageError(
            f"a popup needs tmux 3.2 or newer, this is {version}; open the screen with: signoff"
        )
    return tmux


def too_old(version: str) -> bool:
    """True if a version of tmux has no popups.

    Args:
        version: The output of ``tmux -V``. Without a number in it, tmux was built from the newest source.
    """
    found = re.search(r"(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) < OLDEST_TMUX


def _script(words: Sequence[str], variables: Mapping[str, str]) -> str:
    kept = {
        name: value for name, value in variables.items() if name.startswith(_PASSED_ON) and name.isidentifier()
    }
    exports = [f"export {name}={shlex.quote(value)}\n" for name, value in sorted(kept.items())]
    return "".join(['rm -f "$0"\n', *exports, f"exec {shlex.join(words)}\n"])
