"""Frameworks without an adapter of their own: their tools ask by `@signoff.asks`. The real packages, offline."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from answering import Answer, Reviewer
from clients.conftest import FOLDER
from signoff.queue import Decision, StoredRequest
from system_bench import PATIENCE

PYTHON = Path(os.environ[FOLDER]).resolve() / "python/bin/python"

SMOLAGENTS = '''
import signoff
from smolagents import ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole, Model


@tool
@signoff.asks
def deploy(to: str) -> str:
    """Deploy the shop.

    Args:
        to: The place.
    """
    return f"deployed to {to}"


class Scripted(Model):
    turns = [("deploy", {"to": "staging"}), ("deploy", {"to": "production"}), ("final_answer", {"answer": "done"})]

    def generate(self, messages, **options):
        name, arguments = self.turns.pop(0)
        call = ChatMessageToolCallFunction(name=name, arguments=arguments)
        calls = [ChatMessageToolCall(id="1", type="function", function=call)]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


agent = ToolCallingAgent(tools=[deploy], model=Scripted(), max_steps=3)
agent.run("go on")
for step in agent.memory.steps[1:]:
    print(step.observations or step.error)
'''

AUTOGEN = '''
import asyncio
import signoff
from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool


@signoff.asks
async def deploy(to: str) -> str:
    """Deploy the shop."""
    return f"deployed to {to}"


async def run() -> None:
    tool = FunctionTool(deploy, description="Deploys.")
    for to in ("staging", "production"):
        try:
            print(await tool.run_json({"to": to}, CancellationToken()))
        except PermissionError as error:
            print(error)


asyncio.run(run())
'''


def only_staging(request: StoredRequest) -> Decision:
    if request.submission.arguments == {"to": "staging"}:
        return Decision(approved=True)
    return Decision(approved=False, note="not on a Friday")


@pytest.mark.parametrize("script", [SMOLAGENTS, AUTOGEN], ids=["smolagents", "autogen"])
def test_a_tool_asks_before_it_runs(
    script: str, reviewed: Callable[[Answer], Reviewer], variables: dict[str, str], workdir: Path
) -> None:
    reviewer = reviewed(only_staging)
    (workdir / "agent.py").write_text(script)
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "agent.py"],
        env=variables,
        cwd=workdir,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "deployed to staging" in done.stdout
    assert "not on a Friday" in done.stdout
    assert "deployed to production" not in done.stdout
    assert [request.submission.tool_name for request in reviewer.seen] == ["deploy", "deploy"]
