from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_bench import Cli, Ended

from signoff.adapters.hooks import DIALECTS, dialect
from signoff.effects import Command
from signoff.queue import open_review_queue


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home directory without coding agents."""
    made = tmp_path / "home"
    made.mkdir()
    return made


def doctor(cli: Cli, home: Path, **environment: str) -> Ended:
    own = {"HOME": str(home), "PATH": "/usr/bin:/bin", "SIGNOFF_KEYS_DIR": str(home / "keys"), "XDG_DATA_HOME": ""}
    return cli.inside("doctor", **{**own, "CLAUDE_CONFIG_DIR": "", **environment})


def line(done: Ended, subject: str) -> str:
    [found] = [each for each in done.out.splitlines() if f" {subject}: " in each]
    return found


@pytest.fixture
def hook(cli: Cli, home: Path) -> Path:
    """The settings file of an agent with the hook."""
    done = cli.inside("init", "claude-code", "--yes", HOME=str(home), PATH="/usr/bin:/bin", CLAUDE_CONFIG_DIR="")
    assert done.code == 0, done.err
    return home / ".claude/settings.json"


def test_nothing_is_wrong_where_nothing_was_set_up(cli: Cli, home: Path) -> None:
    done = doctor(cli, home)
    assert done.code == 0, done.out
    assert "wrong" not in done.out
    assert "Claude Code" not in done.out


def test_a_hook_is_tried_in_a_queue_of_its_own(cli: Cli, home: Path, hook: Path) -> None:
    done = doctor(cli, home)
    assert done.code == 0, done.out
    assert line(done, "Claude Code").startswith("ok")
    assert not cli.place.exists()


def test_an_agent_without_a_hook_is_noted(cli: Cli, home: Path) -> None:
    (home / ".qwen").mkdir()
    done = doctor(cli, home)
    assert done.code == 0
    assert line(done, "Qwen Code").startswith("note")
    assert "to do: signoff init qwen" in done.out


def test_a_hook_that_may_let_calls_run_when_it_fails_is_wrong(cli: Cli, home: Path, hook: Path) -> None:
    hook.write_text(hook.read_text("utf-8").replace(" || exit 2", ""))
    done = doctor(cli, home)
    assert done.code == 1
    assert line(done, "Claude Code").startswith("wrong")
    assert "to do: signoff init claude-code" in done.out


def test_a_hook_with_another_timeout_and_queue_is_tried_in_a_queue_of_its_own(
    cli: Cli, home: Path, hook: Path
) -> None:
    text = hook.read_text("utf-8").replace(" || ", " --queue team --timeout 3600 || ").replace("86400", "3600")
    hook.write_text(text)
    done = doctor(cli, home)
    assert line(done, "Claude Code").startswith("ok"), done.out


@pytest.mark.parametrize(
    ("name", "title", "file", "off"),
    [
        ("claude-code", "Claude Code", ".claude/settings.json", {"disableAllHooks": True}),
        ("copilot", "Copilot CLI", ".copilot/settings.json", {"disableAllHooks": True}),
        ("gemini", "Gemini CLI", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("qwen", "Qwen Code", ".qwen/settings.json", {"disableAllHooks": True}),
    ],
)
def test_hooks_that_are_all_switched_off_are_wrong(
    cli: Cli, home: Path, name: str, title: str, file: str, off: dict[str, Any]
) -> None:
    own = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CLAUDE_CONFIG_DIR": "", "COPILOT_HOME": ""}
    assert cli.inside("init", name, "--yes", **own).code == 0
    path = home / file
    path.write_text(json.dumps({**(json.loads(path.read_bytes()) if path.exists() else {}), **off}))
    done = doctor(cli, home, COPILOT_HOME="")
    assert (done.code, line(done, title)[:5]) == (1, "wrong")
    assert f"it runs no hooks as long as {path} has " in line(done, title)


def test_a_hook_that_is_switched_off_by_its_command_is_wrong(cli: Cli, home: Path) -> None:
    assert cli.inside("init", "gemini", "--yes", HOME=str(home), PATH="/usr/bin:/bin").code == 0
    path = home / ".gemini/settings.json"
    settings = json.loads(path.read_bytes())
    [ours] = settings["hooks"]["BeforeTool"][0]["hooks"]
    path.write_text(json.dumps({**settings, "hooksConfig": {"disabled": [ours["command"]]}}))
    done = doctor(cli, home)
    assert f"it does not run the hook as long as {path} has it in hooksConfig.disabled" in line(done, "Gemini CLI")


def test_a_hook_that_asks_nobody_is_wrong(cli: Cli, home: Path, hook: Path) -> None:
    done = doctor(cli, home, PYTHONHOME="/nowhere")
    assert done.code == 1
    assert "its hook asked nobody and ended with 2" in line(done, "Claude Code")


def test_a_hook_that_prints_more_than_its_answer_is_wrong(cli: Cli, home: Path, hook: Path) -> None:
    (home / "sitecustomize.py").write_text("print('hello')")
    done = doctor(cli, home, PYTHONPATH=str(home))
    assert line(done, "Claude Code").startswith("wrong")
    assert line(done, "Claude Code").endswith(
        "prints more than its answer, so a call that a reviewer changes would run unchanged: hello"
    )


def test_settings_that_cannot_be_read_are_wrong(cli: Cli, home: Path, hook: Path) -> None:
    hook.write_text("{")
    done = doctor(cli, home)
    assert (done.code, line(done, "Claude Code")[:5]) == (1, "wrong")


def test_each_fault_of_the_settings_of_the_screen_has_a_line(cli: Cli, home: Path) -> None:
    settings = home / ".config/signoff/screen.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("colour: red\nguard:\n  hold_one: 1200ms\n")
    done = doctor(cli, home, XDG_CONFIG_HOME=str(home / ".config"))
    faults = [text for text in done.out.splitlines() if "screen.yaml:" in text]
    assert (done.code, len(faults)) == (1, 2)
    assert all(text.startswith("wrong  settings: ") for text in faults)


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_the_trial_of_each_hook_is_a_command_that_does_nothing(name: str) -> None:
    spoken = dialect(name)
    event: dict[str, Any] = json.loads(json.dumps(spoken.trial("/work")))
    call = spoken.read(event)
    assert call is not None
    assert spoken.effects(call) == (Command("true", "/work"),)


def test_a_key_that_agents_do_not_believe_is_wrong(cli: Cli, home: Path) -> None:
    keys = {"HOME": str(home), "SIGNOFF_KEYS_DIR": str(home / "keys")}
    public = cli.inside("reviewers", "show", **keys).out.strip()
    (home / "keys/reviewers.pub").write_text("")
    done = doctor(cli, home)
    assert done.code == 1
    assert line(done, "key").startswith("wrong")
    assert f"signoff reviewers trust '{public}'" in done.out


def test_a_queue_that_others_can_read_is_wrong(cli: Cli, home: Path) -> None:
    open_review_queue(cli.place).close()
    cli.place.chmod(0o755)
    done = doctor(cli, home)
    assert (done.code, line(done, "queue")[:5]) == (1, "wrong")


def test_rules_that_changed_since_they_were_trusted_are_wrong(cli: Cli, home: Path) -> None:
    rules = cli.folder / "signoff.yaml"
    rules.write_text("sandbox:\n  paths: {}\n")
    trusted = cli.inside("policy", "trust", str(rules), "--yes", HOME=str(home), XDG_DATA_HOME="")
    assert trusted.code == 0, trusted.err
    rules.write_text("sandbox:\n  paths: {}\n\n")
    done = doctor(cli, home)
    assert (done.code, line(done, "rules")[:5]) == (1, "wrong")
    assert f"signoff policy trust {rules}" in done.out


def test_settings_of_the_screen_that_are_not_valid_are_wrong(cli: Cli, home: Path) -> None:
    settings = home / "screen.yaml"
    settings.write_text("colour: red\n")
    done = doctor(cli, home, SIGNOFF_SETTINGS=str(settings))
    assert (done.code, line(done, "settings")[:5]) == (1, "wrong")
