"""Programs with an agent of a Python framework: the real packages, each with a model on loopback."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import Popen
from typing import Any, ClassVar

from adapters import changing_mcp_server
from clients import anthropic_model, openai_model
from clients.client_bench import Conversation
from clients.conftest import FOLDER
from clients.scripted_model import ScriptedModel
from signoff.queue import Instead, StoredRequest
from system_bench import PATIENCE

__all__ = [
    "CRASHING",
    "ClaudeAgentSdk",
    "ConnectOnion",
    "ConnectOnionWithOurPlugin",
    "Framework",
    "LangChain",
    "LangChainBlocking",
    "LangChainInterrupts",
    "McpClient",
    "OpenAIAgents",
    "PydanticAI",
]

ASKING = "controller = None\n"
"""The controller that every adapter has by itself."""

CRASHING = """
from signoff import ApprovalController

def crash(request):
    raise RuntimeError("out of order")

controller = ApprovalController(approval_callback=crash)
"""
"""A controller that fails when it is asked."""

TOOL = '''
def send(to: str) -> str:
    """Send a greeting."""
    with open("sent", "a") as sent:
        print(to, file=sent)
    return f"sent to {to}"
'''

CANCELLABLE = """
import asyncio, signal

async def main():
    running = asyncio.ensure_future(run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, running.cancel)
    await asyncio.wait([running])
    if running.cancelled():
        await asyncio.Event().wait()
    print(await running)

asyncio.run(main())
"""
"""The end of a program that can cancel its run, and then lives on."""


class Framework(Conversation):
    """One conversation of a program with its agent, which can send greetings.

    Attributes:
        via: Name of the adapter for reviewers.
        extra: The extra of signoff that brings the framework.
        python: Folder of the environment that has the framework.
        other_python: Folder of one that does not.
        source: The program.
        supports: The answers that a reviewer is offered.
        tells_why: True if its model is told why nobody decided.
        controller: Source of the controller.
    """

    via: ClassVar[str]
    extra: ClassVar[str]
    python: ClassVar[str] = "frameworks"
    other_python: ClassVar[str] = "python"
    source: str
    supports: ClassVar[frozenset[str]] = frozenset({"note", "hard", "session", "edit"})
    tells_why: ClassVar[bool] = True
    model: ClassVar[type[ScriptedModel[Any]]] = openai_model.OpenAIModel

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.controller = ASKING

    # -- What the model says.

    def sends(self, to: str) -> Mapping[str, Any]:
        """A call that sends a greeting."""
        return openai_model.calls("send", **self.arguments(to))

    def says(self, text: str) -> Any:
        """A last turn."""
        return text

    def arguments(self, to: str) -> Mapping[str, Any]:
        """The arguments that tell one such call from another."""
        return {"to": to}

    def changed(self, request: StoredRequest, to: str) -> Instead:
        """The call to somebody else."""
        return Instead(arguments={**(request.submission.arguments or {}), **self.arguments(to)})

    # -- The program.

    @property
    def sent(self) -> list[str]:
        """Whom the calls that ran have greeted."""
        path = self.folder / "sent"
        return path.read_text().splitlines() if path.exists() else []

    def model_variables(self, model: ScriptedModel[Any]) -> dict[str, str]:
        """The variables by which a program finds its model."""
        return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{model.url}/v1"}

    def begin(self, model: ScriptedModel[Any], python: str | None = None, **variables: str) -> Popen[str]:
        """Start the program."""
        found = Path(os.environ[FOLDER]).resolve() / (python or self.python) / "bin/python"
        return self.start(
            [str(found), "-c", self.controller + self.source], self.model_variables(model) | variables
        )

    def run(self, *turns: Any, **options: str) -> tuple[ScriptedModel[Any], str]:
        """Run the program to its end; returns the model, which knows what it was told, and all output."""
        with self.model([*turns, self.says("done")]) as model, self.begin(model, **options) as process:
            return model, output_of(process)


def output_of(process: Popen[str]) -> str:
    """Wait for the end of a program; returns all its output."""
    try:
        return "".join(process.communicate(timeout=PATIENCE))
    finally:
        process.kill()


class PydanticAI(Framework):
    """A program of PydanticAI."""

    via = "pydantic-ai"
    extra = "pydantic-ai"
    source = f"""
from signoff.adapters.pydantic_ai import Approvals
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
{TOOL}
async def run():
    approvals = Approvals(controller=controller, tool_configs={{"send": {{"approval": "required", "edit": True}}}})
    return (await Agent(OpenAIChatModel("m"), tools=[send], capabilities=[approvals]).run("go on")).output
{CANCELLABLE}"""


_LANGCHAIN = f"""
from signoff.adapters.langchain import ApprovalMiddleware
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
{TOOL}
configs = {{"send": {{"approval": "required", "edit": True}}}}
middleware = ApprovalMiddleware(controller=controller, tool_configs=configs)
agent = create_agent(ChatOpenAI(model="m"), [send], middleware=[middleware])
start = {{"messages": [("user", "go on")]}}
"""


class LangChain(Framework):
    """A program of LangChain."""

    via = "langchain"
    extra = "langchain"
    source = f"""{_LANGCHAIN}
async def run():
    return [message.content for message in (await agent.ainvoke(start))["messages"]]
{CANCELLABLE}"""


class LangChainBlocking(LangChain):
    """A program of LangChain without an event loop."""

    source = f"""{_LANGCHAIN}
