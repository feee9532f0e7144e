"""Agents of the Agent Client Protocol that others have written, behind the gate, with an editor of its SDK."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from answering import waiting, yes
from clients.acp_editor import AcpAgent, Gemini, OpenCode, Turn
from clients.client_bench import no
from signoff.queue import Decision, RequestState, StoredRequest, open_review_queue
from system_bench import eventually

OLD = b"one\ntwo\nthree\n"


@pytest.fixture
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> AcpAgent:
    found: AcpAgent = request.param(tmp_path)
    return found


def on(*kinds: type[AcpAgent]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("agent", kinds, indirect=True, ids=lambda kind: kind.__name__)


every = on(Gemini, OpenCode)


def made(agent: AcpAgent) -> list[str]:
    return sorted(path.name for path in agent.folder.iterdir())


def content(agent: AcpAgent) -> bytes:
    return (agent.folder / "a.txt").read_bytes()


def agent_of(turn: Turn) -> int:
    """The process of the agent that the gate has started: the one of its children that is no shell."""
    children = Path(f"/proc/{turn.gate.pid}/task/{turn.gate.pid}/children").read_text().split()
    [found] = [int(pid) for pid in children if b"read -r group" not in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return found


@every
async def test_an_approved_edit_and_command_run(agent: AcpAgent) -> None:
    path = agent.path("a.txt", OLD)
    with agent.reviewed(yes) as reviewer:
        turns = ([agent.reads(path)], [agent.edits(path, "two", "TWO")], [agent.runs("cat a.txt > b.txt")])
        async with agent.turn(*turns) as turn:
            assert await turn.prompt() == "end_turn"
            assert turn.editor.asked == []
    assert (agent.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    edit, run = (request.submission for request in reviewer.seen)
    assert (edit.tool_name, run.tool_name) == ("edit", "execute")
    for submission, shown in ((edit, path), (run, "cat a.txt > b.txt")):
        assert submission.snapshot is not None
        [step] = submission.snapshot["steps"]
        assert shown in (step.get("path"), step.get("command"))
    assert reviewer.seen[0].asked_by.name == f"shop go on, {agent.title}"


@every
async def test_a_no_keeps_a_call_from_running(agent: AcpAgent) -> None:
    with agent.reviewed(no("never")):
        async with agent.turn([agent.runs("touch made")]) as turn:
            assert await turn.prompt() == "end_turn"
    assert made(agent) == []


@every
async def test_a_stop_ends_the_turn(agent: AcpAgent) -> None:
    with agent.reviewed(no("stop here", hard=True)):
        async with agent.turn([agent.runs("touch made")], [agent.runs("touch more")]) as turn:
            assert await turn.prompt() == "cancelled"
            assert turn.model.asked == 1
    assert made(agent) == []


@on(Gemini)  # OpenCode does not always tell the same of equal calls
async def test_what_is_remembered_is_not_asked_again(agent: AcpAgent) -> None:
    with agent.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        async with agent.turn([agent.runs("echo x >> log")], [agent.runs("echo x >> log")]) as turn:
            await turn.prompt()
    assert (agent.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


@every
async def test_an_approved_edit_that_the_editor_makes_is_asked_about_once(agent: AcpAgent) -> None:
    path = agent.path("a.txt", OLD)
    with agent.reviewed(yes) as reviewer:
        async with agent.turn([agent.reads(path)], [agent.edits(path, "two", "TWO")], files=True) as turn:
            await turn.prompt()
            assert turn.editor.wrote == [path]
    assert content(agent) == b"one\nTWO\nthree\n"
    assert len(reviewer.seen) == 1


@every
async def test_a_turn_that_is_cancelled_in_the_editor_takes_back_what_is_asked(agent: AcpAgent) -> None:
    with agent.reviewed(waiting) as reviewer, open_review_queue(agent.place) as queue:
        async with agent.turn([agent.runs("touch made")]) as turn:
            prompted = asyncio.ensure_future(turn.prompt())
            [asked] = await asyncio.to_thread(reviewer.wait_for, 1)
            await turn.agent.cancel(session_id=turn.session)
            assert await prompted == "cancelled"
            eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
    assert made(agent) == []


@pytest.mark.parametrize("killed", ["agent", "gate"])
@every
async def test_whoever_is_killed_leaves_no_request(agent: AcpAgent, killed: str) -> None:
    with agent.reviewed(waiting) as reviewer, open_review_queue(agent.place) as queue:
        async with agent.turn([agent.runs("touch made")]) as turn:
            prompted = asyncio.ensure_future(turn.prompt())
            [asked] = await asyncio.to_thread(reviewer.wait_for, 1)
            os.kill(agent_of(turn) if killed == "agent" else turn.gate.pid, signal.SIGKILL)
            await asyncio.to_thread(
                eventually, lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn"
            )
            prompted.cancel()
            await asyncio.gather(prompted, return_exceptions=True)
    assert made(agent) == []


@every
async def test_a_queue_that_cannot_be_used_keeps_a_call_from_running(agent: AcpAgent) -> None:
    agent.place.write_text("no queue")
    async with agent.turn([agent.runs("touch made")]) as turn:
        await turn.prompt()
    assert made(agent) == []


@every
async def test_nobody_answers_in_time(agent: AcpAgent) -> None:
    with agent.reviewed(waiting) as reviewer:
        async with agent.turn([agent.runs("touch made")], SIGNOFF_EXPIRES_IN="1") as turn:
            await turn.prompt()
    assert [request.state for request in reviewer.seen] == [RequestState.PENDING]
    assert made(agent) == []


@every
async def test_without_the_gate_there_is_no_agent(agent: AcpAgent) -> None:
    with pytest.raises(FileNotFoundError):
        async with agent.turn([agent.runs("touch made")], PATH="/nowhere"):
            pass


@on(Gemini)
async def test_a_mode_that_approves_all_has_to_be_approved(agent: AcpAgent) -> None:
    with agent.reviewed(no("keep asking")) as reviewer:
        async with agent.turn([agent.runs("touch made")]) as turn:
            with pytest.raises(Exception, match="keep asking"):
                await turn.agent.set_session_mode(session_id=turn.session, mode_id="yolo")
            await turn.prompt()
    assert [request.submission.tool_name for request in reviewer.seen] == ["session/set_mode", "execute"]
    assert made(agent) == []


@on(Gemini)
async def test_what_the_editor_writes_is_asked_about_also_where_the_agent_asks_nobody(agent: AcpAgent) -> None:
    path = agent.path("a.txt", OLD)

    def mode_only(request: StoredRequest) -> Decision:
        return Decision(approved=request.submission.tool_name == "session/set_mode")

    with agent.reviewed(mode_only) as reviewer:
        async with agent.turn([agent.reads(path)], [agent.edits(path, "two", "TWO")], files=True) as turn:
            await turn.agent.set_session_mode(session_id=turn.session, mode_id="yolo")
            await turn.prompt()
    assert reviewer.seen[-1].submission.tool_name == "fs/write_text_file"
    assert content(agent) == OLD
