"""A person edits a command on a real screen: the edited one runs, nothing else, and the history tells both."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff.queue import HistoryRecord, open_review_queue
from system_bench import SCREEN, eventually, running

pytestmark = pytest.mark.system

ASKED, EDITED = "touch asked; exit 1", "touch edited; exit 3"

AGENT = """
import asyncio
from signoff import ApprovalController, execute_tool
from signoff.tools import ShellTool

shell = ShellTool(".")
call = execute_tool(shell.run_command, "run_command", {"command": "touch asked; exit 1"}, ApprovalController())
result = asyncio.run(call)
print(result.exit_code, result.output.strip())
"""

OpenScreen = Callable[..., Terminal]


def edits_and_approves(terminal: Terminal) -> Person:
    """Put another command in the place of the one that waits, read it, and approve it."""
    person = Person(terminal)
    person.edits(ASKED, EDITED)
    person.sees("EDITED BY YOU")
    person.sees(f"{EDITED}  edited by you: E edits again")
    person.approves(EDITED)
    return person


def history_shows_both(person: Person) -> None:
    person.press("h")
    person.sees(EDITED)
    person.sees(f"- {ASKED}")
    person.sees(f"\\+ {EDITED}")


def made(workdir: Path) -> set[str]:
    return {path.name for path in workdir.iterdir()} & {"asked", "edited"}


def the_record(place: Path) -> HistoryRecord:
    with open_review_queue(place, create=False) as queue:
        (record,) = queue.history()
    return record


def test_the_agent_of_a_shell_tool_runs_the_edited_command(
    screen: OpenScreen, variables: dict[str, str], place: Path, workdir: Path
) -> None:
    with running([sys.executable, "-c", AGENT], variables, workdir) as agent:
        person = edits_and_approves(screen())
        told, _ = agent.communicate(timeout=60)
        history_shows_both(person)
    assert made(workdir) == {"edited"}
    assert told.splitlines()[-1].startswith("3 [The reviewer changed the arguments: it ran with")
    record = the_record(place)
    assert record.arguments == {"command": ASKED}
    assert record.decision is not None
    assert record.decision.instead is not None
    assert record.decision.instead.arguments == {"command": EDITED}


def test_signoff_ask_runs_the_edited_command(
    screen: OpenScreen, variables: dict[str, str], place: Path, workdir: Path
) -> None:
    ask = [*SCREEN, "ask", "--tool", "shell", "--command", ASKED, "--run"]
    with Terminal(ask, variables, workdir) as asking:
        person = edits_and_approves(screen())
        assert eventually(asking.process.poll, "the end of the command") == 3
        history_shows_both(person)
    assert made(workdir) == {"edited"}


def test_signoff_ask_of_a_script_is_answered_with_a_suggestion(
    screen: OpenScreen, variables: dict[str, str], place: Path, workdir: Path
) -> None:
    script = f"{' '.join(SCREEN)} ask --tool shell --command '{ASKED}' && {ASKED}"
    with running(["sh", "-c", script], variables, workdir) as asking:
        Person(screen()).edits(ASKED, EDITED)
        told, _ = asking.communicate(timeout=60)
    assert f"run this instead: {EDITED}" in told
    assert made(workdir) == set()
