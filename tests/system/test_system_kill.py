"""Whoever is killed, and whenever: nothing is decided by that, nothing is lost, nobody is said to have said no."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff.queue import AgentQueue, RequestState, ReviewQueue, StoredRequest
from system_bench import SCREEN, eventually, note, records_of, running

pytestmark = pytest.mark.system


def only_looks(person: Person) -> None:
    """Nothing more."""


def holds_a_decision(person: Person) -> None:
    person.approves("first")
    person.sees(r"first .*\d s")


def writes_feedback(person: Person) -> None:
    person.begins_to_reject("first")
    person.press("w")
    person.sees(r"^ > w *$")


@pytest.mark.parametrize("act", [only_looks, holds_a_decision, writes_feedback])
def test_a_killed_screen_decides_nothing_and_a_new_one_shows_what_waits(
    act: Callable[[Person], None], screen: Callable[[], Terminal], asking: AgentQueue, looking: ReviewQueue
) -> None:
    posted = [note(asking, "first"), note(asking, "second")]
    person = Person(killed := screen())
    eventually(lambda: "first" in person.target and person.is_armed, "a request to decide")
    act(person)
    killed.kill()
    Person(screen()).sees(r"2 waiting(.*\n)*.*first(.*\n)*.*second")
    assert [looking.get(request.id).state for request in posted] == [RequestState.PENDING] * 2
    assert looking.history() == ()


def test_a_decision_sent_just_before_the_kill_counts_once(
    screen: Callable[[], Terminal], asking: AgentQueue, looking: ReviewQueue
) -> None:
    first, _ = note(asking, "first"), note(asking, "second")
    person = Person(killed := screen())
    person.approves("first")
    eventually(lambda: not looking.get(first.id).pending, "the decision was sent")
    killed.kill()
    Person(screen()).sees(r"1 waiting(.*\n)*▌.*second")
    assert [record.state for record in records_of(looking, first)] == [RequestState.APPROVED]
    assert asking.wait(first.id).approved


@pytest.fixture
def bereft(
    screen: Callable[[], Terminal], variables: dict[str, str], workdir: Path, looking: ReviewQueue
) -> Iterator[tuple[Person, StoredRequest]]:
    """A person in front of a request whose agent was just killed."""
    command = [*SCREEN, "ask", "--agent", "deployer", "--tool", "deploy", "--arg", "to=staging"]
    with running(command, variables, workdir) as agent:
        person = Person(screen())
        person.sees("^▌.*deploy")
        (request,) = looking.pending()
        agent.kill()
        yield person, request


def test_a_killed_agent_leaves_a_tombstone_on_the_screen(bereft: tuple[Person, StoredRequest]) -> None:
    person, _ = bereft
    person.sees(r"^▌---.*deploy.*(.*\n)*.*agent exited")


def test_a_killed_agent_is_withdrawn_in_the_history_and_nobody_said_no(
    bereft: tuple[Person, StoredRequest], variables: dict[str, str]
) -> None:
    person, request = bereft
    person.sees(r"^▌---")
    done = subprocess.run([*SCREEN, "history", "--json"], env=variables, capture_output=True, check=True)
    (record,) = json.loads(done.stdout)
    assert (record["id"], record["state"], record["decision"]) == (request.id, "withdrawn", None)
    assert record["reason"] == f"the agent ended without an answer (process {request.asked_by.pid} is gone)"
