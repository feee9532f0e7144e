"""Commands in the sandbox that the settings require: what they touch, and what a person is told of it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from sandbox_bench import require_backend
from signoff import ApprovalController
from signoff.approved_call import bound_to
from signoff.connection import connect_agent
from signoff.effects import Command, Confinement
from signoff.execution import execute_tool
from signoff.history_export import record_facts
from signoff.queue import Decision, open_review_queue
from signoff.shown_request.content import content_of
from signoff.tools.file_sandbox import FileSandbox, TriedChange
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext
from system_bench import eventually

ROOTS = {"asks": {"root": "asks", "mode": "rw"}, "free": {"root": "free", "mode": "rw", "write_approval": False}}


@pytest.fixture(autouse=True)
def _confined() -> None:
    require_backend()


@pytest.fixture
def project(workdir: Path) -> Path:
    for name in ("asks", "free"):
        (workdir / name).mkdir()
        (workdir / name / "old.txt").write_text("old\n")
    (workdir / "outside.txt").write_text("outside\n")
    return workdir


def tool(project: Path, *, controller: ApprovalController | None = None, **shell: Any) -> ShellTool:
    files = FileSandbox({"paths": ROOTS, "require_os_sandbox": True}, cwd=str(project))
    return ShellTool(project, config=shell or None, sandbox=files, controller=controller)


def request_of(shell: ShellTool, command: str) -> Command:
    request = shell.approval_request(ApprovalContext(tool_name="run_command", args={"command": command}))
    assert request is not None
    (effect,) = request.effects
    assert isinstance(effect, Command)
    return effect


def test_a_command_reads_and_writes_what_the_file_tools_may(project: Path) -> None:
    result = tool(project).run_command("cat asks/old.txt && echo new > free/new.txt")
    assert (result.exit_code, result.output) == (0, "old\n")
    assert (project / "free/new.txt").read_text() == "new\n"


def test_what_lies_beside_the_roots_is_not_there_for_it(project: Path) -> None:
    assert "No such file" in tool(project).run_command("cat outside.txt").output


@pytest.mark.parametrize("mode", ["ro", "rw"])
@pytest.mark.parametrize("place", ["free/keys", "free/.signoff/keys"])
def test_the_key_of_another_environment_is_not_readable_in_a_root(
    project: Path, place: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ROOTS, "free", {"root": "free", "mode": mode, "write_approval": False})
    keys = project / place
    keys.mkdir(parents=True)
    (keys / "deciding.key").write_text("secret")
    (keys / "reviewers.pub").write_text("public")
    output = tool(project).run_command(f"cd {place}; cat reviewers.pub deciding.key; rm -f deciding.key").output
    assert "public" in output
    assert "secret" not in output
    assert (keys / "deciding.key").read_text() == "secret"


def test_what_an_interrupted_command_made_is_moved_away(project: Path) -> None:
    def interrupt() -> None:
        eventually((project / "free/.envrc").exists)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        tool(project).run_command("echo evil > free/.envrc; sleep 10")
    assert not (project / "free/.envrc").exists()


def test_without_a_question_it_cannot_write_what_the_file_tools_would_ask_about(project: Path) -> None:
    result = tool(project).run_command("echo new > asks/new.txt")
    assert "Read-only file system" in result.output
    assert not (project / "asks/new.txt").exists()


async def test_approved_it_writes_what_the_person_was_told(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        controller = ApprovalController(queue=agent)
        answering = threading.Thread(target=approve_one, args=(place,))
        answering.start()
        await execute_tool(
            tool(project).run_command, "run_command", {"command": "echo new > asks/new.txt"}, controller
        )
        answering.join()
    assert (project / "asks/new.txt").read_text() == "new\n"


def approve_one(place: Path) -> None:
    with open_review_queue(place) as queue:
        eventually(queue.pending, "a request")
        (request,) = queue.pending()
        queue.decide(request.id, request.revision, request.submission.digest, Decision(approved=True))


def test_the_history_keeps_in_what_sandbox_it_ran(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        controller = ApprovalController(queue=agent)
        answering = threading.Thread(target=approve_one, args=(place,))
        answering.start()
        asyncio.run(execute_tool(tool(project).run_command, "run_command", {"command": "true"}, controller))
        answering.join()
    with open_review_queue(place) as queue:
        (record,) = queue.history()
    kept = record_facts(record)["sandbox"]
    assert (kept["backend"], kept["enforced"]) == ("bwrap", True)
    assert kept["words"] == "can write: asks/, free/; network: no"
    assert len(kept["profile"]) == 64


def test_the_person_who_is_asked_is_told_what_it_can_write(project: Path) -> None:
    confinement = request_of(tool(project), "make").confinement
    assert confinement is not None
    assert confinement.backend == "bwrap"
    assert confinement.words == "can write: asks/, free/; network: no"


def test_or_that_nothing_confines_it(workdir: Path) -> None:
    assert request_of(ShellTool(workdir), "make").confinement == Confinement("none", "", "not confined")


def test_or_that_something_else_is_said_to(project: Path) -> None:
    files = FileSandbox({"paths": ROOTS, "require_os_sandbox": True, "os_sandbox": "external"}, cwd=str(project))
    confinement = request_of(ShellTool(project, sandbox=files), "make").confinement
    assert confinement is not None
    assert confinement.backend == "external"


def test_an_approval_for_the_session_is_for_the_same_sandbox(project: Path) -> None:
    context = ApprovalContext(tool_name="run_command", args={"command": "make"})
    narrow, wide = (tool(project, network=network).approval_request(context) for network in (False, True))
    assert narrow is not None
    assert wide is not None
    assert narrow.payload != wide.payload


def test_a_protected_file_stays_as_it_is(project: Path) -> None:
    (project / "free/.envrc").write_text("old\n")
    result = tool(project).run_command("echo new > free/.envrc; rm free/.envrc; mv free free2")
    assert (project / "free/.envrc").read_text() == "old\n"
    assert result.output.count("Read-only file system") + result.output.count("busy") >= 2


def test_a_protected_file_that_it_makes_is_moved_away_and_told(project: Path) -> None:
    result = tool(project).run_command("echo evil > free/.envrc")
    assert not (project / "free/.envrc").exists()
    assert "/free/.envrc was made" in result.output
    kept = Path(result.output.rsplit("it is now ", 1)[1].rstrip("]\n"))
    assert kept.read_text() == "evil\n"
    made = [each for each in kept.parents if each.is_relative_to(platformdirs.user_data_path("signoff"))]
    assert {each.stat().st_mode & 0o777 for each in made} == {0o700}  # else no rule file there is trusted


def test_the_network_is_there_only_if_the_settings_say_so(project: Path) -> None:
    count = "ls /sys/class/net 2>/dev/null | wc -l; cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '"
    alone = tool(project, default={"approval": False}).run_command(count).output
    assert "lo" in alone.split()
    assert len(alone.split()) <= 2


def test_one_that_cannot_be_confined_is_not_started_and_the_model_is_told(project: Path) -> None:
    (project / "free/.envrc").symlink_to("/etc/passwd")
    result = tool(project).run_command("echo started > free/new.txt")
    assert result.exit_code is None
    assert "not started: it cannot be confined" in result.output
    assert not (project / "free/new.txt").exists()


def test_secrets_of_the_environment_do_not_reach_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "hunter2")
    assert "hunter2" not in tool(project).run_command("env; cat /proc/1/environ").output


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(project: Path) -> None:
    shell = tool(project)
    shell.timeout = 0.5
    result = shell.run_command("sleep 60 & sleep 60")
    assert result.exit_code is None
    assert "ended after 0.5 seconds" in result.output


def test_a_root_that_is_too_wide_is_refused_at_once(workdir: Path) -> None:
    files = FileSandbox(
        {"paths": {"all": {"root": "/", "mode": "rw"}}, "require_os_sandbox": True}, cwd=str(workdir)
    )
    with pytest.raises(ValueError, match="too wide to be writable"):
        ShellTool(workdir, sandbox=files)


# -- Mode review: a command works on copies, and what it changed is approved.


def reviewing(
    project: Path,
    place: Path,
    agent: Any,
    count: int,
    *,
    approved: bool = True,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[ShellTool, threading.Thread]:
    shell = tool(project, controller=ApprovalController(queue=agent), mode="review")

    def answer() -> None:
        with open_review_queue(place) as queue:
            eventually(lambda: len(queue.pending()) >= count, f"{count} requests")
            seen.extend(queue.pending())
            meanwhile()
            for request in seen:
                decision = Decision(approved=approved and "keep" not in request.submission.description)
                queue.decide(request.id, request.revision, request.submission.digest, decision)

    seen: list[Any] = []
    thread = threading.Thread(target=answer)
    thread.seen = seen  # type: ignore[attr-defined]
    thread.start()
    return shell, thread


def test_nothing_is_changed_before_it_is_approved_and_only_that(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        shell, answering = reviewing(project, place, agent, 3)
        result = shell.run_command("echo a > asks/a.txt; echo b >> free/old.txt; echo c > asks/keep.txt; exit 3")
        answering.join()
    assert result.exit_code == 3
    assert (project / "asks/a.txt").read_text() == "a\n"
    assert (project / "free/old.txt").read_text() == "old\nb\n"
    assert not (project / "asks/keep.txt").exists()


def test_an_approval_of_a_change_is_for_its_content_alone(project: Path) -> None:
    files = FileSandbox({"paths": ROOTS}, cwd=str(project))
    context = ApprovalContext(tool_name="run_command", args={"command": "make"})
    changes = [TriedChange("free/a.txt", content) for content in (b"a", b"b", None)]
    changes.append(TriedChange("free/a.txt", b"a", mode=0o755))
    assert len({str(files.change_request(context, change).payload) for change in changes}) == 4


def test_what_it_changed_is_one_group(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        shell, answering = reviewing(project, place, agent, 2)
        shell.run_command("echo a > asks/a.txt; rm free/old.txt")
        answering.join()
    found = [each.submission for each in answering.seen]  # type: ignore[attr-defined]
    assert len({each.group_id for each in found}) == 1
    assert {each.group_size for each in found} == {2}
    assert sorted(each.description for each in found) == ["Remove free:old.txt", "Write asks:a.txt"]
    assert not (project / "free/old.txt").exists()


def test_a_command_that_changes_nothing_asks_nothing(project: Path, tmp_path: Path) -> None:
    with connect_agent("bot", session="s", place=tmp_path / "queue") as agent:
        shell = tool(project, controller=ApprovalController(queue=agent), mode="review")
        assert shell.run_command("cat asks/old.txt").output == "old\n"
        assert shell.check_approval(ApprovalContext(tool_name="run_command", args={"command": "make"})) is None


def test_a_command_that_is_asked_about_all_the_same_is_told_to_work_on_copies(
    project: Path, tmp_path: Path
) -> None:
    with connect_agent("bot", session="s", place=tmp_path / "queue") as agent:
        controller = ApprovalController(queue=agent)
        shell = tool(project, controller=controller, mode="review", network=True)
        context = ApprovalContext(tool_name="run_command", args={"command": "cat asks/old.txt"})
        request = shell.approval_request(context)
        assert request is not None
        (effect,) = request.effects
        assert isinstance(effect, Command)
        assert effect.confinement is not None
        assert effect.confinement.words == "can write: copies of asks/, free/; network: no"
        with bound_to(request):
            assert shell.run_command("cat asks/old.txt").output == "old\n"
            with pytest.raises(PermissionError, match="not what was approved"):
                shell.run_command("cat free/old.txt")


def test_a_blocked_command_stays_blocked(project: Path, tmp_path: Path) -> None:
    rules = [{"pattern": "rm", "allowed": False}]
    with connect_agent("bot", session="s", place=tmp_path / "queue") as agent:
        shell = tool(project, controller=ApprovalController(queue=agent), mode="review", rules=rules)
        with pytest.raises(PermissionError):
            shell.run_command("rm asks/old.txt")


def test_links_that_it_made_are_left_out_and_told(project: Path, tmp_path: Path) -> None:
    with connect_agent("bot", session="s", place=tmp_path / "queue") as agent:
        shell = tool(project, controller=ApprovalController(queue=agent), mode="review")
        result = shell.run_command("ln -s /etc/passwd asks/link")
    assert 'asks/link" is a link or a special file; it was left out' in result.output
    assert not (project / "asks/link").is_symlink()


def reviewed(project: Path, place: Path, command: str, meanwhile: Callable[[], object] | None = None) -> str:
    """The output of a command, of which everything is approved once `meanwhile` was called, and then nothing."""
    ended = threading.Event()

    def answer() -> None:
        with open_review_queue(place) as queue:
            approved = True
            while not ended.wait(0.01):
                if waiting := queue.pending():
                    if approved and meanwhile is not None:
                        meanwhile()
                    for each in waiting:
                        queue.decide(each.id, each.revision, each.submission.digest, Decision(approved=approved))
                    approved = meanwhile is None

    with connect_agent("bot", session="s", place=place) as agent, ThreadPoolExecutor(1) as thread:
        answering = thread.submit(answer)
        try:
            shell = tool(project, controller=ApprovalController(queue=agent), mode="review")
            return shell.run_command(command).output
        finally:
            ended.set()
            answering.result()


@pytest.mark.parametrize("command", ["rm free/link", "rm free/link; echo new > free/link"])
def test_a_link_that_it_removes_is_left_out_and_so_is_its_target(
    project: Path, tmp_path: Path, command: str
) -> None:
    (project / "free/link").symlink_to("old.txt")
    output = reviewed(project, tmp_path / "queue", command)
    assert 'free/link" ' in output
    assert "a link or a special file; it was left out" in output
    assert (project / "free/link").is_symlink()
    assert (project / "free/old.txt").read_text() == "old\n"


def test_what_is_below_a_link_that_it_made_a_directory_is_left_out(project: Path, tmp_path: Path) -> None:
    (project / "free/link").symlink_to("../asks")
    reviewed(project, tmp_path / "queue", "cd free; rm link; mkdir link; echo new > link/old.txt")
    assert (project / "asks/old.txt").read_text() == "old\n"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("rm free/old.txt; mkdir free/old.txt; echo in > free/old.txt/in", 'old.txt" is a directory now'),
        ("rm -r free/folder; echo a > free/folder", 'folder" was a directory'),
    ],
)
def test_a_file_in_place_of_a_directory_is_left_out(
    project: Path, tmp_path: Path, command: str, told: str
) -> None:
    (project / "free/folder").mkdir()
    (project / "free/folder/in").write_text("in\n")
    output = reviewed(project, tmp_path / "queue", command + "; echo new > free/new.txt")
    assert told in output
    assert (project / "free/old.txt").read_text() == "old\n"
    assert (project / "free/folder/in").read_text() == "in\n"
    assert (project / "free/new.txt").read_text() == "new\n"


def test_files_that_are_too_large_are_not_read(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff.tools.review._MOST_BYTES", 300)
    output = reviewed(
        project,
        tmp_path / "queue",
        "cd free; truncate -s 1T huge; truncate -s 200 a; truncate -s 200 b; echo c > c",
    )
    assert [f'free/{name}" is too large to be shown' in output for name in ("huge", "a", "b", "c")] == [
        True, False, True, False,
    ]  # fmt: skip
    assert {each.name for each in (project / "free").iterdir()} == {"a", "c", "old.txt"}


def test_a_file_that_changed_since_is_not_removed(project: Path, tmp_path: Path) -> None:
    old = project / "free/old.txt"
    output = reviewed(project, tmp_path / "queue", "rm free/old.txt", lambda: old.write_text("changed\n"))
    assert old.read_text() == "changed\n"
    assert f'"{old}" was changed meanwhile' in output


# -- What something else changes in the real files meanwhile is no change of the command, and is not lost.


@pytest.fixture
def while_it_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Callable[[Callable[[], object]], str]]:
    """Returns the beginning of a command, which waits until something was done to the real files."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with ThreadPoolExecutor(1) as thread:

        def act(change: Callable[[], object]) -> None:
            eventually(lambda: [*temporary.glob("signoff-review-*/*/started")], "a command that runs")
            change()
            (started,) = temporary.glob("signoff-review-*/*/started")
            started.rename(started.with_name("go"))

        def begin(change: Callable[[], object]) -> str:
            thread.submit(act, change)
            return "cd free; touch started; until [ -e go ]; do sleep 0.01; done; rm go; "

        yield begin


