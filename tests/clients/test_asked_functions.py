"""Frameworks without an adapter ask by `@signoff.asks` or `signoff.ask`: the real packages, offline."""

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

GOOGLE_ADK = '''
import asyncio
import signoff
from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types


def deploy(to: str) -> str:
    """Deploys the shop."""
    return f"deployed to {to}"


class Scripted(BaseLlm):
    places: list[str] = ["staging", "production"]

    async def generate_content_async(self, llm_request, stream=False):
        part = types.Part(text="done")
        if self.places:
            part = types.Part.from_function_call(name="deploy", args={"to": self.places.pop(0)})
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def ask_first(tool, args, tool_context):
    try:
        await asyncio.to_thread(signoff.ask, tool.name, args)
    except PermissionError as error:
        return {"error": str(error)}


async def run():
    agent = Agent(name="shop", model=Scripted(model="scripted"), tools=[deploy], before_tool_callback=ask_first)
    runner = InMemoryRunner(agent=agent, app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="anna")
    message = types.Content(role="user", parts=[types.Part(text="go on")])
    async for event in runner.run_async(user_id="anna", session_id=session.id, new_message=message):
        for response in event.get_function_responses():
            print(response.response)


asyncio.run(run())
'''

CREWAI = '''
import signoff
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool


@tool
def deploy(to: str) -> str:
    """Deploy the shop."""
    try:
        signoff.ask("deploy", {"to": to})
    except PermissionError as error:
        return str(error)  # raised, it would be tried again
    return f"deployed to {to}"


class Scripted(BaseLLM):
    def call(self, messages, *args, **options):
        told = [str(each["content"]) for each in messages]
        print(*told)
        for place in ("staging", "production"):
            if not any(f'"{place}"' in each for each in told):
                return f'Thought: go on\\nAction: deploy\\nAction Input: {{"to": "{place}"}}'
        return "Thought: enough\\nFinal Answer: done"

    def supports_function_calling(self):
        return False


agent = Agent(role="shop", goal="deploy", backstory="none", llm=Scripted(model="scripted"), tools=[deploy])
task = Task(description="go on", expected_output="done", agent=agent)
Crew(agents=[agent], tasks=[task]).kickoff()
'''


def only_staging(request: StoredRequest) -> Decision:
    if request.submission.arguments == {"to": "staging"}:
        return Decision(approved=True)
    return Decision(approved=False, note="not on a Friday")


@pytest.mark.parametrize(
    "script",
    [SMOLAGENTS, AUTOGEN, GOOGLE_ADK, CREWAI],
    ids=["smolagents", "autogen", "google_adk", "crewai"],
)
def test_a_tool_asks_before_it_runs(
    script: str, reviewed: Callable[[Answer], Reviewer], variables: dict[str, str], workdir: Path
) -> None:
    reviewer = reviewed(only_staging)
    (workdir / "agent.py").write_text(script)
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "agent.py"],
        env={**variables, "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"},
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
