"""Gemini CLI with the hook of its guide: the real program, a model on loopback, and a person who decides."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from answering import waiting, yes
from clients.client_bench import Conversation, ended, kill, no, program
from clients.gemini_model import GeminiModel, Turn, calls, says
from gemini_cases import CASES
from signoff.adapters.hooks.gemini import DIALECT
from signoff.queue import Decision, Instead, RequestState, StoredRequest, open_review_queue
from system_bench import eventually

PROGRAM = program("@google/gemini-cli/bundle/gemini.js")
OTHERWISE = DIALECT.place.otherwise
HOOK = f"signoff hook gemini || {OTHERWISE}"
SIGNALS = ("KILL", "INT", "PIPE", "TERM")
OLD = b"one\ntwo\nthree\n"


class Gemini(Conversation):
    """A conversation with Gemini CLI."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.settings = self.home / ".gemini/settings.json"
        self.settings.parent.mkdir()
        own = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
        }
        self.settings.write_text(json.dumps(own))

    def begin(
        self, model: GeminiModel, hook: str | None = HOOK, timeout: int = 86_400_000
    ) -> subprocess.Popen[str]:
        """Start the program with a prompt; without a hook with what its user has set."""
        if hook is not None:
            handler = {"type": "command", "command": hook, "timeout": timeout}
            settings = json.loads(self.settings.read_text())
            settings["hooks"] = {"BeforeTool": [{"matcher": ".*", "hooks": [handler]}]}
            self.settings.write_text(json.dumps(settings))
        variables = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url}
        words = ("-p", "go on", "--skip-trust", "--approval-mode", "yolo")
        return self.start(["node", PROGRAM, *words], variables)

    def run(self, *turns: Turn, hook: str | None = HOOK, timeout: int = 86_400_000) -> GeminiModel:
        """Run the program to its end; returns the model, which knows what it was told."""
        with GeminiModel(turns) as model, self.begin(model, hook, timeout) as process:
            ended(process, model)
        return model


@pytest.fixture
def gemini(tmp_path: Path) -> Gemini:
    return Gemini(tmp_path)


def command(text: str) -> dict[str, object]:
    return dict(calls("run_shell_command", command=text, description="do it"))


def test_an_approved_edit_and_command_run(gemini: Gemini) -> None:
    path = gemini.path("a.txt", OLD)
    edit = calls("replace", file_path=path, old_string="two", new_string="TWO", instruction="x")
    with gemini.reviewed(yes) as reviewer:
        gemini.run([edit], [command("cat a.txt > b.txt")], [says("done")])
    assert (gemini.folder / "b.txt").read_bytes() == b"one\nTWO\nthree\n"
    assert [request.submission.tool_name for request in reviewer.seen] == ["replace", "run_shell_command"]


def test_the_line_that_init_writes_asks(gemini: Gemini) -> None:
    gemini.install("gemini")
    with gemini.reviewed(no("never")):
        model = gemini.run([command("touch made")], [says("done")], hook=None)
    assert "never" in model.told[0]
    assert not (gemini.folder / "made").exists()


def test_the_model_reads_the_words_of_a_soft_no_and_goes_on(gemini: Gemini) -> None:
    with gemini.reviewed(no("use git mv")):
        model = gemini.run([command("touch made")], [says("I see")])
    assert "use git mv" in model.told[0]
    assert model.asked == 2
    assert not (gemini.folder / "made").exists()


def test_a_hard_no_ends_the_turn(gemini: Gemini) -> None:
    with gemini.reviewed(no("stop here", hard=True)):
        model = gemini.run([command("touch made")], [command("touch more")])
    assert model.asked == 1
    assert not list(gemini.folder.iterdir())


def test_an_edited_command_runs_as_edited(gemini: Gemini) -> None:
    def shorter(request: StoredRequest) -> Decision:
        arguments = {**request.submission.arguments, "command": "touch mine"}
        return Decision(approved=True, instead=Instead(arguments=arguments))

    with gemini.reviewed(shorter):
        gemini.run([command("touch theirs")], [says("done")])
    assert [path.name for path in gemini.folder.iterdir()] == ["mine"]


@pytest.mark.parametrize("tool", ["write_file", "replace"])
def test_a_file_gets_the_content_that_was_approved_in_place_of_the_one_asked_for(
    gemini: Gemini, tool: str
) -> None:
    path, approved = gemini.path("a.txt", OLD), b"ONE\ntwo\nthree\n"
    asked = {
        "write_file": {"content": "ONE\ntwo\nTHREE\n"},
        "replace": {"old_string": OLD.decode(), "new_string": "ONE\ntwo\nTHREE\n", "instruction": "x"},
    }

    def half(_: StoredRequest) -> Decision:
        instead = Instead.of_contents({path: approved}, refused=("a.txt line 3",), summary="1 of 2 hunks")
        return Decision(approved=True, instead=instead)

    with gemini.reviewed(half):
        gemini.run([calls(tool, file_path=path, **asked[tool])], [says("done")])
    assert Path(path).read_bytes() == approved


def test_what_is_remembered_is_not_asked_again(gemini: Gemini) -> None:
    with gemini.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        gemini.run([command("echo x >> log")], [command("echo x >> log")], [says("done")])
    assert (gemini.folder / "log").read_text() == "x\nx\n"
    assert len(reviewer.seen) == 1


def test_reading_asks_nobody(gemini: Gemini) -> None:
    path = gemini.path("a.txt", OLD)
    with gemini.reviewed(yes) as reviewer:
        model = gemini.run([calls("read_file", file_path=path)], [says("done")])
    assert "two" in model.told[0]
    assert not reviewer.seen


def test_the_request_of_an_agent_that_is_killed_is_withdrawn(gemini: Gemini) -> None:
    with (
        gemini.reviewed(waiting) as reviewer,
        GeminiModel([[command("touch made")]]) as model,
        gemini.begin(model) as process,
        open_review_queue(gemini.place) as queue,
    ):
        try:
            [asked] = reviewer.wait_for(1)
            kill(process)
            eventually(lambda: queue.get(asked.id).state is RequestState.WITHDRAWN, "the request is withdrawn")
        finally:
            process.kill()
    assert not (gemini.folder / "made").exists()


@pytest.mark.parametrize(
    "hook",
    [
        "no-such-program || exit 2",
        "signoff hook gemini --no-such-option || exit 2",
        "sh -c 'kill -9 $$' || exit 2",
    ],
    ids=["missing", "wrong", "crashing"],
)
def test_a_hook_that_fails_keeps_the_call_from_running(gemini: Gemini, hook: str) -> None:
    gemini.run([command("touch made")], [says("done")], hook=f"{hook} || {OTHERWISE}")
    assert not (gemini.folder / "made").exists()


def test_nobody_answers_in_time(gemini: Gemini) -> None:
    with gemini.reviewed(waiting):
        hook = HOOK.replace(" ||", " --timeout 13 ||")
        model = gemini.run([command("touch made")], [says("done")], hook=hook, timeout=13_000)
    assert not (gemini.folder / "made").exists()
    assert "expired" in model.told[0]


def test_files_are_written_as_recorded(gemini: Gemini) -> None:
    paths = [(case, gemini.path(case.name, case.before)) for case in CASES]
    turns = [[calls(case.tool, file_path=path, **case.arguments)] for case, path in paths]
    with gemini.reviewed(yes):
        gemini.run(*turns, [says("done")])
    found = {case.name: Path(path).read_bytes() if Path(path).exists() else None for case, path in paths}
    assert found == {case.name: case.before if case.after is None else case.after for case in CASES}
