"""In a pseudo-terminal: it is left as it was found, however the screen ends, and taken again after a stop."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pty_bench
import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff.queue import AgentInfo, AgentQueue, ReviewQueue, open_agent_queue
from system_bench import SCREEN, all_records, eventually, note

pytestmark = pytest.mark.system

CRASH = "\x1b[O"
"""The terminal loses the focus: here the screen fails at it."""

FAILING = """
from signoff.cli.main import main
from signoff_tui.app import SignoffApp
def fail(self, event):
    raise LookupError("nothing is left of it")
SignoffApp.on_app_blur = fail
main([])
"""

USUAL = {"7": "h", "8": "h", "25": "h"}
"""Modes that are set on a terminal that nobody uses; all others are not."""

_MODES = re.compile(rb"\x1b\[\??([\d;]+)([hl])")


def left_modes(raw: bytes) -> dict[str, str]:
    """The modes that differ at the end from those of a terminal that nobody uses."""
    last = {mode.decode(): found[2].decode() for found in _MODES.finditer(raw) for mode in found[1].split(b";")}
    return {mode: state for mode, state in last.items() if state != USUAL.get(mode, "l")}


def left_open(raw: bytes) -> Counter[str]:
    """What was put on a stack of the terminal more often than it was taken back."""
    kept: Counter[str] = Counter(keyboard=len(re.findall(rb"\x1b\[>\d+u", raw)), title=raw.count(b"\x1b[22;2t"))
    kept.subtract(keyboard=raw.count(b"\x1b[<u"), title=raw.count(b"\x1b[23;2t"))
    return kept


ENDS: dict[str, tuple[Callable[[Terminal], object], int]] = {
    "q": (lambda terminal: terminal.type("q"), 0),
    "TERM": (lambda terminal: terminal.process.send_signal(signal.SIGTERM), 143),
    "HUP": (lambda terminal: terminal.process.send_signal(signal.SIGHUP), 129),
    "INT": (lambda terminal: terminal.process.send_signal(signal.SIGINT), 130),
    "QUIT": (lambda terminal: terminal.process.send_signal(signal.SIGQUIT), 131),
    "fault": (lambda terminal: terminal.type(CRASH), 70),
}


@pytest.mark.usefixtures("looking")
@pytest.mark.parametrize(("end", "code"), ENDS.values(), ids=ENDS)
def test_every_mode_that_was_set_is_set_back(
    end: Callable[[Terminal], object], code: int, variables: dict[str, str], workdir: Path
) -> None:
    with Terminal([sys.executable, "-c", FAILING], variables, workdir) as terminal:
        before = termios.tcgetattr(terminal.own_end)
        Person(terminal).sees("nothing waiting")
        # As a terminal answers that reports sizes, also in pixels.
        terminal.type("\x1b[?2026;2$y\x1b[?2048;2$y\x1b[48;39;120;780;1200t")
        eventually(lambda: b"\x1b[?2048h" in terminal.raw and b"\x1b[?2026h" in terminal.raw, "the answers")
        assert termios.tcgetattr(terminal.own_end) != before
        end(terminal)
        eventually(lambda: terminal.process.poll() == code, lambda: f"it ended with {terminal.process.poll()}")
        assert termios.tcgetattr(terminal.own_end) == before
        terminal.close()
    assert left_modes(terminal.raw) == {}
    assert not +left_open(terminal.raw)
    assert b"Traceback" not in terminal.raw


def test_a_held_decision_is_not_sent_when_the_screen_is_told_to_end(
    screen: Callable[[], Terminal], asking: AgentQueue, looking: ReviewQueue
) -> None:
    note(asking, "first")
    terminal = screen()
    Person(terminal).approves("first")
    terminal.process.terminate()
    eventually(lambda: terminal.process.poll() == 143, "its end")
    terminal.close()
    assert b"1 decision was held: nothing was sent, its request still waits" in terminal.raw
    assert len(looking.pending()) == 1
    assert all_records(looking) == []


@pytest.mark.usefixtures("looking")
def test_a_terminal_that_goes_away_ends_the_screen_even_where_nobody_is_told(
    variables: dict[str, str], workdir: Path
) -> None:
    """Started with ``nohup``, it learns of it by what it reads and writes alone."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*pty_bench.WITH_TERMINAL, "sh", "-c", f"trap '' HUP; exec {' '.join(SCREEN)}"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=variables,
        cwd=workdir,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        seen = b""
        while b"nothing waiting" not in seen:
            seen += os.read(ours, 65_536)
        os.close(ours)
        try:
            eventually(lambda: process.poll() is not None, "its end")
        finally:
            process.kill()
    assert process.returncode == 129


# -- sixteen colors --------------------------------------------------------------------------------------------

_COLOR_SET = re.compile(rb"\x1b\[([\d;]+)m")


@pytest.mark.usefixtures("looking")
def test_a_terminal_with_sixteen_colors_gets_those_that_can_be_read_on_white(
    variables: dict[str, str], workdir: Path, asking: AgentQueue
) -> None:
    note(asking, "first")
    few = {name: value for name, value in variables.items() if name != "COLORTERM"}
    with Terminal(SCREEN, {**few, "TERM": "xterm", "SIGNOFF_THEME": "signoff-light"}, workdir) as terminal:
        person = Person(terminal)
        eventually(lambda: "first" in person.target and person.is_armed, "a request to decide")
        codes = {int(code) for found in _COLOR_SET.finditer(terminal.raw) for code in found[1].split(b";")}
    assert {30, 34, 107} <= codes
    assert not codes & {32, 33, 36, 37, 38, 48, 92, 93, 96}


# -- stopped, and brought back by a shell ----------------------------------------------------------------------

