"""A LangChain agent in one process and its reviewer in another, over a real queue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from agent_process import AgentProcess, started
from flow_calls import Call, StartReviewer, deploy, deployed, write

from answering import waiting, yes
from signoff.queue import Decision, DecisionSource, ReviewQueue, StoredRequest
from system_bench import all_records, eventually


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, what was answered to each call, and how often the model was asked."""

    ended: str
    told: list[list[str]]
    asked_model: int


class Agent:
    """Starts the agent, run in one way, in the working directory of the test."""

    def __init__(self, way: str, variables: dict[str, str], workdir: Path) -> None:
        self._way = way
        self._variables = variables
        self._workdir = workdir

    def started(
        self, *turns: Sequence[Call], mode: str = "interactive", asks: str = "middleware"
    ) -> AbstractContextManager[AgentProcess]:
        """The process, which makes these calls, a turn at a time, while it runs."""
        plan = {"way": self._way, "mode": mode, "asks": asks, "turns": turns}
        return started("langchain_child", plan, self._variables, self._workdir)

    def ended(self, *turns: Sequence[Call], mode: str = "interactive", asks: str = "middleware") -> Ended:
        """Let it make these calls, a turn at a time, and say how it ended."""
        with self.started(*turns, mode=mode, asks=asks) as process:
            return end_of(process)


def end_of(process: AgentProcess) -> Ended:
    """Wait for the end of an agent."""
    return Ended(**process.ended())


@pytest.fixture(params=["sync", "async"])
def agent(request: pytest.FixtureRequest, variables: dict[str, str], workdir: Path) -> Agent:
    """An agent that is run synchronously and one that is run asynchronously."""
    return Agent(request.param, variables, workdir)


def run_by(*ways: str) -> pytest.MarkDecorator:
    """Run the agent of a test in these ways instead; in a single one where that makes no difference."""
    return pytest.mark.parametrize("agent", ways, indirect=True)


def endings(looking: ReviewQueue) -> list[tuple[str, str]]:
    """State and source of every record of the history, oldest first."""
    return [
        (record.state.value, "nobody" if record.decision is None else record.decision.source.value)
        for record in all_records(looking)
    ]


def named(to: str, requests: Sequence[StoredRequest]) -> StoredRequest:
    """The request to deploy to a place."""
    (found,) = (request for request in requests if request.submission.arguments["to"] == to)
    return found


def decide(looking: ReviewQueue, request: StoredRequest, decision: Decision) -> None:
    """Decide about a request."""
    assert looking.decide(request.id, request.revision, request.submission.digest, decision).accepted


APPROVED = ("approved", DecisionSource.REVIEWER.value)
HARD_NO = Decision(approved=False, hard=True, note="wrong plan")


