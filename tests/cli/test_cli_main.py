from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import click
import pytest
from cli_bench import PATIENCE, Cli, at_a_terminal, call, exit_status, post

import signoff
from signoff.cli import commands
from signoff.cli import main as entry
from signoff.cli.decide import EXIT_CODE_OF_VERDICT
from signoff.cli.exit_codes import EXIT_CODE_TABLE, ExitCode, StatusCode
from signoff.queue import AgentQueue, VerdictKind

VERBS = commands.signoff.list_commands(click.Context(commands.signoff))
GUIDE = Path(signoff.__file__).parents[2] / "docs" / "command-line.md"


def test_the_version_is_the_librarys(cli: Cli) -> None:
    done = cli.run("--version")
    assert (done.code, done.out) == (0, f"signoff {signoff.__version__}\n")


def test_help_names_every_verb_and_every_exit_code(cli: Cli) -> None:
    done = cli.run("--help")
    assert done.code == 0
    for verb in VERBS:
        assert re.search(rf"^  {verb} ", done.out, re.MULTILINE), verb
    for code in ExitCode:
        assert re.search(rf"\b{code}\b", done.out), code


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(cli: Cli, verb: str) -> None:
    done = cli.inside(verb, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: signoff {verb} ")


def test_the_table_of_exit_codes_holds_all_of_them() -> None:
    numbers = set(map(int, re.findall(r"\d+", EXIT_CODE_TABLE)))
    assert numbers == {*map(int, ExitCode), *map(int, StatusCode)}


def test_every_verdict_has_an_exit_code_and_only_accepted_is_success() -> None:
    assert set(EXIT_CODE_OF_VERDICT) == set(VerdictKind)
    assert [kind for kind, code in EXIT_CODE_OF_VERDICT.items() if code == 0] == [VerdictKind.ACCEPTED]


def test_the_guide_has_every_verb_and_every_exit_code() -> None:
    guide = GUIDE.read_text()
    for verb in VERBS:
        assert re.search(rf"^\| .*`signoff {verb}[ `]", guide, re.MULTILINE), verb
    for code in ExitCode:
        assert f"| {code} |" in guide, code


@pytest.mark.parametrize("words", [["frobnicate"], [""], ["--frobnicate"], ["--queue"], ["--queue", "", "list"]])
def test_what_is_no_command_ends_with_2_and_a_sentence(cli: Cli, words: list[str]) -> None:
    done = cli.inside(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("signoff: ")
    assert done.err.count("\n") == 1
    assert "--help" in done.err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["lst"], "list"),
        (["hist"], "history"),
        (["grants", "revok"], "revoke"),
        (["policy", "explian"], "explain"),
        (["sandbox", "chek"], "check"),
        (["token", "ls"], "list"),
        (["reviewers", "lst"], "list"),
        (["config", "chekc"], "check"),
        (["history", "exprot"], "export"),
        (["queue", "int"], "init"),
    ],
)
def test_a_mistyped_verb_is_answered_with_the_one_that_was_meant(cli: Cli, words: list[str], meant: str) -> None:
    done = cli.inside(*words)
    assert (done.code, done.out) == (2, "")
    assert f"there is no verb '{words[-1]}', did you mean {meant}?; see: signoff " in done.err


def test_a_verb_that_is_like_no_other_gets_no_guess(cli: Cli) -> None:
    assert cli.inside("frobnicate").err == "signoff: there is no verb 'frobnicate'; see: signoff --help\n"


def test_the_url_of_anything_but_postgresql_is_refused_without_its_password(cli: Cli) -> None:
    done = cli.inside("--queue", "postgres://anna:hunter2@db/team", "list")
    assert done.code == 5
    assert "postgres://... is no queue: the URL of one begins with postgresql://" in done.err
    assert "the password in --queue is shown to everybody" in done.err
    assert "hunter2" not in done.err


