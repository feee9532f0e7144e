"""Two real servers of MCP, staging and production, with one tool: an approval is for one of them."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, FunctionToolset
from toolset_agents import call, script

from answering import PATIENCE, Reviewer
from asked import Asked
from signoff.adapters.pydantic_ai import ApprovalToolset
from signoff.connection import connect_agent
from signoff.controller import ApprovalController
from signoff.queue import Decision, open_review_queue

if TYPE_CHECKING:
    from pydantic_ai.mcp import MCPToolset

SERVER = Path(__file__).with_name("deleting_mcp_server.py")
DELETE = [call("delete", id=1)]
Servers = tuple["MCPToolset[Any]", "MCPToolset[Any]"]


class Site:
    """The two servers, from the side of a test."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def tools(self, name: str, id_: str | None = None) -> MCPToolset[Any]:
        """The tools of one of them; the author of the agent gave it an id, or did not."""
        pytest.importorskip("pydantic_ai.mcp", exc_type=ImportError, reason="needs pydantic-ai-slim[mcp]")
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset

        transport = StdioTransport(
            sys.executable,
            [str(SERVER), str(self.file(name))],
            keep_alive=False,
            log_file=self.directory / f"{name}.log",
        )
        return MCPToolset[Any](transport, id=id_, init_timeout=PATIENCE)

    def file(self, name: str) -> Path:
        return self.directory / f"{name}.jsonl"

    def calls(self, name: str) -> int:
        return len(self.file(name).read_text().splitlines()) if self.file(name).exists() else 0


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture(params=["named", "unnamed"])
async def servers(site: Site, request: pytest.FixtureRequest) -> AsyncIterator[Servers]:
    """Staging and production."""
    async with AsyncExitStack() as stack:
        found = []
        for name in ("staging", "production"):
            chosen = name if request.param == "named" else None
            found.append(await stack.enter_async_context(site.tools(name, chosen)))
        yield found[0], found[1]


async def run(toolset: AbstractToolset[Any], calls: Sequence[Any] = DELETE) -> None:
    await Agent(script(calls), toolsets=[toolset]).run("go")


async def test_an_approval_in_memory_is_for_one_server(servers: Servers, site: Site) -> None:
    asked = Asked(remember="session")
    controller = ApprovalController(approval_callback=asked)
    for server in (*servers, *servers):
        await run(ApprovalToolset(server, controller=controller))
    first, second = asked.requests
    assert first.server != second.server
    assert (first.tool_name, first.payload) == (second.tool_name, second.payload)
    assert (site.calls("staging"), site.calls("production")) == (2, 2)


async def test_an_approval_in_the_queue_is_for_one_server(servers: Servers, site: Site, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with (
        connect_agent("agent", session="s-1", cwd=str(tmp_path), place=place) as queue,
        Reviewer(place, lambda _: Decision(approved=True, remember=True)) as reviewer,
        open_review_queue(place) as looking,
    ):
        controller = ApprovalController(queue=queue)
        for server in (*servers, *servers):
            await run(ApprovalToolset(server, controller=controller))
        grants = queue.grants()
        records = looking.history()
        whole = looking.verify() is None
    first, second = reviewer.seen
    assert first.submission.digest != second.submission.digest
    asked = [first.submission.server, second.submission.server]
    assert None not in asked
    assert [grant.server for grant in grants] == asked
    assert [grant.uses for grant in grants] == [1, 1]
    assert sorted(str(record.server) for record in records) == sorted(map(str, asked * 2))
    assert whole
    assert (site.calls("staging"), site.calls("production")) == (2, 2)


async def test_the_server_of_a_tool_is_told_through_toolsets_around_it(site: Site) -> None:
    def delete(id: int) -> str:  # noqa: A002 - the argument of the tool
        """Delete a file."""
        return "deleted"

    asked = Asked()
    async with (
        site.tools("staging", "staging") as staging,
        site.tools("production", "production") as production,
    ):
        own = FunctionToolset([delete], id="files")
        all_of_them = CombinedToolset([staging.prefixed("a"), CombinedToolset([production.prefixed("b"), own])])
        around = ApprovalToolset(all_of_them.filtered(lambda _, __: True), asked)
        await run(around, [call("a_delete", id=1), call("b_delete", id=1), call("delete", id=1)])
    assert {request.tool_name: request.server for request in asked.requests} == {
        "a_delete": "staging",
        "b_delete": "production",
        "delete": None,
    }


async def test_the_server_that_the_author_names_holds(site: Site) -> None:
    asked = Asked()
    async with site.tools("staging", "a") as staging:
        await run(ApprovalToolset(staging, asked, server="projects"))
    assert asked.requests[0].server == "projects"
