"""A program in tmux, worked with ``send-keys`` and looked at with ``capture-pane`` only."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pyte
from pty_bench import bold_of

from system_bench import eventually, is_running

_CONFIGURATION = """
set -g status off
set -g remain-on-exit on
set -sg escape-time 0
"""

_NUMBERS = itertools.count()


class Tmux:
    """One pane in a tmux server of its own, which is ended with the test.

    Args:
        command: What to run, without a shell.
        variables: Its whole environment, but for what tmux adds.
        cwd: Its working directory.
        columns: Width of the pane.
        rows: Height of the pane.
    """

    def __init__(
        self, command: Sequence[str], variables: dict[str, str], cwd: Path, *, columns: int = 120, rows: int = 40
    ) -> None:
        assert shutil.which("tmux"), "tmux is missing; run: sh scripts/install-programs.sh tmux"
        # The path of a socket must be short; the folders of tests are not.
        self._folder = Path(tempfile.mkdtemp(prefix="so-tmux-", dir="/tmp"))
        configuration = self._folder / "conf"
        configuration.write_text(_CONFIGURATION, encoding="utf-8")
        self._base = ["tmux", "-u", "-S", str(self._folder / f"s{next(_NUMBERS)}"), "-f", str(configuration)]
        self._variables = variables
        size = ["-x", str(columns), "-y", str(rows)]
        self._tmux("new-session", "-d", "-s", "main", *size, "-c", str(cwd), shlex.join(["exec", *command]))
        self.size = (columns, rows)

    def text(self) -> str:
        """What the pane shows, one line per row."""
        return self._tmux("capture-pane", "-p", "-t", "main")

    def bold(self) -> str:
        """The same, with blanks for all that is not bold."""
        screen = pyte.Screen(*self.size)
        painted = self._tmux("capture-pane", "-p", "-e", "-t", "main").rstrip("\n")
        pyte.Stream(screen).feed(painted.replace("\n", "\r\n"))
        return "\n".join(bold_of(screen))

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names for them."""
        self._tmux("send-keys", "-t", "main", *keys)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-t", "main", "-l", text)

    def says(self, name: str) -> str:
        """A format variable of the pane, such as ``alternate_on``."""
        return self._tmux("display-message", "-p", "-t", "main", f"#{{{name}}}").strip()

    @property
    def pid(self) -> int:
        """Process id of the program."""
        return int(self.says("pane_pid"))

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return self.says("pane_dead") == "1"

    def close(self) -> None:
        """End the program and the server."""
        pids = [int(self.says(name)) for name in ("pane_pid", "pid")]
        self._tmux("kill-server")
        eventually(lambda: not any(is_running(pid) for pid in pids), "tmux and its program ended")
        shutil.rmtree(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            [*self._base, *words], env=self._variables, capture_output=True, check=False, cwd=os.sep, timeout=30
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()
