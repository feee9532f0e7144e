"""`signoff demo`, as somebody meets it who has just installed it: without a terminal, and left early in one."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from person_bench import Person
from tmux_bench import Tmux

from signoff.demo.agents import ROLES, TIDY
from signoff.demo.project import saved_files
from signoff.demo.run import demo_roles
from signoff.queue import AgentRecord, open_review_queue
from system_bench import SCREEN, environment, is_running

pytestmark = pytest.mark.system

LONGEST = 150.0
"""Seconds after which a demo without a terminal, in which everything is read and decided, is taken for stuck."""


WAITING = 14 if TIDY in demo_roles() else 12
"""Requests that wait if nobody decides: ten files, two changes of a command on copies, and one of each other."""


@dataclass(frozen=True)
class Place:
    """Where a demo runs: everything that it may find and leave."""

    folder: Path
    home: Path
    cwd: Path

    @classmethod
    def below(cls, base: Path) -> Place:
        place = cls(base / "demo", base / "home", base / "cwd")
        (place.home / "tmp").mkdir(parents=True)
        place.cwd.mkdir()
        return place

    @property
    def command(self) -> list[str]:
        return [*SCREEN, "demo", "--folder", str(self.folder)]

    def agents(self) -> tuple[AgentRecord, ...]:
        with open_review_queue(self.folder / "queue", create=False) as queue:
            return queue.agents()

    def left_elsewhere(self) -> list[str]:
        return [str(path) for folder in (self.home, self.cwd) for path in folder.rglob("*") if path.name != "tmp"]


# -- without a terminal -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Headless:
    """A demo without a terminal.

    Attributes:
        place: Where it runs.
        code: How it ended.
        said: What it wrote to standard output.
        complained: What it wrote to standard error.
    """

    place: Place
    code: int
    said: str
    complained: str


@pytest.fixture(scope="module")
def headless(tmp_path_factory: pytest.TempPathFactory) -> Headless:
    place = Place.below(tmp_path_factory.mktemp("headless"))
    with subprocess.Popen(
        place.command,
        env=environment(place.home),
        cwd=place.cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as demo:
        try:
            said, complained = demo.communicate(timeout=LONGEST)
        finally:
            if demo.poll() is None:  # a demo that is killed alone leaves its agents behind
                os.killpg(demo.pid, signal.SIGKILL)
    return Headless(place, demo.returncode, said, complained)


def test_without_a_terminal_the_demo_says_so_and_succeeds(headless: Headless) -> None:
    assert (headless.code, headless.complained) == (0, "")
    assert headless.said.startswith("No terminal: ")


def test_the_demo_prints_what_happened(headless: Headless) -> None:
    said = headless.said
    expected = [f"{role} (" for role in demo_roles()]
    expected += [
        "approved as one group: save project (10 requests",
        "approved for the session: runner",
        "rejected (",
    ]
    expected += [f"10 of {len(saved_files())} files of 'save project' hold exactly what was shown"]
    assert [words for words in expected if words not in said] == []


def test_the_demo_really_writes_the_files(headless: Headless) -> None:
    project = headless.place.folder / "shop"
    assert {path: (project / path).read_text() for path in saved_files()} == saved_files()


def test_a_command_that_tried_on_copies_is_approved_by_what_it_did(headless: Headless) -> None:
    if TIDY not in demo_roles():
        pytest.skip("nothing confines commands here")
    project = headless.place.folder / "shop"
    assert "def main" in (project / "docs/functions.txt").read_text()
    assert (project / "tests/test_api.py").read_text().startswith("# The functions are listed")


def test_the_demo_leaves_a_picture_of_each_screen(headless: Headless) -> None:
    pictures = {path.stem: path for path in (headless.place.folder / "screens").glob("*.svg")}
    kinds = {"inbox", "request", "group", "command", "structured", "allow", "feedback", "history"}
    assert set(pictures) == kinds
    roots = {ET.parse(picture).getroot().tag for picture in pictures.values()}
    assert roots == {"{http://www.w3.org/2000/svg}svg"}


def test_the_demo_leaves_nothing_outside_its_folder(headless: Headless) -> None:
    assert headless.place.left_elsewhere() == []


def test_the_agents_of_the_demo_have_ended(headless: Headless) -> None:
    agents = headless.place.agents()
    assert sorted(agent.name for agent in agents) == sorted(demo_roles())
    assert [agent.name for agent in agents if agent.ended_at is None or is_running(agent.pid)] == []


# -- left early, in a terminal ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Left:
    """A demo in tmux that somebody has left while its agents waited."""

    place: Place
    question: str
    shell: str
    terminal: dict[str, str]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    place = Place.below(tmp_path_factory.mktemp("left"))
    variables = environment(place.home)
    with Tmux(["sh"], variables, place.home) as tmux:
        person = Person(tmux)
        person.sees("^[$#]")
        ends = "echo ov''er"  # as it is typed it reads otherwise, wherever the terminal breaks the line
        tmux.type(f"stty -a > tmp/before; {' '.join(place.command)}; echo code=$?; stty -a > tmp/after; {ends}")
        person.press("Enter")
        person.sees(f"{WAITING} waiting")
        assert [agent.name for agent in place.agents() if not is_running(agent.pid)] == []
        question = person.quits()
        shell = person.sees("^over$")
        flags = ("alternate_on", "cursor_flag", "mouse_any_flag", "keypad_flag", "keypad_cursor_flag")
        yield Left(place, question, shell, {flag: tmux.says(flag) for flag in flags})


def test_q_asks_before_it_leaves_what_waits_and_says_that_the_agents_end(left: Left) -> None:
    assert f"{WAITING} undecided, and their agents end with the screen." in left.question


def test_leaving_the_demo_ends_its_agents(left: Left) -> None:
    assert [agent.name for agent in left.place.agents() if is_running(agent.pid)] == []


def test_leaving_the_demo_early_is_no_failure(left: Left) -> None:
    assert "code=0" in left.shell


def test_leaving_the_demo_restores_the_terminal(left: Left) -> None:
    assert left.terminal == {
        "alternate_on": "0",
        "cursor_flag": "1",
        "mouse_any_flag": "0",
        "keypad_flag": "0",
        "keypad_cursor_flag": "0",
    }
    before, after = (left.place.home / "tmp" / name for name in ("before", "after"))
    assert after.read_text() == before.read_text()


def test_leaving_the_demo_says_what_was_not_done(left: Left) -> None:
    assert [role for role in ROLES if f"{role}: ended before its work was done" not in left.shell] == []
