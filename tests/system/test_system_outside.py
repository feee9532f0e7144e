"""A request is read outside of the screen, in a real terminal, which is handed over and taken back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff import connect_agent
from signoff.queue import open_review_queue
from system_bench import SCREEN, environment, eventually, note

pytestmark = pytest.mark.system

PAGER = """\
import sys
text = sys.stdin.read()
with open("/dev/tty") as terminal:
    print("PAGER HAS", repr(text.splitlines()[0]), flush=True)
    terminal.readline()
"""


def test_the_pager_has_the_terminal_until_it_ends_and_the_screen_is_as_it_was(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    pager = home / "pager.py"
    pager.write_text(PAGER, "utf-8")
    looking = open_review_queue(home / "queue", create=True)
    variables = environment(home, SIGNOFF_QUEUE=str(home / "queue"), PAGER=f"{sys.executable} {pager}")
    with (
        connect_agent("agent", session="s-1", place=home / "queue", cwd=str(home)) as agent,
        Terminal(SCREEN, variables, home) as terminal,
    ):
        note(agent, "first")
        person = Person(terminal)
        eventually(lambda: "first" in person.target and person.is_armed, "a request to decide")
        person.press("|")
        person.sees("PAGER HAS 'first, revision 1")
        terminal.type("y\x03y\n")  # what is typed there is for the pager, and so is Ctrl+C
        person.sees("not shown outside: .*ended with")
        eventually(lambda: "first" in person.target and person.is_armed, "a request to decide")
        assert len(looking.pending()) == 1
    looking.close()
    assert [*(home / "tmp").glob("signoff-*")] == []
