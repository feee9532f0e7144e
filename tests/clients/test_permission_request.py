"""Claude Code in a terminal, which asks there and in the queue at the same time; the real program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from answering import waiting, yes
from clients.anthropic_model import uses
from clients.client_bench import no
from clients.coding_agents import OLD, Claude
from clients.scripted_model import ScriptedModel
from signoff.queue import Decision, Instead, RequestState, StoredRequest, VerdictKind, open_review_queue
from system.pty_bench import Terminal
from system_bench import eventually

GUIDE = Path(__file__).parents[2] / "docs/agents/claude-code.md"
DOWN, TAB = "\x1b[B", "\t"


class Watched(Claude):
    """A conversation with Claude Code that asks where its own rules do, as its guide says."""

    def hook(self, signoff: str = "signoff", seconds: int | None = None) -> None:
        """Put the block of the guide into its settings, with another program in its place if one is given."""
        blocks = re.findall("(?s)```json\n(.*?)```", GUIDE.read_text())
        [block] = (each for each in blocks if "PermissionRequest" in each)
        line = "signoff hook claude-code" if signoff == "signoff" else signoff
        settings = json.loads(block.replace("signoff hook claude-code", line))
        self._settings.write_text(json.dumps({"permissions": {"defaultMode": "default"}, **settings}))

    @contextmanager
    def shown(self, *turns: Sequence[Any], **more: str) -> Iterator[tuple[Terminal, ScriptedModel[Any]]]:
        """Run it, with more variables if any are given, in a terminal of a person who has used it before."""
        seen = ("hasCompletedOnboarding", "hasSeenAutoDefaultNotice", "hasSeenAutoDefaultNudge")
        folder = {str(self.folder): {"hasTrustDialogAccepted": True}}
        known = {"customApiKeyResponses": {"approved": ["none"]}, "projects": folder, **dict.fromkeys(seen, True)}
        (self.home / ".claude.json").write_text(json.dumps(known))
        with self.model([*turns, self.says("done")]) as model:
            [program, _, prompt], variables = self.command(model)
            with Terminal([program, prompt], self.variables(**variables, **more), self.folder) as terminal:
                yield terminal, model


@pytest.fixture
def agent(tmp_path: Path) -> Watched:
    found = Watched(tmp_path)
    found.hook()
    return found


def made(agent: Watched) -> list[str]:
    return sorted(path.name for path in agent.folder.iterdir())


def sees(terminal: Terminal, words: str) -> None:
    eventually(lambda: words in terminal.text(), lambda: f"{words!r} in\n{terminal.text()}")


def withdrawn(agent: Watched, asked: StoredRequest) -> str:
    """Why a request was withdrawn, after which nobody can decide about it."""
    with open_review_queue(agent.place) as queue:
        eventually(lambda: not queue.get(asked.id).pending, "the request has ended")
        decision = Decision(approved=True)
        late = queue.decide(asked.id, asked.revision, asked.submission.digest, decision)
        assert late.kind is VerdictKind.TOO_LATE
        ended = queue.get(asked.id)
    assert ended.state is RequestState.WITHDRAWN
    return ended.state_note


# -- Answers in the queue.


def test_what_is_approved_runs(agent: Watched) -> None:
    path = agent.path("a.txt", OLD)
    turns = [agent.reads(path)], [agent.edits(path, "two", "TWO")], [agent.runs("cat a.txt > b.txt")]
    with agent.reviewed(yes) as reviewer, agent.shown(*turns) as (terminal, _):
        sees(terminal, "● done")
    assert (agent.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert [request.submission.tool_name for request in reviewer.seen] == ["Edit", "Bash"]
    assert {request.asked_by.name for request in reviewer.seen} == {"shop go on, Claude Code"}


def test_the_model_reads_the_words_of_a_no(agent: Watched) -> None:
    with agent.reviewed(no("use git mv")), agent.shown([agent.runs("touch made")]) as (terminal, model):
        sees(terminal, "● done")
    assert "use git mv" in model.told[0]
    assert not made(agent)


def test_a_hard_no_ends_the_turn(agent: Watched) -> None:
    turns = [agent.runs("touch made")], [agent.runs("touch more")]
    with agent.reviewed(no("stop here", hard=True)), agent.shown(*turns) as (terminal, model):
        sees(terminal, "Interrupted")
    assert model.asked == 1
    assert not made(agent)


def test_an_edited_command_runs_as_edited(agent: Watched) -> None:
    instead = Instead(arguments={"command": "touch mine", "description": "do it"})
    decision = Decision(approved=True, instead=instead)
    with agent.reviewed(lambda _: decision), agent.shown([agent.runs("touch theirs")]) as (terminal, _):
        sees(terminal, "● done")
    assert made(agent) == ["mine"]


def test_what_is_remembered_is_not_asked_again(agent: Watched) -> None:
    turns = [agent.runs("echo x >> log", "first")], [agent.runs("echo x >> log", "again")]
    decision = Decision(approved=True, remember=True)
    with agent.reviewed(lambda _: decision) as reviewer, agent.shown(*turns) as (terminal, _):
        sees(terminal, "● done")
    assert (agent.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


def test_a_call_has_its_place_in_the_turn(agent: Watched) -> None:
    turn = [agent.runs("touch made"), agent.runs("touch more")]
    with agent.reviewed(no("never")) as reviewer, agent.shown(turn) as (terminal, _):
        sees(terminal, "● done")
    _, last = reviewer.seen  # of the first, Claude Code may not have written down anything when its hook begins
    assert last.submission.batch_position == 1


# -- Answers in Claude Code's own dialog.


@contextmanager
def in_the_dialog(agent: Watched) -> Iterator[tuple[Terminal, ScriptedModel[Any], StoredRequest]]:
    """Run a conversation until a call waits, in the queue and in the dialog."""
    with agent.reviewed(waiting) as reviewer, agent.shown([agent.runs("touch made")]) as (terminal, model):
        [asked] = reviewer.wait_for(1)
        yield terminal, model, asked


def test_a_yes_in_the_dialog_withdraws_the_request(agent: Watched) -> None:
    with in_the_dialog(agent) as (terminal, _, asked):
        sees(terminal, "1. Yes")
        terminal.press("Enter")
        assert withdrawn(agent, asked) == "answered in Claude Code itself"
        sees(terminal, "● done")
    assert made(agent) == ["made"]


def test_and_so_does_a_no_with_words(agent: Watched) -> None:
    with in_the_dialog(agent) as (terminal, model, asked):
        sees(terminal, "4. No")
        terminal.type(DOWN * 3)
        sees(terminal, "❯ 4. No")
        terminal.type(TAB)
        sees(terminal, "4. No,")
        terminal.type("use git mv")
        sees(terminal, "use git mv")
        terminal.press("Enter")
        assert withdrawn(agent, asked) == "answered in Claude Code itself"
        sees(terminal, "● done")
    assert "use git mv" in model.told[0]
    assert not made(agent)


def test_escape_in_the_dialog_withdraws_the_request(agent: Watched) -> None:
    with in_the_dialog(agent) as (terminal, _, asked):
        sees(terminal, "1. Yes")
        terminal.press("Escape")
        assert withdrawn(agent, asked) == "stopped by SIGTERM"
    assert not made(agent)


def test_of_two_calls_that_are_the_same_none_is_withdrawn_while_one_waits(agent: Watched) -> None:
    fetch = {"url": "http://127.0.0.1:9/", "prompt": "p"}
    turns = [uses("ToolSearch", query="select:WebFetch")], [uses("WebFetch", **fetch), uses("WebFetch", **fetch)]
    with (
        agent.reviewed(waiting) as reviewer,
        agent.shown(*turns) as (terminal, _),
        open_review_queue(agent.place) as queue,
    ):
        asked = reviewer.wait_for(2)
        sees(terminal, "1 of 2")
        terminal.press("Enter")
        sees(terminal, "2 of 2")
        eventually(lambda: len(results(agent)) == 2, "the search and the first call are over")
        assert [queue.get(each.id).pending for each in asked] == [True, True]
        while not terminal.tells(lambda: "2 of 2" not in terminal.text(), 1):  # a dialog that is new hears no keys
            terminal.press("Enter")
        assert [withdrawn(agent, each) for each in asked] == ["answered in Claude Code itself"] * 2


def results(agent: Watched) -> list[dict[str, Any]]:
    """The entries of the transcript that have a result."""
    [path] = (agent.home / ".claude/projects").glob("*/*.jsonl")
    entries = map(json.loads, path.read_text().splitlines())
    return [each for each in entries if each["type"] == "user" and "toolUseResult" in each]


def test_a_call_of_a_sub_agent_is_found_in_its_own_transcript(agent: Watched) -> None:
    start = uses("Agent", description="d", prompt="p", subagent_type="general-purpose")
    turns = [start], [agent.runs("touch made")], agent.says("made")
    alone = {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1"}  # in the background, the dialog would follow the hook
    with agent.reviewed(waiting) as reviewer, agent.shown(*turns, **alone) as (terminal, _):
        [asked] = reviewer.wait_for(1)
        sees(terminal, "1. Yes")
        terminal.press("Enter")
        assert withdrawn(agent, asked) == "answered in Claude Code itself"
    assert asked.asked_by.caller.startswith("general-purpose ")


def test_what_only_the_terminal_can_answer_is_asked_there_alone(agent: Watched) -> None:
    choice = [{"label": each, "description": each} for each in ("red", "blue")]
    question = {"question": "Which color?", "header": "Color", "multiSelect": False, "options": choice}
    turn = [uses("AskUserQuestion", questions=[question])]
    with agent.reviewed(yes) as reviewer, agent.shown(turn) as (terminal, model):
        sees(terminal, "❯ 1. red")
        terminal.press("Enter")
        sees(terminal, "● done")
    assert "red" in model.told[0]
    assert not reviewer.seen


# -- Failures.


@pytest.mark.parametrize("program", ["no-such-program", "false", "signoff hook claude-code --no-such-option"])
def test_a_hook_that_fails_leaves_the_question_to_the_dialog(agent: Watched, program: str) -> None:
    agent.hook(program)
    with agent.shown([agent.runs("touch made")]) as (terminal, _):
        sees(terminal, "1. Yes")
        assert not made(agent)
        terminal.press("Enter")
        sees(terminal, "● done")
    assert made(agent) == ["made"]


# -- Without a terminal.


def test_without_a_terminal_it_asks_alone(agent: Watched) -> None:
    with agent.reviewed(yes) as reviewer:
        agent.run([agent.runs("touch made")])
    assert made(agent) == ["made"]
    assert len(reviewer.seen) == 1


@pytest.mark.parametrize("program", ["no-such-program", "false"])
def test_without_a_terminal_a_hook_that_fails_keeps_the_call_from_running(agent: Watched, program: str) -> None:
    agent.hook(program)
    agent.run([agent.runs("touch made")])
    assert not made(agent)