WhileItRuns = Callable[[Callable[[], object]], str]


@pytest.mark.parametrize("command", ["true", "touch old.txt", "echo new > x; cat old.txt > x; mv x old.txt"])
def test_a_file_that_only_somebody_else_changed_is_no_change_of_the_command(
    project: Path, tmp_path: Path, while_it_runs: WhileItRuns, command: str
) -> None:
    old = project / "free/old.txt"
    output = reviewed(project, tmp_path / "queue", while_it_runs(lambda: old.write_text("theirs\n")) + command)
    assert (output, old.read_text()) == ("", "theirs\n")


@pytest.mark.parametrize("command", ["echo mine > old.txt", "rm old.txt", "chmod +x old.txt"])
def test_a_file_that_both_changed_is_not_asked_about_and_the_others_are(
    project: Path, tmp_path: Path, while_it_runs: WhileItRuns, command: str
) -> None:
    old, place = project / "free/old.txt", tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        shell, answering = reviewing(project, place, agent, 1)
        begin = while_it_runs(lambda: old.write_text("theirs\n"))
        output = shell.run_command(f"{begin}{command}; echo b > b.txt").output
        answering.join()
    (asked,) = answering.seen  # type: ignore[attr-defined]
    assert (asked.submission.description, asked.submission.group_size) == ("Write free:b.txt", 1)
    assert old.read_text() == "theirs\n"
    assert (project / "free/b.txt").read_text() == "b\n"
    assert f'["{old}" was changed meanwhile by something else, so this change was not applied to it]' in output


