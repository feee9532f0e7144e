"""`signoff sandbox`: commands in the sandbox, and what is said of it."""

from __future__ import annotations

import subprocess

import pytest
from cli_bench import Cli

from sandbox_bench import require_backend
from signoff.queue import Decision, open_review_queue
from system_bench import eventually

SETTINGS = """\
sandbox:
  paths:
    here: {root: "."}
    asks: {root: asks, mode: rw}
    free: {root: free, mode: rw, write_approval: false}
"""


@pytest.fixture
def project(cli: Cli) -> Cli:
    require_backend()
    (cli.folder / "signoff.yaml").write_text(SETTINGS)
    for name in ("asks", "free"):
        (cli.folder / name).mkdir()
    return cli


def run(project: Cli, *words: str) -> tuple[int, str]:
    ended = project.run("sandbox", "exec", "--config", "signoff.yaml", *words)
    return ended.code, ended.out + ended.err


def test_a_command_ends_with_its_own_code(project: Cli) -> None:
    assert run(project, "--", "sh", "-c", "echo hello; exit 7") == (7, "hello\n")


def test_what_it_may_write_depends_on_whether_a_person_approved_it(project: Cli) -> None:
    command = ("--", "sh", "-c", "echo x > free/a; echo x > asks/a")
    run(project, *command)
    assert (project.folder / "free/a").exists()
    assert not (project.folder / "asks/a").exists()
    run(project, "--mode", "approved", *command)
    assert (project.folder / "asks/a").exists()


def test_a_command_that_cannot_be_confined_is_not_started(project: Cli) -> None:
    (project.folder / "free/.git").symlink_to("/")
    code, said = run(project, "--", "sh", "-c", "echo started")
    assert code == 2
    assert "not started: " in said
    assert "leads elsewhere through a link" in said


def test_settings_without_a_sandbox_start_nothing(project: Cli) -> None:
    (project.folder / "signoff.yaml").write_text("shell: {}\n")
    code, said = run(project, "--", "echo", "started")
    assert (code, "has no sandbox" in said) == (2, True)


def test_in_mode_review_what_it_changed_waits_for_approval(project: Cli) -> None:
    command = ("sandbox", "exec", "--config", "signoff.yaml", "--mode", "review", "--")
    script = "echo a > asks/a; echo b > free/b"
    with subprocess.Popen(
        project.command(*command, "sh", "-c", script),
        cwd=project.folder,
        env=project.environment(),
        stderr=subprocess.PIPE,
    ) as process:
        eventually(project.place.exists, "a queue")
        with open_review_queue(project.place) as queue:
            eventually(lambda: len(queue.pending()) == 2, "two changes")
            assert list((project.folder / "asks").iterdir()) == []
            for request in queue.pending():
                decision = Decision(approved="asks" in request.submission.description)
                queue.decide(request.id, request.revision, request.submission.digest, decision)
        assert process.wait() == 1
    assert (project.folder / "asks/a").read_text() == "a\n"
    assert not (project.folder / "free/b").exists()


def test_explain_says_what_commands_may_touch(project: Cli) -> None:
    said = project.run("sandbox", "explain", "--config", "signoff.yaml").out
    assert "a command that a person approves (bwrap): can write: asks/, free/; network: no" in said
    assert "a command that is not asked about (bwrap): can write: free/; network: no" in said


def test_check_tells_what_was_tried(project: Cli) -> None:
    ended = project.run("sandbox", "check")
    assert ended.code == 0
    assert "bwrap: works" in ended.out
    assert ended.out.count("  ok  ") >= 10


def test_the_key_of_the_reviewer_cannot_be_read_from_inside(project: Cli) -> None:
    keys = project.folder / "keys"
    keys.mkdir(0o700)
    (keys / "deciding.key").write_text("secret")
    words = ("sandbox", "exec", "--config", "signoff.yaml", "--", "cat", "keys/deciding.key")
    ended = project.run(*words, SIGNOFF_KEYS_DIR=str(keys))
    assert ended.code != 0
    assert "secret" not in ended.out


def test_explain_says_that_a_root_would_let_commands_change_the_system(project: Cli) -> None:
    text = "sandbox: {paths: {bin: {root: /usr/bin, mode: rw}}}\n"
    (project.folder / "signoff.yaml").write_text(text)
    ended = project.run("sandbox", "explain", "--config", "signoff.yaml")
    assert (ended.code, ended.out) == (2, "")
    words = "programs and settings of the system could be changed from inside; name directories elsewhere"
    assert ended.err == f"signoff: /usr/bin cannot be writable for commands: {words}\n"


def test_explain_tells_the_limit_that_keeps_commands_from_starting(project: Cli) -> None:
    with (project.folder / "signoff.yaml").open("a") as file:
        file.write("  os_sandbox_profile: {write: [free, asks/new]}\n")
    ended = project.run("sandbox", "explain", "--config", "signoff.yaml")
    assert "signoff: sandbox.os_sandbox_profile.write[1]: there is no " in ended.err
    assert ended.err.endswith("; make it first, or leave the entry out\n")
    assert (
        "a command that a person approves (bwrap): cannot start: os_sandbox_profile.write[1]: there" in ended.out
    )
    assert "a command that is not asked about (bwrap): can write: free/; network: no" in ended.out
    told = project.run("sandbox", "explain", "--config", "signoff.yaml", "--json").json
    assert told["a command that a person approves"]["problem"].startswith("os_sandbox_profile.write[1]: ")
    assert "paths" in told["a command that is not asked about"]


def test_a_command_that_a_weaker_one_confines_is_told_of(project: Cli) -> None:
    require_backend("landlock")
    with (project.folder / "signoff.yaml").open("a") as file:
        file.write("  os_sandbox_backends: [seatbelt, landlock]\n")
    ended = project.run("sandbox", "exec", "--config", "signoff.yaml", "--", "echo", "started")
    assert (ended.code, ended.out) == (0, "started\n")
    assert ended.err.startswith("signoff: landlock is used, which holds less, because of seatbelt: no command can")


def test_explain_says_what_landlock_enforces(project: Cli) -> None:
    require_backend("landlock")
    with (project.folder / "signoff.yaml").open("a") as file:
        file.write("  os_sandbox_backends: [landlock]\n")
    (project.folder / "free/.envrc").touch()
    words = ("sandbox", "explain", "--config", "signoff.yaml")
    ended = project.run(*words)
    assert "a command that a person approves (landlock): can write: asks/; network: no" in ended.out
    assert f"  write  {project.folder}/free\n" not in ended.out
    assert "free is read-only for commands: landlock cannot keep a part of it as it is" in ended.err
    with (project.folder / "signoff.yaml").open("a") as file:
        file.write("  os_sandbox_profile: {hide: [free]}\n")
    ended = project.run(*words)
    assert ended.code == 2
    assert "no command can be started: " in ended.err
