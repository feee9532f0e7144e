"""An editor of the Agent Client Protocol, made with its Python SDK, and real agents behind the gate."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

from acp import PROTOCOL_VERSION, RequestError, spawn_agent_process, text_block
from acp.client.connection import ClientSideConnection
from acp.interfaces import Client
from acp.schema import (
    ClientCapabilities,
    FileSystemCapabilities,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

from clients import gemini_model, openai_model
from clients.client_bench import Conversation, program
from clients.coding_agents import Gemini as CodingGemini
from clients.scripted_model import ScriptedModel

__all__ = ["AcpAgent", "Editor", "Gemini", "OpenCode", "Turn"]

Call = Mapping[str, Any]


class Editor(Client):
    """The editor.

    Attributes:
        asked: The titles of what it was asked to permit.
        wrote: The paths that it has written.
    """

    def __init__(self) -> None:
        self.asked: list[str | None] = []
        self.wrote: list[str] = []

    async def session_update(self, *_: Any, **__: Any) -> None:
        """Show nothing."""

    async def request_permission(self, *, tool_call: Any, **_: Any) -> RequestPermissionResponse:
        """Note that it was asked."""
        self.asked.append(tool_call.title)
        raise RequestError.internal_error()

    async def read_text_file(self, *, path: str, **_: Any) -> ReadTextFileResponse:
        """Read a file."""
        try:
            return ReadTextFileResponse(content=await asyncio.to_thread(Path(path).read_text))
        except FileNotFoundError:
            raise RequestError.resource_not_found(path) from None

    async def write_text_file(self, *, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        """Write a file."""
        self.wrote.append(path)
        await asyncio.to_thread(Path(path).write_text, content)
        return WriteTextFileResponse()

    def on_connect(self, *_: Any) -> None:
        """Do nothing."""


class Turn:
    """A session, and the model behind it.

    Attributes:
        editor: The editor.
        model: The model.
        session: Id of the session.
        agent: The connection to the agent.
        gate: Process of the gate.
    """

    def __init__(
        self, editor: Editor, model: ScriptedModel[Any], session: str, agent: ClientSideConnection, gate: Any
    ) -> None:
        self.editor = editor
        self.model = model
        self.session = session
        self.agent = agent
        self.gate = gate

    async def prompt(self) -> str:
        """Have the agent go on; returns why it stopped."""
        response = await self.agent.prompt(session_id=self.session, prompt=[text_block("go on")])
        return str(response.stop_reason)


class AcpAgent(Conversation):
    """One conversation with an agent behind the gate.

    Attributes:
        title: Its name for people.
    """

    title: ClassVar[str]

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        raise NotImplementedError

    def says(self, text: str) -> Any:
        """A last turn."""
        raise NotImplementedError

    def reads(self, path: str) -> Call:
        """A call that reads a file."""
        raise NotImplementedError

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        raise NotImplementedError

    def runs(self, command: str) -> Call:
        """A call that runs a command."""
        raise NotImplementedError

    def model(self, turns: list[Any]) -> ScriptedModel[Any]:
        """The model."""
        raise NotImplementedError

    def begin(self, model: ScriptedModel[Any]) -> tuple[list[str], dict[str, str]]:
        """The command of the agent, and its variables; its settings are written."""
        raise NotImplementedError

    @asynccontextmanager
    async def turn(self, *turns: Any, files: bool = False, **more: str) -> AsyncIterator[Turn]:
        """A session that is ready for a prompt.

        Args:
            turns: What the model says; at last it says that it is done.
            files: True if the editor reads and writes files for the agent.
            more: Variables of the gate besides those of every conversation.
        """
        with self.model([*turns, self.says("done")]) as model:
            command, variables = self.begin(model)
            editor = Editor()
            gate = ("acp-proxy", "--", *command)
            async with spawn_agent_process(
                lambda _: editor,
                "signoff",
                *gate,
                env={**self.variables(**variables), **more},
                cwd=self.folder,
                transport_kwargs={"stderr": subprocess.DEVNULL},  # nobody reads it, and it outlives a killed gate
            ) as (agent, process):
                capabilities = ClientCapabilities(
                    fs=FileSystemCapabilities(read_text_file=files, write_text_file=files)
                )
                await agent.initialize(protocol_version=PROTOCOL_VERSION, client_capabilities=capabilities)
                session = await agent.new_session(cwd=str(self.folder), mcp_servers=[])
                yield Turn(editor, model, session.session_id, agent, process)


class Gemini(AcpAgent):
    """A conversation with Gemini CLI."""

    title = "Gemini CLI"

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return gemini_model.calls(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return [gemini_model.says(text)]

    def reads(self, path: str) -> Call:
        """A call that reads a file."""
        return self.calls("read_file", file_path=path)

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("replace", file_path=path, old_string=old, new_string=new, instruction="x")

    def runs(self, command: str) -> Call:
        """A call that runs a command."""
        return self.calls("run_shell_command", command=command, description="do it")

    def model(self, turns: list[Any]) -> ScriptedModel[Any]:
        """The model."""
        return gemini_model.GeminiModel(turns)

    def begin(self, model: ScriptedModel[Any]) -> tuple[list[str], dict[str, str]]:
        """The command of the agent, and its variables; its settings are written."""
        settings = self.home / ".gemini/settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps(CodingGemini.own_settings))
        command = ["node", program("@google/gemini-cli/bundle/gemini.js"), "--acp", "--skip-trust"]
        return command, {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url}


class OpenCode(AcpAgent):
    """A conversation with OpenCode, whose settings say that it asks."""

    title = "OpenCode"
    permission: ClassVar[Mapping[str, str]] = {"edit": "ask", "bash": "ask"}

    def calls(self, tool: str, **arguments: object) -> Call:
        """A call of a tool."""
        return openai_model.calls(tool, **arguments)

    def says(self, text: str) -> Any:
        """A last turn."""
        return text

    def reads(self, path: str) -> Call:
        """A call that reads a file."""
        return self.calls("read", filePath=path)

    def edits(self, path: str, old: str, new: str) -> Call:
        """A call that edits a file."""
        return self.calls("edit", filePath=path, oldString=old, newString=new)

    def runs(self, command: str) -> Call:
        """A call that runs a command."""
        return self.calls("bash", command=command, description="do it")

    def model(self, turns: list[Any]) -> ScriptedModel[Any]:
        """The model."""
        return openai_model.OpenAIModel(turns)

    def begin(self, model: ScriptedModel[Any]) -> tuple[list[str], dict[str, str]]:
        """The command of the agent, and its variables; its settings are written."""
        settings = self.home / "config/opencode/opencode.json"
        settings.parent.mkdir(parents=True)
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "none"},
            "models": {"scripted": {"tool_call": True}},
        }
        own = {
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "autoupdate": False,
            "share": "disabled",
            "provider": {"scripted": provider},
            "permission": self.permission,
        }
        settings.write_text(json.dumps(own))
        return [program("opencode-ai/bin/opencode.exe"), "acp"], {}