def test_a_place_that_is_none_ends_with_5(cli: Cli) -> None:
    done = cli.run("--queue", "no;name", "list")
    assert (done.code, done.out) == (5, "")
    assert "is not the name of a queue" in done.err


@pytest.mark.parametrize(("options", "what"), [([], "the screen"), (["--plain"], "--plain")])
def test_what_needs_a_terminal_says_so(cli: Cli, options: list[str], what: str) -> None:
    done = cli.run(*options)
    assert (done.code, done.out) == (2, "")
    assert f"{what} needs a terminal" in done.err


def test_the_screen_is_not_drawn_into_a_file(cli: Cli) -> None:
    ours, terminal = pty.openpty()
    environment = cli.environment(TERM="xterm")
    done = subprocess.run(
        cli.command(), cwd=cli.folder, env=environment, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE,
        timeout=PATIENCE, text=True, check=False,
    )  # fmt: skip
    os.close(ours)
    os.close(terminal)
    assert done.returncode == 2
    assert "the screen needs a terminal" in done.stderr


def test_a_theme_that_is_none_ends_with_2(cli: Cli) -> None:
    terminal = at_a_terminal(cli, "--theme", "pink")
    terminal.expect_exact("there is no theme 'pink'; choose one of: ")
    assert exit_status(terminal) == 2


def test_a_channel_for_notices_that_is_none_ends_with_2(cli: Cli) -> None:
    terminal = at_a_terminal(cli, SIGNOFF_NOTIFY="loud")
    terminal.expect_exact("SIGNOFF_NOTIFY is 'loud'; choose one of: auto, bell")
    assert exit_status(terminal) == 2


def test_a_demo_folder_that_cannot_be_made_ends_with_2(cli: Cli) -> None:
    (cli.folder / "file").touch()
    done = cli.inside("demo", "--folder", "file/demo")
    assert (done.code, done.out) == (2, "")
    assert "cannot be created: Not a directory" in done.err


def test_a_reader_that_went_away_ends_with_141_and_without_noise(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call(payload={"text": "x" * 1_000_000}))
    process = subprocess.Popen(
        cli.command("list", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cli.environment()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(PATIENCE) == 141


def test_a_terminal_without_the_characters_gets_their_codes(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call(description="caf\u00e9"))
    done = cli.run("list", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "caf\\xe9" in done.out


def test_a_fault_of_ours_never_ends_with_the_code_of_a_no(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: object) -> int:
        raise KeyError("\x1b[2J")

    monkeypatch.setattr(entry, "_dispatch", broken)
    with pytest.raises(SystemExit) as end:
        entry.main(["list"])
    assert end.value.code == 70
    told = capsys.readouterr().err
    assert "a fault in signoff itself (KeyError: " in told
    assert "Traceback" not in told
    assert "\x1b" not in told


FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")


@needs_full
@pytest.mark.parametrize("words", [("list",), ("--help",), ("ask", "--tool", "t", "--mode", "strict")])
def test_a_fault_that_cannot_even_be_told_ends_with_70(
    cli: Cli, agent: AgentQueue, words: tuple[str, ...]
) -> None:
    with FULL.open("wb") as full:
        process = subprocess.Popen(
            cli.command(*words), stdin=subprocess.DEVNULL, stdout=full, stderr=full, env=cli.environment()
        )
    assert process.wait(PATIENCE) == 70


@needs_full
def test_output_that_cannot_be_written_ends_with_70_and_says_so(cli: Cli, agent: AgentQueue) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            cli.command("list"),
            stdout=full,
            stderr=subprocess.PIPE,
            env=cli.environment(),
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 70
    assert b"No space left on device" in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_reading_loads_neither_models_nor_screen(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    script = """
import sys
from signoff.cli.main import main
for words in (["list"], ["history"], ["--help"]):
    try:
        main(words)
    except SystemExit:
        pass
heavy = {"pydantic", "textual", "rich", "pydantic_ai"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    done = subprocess.run(
        [*cli.command()[:1], "-c", script],
        capture_output=True,
        env=cli.environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