def test_a_file_that_somebody_else_made_meanwhile_is_not_overwritten(
    project: Path, tmp_path: Path, while_it_runs: WhileItRuns
) -> None:
    made = project / "free/made.txt"
    begin = while_it_runs(lambda: made.write_text("theirs\n"))
    output = reviewed(project, tmp_path / "queue", begin + "echo mine > made.txt")
    assert made.read_text() == "theirs\n"
    assert f'"{made}" was changed meanwhile' in output


def test_the_same_change_by_somebody_else_leaves_nothing_to_ask(
    project: Path, tmp_path: Path, while_it_runs: WhileItRuns
) -> None:
    begin = while_it_runs(lambda: (project / "free/old.txt").write_text("new\n"))
    assert reviewed(project, tmp_path / "queue", begin + "echo new > old.txt") == ""


def test_a_link_that_somebody_else_put_in_its_place_leads_nowhere(
    project: Path, tmp_path: Path, while_it_runs: WhileItRuns
) -> None:
    old, other = project / "free/old.txt", project / "free/other.txt"

    def swap() -> None:
        old.rename(other)
        old.symlink_to("other.txt")

    output = reviewed(project, tmp_path / "queue", while_it_runs(swap) + "echo new > old.txt")
    assert other.read_text() == "old\n"
    assert f'"{old}" was changed meanwhile' in output


