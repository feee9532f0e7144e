"""A LangChain agent in a process of its own, and its reviewer here, on one queue."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from answering import Answer, Reviewer, waiting, yes
from signoff.queue import Decision, RequestState, ReviewQueue, StoredRequest
from system_bench import PATIENCE, eventually, running

HERE = Path(__file__).parent
StartReviewer = Callable[[Answer], Reviewer]
Turn = list[tuple[str, dict[str, str]]]


def write(*names: str) -> Turn:
    """A turn in which the model wants to write these files."""
    return [("write_file", {"path": name, "content": "hi"}) for name in names]


class Agent:
    """Starts the agent in the working directory of the test."""

    def __init__(self, way: str, variables: dict[str, str], workdir: Path) -> None:
        self._way = way
        self._variables = {**variables, "PYTHONPATH": str(HERE.parent / "adapters")}
        self._workdir = workdir

    @contextmanager
    def started(self, *turns: Turn) -> Iterator[Popen[str]]:
        """The process, while it runs."""
        command = [sys.executable, str(HERE / "langchain_child.py"), self._way, json.dumps(turns)]
        with running(command, self._variables, self._workdir) as process:
            yield process

    def told(self, *turns: Turn) -> tuple[list[list[str]], int]:
        """Run it to its end; what its model was told of each call, and how often the model was asked."""
        with self.started(*turns) as process:
            return result(process)


def result(process: Popen[str]) -> tuple[list[list[str]], int]:
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, output
    said: dict[str, Any] = json.loads(output)
    return said["told"], said["asked_model"]


@pytest.fixture(params=["sync", "async"])
def agent(request: pytest.FixtureRequest, variables: dict[str, str], workdir: Path) -> Agent:
    return Agent(request.param, variables, workdir)


def test_what_a_person_approves_runs(agent: Agent, reviewed: StartReviewer, workdir: Path) -> None:
    reviewer = reviewed(yes)
    ((status, _),), _ = agent.told(write("a.txt"))
    assert (status, (workdir / "a.txt").read_text()) == ("success", "hi")
    assert [found.submission.tool_name for found in reviewer.seen] == ["write_file"]


def test_what_is_approved_for_the_session_is_not_asked_again(agent: Agent, reviewed: StartReviewer) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    told, _ = agent.told(write("a.txt"), write("a.txt"))
    assert [status for status, _ in told] == ["success", "success"]
    assert len(reviewer.seen) == 1


def test_a_soft_refusal_reaches_the_model_in_the_reviewers_words(
    agent: Agent, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewed(lambda _: Decision(approved=False, note="write to b.txt"))
    told, asked_model = agent.told(write("a.txt"))
    assert told == [["error", "Approval denied: write to b.txt"]]
    assert asked_model == 2
    assert not (workdir / "a.txt").exists()


def test_a_hard_refusal_ends_the_run_and_what_else_was_wanted_does_not_run(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    with agent.started(write("a.txt", "b.txt", "c.txt"), write("d.txt")) as process:
        first = named("a.txt", reviewer.wait_for(3))
        stop = Decision(approved=False, hard=True, note="wrong plan")
        looking.decide(first.id, first.revision, first.submission.digest, stop)
        told, asked_model = result(process)
    assert told[0] == ["error", "Approval denied: wrong plan"]
    assert asked_model == 1
    assert list(workdir.glob("*.txt")) == []
    assert looking.pending() == ()


def test_what_a_killed_agent_asked_for_is_withdrawn(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    with agent.started(write("a.txt")) as process:
        (request,) = reviewer.wait_for(1)
        process.kill()
        process.wait(PATIENCE)
    eventually(lambda: looking.get(request.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
    assert not (workdir / "a.txt").exists()


def named(path: str, requests: Sequence[StoredRequest]) -> StoredRequest:
    (found,) = (request for request in requests if request.submission.arguments["path"] == path)
    return found
