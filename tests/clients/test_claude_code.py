"""Claude Code with the hook of its guide: the real program, a model on loopback, and a person who decides."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from answering import waiting, yes
from claude_cases import CASES
from clients.anthropic_model import AnthropicModel, Turn, says, uses
from clients.client_bench import Conversation, ended, no, program
from signoff.queue import Decision, Instead, RequestState, StoredRequest, open_review_queue
from system_bench import eventually

PROGRAM = program("@anthropic-ai/claude-code-*/claude")
HOOK = "signoff hook claude-code || exit 2"
OLD = b"one\ntwo\nthree\n"


class Claude(Conversation):
    """A conversation with Claude Code."""

    def begin(
        self, model: AnthropicModel, hook: str | None = HOOK, timeout: int = 86_400
    ) -> subprocess.Popen[str]:
        """Start the program with a prompt; without a hook with what its user has set."""
        handler = {"type": "command", "command": hook, "timeout": timeout, "onFailure": "block"}
        settings = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}} if hook else {}
        variables = {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }
        return self.start([PROGRAM, "-p", "go on", "--settings", json.dumps(settings)], variables)

    def run(self, *turns: Turn, hook: str | None = HOOK, timeout: int = 86_400) -> AnthropicModel:
        """Run the program to its end; returns the model, which knows what it was told."""
        with AnthropicModel(turns) as model, self.begin(model, hook, timeout) as process:
            ended(process, model)
        return model


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    return Claude(tmp_path)


def test_an_approved_edit_and_command_run(claude: Claude) -> None:
    path = claude.path("a.txt", OLD)
    edit = uses("Edit", file_path=path, old_string="two", new_string="TWO")
    command = uses("Bash", command="cat a.txt > b.txt", description="copy")
    with claude.reviewed(yes) as reviewer:
        claude.run([uses("Read", file_path=path)], [edit, command], [says("done")])
    assert (claude.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert [request.submission.tool_name for request in reviewer.seen] == ["Edit", "Bash"]


def test_the_line_that_init_writes_asks(claude: Claude) -> None:
    claude.install("claude-code")
    with claude.reviewed(no("never")):
        model = claude.run([uses("Bash", command="touch made")], [says("done")], hook=None)
    assert "never" in model.told[0]
    assert not (claude.folder / "made").exists()


def test_the_later_calls_of_a_turn_are_announced(claude: Claude) -> None:
    first, second = uses("Bash", command="true"), uses("Bash", command="echo later")
    with claude.reviewed(yes) as reviewer:
        claude.run([first, second], [says("done")])
    # Both only look, so that they are asked about at the same time, in any order.
    [later] = [later for request in reviewer.seen for later in request.submission.batch_remaining]
    assert later == {"tool": "Bash", "arguments": {"command": "echo later"}}


def test_the_model_reads_the_words_of_a_soft_no_and_goes_on(claude: Claude) -> None:
    command = uses("Bash", command="touch made")
    with claude.reviewed(no("use git mv")):
        model = claude.run([command], [says("I see")])
    assert "use git mv" in model.told[0]
    assert model.asked == 2
    assert not (claude.folder / "made").exists()


def test_a_hard_no_ends_the_turn(claude: Claude) -> None:
    with claude.reviewed(no("stop here", hard=True)):
        model = claude.run([uses("Bash", command="touch made")], [uses("Bash", command="touch more")])
    assert model.asked == 1
    assert not list(claude.folder.iterdir())


def test_an_edited_command_runs_as_edited(claude: Claude) -> None:
    def shorter(request: StoredRequest) -> Decision:
        arguments = {**request.submission.arguments, "command": "touch mine"}
        return Decision(approved=True, instead=Instead(arguments=arguments))

    with claude.reviewed(shorter):
        claude.run([uses("Bash", command="touch theirs", description="make it")], [says("done")])
    assert [path.name for path in claude.folder.iterdir()] == ["mine"]


@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_a_file_gets_the_content_that_was_approved_in_place_of_the_one_asked_for(
    claude: Claude, tool: str
) -> None:
    path, approved = claude.path("a.txt", OLD), b"ONE\ntwo\nthree\n"
    asked = {
        "Write": {"content": "ONE\ntwo\nTHREE\n"},
        "Edit": {"old_string": OLD.decode(), "new_string": "ONE\ntwo\nTHREE\n"},
    }

    def half(_: StoredRequest) -> Decision:
        instead = Instead.of_contents({path: approved}, refused=("a.txt line 3",), summary="1 of 2 hunks")
        return Decision(approved=True, instead=instead)

    with claude.reviewed(half):
        claude.run([uses("Read", file_path=path)], [uses(tool, file_path=path, **asked[tool])], [says("done")])
    assert Path(path).read_bytes() == approved


def test_what_is_remembered_is_not_asked_again(claude: Claude) -> None:
    def remember(_: StoredRequest) -> Decision:
        return Decision(approved=True, remember=True)

    commands = [[uses("Bash", command="echo x >> log", description=words)] for words in ("first", "again")]
    with claude.reviewed(remember) as reviewer:
        claude.run(*commands, [says("done")])
    assert (claude.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


def test_reading_asks_nobody(claude: Claude) -> None:
    path = claude.path("a.txt", OLD)
    read = uses("Read", file_path=path)
    with claude.reviewed(yes) as reviewer:
        model = claude.run([read], [says("done")])
    assert "two" in model.told[0]
    assert not reviewer.seen


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_request_of_an_agent_that_ends_is_withdrawn(claude: Claude, number: signal.Signals) -> None:
    with (
        claude.reviewed(waiting) as reviewer,
        AnthropicModel([[uses("Bash", command="touch made")]]) as model,
        claude.begin(model) as process,
        open_review_queue(claude.place) as queue,
    ):
        try:
            [asked] = reviewer.wait_for(1)
            process.send_signal(number)
            eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
        finally:
            process.kill()
    assert not (claude.folder / "made").exists()


@pytest.mark.parametrize(
    "hook",
    [
        "no-such-program || exit 2",
        "signoff hook claude-code --no-such-option || exit 2",
        "sh -c 'kill -9 $$' || exit 2",
    ],
    ids=["missing", "wrong", "crashing"],
)
def test_a_hook_that_fails_keeps_the_call_from_running(claude: Claude, hook: str) -> None:
    claude.run([uses("Bash", command="touch made")], [says("done")], hook=hook)
    assert not (claude.folder / "made").exists()


def test_a_queue_that_cannot_be_used_keeps_the_call_from_running(claude: Claude) -> None:
    claude.place.write_text("no queue")
    command = uses("Bash", command="touch made")
    model = claude.run([command], [says("done")])
    assert not (claude.folder / "made").exists()
    assert "Not run" in model.told[0]


def test_nobody_answers_in_time(claude: Claude) -> None:
    command = uses("Bash", command="touch made")
    with claude.reviewed(waiting):
        model = claude.run(
            [command], [says("done")], hook=f"{HOOK.replace(' ||', ' --timeout 13 ||')}", timeout=13
        )
    assert not (claude.folder / "made").exists()
    assert "expired" in model.told[0]


# -- What is shown is what the tools write: `tests/adapters/test_hooks_claude.py` has the same cases.


def test_files_are_written_as_recorded(claude: Claude) -> None:
    paths = [(case, claude.path(case.name, case.before)) for case in CASES]
    reads = [uses("Read", file_path=path) for case, path in paths if case.before is not None]
    turns = [[uses(case.tool, file_path=path, **case.arguments)] for case, path in paths]
    with claude.reviewed(yes):
        claude.run(reads, *turns, [says("done")])
    found = {case.name: Path(path).read_bytes() if Path(path).exists() else None for case, path in paths}
    assert found == {case.name: case.before if case.after is None else case.after for case in CASES}


def test_a_link_is_not_written_through(claude: Claude) -> None:
    claude.path("real", OLD)
    (claude.folder / "link").symlink_to("real")
    path = claude.path("link")
    with claude.reviewed(yes) as reviewer:
        claude.run(
            [uses("Read", file_path=path)],
            [uses("Edit", file_path=path, old_string="two", new_string="2")],
            [says("done")],
        )
    assert (claude.folder / "real").read_bytes() == OLD
    assert not reviewer.seen
