"""What you see is what runs: drift, links, edits that do not apply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from controller_samples import Ask, StartReviewer, approve, edit, never, request_for, write

from answering import yes
from signoff.connection import connect_agent
from signoff.controller import ApprovalController
from signoff.effects import Command
from signoff.policy.risk import assess
from signoff.present.snapshot.snapshot import take
from signoff.queue import (
    AgentQueue,
    Decision,
    DecisionSource,
    RequestState,
    ReviewQueue,
    Risk,
    StoredRequest,
    open_review_queue,
)
from signoff.submission import plain_submission
from signoff.types import (
    ApprovalDecision,
    ApprovalRequest,
)


@pytest.fixture
def file(workdir: Path) -> Path:
    """A file that a call would change."""
    file = workdir / "a.txt"
    file.write_text("one\n")
    return file


async def test_a_file_that_changed_after_the_decision_is_asked_about_again(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer, file: Path
) -> None:
    def change_before_the_first_answer(request: StoredRequest) -> Decision:
        if request.revision == 1:
            file.write_text("one\nand more\n")
        return Decision(approved=True)

    reviewer = reviewed(change_before_the_first_answer)
    decision = await ask(ApprovalController(queue=asking), edit(file, "one", "two"))
    first, second = reviewer.seen
    assert decision.approved
    assert (first.id, first.revision, second.revision) == (second.id, 1, 2)
    assert first.submission.digest != second.submission.digest


async def test_a_refused_call_is_not_asked_again_because_a_file_changed(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, file: Path
) -> None:
    def change_and_refuse(request: StoredRequest) -> Decision:
        file.write_text("else\n")
        return Decision(approved=False)

    reviewer = reviewed(change_and_refuse)
    assert not (await ask(ApprovalController(queue=asking), write(file, "two"))).approved
    assert len(reviewer.seen) == 1


async def test_an_edit_that_no_longer_applies_is_not_run_and_says_why(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, file: Path
) -> None:
    def take_the_text_away(request: StoredRequest) -> Decision:
        file.write_text("something else\n")
        return Decision(approved=True)

    reviewed(take_the_text_away)
    decision = await ask(ApprovalController(queue=asking), edit(file, "one", "two"))
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert "not in" in (decision.note or "")


async def test_the_history_says_that_an_approved_call_was_not_run(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer, file: Path
) -> None:
    def take_the_text_away(request: StoredRequest) -> Decision:
        file.write_text("something else\n")
        return Decision(approved=True)

    reviewed(take_the_text_away)
    await ask(ApprovalController(queue=asking), edit(file, "one", "two"))
    last, first = looking.history()
    assert (first.state, last.state) == (RequestState.APPROVED, RequestState.SUPERSEDED)
    assert last.reason.startswith("approved, not run: ")


async def test_the_history_says_that_a_call_approved_by_callback_was_not_run(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, file: Path
) -> None:
    def take_the_text_away(request: ApprovalRequest) -> ApprovalDecision:
        file.write_text("something else\n")
        return ApprovalDecision(approved=True)

    controller = ApprovalController(approval_callback=take_the_text_away, queue=asking)
    assert not (await ask(controller, edit(file, "one", "two"))).approved
    (record,) = looking.history()
    assert record.decision is not None
    assert (record.decision.note or "").startswith("approved, not run: ")


async def test_what_another_connection_replaced_is_not_approved_and_says_who_did_it(
    ask: Ask, place: Path, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    """Another connection of the session puts something else in place of what was posted."""
    reviewer = reviewed(lambda request: yes(request) if request.revision == 2 else None)
    asked = asyncio.ensure_future(ask(ApprovalController(queue=asking), request_for(to="staging")))
    (first,) = await asyncio.to_thread(reviewer.wait_for, 1)
    with connect_agent("other", session="s-1", place=place) as other:
        evil = plain_submission(request_for(to="production"), None)
        other.amend(first.id, replace(evil, key=first.submission.key))
        decision = await asked
    assert (decision.approved, decision.source) == (False, DecisionSource.WITHDRAWAL)
    assert "another connection of the session asked for it: other (process " in (decision.note or "")


async def test_a_request_that_another_connection_took_over_is_answered_to_that_one_only(
    ask: Ask, place: Path, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda request: yes(request) if request.asked_by.name == "other" else None)
    asked = asyncio.ensure_future(ask(ApprovalController(queue=asking), request_for(to="staging")))
    (first,) = await asyncio.to_thread(reviewer.wait_for, 1)
    with connect_agent("other", session="s-1", place=place) as other, open_review_queue(place) as review:
        taken = other.submit(first.submission)
        review.decide(taken.id, taken.revision, taken.submission.digest, Decision(approved=True))
        assert other.wait(taken.id).approved
        decision = await asked
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)


@pytest.mark.parametrize("by", ["queue", "grant", "memory", "callback", "approve_all"])
async def test_an_approval_says_what_exactly_was_approved(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path, by: str
) -> None:
    (workdir / "a.txt").write_text("one\n")
    request = edit(workdir / "a.txt", "one", "two")
    controllers = {
        "queue": lambda: ApprovalController(queue=asking),
        "grant": lambda: ApprovalController(queue=asking, approval_callback=never),
        "memory": lambda: ApprovalController(approval_callback=never, cwd=str(workdir)),
        "callback": lambda: ApprovalController(approval_callback=approve),
        "approve_all": lambda: ApprovalController("approve_all"),
    }
    controller = controllers[by]()
    if by in ("grant", "memory"):
        controller.add_session_approval(request)
    if by == "queue":
        reviewed(yes)
    assert (await ask(controller, request)).snapshot == take(request.effects)


async def test_a_refusal_or_a_call_without_effects_has_no_snapshot(ask: Ask, workdir: Path) -> None:
    strict, free = ApprovalController("strict"), ApprovalController("approve_all")
    assert (await ask(strict, write(workdir / "a.txt", "two"))).snapshot is None
    assert (await ask(free, request_for())).snapshot is None


async def test_a_callback_is_asked_again_when_the_file_changed_meanwhile(ask: Ask, workdir: Path) -> None:
    file = workdir / "a.txt"
    contents = iter(["one changed\n", "one changed\n"])
    file.write_text("one\n")
    asked = 0

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        nonlocal asked
        asked += 1
        file.write_text(next(contents))
        return ApprovalDecision(approved=True)

    assert (await ask(ApprovalController(approval_callback=callback), edit(file, "one", "two"))).approved
    assert asked == 2


async def test_an_edit_that_does_not_apply_is_never_put_to_a_person(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, workdir: Path
) -> None:
    decision = await ask(ApprovalController(queue=asking), edit(workdir / "missing.txt", "a", "b"))
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert looking.history() == ()


@pytest.mark.parametrize("mode", ["approve_all", "strict"])
async def test_no_file_is_read_when_the_mode_decides(ask: Ask, workdir: Path, mode: Any) -> None:
    """The edit could not be shown, and nobody notices."""
    decision = await ask(ApprovalController(mode), edit(workdir / "missing.txt", "a", "b"))
    assert decision.source is DecisionSource.MODE


async def test_a_grant_does_not_answer_a_call_that_cannot_be_shown(
    ask: Ask, asking: AgentQueue, looking: ReviewQueue, workdir: Path
) -> None:
    """Where it leads is not known, so nothing says that it is what was approved."""
    controller = ApprovalController(queue=asking)
    request = edit(workdir / "missing.txt", "a", "b")
    controller.add_session_approval(request)
    decision = await ask(controller, request)
    assert (decision.approved, decision.source) == (False, DecisionSource.ERROR)
    assert looking.grants()[0].uses == 0


async def test_a_call_is_described_and_its_risk_judged_once(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            done.append(function.__name__)
            return function(*args, **named)

        return call

    monkeypatch.setattr("signoff.submission.plain_submission", counted(plain_submission))
    monkeypatch.setattr("signoff.submission.assess", counted(assess))
    reviewed(yes)
    request = request_for(command="make").model_copy(update={"effects": (Command("make", str(workdir)),)})
    assert (await ask(ApprovalController(queue=asking), request)).approved
    assert done == ["plain_submission", "assess"]
    assert (await ask(ApprovalController(approval_callback=approve), request)).approved
    assert done == ["plain_submission", "assess"] * 2


async def test_the_risk_is_judged_again_when_the_world_has_changed_while_a_person_decided(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    inside, link = workdir / "inside", workdir / "link"
    inside.mkdir()
    link.symlink_to(inside)

    def lead_into_a_repository_after_the_first_answer(request: StoredRequest) -> Decision:
        if request.revision == 1:
            for name in ("HEAD", "objects", "refs"):
                (workdir / name).mkdir()
            link.unlink()
            link.symlink_to(workdir)
        return Decision(approved=True)

    reviewer = reviewed(lead_into_a_repository_after_the_first_answer)
    command = Command("echo x > config", str(link))
    request = request_for(command="echo").model_copy(update={"effects": (command,)})
    await ask(ApprovalController(queue=asking), request)
    first, second = (each.submission for each in reviewer.seen)
    assert "git-internals" not in first.risk_reasons
    assert (second.risk, "git-internals" in second.risk_reasons) == (Risk.HIGH, True)
