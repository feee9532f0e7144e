"""The real screen calls a person who looks elsewhere, and says nothing of the requests."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff.connection import connect_agent
from signoff.queue import Risk
from system_bench import SCREEN, environment, eventually, is_running, note, note_submission

pytestmark = pytest.mark.system

FOCUS_LOST = b"\x1b[O"
SECRET = "rename-the-moon"

_TMUX = """
set -g focus-events on
set -g monitor-bell on
set -g bell-action any
set -sg escape-time 0
"""

_SAID = re.compile(rb"\x1b\].*?(?:\x07|\x1b\\)|\x1bP.*?\x1b\\|\x07|\x1b\[2[23];2t", re.DOTALL)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "tmp").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def variables(home: Path) -> dict[str, str]:
    return environment(home, SIGNOFF_QUEUE=str(home / "queue"), SIGNOFF_NOTIFY="osc9")


def test_the_bytes_of_a_notice_reach_the_terminal_and_no_others_do(home: Path, variables: dict[str, str]) -> None:
    with (
        Terminal(SCREEN, variables, home) as terminal,
        connect_agent("ref\x07actor\x1b]0;x\x07", session="s", place=home / "queue", cwd=str(home)) as agent,
    ):
        person = Person(terminal)
        person.sees("nothing waiting")
        terminal.send(FOCUS_LOST)
        request = agent.submit(replace(note_submission(SECRET, cwd=str(home)), risk=Risk.HIGH))
        eventually(lambda: b"\x07" in terminal.raw, "a bell")
        agent.withdraw(request.id, SECRET)
        person.sees("nothing waiting")
        person.press("q")
        eventually(lambda: terminal.process.poll() is not None, "the screen was left")
        terminal.close()
        assert _SAID.findall(terminal.raw) == [
            b"\x1b]11;?\x1b\\",  # the color of the background
            b"\x1b[22;2t",
            b"\x1b]2;signoff: nothing waiting\x1b\\",
            b"\x1b]2;signoff: 1 waiting, 1 HIGH\x1b\\",
            b"\x1b]9;signoff: 1 waiting, 1 HIGH, from refactor0x\x1b\\",
            b"\x07",
            b"\x1b]2;signoff: nothing waiting\x1b\\",
            b"\x1b]2;\x1b\\",
            b"\x1b[23;2t",
        ]


class Desk:
    """A person at a terminal in which tmux runs: the screen in one window, a shell in the other.

    Args:
        variables: The environment.
        home: The working directory.
    """

    def __init__(self, variables: dict[str, str], home: Path) -> None:
        # The path of a socket must be short; the folders of tests are not.
        self._folder = Path(tempfile.mkdtemp(prefix="so-desk-", dir="/tmp"))
        configuration = self._folder / "conf"
        popup = shlex.join(["run-shell", "-b", shlex.join([*SCREEN, "popup", "--read-only"])])
        configuration.write_text(f"{_TMUX}bind-key S {popup}\n", encoding="utf-8")
        self._base = ["tmux", "-u", "-S", str(self._folder / "s"), "-f", str(configuration)]
        self._variables = variables
        screen = shlex.join(["exec", *SCREEN])
        started = [*self._base, "new-session", "-s", "main", "-n", "signoff", "-c", str(home), screen]
        self.terminal = Terminal(started, variables, home)
        self.person = Person(self.terminal)

    def asks_tmux(self, *words: str) -> str:
        """Run a command of tmux and return what it says."""
        done = subprocess.run(
            [*self._base, *words], env=self._variables, capture_output=True, check=True, timeout=30
        )
        return done.stdout.decode().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pids = self.asks_tmux("list-panes", "-s", "-F", "#{pane_pid}").split()
        self.asks_tmux("kill-server")
        self.terminal.close()
        eventually(lambda: not any(is_running(int(pid)) for pid in pids), "tmux and its programs ended")
        shutil.rmtree(self._folder)


def test_in_tmux_the_window_is_marked_and_a_key_opens_the_popup(home: Path, variables: dict[str, str]) -> None:
    with (
        Desk(variables, home) as desk,
        connect_agent("refactor", session="s", place=home / "queue", cwd=str(home)) as agent,
    ):
        desk.person.sees("nothing waiting")
        desk.asks_tmux("new-window", "sh")
        time.sleep(1)  # what comes while the person is still there is no reason to call
        note(agent, "rename the moon")
        eventually(
            lambda: desk.asks_tmux("display", "-p", "-t", "signoff", "#{window_bell_flag}") == "1", "a mark"
        )
        eventually(lambda: b"\x07" in desk.terminal.raw, "a bell")  # tmux marks first, and then passes it on
        title = ("display", "-p", "-t", "signoff", "#{pane_title}")
        eventually(lambda: desk.asks_tmux(*title) == "signoff: 1 waiting", "a title")
        desk.terminal.send(b"\x02S")
        desk.person.sees(r"(?s)READ ONLY.*rename the moon.*y approve")
