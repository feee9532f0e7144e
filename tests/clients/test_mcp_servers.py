"""The gate before servers of MCP that others have written, in Node and in Python, with real hosts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from answering import waiting, yes
from clients import anthropic_model
from clients.client_bench import Conversation, ended, no, program
from clients.conftest import FOLDER
from signoff.queue import Decision, Instead, RequestState, open_review_queue
from system_bench import eventually

LEGACY, MODERN = "legacy", "auto"
GATE = ("signoff", "mcp-proxy", "--")


class FilesystemServer(Conversation):
    """A host with the server that reads and writes files. It speaks the protocol with a handshake only."""

    write = "write_file"

    @property
    def command(self) -> list[str]:
        """The command of the server."""
        server = program("@modelcontextprotocol/server-filesystem/dist/index.js")
        return ["node", server, str(self.folder)]

    def arguments(self, name: str) -> dict[str, Any]:
        """The arguments that make a file."""
        return {"path": self.path(name), "content": "new"}

    def made(self, name: str) -> bool:
        """True if there is what a call with that name makes."""
        return Path(self.path(name)).exists()


class GitServer(Conversation):
    """A host with the server that runs git."""

    write = "git_create_branch"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        own = ("-c", "user.name=anna", "-c", "user.email=anna@example.com")
        self._git("init", "--quiet", "--initial-branch=main")
        self._git(*own, "commit", "--quiet", "--allow-empty", "--message=begin")

    def _git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout

    @property
    def command(self) -> list[str]:
        """The command of the server."""
        python = Path(os.environ[FOLDER]).resolve() / "python/bin/python"
        return [str(python), "-m", "mcp_server_git", "--repository", str(self.folder)]

    def arguments(self, name: str) -> dict[str, Any]:
        """The arguments that make a branch."""
        return {"repo_path": str(self.folder), "branch_name": name}

    def made(self, name: str) -> bool:
        """True if there is what a call with that name makes."""
        return name in self._git("branch", "--format=%(refname:short)").split()


_HOST = """
import asyncio, json, os, sys
from mcp import Client, StdioServerParameters
(program, *words), tool, arguments = json.loads(sys.argv[1])
async def main():
    async with Client(StdioServerParameters(command=program, args=words, env=dict(os.environ))) as client:
        await client.call_tool(tool, arguments)
