"""`ApprovalToolset`: the arguments that are shown are those that the tool is called with."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel, Field, SecretStr
from pydantic_ai import FunctionToolset
from pydantic_ai.messages import ToolCallPart
from toolset_agents import (
    DEPLOY,
    Deploying,
    call,
    run,
)

from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.types import ApprovalDecision, ApprovalRequest


def test_arguments_are_shown_as_they_will_be_used() -> None:
    def book(when: date, seats: int = 2) -> str:
        """Book seats."""
        return f"booked {seats} for {when:%A}"

    asked = Asked()
    toolset = ApprovalToolset(FunctionToolset([book]), asked)
    assert run(toolset, [call("book", when="2026-11-21")]) == [("success", "booked 2 for Saturday")]
    assert asked.requests[0].arguments == {"when": "2026-11-21", "seats": 2}


@pytest.mark.parametrize("written", ["NaN", "-Infinity"])
def test_arguments_that_cannot_be_shown_run_nothing_and_the_model_is_told(written: str) -> None:
    ran: list[float] = []

    def scale(by: float) -> str:
        """Scale it."""
        ran.append(by)
        return "scaled"

    asked = Asked()
    calls = [ToolCallPart("scale", f'{{"by": {written}}}'), call("scale", by=2)]
    (ended, text), others = run(ApprovalToolset(FunctionToolset([scale]), asked), calls)
    assert (ended, others) == ("denied", ("success", "scaled"))
    assert "Not run: the arguments of scale cannot be shown to a reviewer as they are: " in text
    assert ran == [2.0]
    assert [request.arguments for request in asked.requests] == [{"by": 2.0}]


def test_arguments_that_are_changed_after_they_were_shown_run_nothing() -> None:
    tool = Deploying()
    args = {"to": "staging"}

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        args["to"] = "production"
        return ApprovalDecision(approved=True)

    toolset = ApprovalToolset(tool.toolset(), callback)
    with pytest.raises(PermissionError, match="changed since it was approved"):
        asyncio.run(toolset.call_tool("deploy", args, None, None))  # type: ignore[arg-type]
    assert tool.ran == []


class Mail(BaseModel):
    """An argument that its serialization shows a part of."""

    to: str
    body: str = Field("", exclude=True)
    password: SecretStr = SecretStr("")


def test_an_approval_for_the_session_does_not_cover_what_a_serializer_would_hide() -> None:
    def send(mail: Mail) -> str:
        """Send it."""
        return "sent"

    asked = Asked(remember="session")
    toolset = ApprovalToolset(FunctionToolset([send]), asked)
    mails = [{"to": "a", "body": "hello"}, {"to": "a", "body": "pay"}, {"to": "a", "body": "pay", "password": "p"}]
    for mail in mails[:2]:
        run(toolset, [call("send", mail=mail)])
    with pytest.warns(RuntimeWarning, match="approved once, not for the session: .* hides a secret"):
        run(toolset, [call("send", mail=mails[2])])
    run(toolset, [call("send", mail=mails[1])])
    shown = [request.arguments["mail"] for request in asked.requests if request.arguments is not None]
    assert shown == [{"password": "", **mail} for mail in mails]


class Delete(BaseModel):
    """Removes it."""

    id: int = Field(validation_alias="delete")


class Archive(BaseModel):
    """Keeps it elsewhere."""

    id: int = Field(validation_alias="archive")


def test_an_approval_for_the_session_does_not_cover_an_object_of_another_class_that_looks_alike() -> None:
    ran: list[object] = []

    def act(item: Delete | Archive, where: Path | str = "") -> str:
        """Act."""
        ran.append(item)
        return "done"

    asked = Asked(remember="session")
    toolset = ApprovalToolset(FunctionToolset([act]), asked)
    for item in ({"archive": 1}, {"delete": 1}, {"archive": 1}):
        assert run(toolset, [call("act", item=item)]) == [("success", "done")]
    assert [type(each) for each in ran] == [Archive, Delete, Archive]
    assert [request.arguments["class of item"] for request in asked.requests if request.arguments] == [
        f"{__name__}.Archive",
        f"{__name__}.Delete",
    ]


def test_a_change_of_the_shown_arguments_does_not_change_what_runs() -> None:
    tool = Deploying()

    def callback(request: ApprovalRequest) -> ApprovalDecision:
        assert request.arguments is not None
        request.arguments["to"] = request.payload["to"] = "production"
        return ApprovalDecision(approved=True)

    run(ApprovalToolset(tool.toolset(), callback), DEPLOY)
    assert tool.ran == ["staging"]
