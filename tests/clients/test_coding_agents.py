"""What holds for every coding agent with a hook, and a person who decides."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from answering import waiting, yes
from claude_cases import CODE, NOTEBOOKS, Case, notebook
from clients.client_bench import kill, no
from clients.coding_agents import (
    OLD,
    Claude,
    Codex,
    CodingAgent,
    Copilot,
    Gemini,
    OpenCode,
    OpenCodeWithPatches,
    Qwen,
    Vibe,
)
from signoff.adapters.hooks.claude_files import ID_OF_NEW_CELL, file_after
from signoff.queue import Decision, Instead, RequestState, StoredRequest, open_review_queue
from system_bench import eventually

EVERY = (Claude, Codex, Copilot, Gemini, OpenCode, Qwen, Vibe)
EDITING = (Claude, Codex, Copilot, Gemini, OpenCode, OpenCodeWithPatches, Vibe)
"""Those that run what a reviewer made of a call."""
OVERWRITING = (Claude, Codex, Gemini, Vibe)
"""Those of them that write files anew as a whole."""
ENDING = (Claude, Gemini, OpenCode)
"""Those whose turn a reviewer can end."""


@pytest.fixture
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> CodingAgent:
    found: CodingAgent = request.param(tmp_path)
    found.hook()
    return found


def on(*kinds: type[CodingAgent]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("agent", kinds, indirect=True, ids=lambda kind: kind.name)


def made(agent: CodingAgent) -> list[str]:
    return sorted(path.name for path in agent.folder.iterdir())


@on(*EVERY)
def test_an_approved_edit_and_command_run(agent: CodingAgent) -> None:
    path = agent.path("a.txt", OLD)
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.reads(path)], [agent.edits(path, "two", "TWO")], [agent.runs("cat a.txt > b.txt")])
    assert (agent.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert [request.submission.tool_name for request in reviewer.seen] == [agent.names[1], agent.names[3]]


@on(Claude)
def test_a_session_is_named_after_its_folder_and_its_first_words(agent: CodingAgent) -> None:
    with agent.reviewed(no("never")) as reviewer:
        agent.run([agent.runs("true")])
    assert [request.asked_by.name for request in reviewer.seen] == ["shop go on, Claude Code"]


@on(*EVERY)
def test_the_line_that_init_writes_asks(agent: CodingAgent) -> None:
    agent.install(agent.name)
    with agent.reviewed(no("never")):
        model = agent.run([agent.runs("touch made")])
    assert "never" in model.told[0]
    assert not made(agent)


@on(*EVERY)
def test_the_model_reads_the_words_of_a_soft_no_and_goes_on(agent: CodingAgent) -> None:
    with agent.reviewed(no("use git mv")):
        model = agent.run([agent.runs("touch made")])
    assert "use git mv" in model.told[0]
    assert model.asked == 2
    assert not made(agent)


@on(*ENDING)
def test_a_hard_no_ends_the_turn(agent: CodingAgent) -> None:
    with agent.reviewed(no("stop here", hard=True)):
        model = agent.run([agent.runs("touch made")], [agent.runs("touch more")])
    assert model.asked == 1
    assert not made(agent)


@on(Claude)
def test_after_a_hard_no_no_other_call_of_the_turn_is_asked_about(agent: CodingAgent) -> None:
    with agent.reviewed(no("stop here", hard=True)) as reviewer:
        agent.run([agent.runs("touch made"), agent.runs("touch more")])
    assert len(reviewer.seen) == 1
    assert not made(agent)


@on(Codex, Copilot, Qwen, Vibe)
def test_a_hard_no_is_a_no(agent: CodingAgent) -> None:
    with agent.reviewed(no("stop here", hard=True)):
        model = agent.run([agent.runs("touch made")])
    assert "stop here" in model.told[0]
    assert not made(agent)


@on(*EDITING)
def test_an_edited_command_runs_as_edited(agent: CodingAgent) -> None:
    def shorter(request: StoredRequest) -> Decision:
        arguments = {**request.submission.arguments, "command": "touch mine"}
        return Decision(approved=True, instead=Instead(arguments=arguments))

    with agent.reviewed(shorter):
        agent.run([agent.runs("touch theirs")])
    assert made(agent) == ["mine"]


ASKED, APPROVED = "ONE\ntwo\nTHREE\n", b"ONE\ntwo\nthree\n"


def half(path: str) -> Callable[[StoredRequest], Decision]:
    """Approve the first of two changes of a file."""
    instead = Instead.of_contents({path: APPROVED}, refused=("a.txt line 3",), summary="1 of 2 hunks")
    return lambda _: Decision(approved=True, instead=instead)


@on(*OVERWRITING)
def test_a_written_file_gets_what_was_approved_in_place_of_what_was_asked_for(agent: CodingAgent) -> None:
    path = agent.path("a.txt", OLD)
    with agent.reviewed(half(path)):
        agent.run([agent.reads(path)], [agent.writes(path, ASKED)])
    assert Path(path).read_bytes() == APPROVED


@on(*EDITING)
def test_an_edited_file_gets_what_was_approved_in_place_of_what_was_asked_for(agent: CodingAgent) -> None:
    path = agent.path("a.txt", OLD)
    with agent.reviewed(half(path)):
        agent.run([agent.reads(path)], [agent.edits(path, OLD.decode(), ASKED)])
    assert Path(path).read_bytes() == APPROVED


@on(Qwen)
def test_neither_a_stop_nor_an_edit_is_offered(agent: CodingAgent) -> None:
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.runs("true")], [agent.writes(agent.path("a"), "x")])
    assert [request.submission.supports for request in reviewer.seen] == [{"note", "session"}] * 2


@on(*EVERY)
def test_what_is_remembered_is_not_asked_again(agent: CodingAgent) -> None:
    with agent.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        agent.run([agent.runs("echo x >> log", "first")], [agent.runs("echo x >> log", "again")])
    assert (agent.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


@on(Claude, Copilot, Gemini, OpenCode, Qwen, Vibe)
def test_reading_asks_nobody(agent: CodingAgent) -> None:
    with agent.reviewed(yes) as reviewer:
        model = agent.run([agent.reads(agent.path("a.txt", OLD))])
    assert "two" in model.told[0]
    assert not reviewer.seen


@on(*EVERY)
def test_the_request_of_an_agent_that_is_killed_is_withdrawn(agent: CodingAgent) -> None:
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
    assert not made(agent)


@pytest.mark.parametrize(
    "program",
    ["no-such-program", "false", *(f"sh -c 'kill -{name} $$'" for name in ("KILL", "INT", "PIPE", "TERM"))],
)
@on(*EVERY)
def test_a_hook_that_fails_keeps_the_call_from_running(agent: CodingAgent, program: str) -> None:
    agent.hook(program)
    agent.run([agent.runs("touch made")])
    assert not made(agent)


@on(*EVERY)
def test_a_line_that_is_printed_before_a_no_does_not_make_it_a_yes(agent: CodingAgent) -> None:
    agent.hook(f"sh -c 'echo hello; exec signoff hook {agent.name}'")
    with agent.reviewed(no("later")):
        agent.run([agent.runs("touch made")])
    assert not made(agent)


@on(*EVERY)
def test_an_option_that_is_not_there_keeps_the_call_from_running(agent: CodingAgent) -> None:
    agent.hook(f"signoff hook {agent.name} --no-such-option")
    agent.run([agent.runs("touch made")])
    assert not made(agent)


@on(*EVERY)
def test_a_queue_that_cannot_be_used_keeps_the_call_from_running(agent: CodingAgent) -> None:
    agent.place.write_text("no queue")
    model = agent.run([agent.runs("touch made")])
    assert "Not run" in model.told[0]
    assert not made(agent)


@on(*EVERY)
def test_nobody_answers_in_time(agent: CodingAgent) -> None:
    agent.hook(seconds=16)
    with agent.reviewed(waiting):
        model = agent.run([agent.runs("touch made")])
    assert "expired" in model.told[0]
    assert not made(agent)


@on(*EVERY, OpenCodeWithPatches)
def test_files_are_written_as_recorded(agent: CodingAgent) -> None:
    assert_written_as_recorded(agent, agent.cases)


def assert_written_as_recorded(agent: CodingAgent, cases: Sequence[Case]) -> None:
    paths = [(case, agent.path(case.name, case.before)) for case in cases]
    reads = [agent.reads(path) for case, path in paths if case.before is not None]
    turns = [[agent.calls(case.tool, **case.arguments_for(path))] for case, path in paths]
    with agent.reviewed(yes):
        agent.run(reads, *turns)
    found = {case.name: Path(path).read_bytes() if Path(path).exists() else None for case, path in paths}
    assert found == {case.name: case.before if case.after is None else case.after for case in cases}


# -- Claude Code alone.


@on(Claude)
def test_the_later_calls_of_a_turn_are_announced(agent: CodingAgent) -> None:
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.runs("true"), agent.runs("echo later", "say it")])
    # Both only look, so that they are asked about at the same time, in any order.
    [later] = [later for request in reviewer.seen for later in request.submission.batch_remaining]
    assert later == {"tool": "Bash", "arguments": {"command": "echo later", "description": "say it"}}


@on(Claude)
def test_notebooks_are_written_as_recorded(agent: CodingAgent) -> None:
    assert_written_as_recorded(agent, NOTEBOOKS)


@on(Claude)
def test_of_a_new_cell_of_a_notebook_only_the_id_is_not_shown(agent: CodingAgent) -> None:
    path = agent.path("a.ipynb", notebook(CODE, minor=5))
    new = {"notebook_path": path, "new_source": "x", "edit_mode": "insert", "cell_type": "code"}
    shown = file_after("NotebookEdit", new, path).data
    with agent.reviewed(yes):
        agent.run([agent.reads(path)], [agent.calls("NotebookEdit", **new)])
    written = Path(path).read_bytes()
    chosen = json.loads(written)["cells"][0]["id"]
    assert re.fullmatch("[0-9a-f]{8}", chosen)
    assert written.replace(chosen.encode(), ID_OF_NEW_CELL.encode()) == shown


@on(Claude)
def test_what_a_sub_agent_asks_belongs_to_the_session(agent: CodingAgent) -> None:
    start = agent.calls(
        "Agent", description="d", prompt="p", subagent_type="general-purpose", run_in_background=False
    )
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.runs("touch a")], [start], [agent.runs("touch b")], agent.says("made"))
    own, of_sub_agent = (request.asked_by for request in reviewer.seen)
    assert (own.name, own.session) == (of_sub_agent.name, of_sub_agent.session)
    assert (own.caller, of_sub_agent.caller[:16]) == ("", "general-purpose ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@on(Claude, Codex, OpenCode)
def test_the_request_of_an_agent_that_is_stopped_is_withdrawn(agent: CodingAgent, number: signal.Signals) -> None:
    with (
        agent.reviewed(waiting) as reviewer,
        agent.model([[agent.runs("touch made")]]) as model,
        agent.begin(model) as process,
        open_review_queue(agent.place) as queue,
    ):
        try:
            [asked] = reviewer.wait_for(1)
            process.send_signal(number)
            eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
        finally:
            process.kill()
    assert not made(agent)


@on(Claude)
def test_a_link_is_not_written_through(agent: CodingAgent) -> None:
    agent.path("real", OLD)
    (agent.folder / "link").symlink_to("real")
    path = agent.path("link")
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.reads(path)], [agent.edits(path, "two", "2")])
    assert (agent.folder / "real").read_bytes() == OLD
    assert not reviewer.seen


@on(Gemini)
def test_a_script_that_the_agent_reads_otherwise_than_a_shell_does_not_run(agent: CodingAgent) -> None:
    with agent.reviewed(yes) as reviewer:
        model = agent.run([agent.runs("bash -c 'echo ok' 'x; touch made; #'")])
    assert not made(agent)
    assert not reviewer.seen
    assert "script alone" in model.told[0]


@on(Gemini)
def test_a_path_that_the_agent_decodes_is_not_written(agent: CodingAgent) -> None:
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.writes(agent.path("%6dade"), "x")])
    assert not made(agent)
    assert not reviewer.seen
