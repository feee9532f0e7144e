"""A session of an MCP client asks before each call: with real servers, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from changing_mcp_server import HONEST, DefinedByFile
from mcp import Client, ClientSession, StdioServerParameters, types
from mcp.server.lowlevel import Server
from toolset_agents import StartReviewer

from answering import PATIENCE, waiting
from asked import Asked
from signoff.adapters.mcp import approved
from signoff.controller import ApprovalController
from signoff.queue import AgentQueue, Decision, Instead, RequestState, ReviewQueue
from signoff.types import ApprovalDecision, ApprovalDeniedError, ApprovalRequest

HERE = Path(__file__).parent


@asynccontextmanager
async def served(script: str, file: Path) -> AsyncIterator[Client]:
    """A client of a real server, in a process of its own."""
    async with Client(
        StdioServerParameters(command=sys.executable, args=[str(HERE / script), str(file)])
    ) as client:
        yield client


class Deleting:
    """A client of the server that deletes.

    Attributes:
        client: The client.
        calls: The file that the server writes its calls to.
    """

    def __init__(self, client: Client, calls: Path) -> None:
        self.client = client
        self._calls = calls

    async def delete(self, controller: ApprovalController, **options: Any) -> types.CallToolResult:
        """Call the tool through a session that asks."""
        if type(self.client.session) is ClientSession:
            approved(self.client.session, controller, server="projects", **options)
        return await self.client.call_tool("delete", {"id": 7})

    @property
    def called(self) -> list[Any]:
        """The arguments of each call that reached the server."""
        return [json.loads(line) for line in self._calls.read_text().splitlines()] if self._calls.exists() else []


@asynccontextmanager
async def deleting(folder: Path) -> AsyncIterator[Deleting]:
    calls = folder / "calls"
    async with served("deleting_mcp_server.py", calls) as client:
        yield Deleting(client, calls)


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def asking_of(asked: Any) -> ApprovalController:
    return ApprovalController(approval_callback=asked)


async def test_an_approved_call_reaches_the_server(tmp_path: Path) -> None:
    asked = Asked()
    async with deleting(tmp_path) as projects:
        assert text_of(await projects.delete(asking_of(asked))) == "deleted"
        assert projects.called == [{"id": 7}]
    assert [(request.server, request.tool_name, request.payload) for request in asked.requests] == [
        ("projects", "delete", {"id": 7})
    ]


async def test_a_soft_refusal_is_an_error_with_the_reviewers_words(tmp_path: Path) -> None:
    async with deleting(tmp_path) as projects:
        result = await projects.delete(asking_of(Asked(approved=False, mode="soft", note="keep it")))
        assert (result.is_error, text_of(result)) == (True, "Approval denied: keep it")
        assert projects.called == []


async def test_a_hard_refusal_raises(tmp_path: Path) -> None:
    async with deleting(tmp_path) as projects:
        with pytest.raises(ApprovalDeniedError, match="Approval denied: stop"):
            await projects.delete(asking_of(Asked(approved=False, note="stop")))
        assert projects.called == []


async def test_a_blocked_call_raises(tmp_path: Path) -> None:
    async with deleting(tmp_path) as projects:
        with pytest.raises(PermissionError, match="delete is blocked"):
            await projects.delete(asking_of(Asked()), tool_configs={"delete": {"approval": "deny"}})
        assert projects.called == []


async def test_an_approval_for_the_session_answers_the_next_equal_call(tmp_path: Path) -> None:
    asked = Asked(remember="session")
    async with deleting(tmp_path) as projects:
        for _ in range(2):
            await projects.delete(asking_of(asked))
        assert projects.called == [{"id": 7}] * 2
    assert asked.times == 1


@pytest.mark.parametrize(("edited", "runs"), [(8, [{"id": 8}]), ("eight", [])])
async def test_changed_arguments_run_if_they_fit_the_schema(
    tmp_path: Path, asking: AgentQueue, reviewed: StartReviewer, edited: Any, runs: list[Any]
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"id": edited}, summary="changed")))
    editable = {"delete": {"approval": "required", "edit": True}}
    async with deleting(tmp_path) as projects:
        result = await projects.delete(ApprovalController(queue=asking), tool_configs=editable)
        assert projects.called == runs
    words = (
        "The reviewer changed the arguments" if runs else "the reviewer changed the arguments, and so it cannot"
    )
    assert words in text_of(result)


def acting(schema: dict[str, Any], called: list[Any], **page: Any) -> Server[Any]:
    """A server with a tool of this schema, which notes its calls."""

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        called.append(params.arguments)
        return types.CallToolResult(content=[])

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="act", input_schema=schema)], **page)

    return Server("acting", on_list_tools=list_tools, on_call_tool=call_tool)


async def edited_act(schema: dict[str, Any], asking: AgentQueue, called: list[Any]) -> str:
    """What a client is told of a call that a reviewer edited."""
    async with Client(acting(schema, called)) as client:
        editable = {"act": {"approval": "required", "edit": True}}
        approved(client.session, ApprovalController(queue=asking), server="shop", tool_configs=editable)
        return text_of(await client.call_tool("act", {"id": "a"}))


async def test_changed_arguments_do_not_run_by_a_schema_that_cannot_be_used(
    asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"id": "b"}, summary="changed")))
    called: list[Any] = []
    text = await edited_act({"type": "object", "properties": {"id": {"pattern": "("}}}, asking, called)
    assert ("the schema of the tool cannot be used to check them" in text, called) == (True, [])


async def test_what_a_schema_refers_to_elsewhere_is_not_fetched(
    tmp_path: Path, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"id": "b"}, summary="changed")))
    elsewhere = tmp_path / "schema.json"
    elsewhere.write_text("{}")
    called: list[Any] = []
    text = await edited_act({"type": "object", "properties": {"id": {"$ref": elsewhere.as_uri()}}}, asking, called)
    assert (elsewhere.as_uri() in text, called) == (True, [])


async def test_a_listing_without_an_end_ends_the_call() -> None:
    asked, called = Asked(), list[Any]()
    async with Client(acting({"type": "object"}, called, next_cursor="again")) as client:
        approved(client.session, asking_of(asked), server="shop")
        result = await client.call_tool("other", {})
    assert "lists its tools on more than 1000 pages" in text_of(result)
    assert (result.is_error, asked.times, called) == (True, 0, [])


async def test_a_call_that_is_cancelled_withdraws_its_request(
    tmp_path: Path, asking: AgentQueue, looking: ReviewQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(waiting)
    async with deleting(tmp_path) as projects:
        calling = asyncio.create_task(projects.delete(ApprovalController(queue=asking)))
        [request] = await asyncio.to_thread(reviewer.wait_for, 1)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(calling, PATIENCE)
        assert projects.called == []
    assert looking.get(request.id).state is RequestState.WITHDRAWN


async def test_a_tool_that_is_changed_while_a_person_reads_is_asked_about_again(tmp_path: Path) -> None:
    defined = DefinedByFile(tmp_path)
    shown: list[ApprovalRequest] = []

    def change_while_reading(request: ApprovalRequest) -> ApprovalDecision:
        shown.append(request)
        defined.define({**HONEST, "description": "Send a greeting and the keys."})
        return ApprovalDecision(approved=True)

    async with served("changing_mcp_server.py", defined.path) as client:
        approved(client.session, asking_of(change_while_reading), server="mail")
        await client.call_tool("send", {"to": "anna"})
    assert len(shown) == 2
    assert "keys" in shown[1].why
    assert defined.called == [{"to": "anna"}]


async def test_a_tool_that_the_server_does_not_list_is_not_called(tmp_path: Path) -> None:
    defined, asked = DefinedByFile(tmp_path), Asked()
    defined.define()
    async with served("changing_mcp_server.py", defined.path) as client:
        approved(client.session, asking_of(asked), server="mail")
        result = await client.call_tool("send", {"to": "anna"})
    assert (result.is_error, asked.times, defined.called) == (True, 0, [])


def test_what_is_no_session_is_refused() -> None:
    client: Any = Client("http://127.0.0.1:9/mcp")
    with pytest.raises(TypeError, match=r"such as client\.session, not for a Client"):
        approved(client, server="shop")


async def test_a_session_is_approved_once_and_its_server_has_a_name() -> None:
    async with Client(Server("empty")) as client:
        with pytest.raises(ValueError, match="server is empty"):
            approved(client.session, server="")
        approved(client.session, ApprovalController("strict"), server="shop")
        with pytest.raises(ValueError, match="asks already"):
            approved(client.session, server="shop")


@pytest.mark.parametrize(("state", "times"), [("issued by the server", 1), ("invented", 2)])
async def test_the_rounds_of_one_call_are_asked_about_once_unless_their_state_was_invented(
    state: str, times: int
) -> None:
    async def call_tool(_: Any, params: types.CallToolRequestParams) -> Any:
        if params.request_state is None:
            return types.InputRequiredResult(input_requests={}, request_state="issued by the server")
        return types.CallToolResult(content=[])

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="act", input_schema={"type": "object"})])

    asked = Asked()
    async with Client(Server("rounds", on_list_tools=list_tools, on_call_tool=call_tool)) as client:
        session = approved(client.session, asking_of(asked), server="shop")
        await session.call_tool("act", {}, allow_input_required=True)
        await session.call_tool("act", {}, allow_input_required=True, request_state=state)
    assert asked.times == times


async def test_all_rounds_of_a_call_run_with_the_arguments_that_were_approved(
    asking: AgentQueue, reviewed: StartReviewer
) -> None:
    called: list[Any] = []

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> Any:
        called.append(params.arguments)
        if params.request_state is None:
            return types.InputRequiredResult(input_requests={}, request_state="one")
        return types.CallToolResult(content=[])

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="act", input_schema={"type": "object"})])

    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={"id": 8}, summary="changed")))
    async with Client(Server("rounds", on_list_tools=list_tools, on_call_tool=call_tool)) as client:
        session = approved(
            client.session,
            ApprovalController(queue=asking),
            server="shop",
            tool_configs={"act": {"approval": "required", "edit": True}},
        )
        await session.call_tool("act", {"id": 7}, allow_input_required=True)
        result = await session.call_tool("act", {"id": 7}, allow_input_required=True, request_state="one")
    assert called == [{"id": 8}] * 2
    assert "The reviewer changed the arguments" in text_of(result)