def test_a_call_that_is_approved_once_runs_once_and_an_equal_one_is_asked_again(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    result = agent.ended([deploy()], [deploy()])
    assert (result.ended, result.told) == ("done", [["success", "deployed to staging"]] * 2)
    assert (len(reviewer.seen), deployed(workdir)) == (2, ["staging", "staging"])
    assert endings(looking) == [APPROVED, APPROVED]


@run_by("async")
def test_a_call_that_is_approved_for_the_session_is_not_asked_again(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    result = agent.ended([deploy()], [deploy()], [deploy("production")])
    assert (result.ended, deployed(workdir)) == ("done", ["staging", "staging", "production"])
    assert [request.submission.arguments for request in reviewer.seen] == [{"to": "staging"}, {"to": "production"}]
    assert endings(looking) == [APPROVED, ("approved", DecisionSource.GRANT.value), APPROVED]


@run_by("sync")
def test_an_agent_that_is_started_again_in_its_session_is_not_asked_again(
    agent: Agent, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    for _ in range(2):
        assert agent.ended([deploy()]).ended == "done"
    assert (len(reviewer.seen), deployed(workdir)) == (1, ["staging", "staging"])


def test_a_soft_no_reaches_the_model_with_the_reviewers_words_and_the_run_goes_on(
    agent: Agent, reviewed: StartReviewer, workdir: Path
) -> None:
    no = Decision(approved=False, note="not on a Friday")
    reviewed(lambda request: no if request.submission.arguments["to"] == "staging" else Decision(approved=True))
    result = agent.ended([deploy()], [deploy("sandbox")])
    assert result.told == [["error", "Approval denied: not on a Friday"], ["success", "deployed to sandbox"]]
    assert (result.ended, result.asked_model, deployed(workdir)) == ("done", 3, ["sandbox"])


def test_a_hard_no_ends_the_run_with_the_reviewers_words(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(lambda _: HARD_NO)
    result = agent.ended([deploy()], [deploy("production")])
    assert (result.ended, result.asked_model) == ("Approval denied: wrong plan", 1)
    assert (len(reviewer.seen), deployed(workdir)) == (1, [])
    assert endings(looking) == [("rejected", DecisionSource.REVIEWER.value)]


@pytest.mark.parametrize("refused", ["a", "c"])
def test_a_hard_no_takes_the_earlier_and_the_later_calls_of_its_turn_with_it(
    refused: str, agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    with agent.started([deploy("a"), deploy("b"), deploy("c")], [deploy("d")]) as process:
        decide(looking, named(refused, reviewer.wait_for(3)), HARD_NO)
        result = end_of(process)
    assert sorted(text == "Approval denied: wrong plan" for _, text in result.told) == [False, False, True]
    assert (result.asked_model, deployed(workdir), looking.pending()) == (1, [], ())


@run_by("sync")
def test_a_whole_group_is_approved_in_one_decision(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    names = ["a.txt", "b.txt", "c.txt"]
    with agent.started([write(name) for name in names]) as process:
        group = reviewer.wait_for(len(names))
        assert len({request.submission.batch_id for request in group}) == 1
        targets = [(request.id, request.revision, request.submission.digest) for request in group]
        verdicts = looking.decide_many(targets, Decision(approved=True))
        assert all(verdict.accepted for verdict in verdicts)
        assert end_of(process).ended == "done"
    assert {path.name: path.read_text() for path in workdir.glob("*.txt")} == dict.fromkeys(names, "new\n")


@run_by("async")
def test_a_file_that_was_changed_before_the_answer_is_shown_and_asked_about_again(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("old\n")

    def somebody_writes_first(request: StoredRequest) -> Decision:
        if request.revision == 1:
            file.write_text("theirs\n")
        return Decision(approved=True)

    reviewer = reviewed(somebody_writes_first)
    assert agent.ended([write("a.txt")]).ended == "done"
    assert [request.revision for request in reviewer.seen] == [1, 2]
    assert [_shown_before(looking, request) for request in reviewer.seen] == [b"old\n", b"theirs\n"]
    assert endings(looking) == [APPROVED, ("superseded", "nobody"), APPROVED]
    assert file.read_text() == "new\n"


def _shown_before(looking: ReviewQueue, request: StoredRequest) -> bytes:
    """The content that a request was shown against."""
    assert request.submission.snapshot is not None
    (step,) = request.submission.snapshot["steps"]
    return looking.blob(step["before"]["sha256"])


@run_by("async")
def test_the_requests_of_an_agent_that_is_killed_are_withdrawn(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    with agent.started([deploy("a"), deploy("b")]) as process:
        first = reviewer.wait_for(2)[0]
        process.kill()
    eventually(lambda: not looking.pending(), "the requests were withdrawn")
    verdict = looking.decide(first.id, first.revision, first.submission.digest, Decision(approved=True))
    assert (verdict.accepted, deployed(workdir)) == (False, [])
    assert endings(looking) == [("withdrawn", "nobody")] * 2


@run_by("sync")
def test_a_reviewer_who_comes_late_finds_the_request_waiting(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    with agent.started([deploy()]) as process:
        eventually(looking.pending, "the request waits")
        assert deployed(workdir) == []
        reviewed(yes)
        assert end_of(process).ended == "done"
    assert deployed(workdir) == ["staging"]


@run_by("sync")
@pytest.mark.parametrize("mode", ["interactive", "approve_all"])
def test_a_blocked_path_is_never_asked_about(
    mode: str, agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, tmp_path: Path
) -> None:
    reviewer = reviewed(yes)
    result = agent.ended([write(str(tmp_path / "outside.txt"))], mode=mode)
    assert result.ended.startswith("PermissionError: ")
    assert not (tmp_path / "outside.txt").exists()
    assert (reviewer.seen, looking.history()) == ([], ())


@run_by("async")
def test_strict_mode_refuses_without_asking_and_the_history_says_so(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    result = agent.ended([deploy()], mode="strict")
    assert result.ended == "Approval denied: Strict mode: approval required"
    assert (reviewer.seen, deployed(workdir)) == ([], [])
    assert endings(looking) == [("rejected", DecisionSource.MODE.value)]


@run_by("sync")
def test_approving_all_runs_without_asking_and_the_history_says_so(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    turns = [deploy(), write("a.txt")], [("run_command", {"command": "touch b.txt"})]
    assert agent.ended(*turns, mode="approve_all").ended == "done"
    assert (reviewer.seen, deployed(workdir)) == ([], ["staging"])
    assert all((workdir / name).exists() for name in ("a.txt", "b.txt"))
    records = all_records(looking)
    assert sorted(record.tool_name for record in records) == ["deploy", "run_command", "write_file"]
    assert {(record.decision.source, record.decision.by) for record in records if record.decision} == {
        (DecisionSource.MODE, "approve_all")
    }


@run_by("stream", "astream")
def test_a_streamed_run_is_asked_about_like_any_other(
    agent: Agent, reviewed: StartReviewer, workdir: Path
) -> None:
    reviewed(lambda request: Decision(approved=request.submission.arguments["to"] == "b", note="not there"))
    result = agent.ended([deploy("a"), deploy("b")])
    assert result.told == [["error", "Approval denied: not there"], ["success", "deployed to b"]]
    assert (result.ended, deployed(workdir)) == ("done", ["b"])


@run_by("sync")
def test_tools_that_ask_by_themselves_need_no_middleware_and_a_no_ends_the_run(
    agent: Agent, reviewed: StartReviewer, workdir: Path
) -> None:
    no = Decision(approved=False, note="not there")
    reviewed(lambda request: Decision(approved=True) if request.submission.arguments["to"] == "a" else no)
    result = agent.ended([deploy("a")], [deploy("b")], asks="tools")
    assert result.told == [["success", "deployed to a"]]
    assert (result.ended, deployed(workdir)) == ("ApprovalDeniedError: Approval denied: not there", ["a"])


@run_by("async")
def test_a_program_that_calls_wrapped_tools_is_answered_call_by_call(
    agent: Agent, reviewed: StartReviewer, workdir: Path
) -> None:
    no = Decision(approved=False, note="not there")
    reviewed(lambda request: no if request.submission.tool_name == "deploy" else Decision(approved=True))
    result = agent.ended([deploy(), write("a.txt")], asks="wrappers")
    assert [status for status, _ in result.told] == ["error", "success"]
    assert result.told[0][1] == "ApprovalDeniedError: Approval denied: not there"
    assert ((workdir / "a.txt").read_text(), deployed(workdir)) == ("new\n", [])


@run_by("sync")
@pytest.mark.parametrize("turn", [[deploy()], [deploy(), deploy("production")]], ids=["alone", "side by side"])
def test_an_interrupt_withdraws_what_waits_in_worker_threads_and_a_later_yes_runs_nothing(
    agent: Agent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path, turn: list[Call]
) -> None:
    reviewer = reviewed(waiting)
    with agent.started(turn) as process:
        posted = reviewer.wait_for(len(turn))
        assert "KeyboardInterrupt" in process.interrupt()
    late = [
        looking.decide(each.id, each.revision, each.submission.digest, Decision(approved=True)) for each in posted
    ]
    assert ["the agent was interrupted (Ctrl+C)" in verdict.message for verdict in late] == [True] * len(turn), (
        late
    )
    assert (endings(looking), deployed(workdir)) == ([("withdrawn", "nobody")] * len(turn), [])
