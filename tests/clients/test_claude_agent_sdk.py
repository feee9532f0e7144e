"""Programs of the Claude Agent SDK: the real one with its own Claude Code, and a model on loopback."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from answering import PATIENCE, waiting, yes
from clients.anthropic_model import AnthropicModel, says, uses
from clients.client_bench import Conversation, ended, no
from clients.conftest import FOLDER
from signoff.queue import Decision, Instead, RequestState, StoredRequest, open_review_queue

PYTHON = Path(os.environ[FOLDER]).resolve() / "python/bin/python"

PROGRAM = """
import asyncio
from claude_agent_sdk import ClaudeAgentOptions, query
from signoff.adapters.claude_agent_sdk import approval_hook

async def run():
    options = ClaudeAgentOptions(hooks={"PreToolUse": [approval_hook()]})
    async for _ in query(prompt="go on", options=options):
        pass

asyncio.run(run())
"""
INTERRUPTED_BY_SIGNAL = """
import asyncio, signal
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from signoff.adapters.claude_agent_sdk import approval_hook

async def run():
    options = ClaudeAgentOptions(hooks={"PreToolUse": [approval_hook()]})
    async with ClaudeSDKClient(options) as client:
        def interrupt():
            interrupting.append(asyncio.ensure_future(client.interrupt()))
        interrupting = []
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, interrupt)
        await client.query("go on")
        async for _ in client.receive_response():
            pass

asyncio.run(run())
"""
OLD, NEW = b"one\ntwo\nthree\n", b"one\n2\nthree\n"


class Program(Conversation):
    """One conversation of a program with the SDK."""

    def begin(self, model: AnthropicModel, source: str = PROGRAM) -> Popen[str]:
        """Start the program."""
        variables = {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        return self.start([str(PYTHON), "-c", source], variables)

    def run(self, *turns: Sequence[Mapping[str, Any]]) -> AnthropicModel:
        """Run the program to its end; returns the model, which knows what it was told."""
        with AnthropicModel([*turns, [says("done")]]) as model, self.begin(model) as process:
            ended(process, model)
        return model


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def touch(program: Program) -> Sequence[Mapping[str, Any]]:
    return [uses("Bash", command=f"touch {program.path('made')}", description="make it")]


def edit(program: Program) -> Sequence[Mapping[str, Any]]:
    path = program.path("numbers.txt", OLD)
    return [uses("Edit", file_path=path, old_string="two", new_string="2")]


def test_an_edit_is_shown_as_the_file_that_it_leaves_behind(program: Program) -> None:
    with program.reviewed(yes) as reviewer:
        program.run([uses("Read", file_path=program.path("numbers.txt", OLD))], edit(program))
    assert [request.submission.via for request in reviewer.seen] == ["claude-agent-sdk"]
    with open_review_queue(program.place) as queue:
        assert queue.blob(sha256(NEW).hexdigest()) == NEW
    assert (program.folder / "numbers.txt").read_bytes() == NEW


def test_a_file_gets_what_was_approved_in_place_of_what_was_asked_for(program: Program) -> None:
    path, approved = program.path("numbers.txt", OLD), b"ONE\ntwo\nthree\n"
    asked = uses("Edit", file_path=path, old_string=OLD.decode(), new_string="ONE\ntwo\nTHREE\n")

    def half(_: StoredRequest) -> Decision:
        instead = Instead.of_contents({path: approved}, refused=("numbers.txt line 3",), summary="1 of 2 hunks")
        return Decision(approved=True, instead=instead)

    with program.reviewed(half):
        program.run([uses("Read", file_path=path)], [asked])
    assert (program.folder / "numbers.txt").read_bytes() == approved


def test_a_soft_refusal_is_told_to_the_model_which_goes_on(program: Program) -> None:
    with program.reviewed(no("use the other folder")):
        model = program.run(touch(program))
    assert not (program.folder / "made").exists()
    assert "use the other folder" in model.told[0]
    assert model.asked == 2


def test_a_hard_refusal_ends_the_turn(program: Program) -> None:
    with program.reviewed(no("stop", hard=True)):
        model = program.run(touch(program))
    assert not (program.folder / "made").exists()
    assert model.asked == 1


def test_a_command_runs_as_the_reviewer_changed_it(program: Program) -> None:
    def elsewhere(request: StoredRequest) -> Decision:
        command = f"touch {program.path('elsewhere')}"
        arguments = {**(request.submission.arguments or {}), "command": command}
        return Decision(approved=True, instead=Instead(arguments=arguments, summary="changed the command"))

    with program.reviewed(elsewhere):
        program.run(touch(program))
    assert [path.name for path in program.folder.iterdir()] == ["elsewhere"]


def test_an_approval_for_the_session_answers_the_next_equal_call(program: Program) -> None:
    with program.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        program.run(touch(program), touch(program))
    assert len(reviewer.seen) == 1


def test_a_call_does_not_run_where_there_is_no_queue(program: Program) -> None:
    program.place.write_text("not a directory")
    model = program.run(touch(program))
    assert not (program.folder / "made").exists()
    assert "Not run" in model.told[0]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
def test_a_request_is_withdrawn_when_its_program_is_gone(program: Program, number: signal.Signals) -> None:
    with (
        program.reviewed(waiting) as reviewer,
        AnthropicModel([touch(program), [says("done")]]) as model,
        program.begin(model) as process,
    ):
        [request] = reviewer.wait_for(1)
        process.send_signal(number)
        process.wait(PATIENCE)
        with open_review_queue(program.place) as queue:
            queue.pending()
            assert queue.get(request.id).state is RequestState.WITHDRAWN
    assert not (program.folder / "made").exists()


def test_a_request_is_withdrawn_when_the_turn_is_interrupted(program: Program) -> None:
    with (
        program.reviewed(waiting) as reviewer,
        AnthropicModel([touch(program), [says("done")]]) as model,
        program.begin(model, INTERRUPTED_BY_SIGNAL) as process,
    ):
        [request] = reviewer.wait_for(1)
        process.send_signal(signal.SIGUSR1)
        ended(process, model)
        with open_review_queue(program.place) as queue:
            assert queue.get(request.id).state is RequestState.WITHDRAWN
    assert not (program.folder / "made").exists()
