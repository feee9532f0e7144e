"""`ApprovalToolset`: what becomes of a call that is approved, and of one that is not."""

from __future__ import annotations

import asyncio

import pytest
from pydantic_ai import Agent, ToolDenied, capture_run_messages
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.test import TestModel
from toolset_agents import (
    DEPLOY,
    Deploying,
    messages_of,
    run,
)

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController
from signoff.queue import DecisionSource
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalDecision, ApprovalDeniedError, ApprovalRequest


def test_what_is_approved_runs() -> None:
    assert run(ApprovalToolset(Deploying().toolset(), Asked()), DEPLOY) == [("success", "deployed to staging")]


def test_a_soft_refusal_is_told_to_the_model_and_the_run_goes_on() -> None:
    tool = Deploying()
    asked = Asked(approved=False, mode="soft", note="not on a Friday")
    assert run(ApprovalToolset(tool.toolset(), asked), DEPLOY) == [("denied", "Approval denied: not on a Friday")]
    assert tool.ran == []


def test_a_hard_refusal_ends_the_run_with_the_reviewers_words() -> None:
    tool = Deploying()
    asked = Asked(approved=False, mode="hard", note="wrong plan")
    with pytest.raises(PermissionError, match="wrong plan"):
        run(ApprovalToolset(tool.toolset(), asked), DEPLOY, DEPLOY)
    assert tool.ran == []


def test_the_conversation_survives_a_hard_refusal() -> None:
    toolset = ApprovalToolset(Deploying().toolset(), Asked(approved=False))
    with capture_run_messages() as messages, pytest.raises(ApprovalDeniedError):
        run(toolset, DEPLOY)
    assert any(isinstance(message, ModelResponse) for message in messages)


def test_nobody_answering_is_told_as_that_and_the_run_goes_on() -> None:
    late = Asked(approved=False, source=DecisionSource.EXPIRY, mode="soft", note="no answer in time")
    assert run(ApprovalToolset(Deploying().toolset(), late), DEPLOY) == [("denied", "Not run: no answer in time")]


def test_every_tool_of_a_toolset_is_asked_about_by_default() -> None:
    asked = Asked()
    messages_of(Agent(TestModel(), toolsets=[ApprovalToolset(Deploying().toolset(), asked)]))
    assert asked.tools == ["deploy"]


def test_an_asynchronous_callback_is_awaited() -> None:
    async def callback(request: ApprovalRequest) -> ApprovalDecision:
        await asyncio.sleep(0)
        return ApprovalDecision(approved=True)

    assert run(ApprovalToolset(Deploying().toolset(), callback), DEPLOY)[0][0] == "success"


def test_a_callback_that_answers_with_a_bare_bool_approves_nothing() -> None:
    tool = Deploying()
    with pytest.raises(TypeError, match="return an ApprovalDecision"):
        run(ApprovalToolset(tool.toolset(), lambda _: True), DEPLOY)  # type: ignore[arg-type,return-value]
    assert tool.ran == []


def test_a_call_from_outside_a_run_is_asked_about_too() -> None:
    tool = Deploying()
    toolset = ApprovalToolset(tool.toolset(), Asked(approved=False, mode="soft"))
    answer = asyncio.run(toolset.call_tool("deploy", {"to": "x"}, None, None))  # type: ignore[arg-type]
    assert isinstance(answer, ToolDenied)


def test_strict_mode_ends_the_run_even_with_a_callback_that_approves() -> None:
    controller = ApprovalController("strict", Asked())
    with pytest.raises(PermissionError, match="Strict mode"):
        run(ApprovalToolset(Deploying().toolset(), prompt_fn=controller.approval_callback), DEPLOY)


def test_approve_all_runs_without_asking() -> None:
    asked = Asked(approved=False)
    controller = ApprovalController("approve_all", asked)
    assert run(ApprovalToolset(Deploying().toolset(), controller=controller), DEPLOY)[0][0] == "success"
    assert asked.requests == []


def test_toolsets_that_share_a_memory_share_its_approvals() -> None:
    memory, asked = ApprovalMemory(), Asked(remember="session")
    for _ in range(2):
        run(ApprovalToolset(Deploying().toolset(), asked, memory), DEPLOY)
    assert asked.tools == ["deploy"]
