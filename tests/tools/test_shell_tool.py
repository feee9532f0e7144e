"""Shell commands: always asked for, run as declared, ended in time."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import bound_to
from signoff.effects import Command, Confinement
from signoff.present.snapshot.snapshot import take
from signoff.tools.shell import CommandResult, ShellTool
from signoff.types import ApprovalContext, ApprovalRequest


@pytest.fixture
def shell(workdir: Path) -> ShellTool:
    return ShellTool(workdir)


def request_for(shell: ShellTool, command: Any) -> ApprovalRequest:
    request = shell.check_approval(ApprovalContext(tool_name="run_command", args={"command": command}))
    assert request is not None
    return request


@pytest.mark.parametrize("command", ["ls", "true", ""])
def test_every_command_is_asked_for(shell: ShellTool, command: str) -> None:
    unconfined = Confinement("none", "", "not confined")
    assert request_for(shell, command).effects == (Command(command, shell.cwd, confinement=unconfined),)


def test_a_grant_is_for_this_command_in_this_directory(shell: ShellTool, workdir: Path) -> None:
    assert request_for(shell, "ls").payload == {"command": "ls", "cwd": str(workdir)}


def test_the_description_holds_the_whole_command(shell: ShellTool) -> None:
    command = "echo " + "x" * 300 + "; rm -rf ."
    assert request_for(shell, command).description.endswith("; rm -rf .")


def test_what_is_no_text_is_a_block(shell: ShellTool) -> None:
    with pytest.raises(PermissionError):
        request_for(shell, ["rm", "-rf"])


def test_about_the_tools_of_others_it_has_no_opinion(shell: ShellTool) -> None:
    """None would say that they need no approval."""
    assert shell.check_approval(ApprovalContext(tool_name="write_file", args={})) is NotImplemented


def test_a_directory_that_is_not_there_is_refused(workdir: Path) -> None:
    with pytest.raises(NotADirectoryError):
        ShellTool(workdir / "missing")


def test_exit_code_and_both_outputs_come_back_in_order(shell: ShellTool) -> None:
    assert shell.run_command("echo one; echo two >&2; echo three; exit 3") == CommandResult(3, "one\ntwo\nthree\n")


def test_a_command_runs_in_its_directory(shell: ShellTool, workdir: Path) -> None:
    assert shell.run_command("pwd -P").output == f"{workdir}\n"


def test_a_command_has_nothing_to_read(shell: ShellTool) -> None:
    assert shell.run_command("cat") == CommandResult(0, "")


def test_output_that_is_no_text_is_shown_as_well_as_it_can_be(shell: ShellTool) -> None:
    assert shell.run_command(r"printf 'a\xffb'").output == "a\ufffdb"


def test_long_output_says_how_much_is_left_out(shell: ShellTool) -> None:
    output = shell.run_command("printf begin; head -c 100000 /dev/zero | tr '\\0' x; printf end").output
    assert output.startswith("beginx")
    assert output.endswith("xend")
    assert f"[... {100_008 - 65_536} bytes left out ...]" in output


def test_a_file_that_the_environment_names_is_not_run_first(
    shell: ShellTool, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workdir / "evil.sh").write_text("echo evil\n")
    monkeypatch.setenv("BASH_ENV", str(workdir / "evil.sh"))
    monkeypatch.setenv("BASH_FUNC_pwd%%", "() { echo evil; }")
    assert shell.run_command("pwd -P").output == f"{workdir}\n"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SHELLOPTS", "xtrace"),
        ("SHELLOPTS", "noexec"),
        ("BASHOPTS", "xpg_echo"),
        ("PROMPT_COMMAND", "echo evil"),
        ("ENV", "$(echo evil >&2)"),
        ("BASH_FUNC_echo%%", "() { printf evil; }"),
        ("CDPATH", "/"),
    ],
)
def test_the_environment_has_no_say_in_how_a_command_is_read(
    shell: ShellTool, workdir: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    (workdir / "tmp").mkdir()
    monkeypatch.setenv("PS4", "$(echo evil >&2)")
    monkeypatch.setenv(variable, value)
    command = "echo 'a\\tb'; cd tmp; pwd -P; declare -p PS4 | grep -c evil; compgen -e " + variable
    assert shell.run_command(command).output == f"a\\tb\n{workdir}/tmp\n0\n"


def test_other_variables_reach_the_command(shell: ShellTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TO", "staging")
    assert shell.run_command('echo "$DEPLOY_TO"').output == "staging\n"


@pytest.mark.parametrize(
    "given", [{}, {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}]
)
def test_git_obeys_no_bare_repository_that_lies_in_the_tree(
    shell: ShellTool, workdir: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(workdir / "bare")], check=True)
    canary = workdir / "canary"
    with (workdir / "bare" / "config").open("a") as config:
        config.write(f'[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch {canary};:"\n')
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    subprocess.run(["git", "status"], cwd=workdir / "bare", capture_output=True, check=False)
    assert canary.exists()  # as git does it by itself
    canary.unlink()
    assert shell.run_command("cd bare && git status").exit_code != 0
    assert not canary.exists()
    assert shell.run_command("git config a.b").output.strip() == ("c" if given else "")


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff.tools.shell._GRACE", 0.1)
    shell = ShellTool(workdir, timeout=0.2)
    result = shell.run_command("trap '' TERM; sleep 60 & echo $!; wait; sleep 60")
    assert result.exit_code is None
    assert "[ended after 0.2 seconds]" in result.output
    child = int(result.output.split()[0])
    wait_until_gone(child)


def test_a_program_left_in_the_background_does_not_hold_up_the_answer(shell: ShellTool) -> None:
    result = shell.run_command("sleep 60 & echo $!")
    os.kill(int(result.output), 9)
    assert result.exit_code == 0


def test_a_command_that_is_not_the_approved_one_does_not_run(shell: ShellTool, workdir: Path) -> None:
    with bound_to(request_for(shell, "ls")), pytest.raises(PermissionError, match="not what was approved"):
        shell.run_command("touch evil")
    assert not (workdir / "evil").exists()


def test_the_approved_command_runs(shell: ShellTool) -> None:
    with bound_to(request_for(shell, "echo hi")):
        assert shell.run_command("echo hi").output == "hi\n"


def test_a_directory_that_leads_elsewhere_since_the_approval_is_not_worked_in(workdir: Path) -> None:
    (workdir / "shown").mkdir()
    (workdir / "other").mkdir()
    shell = ShellTool(workdir / "shown")
    request = request_for(shell, "touch made")
    snapshot = take(request.effects)
    (workdir / "shown").rmdir()
    (workdir / "shown").symlink_to("other")
    with (
        bound_to(request, snapshot),
        pytest.raises(PermissionError, match="changed since it was approved; ask again"),
    ):
        shell.run_command("touch made")
    assert list((workdir / "other").iterdir()) == []


def test_a_command_runs_in_the_directory_that_was_shown(shell: ShellTool, workdir: Path) -> None:
    request = request_for(shell, "pwd -P")
    with bound_to(request, take(request.effects)):
        assert shell.run_command("pwd -P").output == f"{workdir}\n"


def test_an_interrupt_ends_the_command_too(workdir: Path) -> None:
    """Ctrl-C reaches the agent only, since commands run in a session of their own."""
    program = (
        "import sys; from signoff.tools.shell import ShellTool\n"
        "ShellTool(sys.argv[1]).run_command('echo $$ > pid; mkfifo end; kill -INT $PPID; read < end')\n"
    )
    command = [sys.executable, "-c", program, str(workdir)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "KeyboardInterrupt" in done.stderr
    wait_until_gone(int((workdir / "pid").read_text()))


def test_an_interrupt_while_a_command_is_being_started_ends_it_too(workdir: Path) -> None:
    """A command may run before whoever started it has learned its number."""
    program = (
        "import os, subprocess, sys; from signoff.tools.shell import ShellTool\n"
        "fork = subprocess._fork_exec\n"
        "def slow_fork(*arguments):\n"
        "    child = fork(*arguments)\n"
        "    while not os.path.exists(sys.argv[1] + '/interrupted'): pass\n"
        "    return child\n"
        "subprocess._fork_exec = slow_fork\n"
        "command = 'echo $$ > pid; mkfifo end; kill -INT $PPID; > interrupted; read < end'\n"
        "ShellTool(sys.argv[1]).run_command(command)\n"
    )
    command = [sys.executable, "-c", program, str(workdir)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "KeyboardInterrupt" in done.stderr
    wait_until_gone(int((workdir / "pid").read_text()))


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that may be somebody else's child."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([process], [], [], 30)[0], f"process {pid} still runs"
    finally:
        os.close(process)
