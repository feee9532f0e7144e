"""A PydanticAI agent in one process and its reviewer in another, over a real queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from agent_process import AgentProcess
from agent_process import started as agent_started
from flow_calls import Call, StartReviewer, deploy, deployed, write

from answering import waiting, yes
from signoff.queue import Decision, DecisionSource, ReviewQueue, StoredRequest
from system_bench import all_records, eventually

StartAgent = Callable[..., AbstractContextManager[AgentProcess]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended and what its model was told of each call."""

    ended: str
    told: list[list[str]]


@pytest.fixture
def started(variables: dict[str, str], workdir: Path) -> StartAgent:
    """Starts an agent that makes these calls, a turn at a time."""

    def start(*turns: Sequence[Call], mode: str = "interactive") -> AbstractContextManager[AgentProcess]:
        return agent_started("pydantic_ai_children", {"mode": mode, "turns": turns}, variables, workdir)

    return start


@pytest.fixture
def carried_out(started: StartAgent) -> Callable[..., Ended]:
    """Lets an agent make these calls, a turn at a time, and says how it ended."""

    def carry_out(*turns: Sequence[Call], mode: str = "interactive") -> Ended:
        with started(*turns, mode=mode) as agent:
            return ended(agent)

    return carry_out


def ended(agent: AgentProcess) -> Ended:
    """Wait for the end of an agent."""
    return Ended(**agent.ended())


def endings(looking: ReviewQueue) -> list[tuple[str, str]]:
    """State and source of every record of the history, oldest first."""
    records = all_records(looking)
    return [
        (record.state.value, "nobody" if record.decision is None else record.decision.source.value)
        for record in records
    ]


APPROVED = ("approved", DecisionSource.REVIEWER.value)


def test_a_call_that_is_approved_once_runs_once_and_an_equal_one_is_asked_again(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    result = carried_out([deploy()], [deploy()])
    assert (result.ended, result.told) == ("done", [["success", "deployed to staging"]] * 2)
    assert (len(reviewer.seen), deployed(workdir)) == (2, ["staging", "staging"])
    assert endings(looking) == [APPROVED, APPROVED]


def test_a_call_that_is_approved_for_the_session_is_not_asked_again(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    result = carried_out([deploy()], [deploy()], [deploy("production")])
    assert (result.ended, deployed(workdir)) == ("done", ["staging", "staging", "production"])
    assert [request.submission.arguments for request in reviewer.seen] == [{"to": "staging"}, {"to": "production"}]
    assert endings(looking) == [APPROVED, ("approved", DecisionSource.GRANT.value), APPROVED]


def test_a_soft_no_reaches_the_model_with_the_reviewers_words_and_the_run_goes_on(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, workdir: Path
) -> None:
    no = Decision(approved=False, note="not on a Friday")
    reviewed(lambda request: no if request.submission.arguments["to"] == "staging" else Decision(approved=True))
    result = carried_out([deploy()], [deploy("sandbox")])
    assert result.told == [["denied", "Approval denied: not on a Friday"], ["success", "deployed to sandbox"]]
    assert (result.ended, deployed(workdir)) == ("done", ["sandbox"])


def test_a_hard_no_ends_the_run_with_the_reviewers_words(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=False, hard=True, note="wrong plan"))
    result = carried_out([deploy()], [deploy("production")])
    assert result.ended == "ApprovalDeniedError: Approval denied: wrong plan"
    assert (len(reviewer.seen), deployed(workdir)) == (1, [])
    assert endings(looking) == [("rejected", DecisionSource.REVIEWER.value)]


def test_a_whole_group_is_approved_in_one_decision(
    started: StartAgent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    names = ["a.txt", "b.txt", "c.txt"]
    with started([write(name) for name in names]) as agent:
        group = reviewer.wait_for(len(names))
        assert len({request.submission.group_id for request in group}) == 1
        targets = [(request.id, request.revision, request.submission.digest) for request in group]
        verdicts = looking.decide_many(targets, Decision(approved=True))
        assert all(verdict.accepted for verdict in verdicts)
        assert ended(agent).ended == "done"
    assert sorted(path.name for path in workdir.glob("*.txt")) == names


def test_a_file_that_was_changed_before_the_answer_is_shown_and_asked_about_again(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    file = workdir / "a.txt"
    file.write_text("old\n")

    def somebody_writes_first(request: StoredRequest) -> Decision:
        if request.revision == 1:
            file.write_text("theirs\n")
        return Decision(approved=True)

    reviewer = reviewed(somebody_writes_first)
    assert carried_out([write("a.txt")]).ended == "done"
    assert [request.revision for request in reviewer.seen] == [1, 2]
    assert [_shown_before(looking, request) for request in reviewer.seen] == [b"old\n", b"theirs\n"]
    assert endings(looking) == [APPROVED, ("superseded", "nobody"), APPROVED]
    assert file.read_text() == "new\n"


def _shown_before(looking: ReviewQueue, request: StoredRequest) -> bytes:
    """The content that a request was shown against."""
    assert request.submission.snapshot is not None
    (step,) = request.submission.snapshot["steps"]
    return looking.blob(step["before"]["sha256"])


def test_the_requests_of_an_agent_that_is_killed_are_withdrawn(
    started: StartAgent, reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    with started([deploy("a"), deploy("b")]) as agent:
        first = reviewer.wait_for(2)[0]
        agent.kill()
    eventually(lambda: not looking.pending(), "the requests were withdrawn")
    verdict = looking.decide(first.id, first.revision, first.submission.digest, Decision(approved=True))
    assert (verdict.accepted, deployed(workdir)) == (False, [])
    assert endings(looking) == [("withdrawn", "nobody")] * 2


@pytest.mark.parametrize("mode", ["interactive", "approve_all", "strict"])
def test_a_blocked_path_is_never_asked_about(
    mode: str, carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, tmp_path: Path
) -> None:
    reviewer = reviewed(yes)
    result = carried_out([write(str(tmp_path / "outside.txt"))], mode=mode)
    assert result.ended.startswith("PermissionError: ")
    assert not (tmp_path / "outside.txt").exists()
    assert (reviewer.seen, looking.history()) == ([], ())


def test_strict_mode_refuses_without_asking_and_the_history_says_so(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(yes)
    result = carried_out([deploy()], mode="strict")
    assert result.ended == "ApprovalDeniedError: Approval denied: Strict mode: approval required"
    assert (reviewer.seen, deployed(workdir)) == ([], [])
    assert endings(looking) == [("rejected", DecisionSource.MODE.value)]


def test_approving_all_runs_without_asking_and_the_history_says_so(
    carried_out: Callable[..., Ended], reviewed: StartReviewer, looking: ReviewQueue, workdir: Path
) -> None:
    reviewer = reviewed(waiting)
    result = carried_out(
        [deploy(), write("a.txt")], [("run_command", {"command": "touch b.txt"})], mode="approve_all"
    )
    assert result.ended == "done"
    assert reviewer.seen == []
    assert deployed(workdir) == ["staging"]
    assert all((workdir / name).exists() for name in ("a.txt", "b.txt"))
    records = all_records(looking)
    assert sorted(record.tool_name for record in records) == ["deploy", "run_command", "write_file"]
    assert {(record.decision.source, record.decision.by) for record in records if record.decision} == {
        (DecisionSource.MODE, "approve_all")
    }
