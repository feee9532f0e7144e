"""Qwen Code with the hook of its guide: the real program, a model on loopback, and a person who decides."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from answering import waiting, yes
from clients.client_bench import Conversation, ended, kill, no, program
from clients.openai_model import OpenAIModel, Turn, calls
from qwen_cases import CASES
from signoff.adapters.hooks.qwen import DIALECT
from signoff.queue import Decision, RequestState, open_review_queue
from system_bench import eventually

PROGRAM = program(".bin/qwen")
OTHERWISE = DIALECT.place.otherwise
HOOK = f"signoff hook qwen || {OTHERWISE}"
SIGNALS = ("KILL", "INT", "PIPE", "TERM")
OLD = b"one\ntwo\nthree\n"


class Qwen(Conversation):
    """A conversation with Qwen Code."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.settings = self.home / ".qwen/settings.json"
        self.settings.parent.mkdir()
        own = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}}
        self.settings.write_text(json.dumps(own))

    def begin(
        self, model: OpenAIModel, hook: str | None = HOOK, timeout: int = 86_400_000
    ) -> subprocess.Popen[str]:
        """Start the program with a prompt; without a hook with what its user has set."""
        if hook is not None:
            handler = {"type": "command", "command": hook, "timeout": timeout}
            settings = json.loads(self.settings.read_text())
            settings["hooks"] = {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}
            self.settings.write_text(json.dumps(settings))
        variables = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_MODEL": "m"}
        return self.start([PROGRAM, "-p", "go on", "--yolo"], variables)

    def run(self, *turns: Turn, hook: str | None = HOOK, timeout: int = 86_400_000) -> OpenAIModel:
        """Run the program to its end; returns the model, which knows what it was told."""
        with OpenAIModel(turns) as model, self.begin(model, hook, timeout) as process:
            ended(process, model)
        return model


@pytest.fixture
def qwen(tmp_path: Path) -> Qwen:
    return Qwen(tmp_path)


def command(text: str) -> dict[str, object]:
    return dict(calls("run_shell_command", command=text, description="do it", is_background=False))


def test_an_approved_edit_and_command_run(qwen: Qwen) -> None:
    path = qwen.path("a.txt", OLD)
    edit = calls("edit", file_path=path, old_string="two", new_string="TWO")
    with qwen.reviewed(yes) as reviewer:
        qwen.run([calls("read_file", file_path=path)], [edit], [command("cat a.txt > b.txt")], "done")
    assert (qwen.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert [request.submission.tool_name for request in reviewer.seen] == ["edit", "run_shell_command"]


def test_the_line_that_init_writes_asks(qwen: Qwen) -> None:
    qwen.install("qwen")
    with qwen.reviewed(no("never")):
        model = qwen.run([command("touch made")], "done", hook=None)
    assert "never" in model.told[0]
    assert not (qwen.folder / "made").exists()


@pytest.mark.parametrize("hard", [False, True])
def test_the_model_reads_the_words_of_a_no_and_goes_on(qwen: Qwen, hard: bool) -> None:
    with qwen.reviewed(no("use git mv", hard=hard)):
        model = qwen.run([command("touch made")], "I see")
    assert "use git mv" in model.told[0]
    assert model.asked == 2
    assert not (qwen.folder / "made").exists()


def test_neither_a_command_nor_a_file_is_offered_for_editing(qwen: Qwen) -> None:
    with qwen.reviewed(yes) as reviewer:
        qwen.run([command("true")], [calls("write_file", file_path=qwen.path("a"), content="x")], "done")
    assert [request.submission.supports & {"edit", "partial"} for request in reviewer.seen] == [set(), set()]


def test_what_is_remembered_is_not_asked_again(qwen: Qwen) -> None:
    with qwen.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        qwen.run([command("echo x >> log")], [command("echo x >> log")], "done")
    assert (qwen.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


def test_reading_asks_nobody(qwen: Qwen) -> None:
    with qwen.reviewed(yes) as reviewer:
        model = qwen.run([calls("read_file", file_path=qwen.path("a.txt", OLD))], "done")
    assert "two" in model.told[0]
    assert not reviewer.seen


def test_the_request_of_an_agent_that_is_killed_is_withdrawn(qwen: Qwen) -> None:
    with (
        qwen.reviewed(waiting) as reviewer,
        OpenAIModel([[command("touch made")]]) as model,
        qwen.begin(model) as process,
        open_review_queue(qwen.place) as queue,
    ):
        try:
            [asked] = reviewer.wait_for(1)
            kill(process)
            eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
        finally:
            process.kill()
    assert not (qwen.folder / "made").exists()


@pytest.mark.parametrize(
    "hook",
    [
        "no-such-program",
        "signoff hook qwen --no-such-option",
        "false",
        *(f"sh -c 'kill -{name} $$'" for name in SIGNALS),
    ],
)
def test_a_hook_that_fails_keeps_the_call_from_running(qwen: Qwen, hook: str) -> None:
    qwen.run([command("touch made")], "done", hook=f"{hook} || {OTHERWISE}")
    assert not (qwen.folder / "made").exists()


def test_nobody_answers_in_time(qwen: Qwen) -> None:
    with qwen.reviewed(waiting):
        hook = HOOK.replace(" ||", " --timeout 13 ||")
        model = qwen.run([command("touch made")], "done", hook=hook, timeout=13_000)
    assert not (qwen.folder / "made").exists()
    assert "expired" in model.told[0]


def test_files_are_written_as_recorded(qwen: Qwen) -> None:
    paths = [(case, qwen.path(case.name, case.before)) for case in CASES]
    reads = [calls("read_file", file_path=path) for case, path in paths if case.before is not None]
    turns = [[calls(case.tool, file_path=path, **case.arguments)] for case, path in paths]
    with qwen.reviewed(yes):
        qwen.run(reads, *turns, "done")
    found = {case.name: Path(path).read_bytes() if Path(path).exists() else None for case, path in paths}
    assert found == {case.name: case.before if case.after is None else case.after for case in CASES}
