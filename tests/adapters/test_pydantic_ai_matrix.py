"""`ApprovalToolset`: the behavior matrix of the tool-approval documents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic_ai import FunctionToolset
from toolset_agents import call, run

from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.controller import ApprovalController, Mode
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

Answer = Literal["None", "ApprovalRequest", "PermissionError"]
Outcome = Literal["execute", "prompt and execute", "prompt and deny", "deny", "block"]

ASKING: Answer = "ApprovalRequest"
MATRIX: dict[tuple[Answer, Mode], Outcome] = {
    ("None", "interactive"): "execute",
    ("None", "approve_all"): "execute",
    ("None", "strict"): "execute",
    (ASKING, "interactive"): "prompt and execute",
    (ASKING, "approve_all"): "execute",
    (ASKING, "strict"): "deny",
    ("PermissionError", "interactive"): "block",
    ("PermissionError", "approve_all"): "block",
    ("PermissionError", "strict"): "block",
}
"""What `check_approval` answers, the mode, and what becomes of the call when the person says yes."""


class Checked(FunctionToolset[Any]):
    """A toolset with one tool, synchronous or not, that gives one answer about it."""

    def __init__(self, answer: Answer, *, asynchronous: bool) -> None:
        async def tool() -> str:
            return self._execute()

        super().__init__()
        self.answer = answer
        self.executed = 0
        self.add_function(tool if asynchronous else self._execute, name="tool")

    def _execute(self) -> str:
        self.executed += 1
        return "executed"

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        if self.answer == "PermissionError":
            raise PermissionError("blocked by the tool")
        if self.answer == "None":
            return None
        return ApprovalRequest(tool_name=ctx.tool_name, description="Do it", payload={})


class Person:
    """Somebody who is prompted through a callback, synchronous or not, and gives one answer."""

    def __init__(self, *, approves: bool, asynchronous: bool) -> None:
        self.prompted = 0
        self.approves = approves
        self.callback: Callable[..., Any] = self.answer_later if asynchronous else self.answer

    def answer(self, request: ApprovalRequest) -> ApprovalDecision:
        self.prompted += 1
        return ApprovalDecision(approved=self.approves)

    async def answer_later(self, request: ApprovalRequest) -> ApprovalDecision:
        await asyncio.sleep(0)
        return self.answer(request)


def outcome_of(toolset: ApprovalToolset[Any], inner: Checked, person: Person) -> str:
    """Run an agent that calls the tool once, and say what became of the call."""
    try:
        run(toolset, [call("tool")])
    except PermissionError as error:
        ended = "block" if "blocked by the tool" in str(error) else "deny"
    else:
        ended = "execute"
    assert inner.executed == (ended == "execute")
    return f"prompt and {ended}" if person.prompted else ended


@pytest.mark.parametrize("asynchronous_callback", [False, True])
@pytest.mark.parametrize("asynchronous_tool", [False, True])
@pytest.mark.parametrize("approves", [True, False])
@pytest.mark.parametrize(("answer", "mode"), MATRIX)
def test_behavior_matrix(
    answer: Answer, mode: Mode, *, approves: bool, asynchronous_tool: bool, asynchronous_callback: bool
) -> None:
    inner = Checked(answer, asynchronous=asynchronous_tool)
    person = Person(approves=approves, asynchronous=asynchronous_callback)
    toolset = ApprovalToolset(inner, controller=ApprovalController(mode, person.callback))
    expected = MATRIX[answer, mode]
    if expected == "prompt and execute" and not approves:
        expected = "prompt and deny"
    assert outcome_of(toolset, inner, person) == expected
