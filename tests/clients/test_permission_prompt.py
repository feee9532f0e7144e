"""Claude Code without a terminal, whose own rules ask by `signoff mcp-ask`; the real program."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from answering import waiting, yes
from clients.anthropic_model import uses
from clients.client_bench import kill, no
from clients.coding_agents import OLD, Claude
from clients.scripted_model import ScriptedModel
from signoff.queue import Decision, RequestState, open_review_queue
from system_bench import eventually


class Asking(Claude):
    """A conversation with Claude Code, which has no hook."""

    def command(self, model: ScriptedModel[Any]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line that gives it a prompt, and its variables."""
        words, variables = super().command(model)
        servers = {"mcpServers": {"signoff": {"command": "signoff", "args": ["mcp-ask"]}}}
        asking = [
            "--mcp-config",
            json.dumps(servers),
            "--permission-prompt-tool",
            "mcp__signoff__permission_prompt",
        ]
        return [*words, *asking, "--allowedTools", "mcp__signoff__ask_approval"], variables


@pytest.fixture
def agent(tmp_path: Path) -> Asking:
    return Asking(tmp_path)


def test_what_is_approved_runs_and_is_shown_as_by_the_hook(agent: Asking) -> None:
    path = agent.path("a.txt", OLD)
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.reads(path)], [agent.edits(path, "two", "TWO")], [agent.runs("cat a.txt > b.txt")])
    assert (agent.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert [request.submission.tool_name for request in reviewer.seen] == ["Edit", "Bash"]
    assert {request.asked_by.name for request in reviewer.seen} == {"shop go on, Claude Code"}


def test_the_model_reads_the_words_of_a_no(agent: Asking) -> None:
    with agent.reviewed(no("use git mv")):
        model = agent.run([agent.runs("touch made")])
    assert "use git mv" in model.told[0]
    assert not (agent.folder / "made").exists()


def test_a_hard_no_ends_the_turn(agent: Asking) -> None:
    with agent.reviewed(no("stop here", hard=True)):
        model = agent.run([agent.runs("touch made")], [agent.runs("touch more")])
    assert model.asked == 1
    assert not list(agent.folder.iterdir())


def test_a_command_is_shown_where_it_runs(agent: Asking) -> None:
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.runs("mkdir sub && cd sub"), agent.runs("touch made")])
    assert (agent.folder / "sub/made").exists()
    assert reviewer.seen[1].submission.payload["cwd"] == str(agent.folder / "sub")


def test_an_approval_for_the_session_is_that_of_the_hook(agent: Asking) -> None:
    agent.hook()
    with agent.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        agent.run([agent.runs("echo x >> log", "first")], [agent.runs("echo x >> log", "again")])
    assert (agent.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


def test_a_sub_agent_is_named(agent: Asking) -> None:
    start = uses("Agent", description="d", prompt="p", subagent_type="general-purpose", run_in_background=False)
    with agent.reviewed(yes) as reviewer:
        agent.run([start], [agent.writes(agent.path("made"), "x")], agent.says("made"))
    [request] = reviewer.seen
    assert request.asked_by.caller.startswith("general-purpose ")
    assert request.asked_by.name == "shop go on, Claude Code"


def test_the_model_may_ask(agent: Asking) -> None:
    with agent.reviewed(no("not today")) as reviewer:
        model = agent.run([uses("mcp__signoff__ask_approval", action="deploy")])
    assert "not today" in model.told[0]
    assert [request.asked_by.name for request in reviewer.seen] == ["shop go on, Claude Code"]


def test_the_request_of_an_agent_that_is_killed_is_withdrawn(agent: Asking) -> None:
    with (
        agent.reviewed(waiting) as reviewer,
        agent.model([[agent.runs("touch made")]]) as model,
        agent.begin(model) as process,
        open_review_queue(agent.place) as queue,
    ):
        try:
            [asked] = reviewer.wait_for(1)
            kill(process)
            eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
        finally:
            process.kill()
    assert not (agent.folder / "made").exists()


def test_a_server_that_fails_keeps_the_call_from_running(agent: Asking) -> None:
    agent.place.write_text("no queue")
    agent.run([agent.runs("touch made")])
    assert not (agent.folder / "made").exists()