@pytest.mark.parametrize("command", ["echo mine > free/old.txt", "rm free/old.txt"])
def test_a_file_that_is_changed_while_it_is_asked_about_is_not_overwritten_and_the_others_go_on(
    project: Path, tmp_path: Path, command: str
) -> None:
    old, place = project / "free/old.txt", tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        shell, answering = reviewing(project, place, agent, 2, meanwhile=lambda: old.write_text("theirs\n"))
        output = shell.run_command(f"{command}; echo b > free/b.txt").output
        answering.join()
        with open_review_queue(place) as queue:
            assert not queue.pending()
    assert old.read_text() == "theirs\n"
    assert (project / "free/b.txt").read_text() == "b\n"
    assert f'not run: "{old}" was changed meanwhile by something else' in output


@pytest.mark.parametrize("content", [b"mine\n", None])
def test_nor_without_anybody_who_is_asked(project: Path, content: bytes | None) -> None:
    files, old = FileSandbox({"paths": ROOTS}, cwd=str(project)), project / "free/old.txt"
    change = TriedChange(str(old), content, sha256(b"old\n").hexdigest())
    old.write_text("theirs\n")
    with pytest.raises(ValueError, match="was changed meanwhile"):
        files.change(ApprovalContext(tool_name="run_command", args={}), change)
    assert old.read_text() == "theirs\n"