asyncio.run(main())
"""
"""A host that calls one tool."""

Server = FilesystemServer | GitServer

servers = pytest.mark.parametrize("server", [FilesystemServer, GitServer], indirect=True)
modes = pytest.mark.parametrize("mode", [LEGACY, MODERN])


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    found: Server = request.param(tmp_path)
    return found


@asynccontextmanager
async def client_of(
    server: Server, mode: Any, before: Sequence[str] = GATE, **variables: str
) -> AsyncIterator[Client]:
    program, *words = [*before, *server.command]
    own = server.variables(**variables)
    parameters = StdioServerParameters(command=program, args=words, cwd=server.folder, env=own)
    async with Client(parameters, mode=mode) as client:
        yield client


@servers
@modes
async def test_the_gate_changes_nothing_that_a_client_learns(server: Server, mode: str) -> None:
    learnt = []
    for before in ((), GATE):
        async with client_of(server, mode, before) as client:
            tools = await client.list_tools()
            learnt.append(
                (
                    tools.model_dump_json(),
                    client.protocol_version,
                    client.server_capabilities.model_dump_json(),
                    client.instructions,
                )
            )
    assert learnt[0] == learnt[1]


@servers
@modes
async def test_an_approved_call_runs(server: Server, mode: str) -> None:
    with server.reviewed(yes) as reviewer:
        async with client_of(server, mode) as client:
            result = await client.call_tool(server.write, server.arguments("made"))
    assert not result.is_error
    assert server.made("made")
    assert [request.submission.arguments for request in reviewer.seen] == [server.arguments("made")]


@servers
@modes
async def test_the_model_reads_the_words_of_a_no(server: Server, mode: str) -> None:
    with server.reviewed(no("another name")):
        async with client_of(server, mode) as client:
            result = await client.call_tool(server.write, server.arguments("made"))
    assert result.is_error
    assert result.content[0].text == "Approval denied: another name"
    assert not server.made("made")


@servers
async def test_after_a_hard_no_the_host_goes_on_and_the_call_has_not_run(server: Server) -> None:
    with server.reviewed(no("stop", hard=True)):
        async with client_of(server, MODERN) as client:
            assert (await client.call_tool(server.write, server.arguments("made"))).is_error
            assert (await client.list_tools()).tools
    assert not server.made("made")


@servers
async def test_edited_arguments_run(server: Server) -> None:
    edited = Instead(arguments=server.arguments("mine"))
    with server.reviewed(lambda _: Decision(approved=True, instead=edited)):
        async with client_of(server, MODERN) as client:
            await client.call_tool(server.write, server.arguments("theirs"))
    assert (server.made("mine"), server.made("theirs")) == (True, False)


@servers
async def test_what_is_remembered_is_not_asked_again(server: Server) -> None:
    with server.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        async with client_of(server, MODERN) as client:
            for _ in range(2):
                await client.call_tool(server.write, server.arguments("made"))
    assert len(reviewer.seen) == 1


@servers
async def test_a_client_that_leaves_takes_its_call_back(server: Server) -> None:
    with server.reviewed(waiting) as reviewer, open_review_queue(server.place) as queue:
        async with client_of(server, MODERN) as client:
            calling = asyncio.ensure_future(client.call_tool(server.write, server.arguments("made")))
            [asked] = await asyncio.to_thread(reviewer.wait_for, 1)
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
        eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
    assert not server.made("made")


@servers
async def test_a_gate_that_is_killed_runs_nothing_and_leaves_no_request(server: Server) -> None:
    with server.reviewed(waiting) as reviewer, open_review_queue(server.place) as queue:
        async with client_of(server, MODERN) as client:
            calling = asyncio.ensure_future(client.call_tool(server.write, server.arguments("made")))
            [asked] = await asyncio.to_thread(reviewer.wait_for, 1)
            [agent] = queue.agents()
            os.kill(agent.pid, signal.SIGKILL)
            with pytest.raises(MCPError):
                await calling
        eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
    assert not server.made("made")


@servers
async def test_nobody_answers_in_time(server: Server) -> None:
    with server.reviewed(waiting):
        async with client_of(server, MODERN, SIGNOFF_EXPIRES_IN="1") as client:
            result = await client.call_tool(server.write, server.arguments("made"))
    assert "expired" in result.content[0].text
    assert not server.made("made")


@servers
async def test_a_queue_that_cannot_be_used_keeps_a_call_from_running(server: Server) -> None:
    server.place.write_text("no queue")
    async with client_of(server, MODERN) as client:
        assert (await client.call_tool(server.write, server.arguments("made"))).is_error
    assert not server.made("made")


@servers
async def test_without_the_gate_there_is_no_server(server: Server) -> None:
    with pytest.raises(FileNotFoundError):
        async with client_of(server, MODERN, ("no-such-program", *GATE[1:])):
            pass


@servers
async def test_the_call_of_a_host_that_is_killed_does_not_run(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "host.py"
    script.write_text(_HOST)
    call = json.dumps([[*GATE, *server.command], server.write, server.arguments("made")])
    with server.reviewed(waiting) as reviewer, open_review_queue(server.place) as queue:
        host = await asyncio.to_thread(server.start, [sys.executable, str(script), call], {})
        [asked] = await asyncio.to_thread(reviewer.wait_for, 1)
        host.kill()
        await asyncio.to_thread(
            eventually, lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn"
        )
        host.communicate()
    assert not server.made("made")


@pytest.mark.parametrize("approved", [True, False])
def test_the_model_of_a_real_host_reads_the_answer(tmp_path: Path, approved: bool) -> None:
    server = FilesystemServer(tmp_path)
    gate, *words = [*GATE[:-1], "--name", "files", "--", *server.command]
    settings = server.home / "mcp.json"
    settings.write_text(json.dumps({"mcpServers": {"files": {"command": gate, "args": words}}}))
    host = [program("@anthropic-ai/claude-code-*/claude"), "-p", "go on", "--mcp-config", str(settings)]
    turns = [
        [anthropic_model.uses("mcp__files__write_file", **server.arguments("made"))],
        [anthropic_model.says("done")],
    ]
    with (
        server.reviewed(yes if approved else no("another name")) as reviewer,
        anthropic_model.AnthropicModel(turns) as model,
        server.start(
            [*host, "--allowedTools", "mcp__files__write_file"],
            {
                "ANTHROPIC_API_KEY": "none",
                "ANTHROPIC_BASE_URL": model.url,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
        ) as process,
    ):
        ended(process, model)
    assert [request.asked_by.name for request in reviewer.seen] == ["shop, files"]
    assert ("Successfully wrote" if approved else "Approval denied: another name") in model.told[0]
    assert server.made("made") is approved