AS_USUAL = "".join(f"\\033[?{mode}l" for mode in (1002, 1004, 1006, 2004)) + "\\033[?25h"
STOPS = {"a stop that it sees": signal.SIGTSTP, "a stop that nobody sees": signal.SIGSTOP}


@pytest.mark.parametrize("how", STOPS.values(), ids=STOPS)
def test_after_a_stop_and_fg_all_is_painted_again_and_armed_anew(
    how: signal.Signals, variables: dict[str, str], workdir: Path, asking: AgentQueue, looking: ReviewQueue
) -> None:
    note(asking, "first")
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with Terminal(shell, {**variables, "PS1": "$ "}, workdir) as terminal:
        person = Person(terminal)
        person.sees(r"^\$ ")
        terminal.type(" ".join([*SCREEN, "\r"]))
        eventually(lambda: "first" in person.target and person.is_armed, "a request to decide")
        before = _without_times(person.sees(r"\{ first .*\bread\b"))  # as long as it is new, the picture changes
        os.kill(int(subprocess.check_output(["pgrep", "-P", str(terminal.process.pid)])), how)
        person.sees("Stopped")
        terminal.type(f"stty sane; printf '{AS_USUAL}'; clear; echo mine\r")
        person.sees(r"^mine")
        begun = len(terminal.raw)
        terminal.type("fg\ryy")  # the second command reads the keys behind it
        person.sees("^▌.*first")
        person.press("Escape")  # what was said of the keys goes
        eventually(
            lambda: _without_times(terminal.text()) == before, lambda: f"\n{before}\nagain:\n{terminal.text()}"
        )
        assert not termios.tcgetattr(terminal.own_end)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)
        again = left_modes(terminal.raw[begun:])
        assert {"1049", "1002", "1006", "1004", "2004", "25", "7"} <= again.keys()
        assert all_records(looking) == []
        terminal.type("q")
        person.sees("1 keeps waiting")
        time.sleep(0.8)
        terminal.type("y")
        eventually(lambda: terminal.raw.rstrip().endswith(b"$"), "the shell")
        terminal.type("exit\r")
        eventually(lambda: terminal.process.poll() is not None, "the end of the shell")
        terminal.close()
    assert left_modes(terminal.raw) == {}
    assert not +left_open(terminal.raw)


def _without_times(text: str) -> str:
    return re.sub(r"\d+ ?(?:s|m|min)\b|\d\d:\d\d(?::\d\d)?", "", text)


# -- what a terminal sends -------------------------------------------------------------------------------------

ANSWERS = "\x1b]11;yn\x1b\\\x1bP>|y\x1b\\\x1b[?1c"
SLOW = 0.12
"""Seconds from one byte to the next: more than Escape waits for what follows."""


def test_answers_that_come_slowly_and_what_is_no_utf_8_neither_decide_nor_end_anything(
    screen: Callable[[], Terminal], asking: AgentQueue, looking: ReviewQueue
) -> None:
    note(asking, "first")
    terminal = screen()
    person = Person(terminal)
    eventually(lambda: "first" in person.target and person.is_armed, "a request to decide")
    for byte in ANSWERS.encode():
        terminal.send(bytes([byte]))
        time.sleep(SLOW)
    assert "too early" not in terminal.text()
    terminal.send(b"\xff\xc3 \xed\xa0\x80\xe2\x82")
    terminal.send(b"\x1b[200~y\n")
    person.sees("Esc ends it")
    terminal.send(b"y")
    person.press("Escape")
    person.sees("pasted text is never a command")
    assert all_records(looking) == []
    person.approves("first")
    eventually(lambda: len(all_records(looking)) == 1, "the approval")


def test_line_by_line_a_held_decision_is_taken_back_when_it_is_told_to_end(
    variables: dict[str, str], workdir: Path, asking: AgentQueue, looking: ReviewQueue
) -> None:
    note(asking, "first")
    with Terminal([*SCREEN, "--plain"], variables, workdir) as terminal:
        person = Person(terminal)
        person.sees("first")
        terminal.send(b"\xff\nshow 1\n")
        person.sees("there is no such command")
        person.sees('end of request|name: first|"first"')

        def held() -> bool:  # what comes too soon after the text is refused
            terminal.type("y 1\n")
            return terminal.tells(lambda: "decided and held" in terminal.text(), 1.0)

        eventually(held, terminal.text)
        terminal.process.terminate()
        eventually(lambda: terminal.process.poll() == 143, "its end")
        terminal.close()
    assert b"taken back" in terminal.raw
    assert all_records(looking) == []


def test_a_queue_that_is_removed_is_said_to_be_gone_and_the_next_one_is_opened(
    screen: Callable[..., Terminal], place: Path, variables: dict[str, str], workdir: Path
) -> None:
    agent = AgentInfo("other", "s-2", str(workdir))
    line = [sys.executable, "-m", "signoff.cli", "ask", "--queue", str(place), "--tool", "deploy"]
    with subprocess.Popen(line, env=variables, cwd=workdir, stderr=subprocess.PIPE, text=True) as asking:
        terminal = screen()
        person = Person(terminal)
        person.sees("^▌.*deploy")
        shutil.rmtree(place)
        person.sees(rf"QUEUE LOST .*{re.escape(place.name)} (was removed|lost its file) \d:\d\d ago")
        terminal.press("y")
        person.sees("not connected")
        _, told = asking.communicate(timeout=30)
    assert asking.returncode == 5
    assert "Not run: the queue " in told
    with open_agent_queue(agent, place) as other:
        posted = note(other, "again")
        person.sees("^▌.*again|^ { again")
        person.approves("again")
        decision = other.wait(posted.id).decision
    assert decision is not None
    assert decision.approved