print([message.content for message in agent.invoke(start)["messages"]])
"""


class LangChainInterrupts(LangChain):
    """A program of LangChain whose agent pauses by itself."""

    source = f"""
from signoff.adapters.langchain import aanswer_interrupts
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
{TOOL}
pausing = HumanInTheLoopMiddleware(interrupt_on={{"send": True}})
agent = create_agent(ChatOpenAI(model="m"), [send], middleware=[pausing], checkpointer=InMemorySaver())
start = {{"messages": [("user", "go on")]}}
config = {{"configurable": {{"thread_id": "1"}}}}

async def run():
    return (await aanswer_interrupts(agent, start, config, controller=controller))["messages"][-1].content
{CANCELLABLE}"""


class OpenAIAgents(Framework):
    """A program of the OpenAI Agents SDK."""

    via = "openai-agents"
    extra = "openai-agents"
    source = f"""
from signoff.adapters.openai_agents import approved
from agents import Agent, Runner, function_tool, set_default_openai_api, set_tracing_disabled
{TOOL}
set_default_openai_api("chat_completions")
set_tracing_disabled(True)
configs = {{"send": {{"approval": "required", "edit": True}}}}
agent = approved(Agent("assistant", tools=[function_tool(send)]), controller=controller, tool_configs=configs)

async def run():
    return (await Runner.run(agent, "go on")).final_output
{CANCELLABLE}"""


class McpClient(Framework):
    """A program that gives its model the tools of a server of MCP."""

    via = "mcp"
    extra = "mcp"
    source = f"""
from signoff.adapters.mcp import approved
import json, sys
from mcp import Client, StdioServerParameters
from openai import AsyncOpenAI

configs = {{"send": {{"approval": "required", "edit": True}}}}
server = StdioServerParameters(command=sys.executable, args=[{changing_mcp_server.__file__!r}, "tools.json"])

async def run():
    messages = [{{"role": "user", "content": "go on"}}]
    async with AsyncOpenAI() as model, Client(server) as client:
        approved(client.session, controller=controller, server="greetings", tool_configs=configs)
        tools = [
            {{"type": "function", "function": {{"name": tool.name, "parameters": tool.input_schema}}}}
            for tool in (await client.list_tools()).tools
        ]
        while True:
            answer = await model.chat.completions.create(model="m", messages=messages, tools=tools)
            message = answer.choices[0].message
            if not message.tool_calls:
                return message.content
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                result = await client.call_tool(call.function.name, json.loads(call.function.arguments))
                messages.append({{"role": "tool", "tool_call_id": call.id, "content": result.content[0].text}})
{CANCELLABLE}"""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._defined = changing_mcp_server.DefinedByFile(self.folder)

    @property
    def sent(self) -> list[str]:
        """Whom the calls that reached the server have greeted."""
        return [arguments["to"] for arguments in self._defined.called]


class ConnectOnion(Framework):
    """A program of ConnectOnion with the plugin of the framework."""

    via = "connectonion"
    extra = "connectonion"
    supports = frozenset({"note", "hard", "session"})
    tells_why = False
    source = """
from connectonion import Agent, bash
from connectonion.useful_plugins import tool_approval
from signoff.adapters.connectonion import QueueIO

agent = Agent("assistant", model="gpt-5", tools=[bash], plugins=[tool_approval], log=False)
agent.io = QueueIO(controller=controller, caller="assistant")
print(agent.input("go on"))
"""

    def arguments(self, to: str) -> Mapping[str, Any]:
        """The command that sends a greeting; ConnectOnion lets a plain ``touch`` in the project run unasked."""
        return {"command": f"python3 -c \"print('{to}', file=open('sent', 'a'))\""}

    def sends(self, to: str) -> Mapping[str, Any]:
        """A call that sends a greeting."""
        return openai_model.calls("bash", **self.arguments(to))


class ConnectOnionWithOurPlugin(ConnectOnion):
    """A program of ConnectOnion with the plugin of signoff."""

    tells_why = True
    source = ConnectOnion.source.replace("connectonion.useful_plugins", "signoff.adapters.connectonion")


class ClaudeAgentSdk(Framework):
    """A program of the Claude Agent SDK, which brings Claude Code."""

    via = "claude-agent-sdk"
    extra = "claude-agent-sdk"
    python = "python"
    other_python = "frameworks"
    model = anthropic_model.AnthropicModel
    source = """
from signoff.adapters.claude_agent_sdk import approval_hook
import asyncio, signal
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

async def run():
    options = ClaudeAgentOptions(hooks={"PreToolUse": [approval_hook(controller=controller)]})
    async with ClaudeSDKClient(options) as client:
        def interrupt():
            interrupting.append(asyncio.ensure_future(client.interrupt()))
        interrupting = []
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, interrupt)
        await client.query("go on")
        async for message in client.receive_response():
            print(message)

asyncio.run(run())
"""

    def arguments(self, to: str) -> Mapping[str, Any]:
        """The command that sends a greeting."""
        return {"command": f"echo {to} >> sent"}

    def sends(self, to: str) -> Mapping[str, Any]:
        """A call that sends a greeting."""
        return anthropic_model.uses("Bash", **self.arguments(to), description="send a greeting")

    def says(self, text: str) -> Any:
        """A last turn."""
        return [anthropic_model.says(text)]

    def model_variables(self, model: ScriptedModel[Any]) -> dict[str, str]:
        """The variables by which a program finds its model."""
        return {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