def test_what_rules_block_does_not_count_in_the_group(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        shell, answering = reviewing(project, place, agent, 2)
        output = shell.run_command("cd free; echo a > a; echo b > b; echo c > $'c\\xff'").output
        answering.join()
    assert [each.submission.group_size for each in answering.seen] == [2, 2]  # type: ignore[attr-defined]
    assert "the path holds half a character" in output


def test_what_is_remembered_does_not_count_in_the_group_either(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    files = FileSandbox({"paths": ROOTS}, cwd=str(project))
    context = ApprovalContext(tool_name="run_command", args={"command": "cp free/old.txt free/a"})
    with connect_agent("bot", session="s", place=place, cwd=str(project)) as agent:
        remembered = files.change_request(context, TriedChange(str(project / "free/a"), b"old\n"))
        ApprovalController(queue=agent).add_session_approval(remembered)
        shell, answering = reviewing(project, place, agent, 1)
        shell.run_command("cp free/old.txt free/a; cp free/old.txt free/b")
        answering.join()
    assert [each.submission.group_size for each in answering.seen] == [1]  # type: ignore[attr-defined]
    assert (project / "free/a").read_text() == "old\n"


# -- What it did besides to contents.


def test_permissions_are_shown_and_set(project: Path, tmp_path: Path) -> None:
    place = tmp_path / "queue"
    with connect_agent("bot", session="s", place=place) as agent:
        shell, answering = reviewing(project, place, agent, 3)
        shell.run_command("cd free; echo a > run; chmod 755 run; (umask 077; echo b > secret); chmod 700 old.txt")
        answering.join()
        with open_review_queue(place) as queue:
            shown = {
                each.submission.description: [
                    row.text.text for document in content_of(each, queue.blob, 3).documents for row in document
                ]
                for each in answering.seen  # type: ignore[attr-defined]
            }
    assert "permissions change to 755 (becomes executable)" in shown["Write free:run"]
    assert "permissions change to 600" in shown["Write free:secret"]
    assert "permissions change from 644 to 700 (becomes executable)" in shown["Set permissions of free:old.txt"]
    modes = {each.name: each.stat().st_mode & 0o7777 for each in (project / "free").iterdir()}
    assert modes == {"run": 0o755, "secret": 0o600, "old.txt": 0o700}


def test_permissions_that_somebody_else_changed_meanwhile_stay(
    project: Path, tmp_path: Path, while_it_runs: WhileItRuns
) -> None:
    old = project / "free/old.txt"
    output = reviewed(project, tmp_path / "queue", while_it_runs(lambda: old.chmod(0o600)) + "chmod 755 old.txt")
    assert old.stat().st_mode & 0o777 == 0o600
    assert f'"{old}" was changed meanwhile' in output


def told_of(folder: Path, output: str) -> list[str]:
    """The lines about what is below a directory, sorted, with paths from there."""
    return sorted(line.strip("[]").replace(f"{folder}/", "") for line in output.splitlines() if line)


def test_directories_that_it_made_removed_or_changed_are_told(project: Path, tmp_path: Path) -> None:
    for name in ("changed", "removed/in"):
        (project / "free" / name).mkdir(parents=True)
        (project / "free" / name / "file").write_text("old\n")
    command = "cd free; mkdir -p made/a/b full; echo > full/file; mkdir -m 700 private; echo > private/file;"
    output = reviewed(project, tmp_path / "queue", command + "chmod 700 changed; rm -r removed; mkfifo pipe")
    assert told_of(project / "free", output) == [
        '"changed" got the permissions 700; they were left out',
        '"made" is a new directory without files; it was left out',
        '"pipe" is a link or a special file; it was left out',
        '"private" got the permissions 700; they were left out',
        '"removed" was removed: its files are asked about, and the empty directory stays',
        "Removed free:removed/in/file",
        "Wrote 1 bytes to free:full/file",
        "Wrote 1 bytes to free:private/file",
    ]
    assert (project / "free/removed/in").is_dir()


def test_permissions_of_a_directory_hide_no_other_change_in_it(project: Path, tmp_path: Path) -> None:
    for name in ("same", "removed", "other"):
        (project / "free" / name).mkdir()
    output = reviewed(
        project, tmp_path / "queue", "cd free; mkdir made; rmdir removed; chmod 700 . same; chmod 750 other"
    )
    assert told_of(project, output) == [
        '"free" got the permissions 700; they were left out',
        '"free/made" is a new directory without files; it was left out',
        '"free/other" got the permissions 750; they were left out',
        '"free/removed" was removed: its files are asked about, and the empty directory stays',
    ]


def test_a_tree_deeper_than_any_program_walks_is_looked_at_and_removed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    command = (
        "cd free; deep=$(printf 'a/%.0s' $(seq 1500)); for i in 1 2; do mkdir -p $deep; cd $deep; done; chmod 0 ."
    )
    output = reviewed(project, tmp_path / "queue", command)
    assert 'a/a/a" cannot be looked into; it was left out' in output
    assert [*(tmp_path / "temporary").iterdir()] == []


def test_the_result_names_the_file_of_each_answer_that_is_no_approval(project: Path, tmp_path: Path) -> None:
    with connect_agent("bot", session="s", place=tmp_path / "queue") as agent:
        shell, answering = reviewing(project, tmp_path / "queue", agent, 1, approved=False)
        output = shell.run_command("echo a > asks/a.txt").output
        answering.join()
    assert f'["{project}/asks/a.txt": Approval denied]' in output


def test_names_that_are_no_text_and_line_breaks_are_told_safely(project: Path, tmp_path: Path) -> None:
    output = reviewed(project, tmp_path / "queue", r"cd free; ln -s x $'a\nb'; ln -s x $'\xff'; echo > $'c\xff'")
    output.encode()
    assert len(output.strip().splitlines()) == 3


def test_temporary_files_within_a_root_are_refused(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project / "free"))
    with pytest.raises(ValueError, match="set TMPDIR elsewhere"):
        reviewed(project, tmp_path / "queue", "true")


def test_an_interrupt_while_it_waits_is_only_an_interrupt(project: Path, tmp_path: Path) -> None:
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from test_shell_confined import ApprovalController, connect_agent, tool
project, place = Path({str(project)!r}), Path({str(tmp_path / "queue")!r})
with connect_agent("bot", session="s", place=place) as agent:
    shell = tool(project, controller=ApprovalController(queue=agent), mode="review")
    try:
        shell.run_command("cd free; touch 1; touch 2")
    except KeyboardInterrupt:
        print("interrupted")
"""
    pipe = subprocess.PIPE
    with (
        subprocess.Popen([sys.executable, "-c", program], stdout=pipe, stderr=pipe, text=True) as process,
        open_review_queue(tmp_path / "queue") as queue,
    ):
        while len(queue.pending()) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=20)
        assert not queue.pending()
    assert said == "interrupted\n"
    assert "Traceback" not in complained


def test_the_copies_of_a_killed_agent_are_removed_when_the_next_command_starts(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    program = f"""
import sys, tempfile
sys.path[:0] = {sys.path!r}
from pathlib import Path
from test_shell_confined import ApprovalController, connect_agent, tool
tempfile.tempdir = {str(temporary)!r}
with connect_agent("killed", session="s", place=Path({str(tmp_path / "queue")!r})) as agent:
    shell = tool(Path({str(project)!r}), controller=ApprovalController(queue=agent), mode="review")
    shell.run_command("cd free; touch started; sleep 100")
"""
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        eventually(lambda: [*temporary.glob("signoff-review-*/*/started")], "a command that runs")
        process.kill()
    assert [*temporary.iterdir()] != []
    reviewed(project, tmp_path / "queue", "true")
    assert [*temporary.iterdir()] == []


def test_without_a_sandbox_the_tool_starts_refusing_if_it_should(project: Path, tmp_path: Path) -> None:
    missing = {
        "require_os_sandbox": True,
        "os_sandbox_backends": ["seatbelt"],
        "os_sandbox_fallback": "refuse_tools",
    }
    files = FileSandbox({"paths": ROOTS} | missing, cwd=str(project))
    with connect_agent("bot", session="s", place=tmp_path / "queue") as agent:
        controller = ApprovalController(queue=agent)
        shell = ShellTool(project, config={"mode": "review"}, sandbox=files, controller=controller)
        with pytest.raises(PermissionError, match="are refused"):
            shell.run_command("true")


def test_review_needs_somebody_who_asks(project: Path) -> None:
    with pytest.raises(ValueError, match="needs a controller"):
        tool(project, mode="review")
