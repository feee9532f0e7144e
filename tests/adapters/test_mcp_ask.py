"""The server of MCP that asks a person, with a client of the SDK; tests/clients has Claude Code."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from answering import Answer, Reviewer, waiting, yes
from signoff.queue import Decision, Instead, RequestState, ReviewQueue, StoredRequest
from system_bench import eventually

if TYPE_CHECKING:
    from mcp import Client

pytest.importorskip("mcp", reason="needs signoff[mcp]")

Review = Callable[[Answer], Reviewer]
SESSION = "5d77c410-811d-4d67-8033-b6bb3830d56b"
ASKED = {"action": "deploy", "details": {"to": "staging"}, "reason": "the tests pass"}


class Host:
    """A host of the server, which may say that it is Claude Code."""

    def __init__(self, folder: Path, place: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        self.variables = {**os.environ, "CLAUDE_CONFIG_DIR": str(home), "SIGNOFF_QUEUE": str(place)}
        self.variables.pop("SIGNOFF_AGENT", None)
        self.transcript = home / f"projects/p/{SESSION}.jsonl"

    def is_claude(self, *entries: Mapping[str, Any]) -> None:
        """Be Claude Code, with a transcript."""
        self.variables.update(CLAUDE_CODE_SESSION_ID=SESSION, CLAUDE_PROJECT_DIR=str(self.folder))
        self.transcript.parent.mkdir(parents=True)
        self.transcript.write_text("\n".join(map(json.dumps, entries)))

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        """A client that has started it."""
        from mcp import Client, StdioServerParameters

        words = ["-m", "signoff.cli", "mcp-ask"]
        parameters = StdioServerParameters(command=sys.executable, args=words, cwd=self.folder, env=self.variables)
        async with Client(parameters) as client:
            yield client

    async def ask(self, **arguments: Any) -> Any:
        """What a model is told."""
        async with self.client() as client:
            return (await client.call_tool("ask_approval", arguments)).structured_content

    async def permission(self, tool: str, call_id: str = "toolu_1", **arguments: Any) -> Any:
        """What Claude Code is told of one of its calls."""
        asked = {"tool_name": tool, "input": arguments, "tool_use_id": call_id}
        async with self.client() as client:
            [part] = (await client.call_tool("permission_prompt", asked)).content
        return json.loads(part.text)


@pytest.fixture
def host(workdir: Path, place: Path, tmp_path: Path) -> Host:
    home = tmp_path / "home"
    home.mkdir()
    return Host(workdir, place, home)


def called(folder: str, *ids: str, tool: str = "Bash", message: str = "m1", **more: Any) -> Mapping[str, Any]:
    """An entry of a transcript: calls of one message."""
    content = [{"type": "tool_use", "id": ident, "name": tool, "input": {}} for ident in ids]
    return {"type": "assistant", "cwd": folder, "message": {"id": message, "content": content}, **more}


def ended(folder: str, ident: str) -> Mapping[str, Any]:
    """An entry of a transcript: the result of a call."""
    content = [{"type": "tool_result", "tool_use_id": ident, "content": ""}]
    return {"type": "user", "cwd": folder, "message": {"role": "user", "content": content}}


# -- A model asks.


async def test_a_yes_comes_with_the_words_of_the_person(host: Host, reviewed: Review) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, note="not before noon"))
    answer = await host.ask(**ASKED)
    assert answer == {"approved": True, "note": "not before noon", "edited_details": None}
    [request] = reviewer.seen
    assert (request.submission.tool_name, request.submission.arguments) == ("ask_approval", ASKED)


async def test_a_no_says_why(host: Host, reviewed: Review) -> None:
    reviewed(lambda _: Decision(approved=False, note="not today"))
    answer = await host.ask(**ASKED)
    assert (answer["approved"], answer["note"]) == (False, "Approval denied: not today")


async def test_edited_details_are_told(host: Host, reviewed: Review) -> None:
    edited = Instead(arguments={**ASKED, "details": {"to": "nowhere"}})
    reviewed(lambda _: Decision(approved=True, instead=edited))
    answer = await host.ask(**ASKED)
    assert (answer["approved"], answer["edited_details"]) == (True, {"to": "nowhere"})


async def test_an_edited_action_is_no_yes(host: Host, reviewed: Review) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments={**ASKED, "action": "wait"})))
    assert (await host.ask(**ASKED))["approved"] is False


@pytest.mark.parametrize("edited", [{"action": "deploy"}, {"action": "deploy", "details": None}], ids=str)
async def test_details_that_the_reviewer_removed_are_no_yes(
    host: Host, reviewed: Review, edited: Mapping[str, Any]
) -> None:
    reviewed(lambda _: Decision(approved=True, instead=Instead(arguments=edited)))
    answer = await host.ask(action="deploy", details={"to": "everybody"})
    assert answer["approved"] is False
    assert "details cannot be removed" in answer["note"]


async def test_an_equal_question_is_answered_by_a_yes_for_the_session(host: Host, reviewed: Review) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    async with host.client() as client:
        for reason in ("one", "another"):
            await client.call_tool("ask_approval", {**ASKED, "reason": reason})
    assert len(reviewer.seen) == 1


@pytest.mark.parametrize("changed", [{"action": ""}, {"action": 1}, {"more": 1}, {"reason": 1}], ids=str)
async def test_a_question_that_is_not_understood_is_not_asked(
    host: Host, reviewed: Review, changed: Mapping[str, Any]
) -> None:
    reviewer = reviewed(yes)
    assert (await host.ask(**{**ASKED, **changed}))["approved"] is False
    assert not reviewer.seen


async def test_a_queue_that_cannot_be_used_is_a_no(host: Host, workdir: Path) -> None:
    (workdir / "file").write_text("no queue")
    host.variables["SIGNOFF_QUEUE"] = str(workdir / "file")
    assert (await host.ask(**ASKED))["approved"] is False


async def test_variables_do_not_say_yes(host: Host, reviewed: Review) -> None:
    host.variables["SIGNOFF_MODE"] = "approve_all"
    reviewed(lambda _: Decision(approved=False))
    assert (await host.ask(**ASKED))["approved"] is False


@pytest.mark.parametrize("leaves", [False, True], ids=["cancelled", "gone"])
async def test_a_host_that_waits_no_more_takes_its_question_back(
    host: Host, reviewed: Review, looking: ReviewQueue, leaves: bool
) -> None:
    reviewer = reviewed(waiting)
    async with host.client() as client:
        asking = asyncio.ensure_future(client.call_tool("ask_approval", ASKED))
        [request] = await asyncio.to_thread(reviewer.wait_for, 1)
        if not leaves:
            asking.cancel()
            await asyncio.to_thread(_withdrawn, looking, request)
    await asyncio.gather(asking, return_exceptions=True)
    await asyncio.to_thread(_withdrawn, looking, request)


def _withdrawn(queue: ReviewQueue, request: StoredRequest) -> None:
    eventually(lambda: queue.get(request.id).state is RequestState.WITHDRAWN, "the request is withdrawn")


async def test_a_host_that_wants_to_hear_of_it_is_told_that_a_person_is_waited_for(
    host: Host, reviewed: Review
) -> None:
    heard: list[str | None] = []

    async def hear(_: float, __: float | None, message: str | None) -> None:
        heard.append(message)

    reviewer = reviewed(yes)
    async with host.client() as client:
        await client.call_tool("ask_approval", ASKED, progress_callback=hear)
    assert heard == ["waiting for a person to answer"]
    assert reviewer.seen


# -- Claude Code asks.


async def test_a_call_is_shown_as_by_the_hook(host: Host, reviewed: Review) -> None:
    (host.folder / "a").write_text("one\n")
    begun = {"type": "user", "cwd": str(host.folder), "message": {"content": "fix the price"}}
    host.is_claude(begun, called(str(host.folder), "toolu_1", tool="Edit"))
    reviewer = reviewed(yes)
    arguments = {"file_path": str(host.folder / "a"), "old_string": "one", "new_string": "two"}
    answer = await host.permission("Edit", **arguments, replace_all=False)
    assert answer == {"behavior": "allow", "updatedInput": arguments}
    [request] = reviewer.seen
    assert arguments["file_path"] in json.dumps(request.submission.snapshot)
    assert request.asked_by.session == SESSION
    assert request.asked_by.name == f"{host.folder.name} fix the price, Claude Code"


@pytest.mark.parametrize("hard", [False, True])
async def test_a_refused_call_is_denied(host: Host, reviewed: Review, hard: bool) -> None:
    host.is_claude(called(str(host.folder), "toolu_1"))
    reviewed(lambda _: Decision(approved=False, note="use git mv", hard=hard))
    answer = await host.permission("Bash", command="mv a b")
    assert (answer["behavior"], answer["interrupt"]) == ("deny", hard)
    assert "use git mv" in answer["message"]


async def test_a_command_is_shown_with_the_directory_that_it_would_run_in(host: Host, reviewed: Review) -> None:
    elsewhere = host.folder / "sub"
    elsewhere.mkdir()
    host.is_claude(
        called(str(host.folder), "toolu_0", "toolu_1"),
        ended(str(elsewhere), "toolu_0"),
    )
    reviewer = reviewed(yes)
    await host.permission("Bash", command="touch a")
    [request] = reviewer.seen
    assert request.submission.payload["cwd"] == str(elsewhere)


@pytest.mark.parametrize("case", ["no transcript", "no such call", "a command before it goes on"])
async def test_a_command_whose_directory_is_not_known_is_denied(host: Host, reviewed: Review, case: str) -> None:
    before = called(str(host.folder), "toolu_0")
    found = [before, called(str(host.folder), "toolu_1")] if case.startswith("a command") else [before]
    host.is_claude(*found)
    if case == "no transcript":
        host.transcript.unlink()
    reviewer = reviewed(yes)
    answer = await host.permission("Bash", command="touch a")
    assert answer["behavior"] == "deny"
    assert not reviewer.seen


async def test_a_sub_agent_is_named_and_runs_no_command_in_a_directory_that_is_not_told(
    host: Host, reviewed: Review
) -> None:
    host.is_claude()
    own = host.transcript.with_suffix("") / "subagents/agent-a63678.jsonl"
    own.parent.mkdir(parents=True)
    entry = called(str(host.folder), "toolu_1", agentId="a636784f", attributionAgent="Explore")
    own.write_text(json.dumps(entry))
    reviewer = reviewed(yes)
    await host.permission("WebFetch", url="https://example.test", prompt="p")
    assert [request.asked_by.caller for request in reviewer.seen] == ["Explore a63678"]
    answer = await host.permission("Bash", command="true")
    assert "in which directory" in answer["message"]


@pytest.mark.parametrize("asked", [{}, {"tool_name": "Bash"}, {"tool_name": "", "input": {}}], ids=str)
async def test_a_call_that_is_not_understood_is_denied(host: Host, asked: Mapping[str, Any]) -> None:
    host.is_claude()
    async with host.client() as client:
        [part] = (await client.call_tool("permission_prompt", dict(asked))).content
    assert json.loads(part.text)["behavior"] == "deny"


async def test_a_file_whose_change_cannot_be_shown_is_denied(host: Host, reviewed: Review) -> None:
    host.is_claude(called(str(host.folder), "toolu_1", tool="Edit"))
    reviewer = reviewed(yes)
    answer = await host.permission("Edit", file_path="a", old_string="a", new_string="b")
    assert "from / on" in answer["message"]
    assert not reviewer.seen
