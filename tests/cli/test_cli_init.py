from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_bench import Cli, Ended

LINE = "hook claude-code || exit 2"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    return home


def init(cli: Cli, home: Path, *words: str) -> Ended:
    return cli.run("init", *words, HOME=str(home), PATH="/usr/bin:/bin", CLAUDE_CONFIG_DIR="", XDG_CONFIG_HOME="")


def settings(home: Path) -> Any:
    return json.loads((home / ".claude/settings.json").read_text("utf-8"))


def test_the_agents_of_this_machine_get_the_hook(cli: Cli, home: Path) -> None:
    done = init(cli, home, "--yes")
    assert done.code == 0, done.err
    assert "+" in done.out
    assert LINE in done.out
    [entry] = settings(home)["hooks"]["PreToolUse"]
    assert entry["hooks"][0]["command"].endswith(LINE)
    assert not (home / ".gemini").exists()


def test_the_line_names_the_program_where_no_path_leads_to_it(cli: Cli, home: Path) -> None:
    init(cli, home, "--yes")
    command = settings(home)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert Path(command.split()[0]).is_absolute()


def test_an_agent_that_is_named_gets_it_though_it_is_not_there(cli: Cli, home: Path) -> None:
    assert init(cli, home, "gemini", "--yes").code == 0
    assert (home / ".gemini/settings.json").exists()


def test_what_a_person_still_has_to_do_is_said(cli: Cli, home: Path) -> None:
    done = init(cli, home, "codex", "--yes")
    assert "trust the hook" in done.out
    assert "hook codex" in (home / ".codex/hooks.json").read_text("utf-8")


def test_the_file_as_it_was_stays_beside_it(cli: Cli, home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_text('{"model": "x"}')
    file.chmod(0o640)
    init(cli, home, "--yes")
    assert Path(f"{file}.before-signoff").read_text() == '{"model": "x"}'
    assert settings(home)["model"] == "x"
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_second_time_changes_nothing(cli: Cli, home: Path) -> None:
    init(cli, home, "--yes")
    before = (home / ".claude/settings.json").read_bytes()
    assert "has the hook already" in init(cli, home, "--yes").out
    assert (home / ".claude/settings.json").read_bytes() == before


def test_it_is_taken_out_again(cli: Cli, home: Path) -> None:
    (home / ".claude/settings.json").write_text('{"model": "x"}')
    init(cli, home, "--yes")
    assert init(cli, home, "--undo", "--yes").code == 0
    assert settings(home) == {"model": "x"}
    assert "has no hook" in init(cli, home, "--undo", "--yes").out


def test_taking_it_out_gives_the_file_back(cli: Cli, home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_text('{"a": [1,2]}')
    init(cli, home, "--yes")
    assert init(cli, home, "--undo", "--yes").code == 0
    assert file.read_text() == '{"a": [1,2]}'


def test_what_was_changed_since_stays_when_it_is_taken_out(cli: Cli, home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_text('{"a": 1}')
    init(cli, home, "--yes")
    file.write_text(file.read_text().replace('"a": 1', '"a": true'))
    init(cli, home, "--undo", "--yes")
    assert settings(home) == {"a": True}
    assert settings(home)["a"] is True


def test_a_file_as_it_was_without_the_hook_is_kept_from_one_with_it(cli: Cli, home: Path) -> None:
    file = home / ".claude/settings.json"
    file.write_text('{"model": "x"}')
    init(cli, home, "--yes")
    file.write_text(file.read_text().replace("|| exit 2", ""))
    assert "as it was" not in init(cli, home, "--yes").out
    assert Path(f"{file}.before-signoff").read_text() == '{"model": "x"}'


@pytest.mark.parametrize("value", ["1e999", '"\\ud83d"'])
def test_settings_that_cannot_be_written_again_as_they_are_stay(cli: Cli, home: Path, value: str) -> None:
    file = home / ".claude/settings.json"
    file.write_text(f'{{"a": {value}}}')
    done = init(cli, home, "--yes")
    assert (done.code, "by hand" in done.err) == (1, True)
    assert file.read_text() == f'{{"a": {value}}}'


def test_a_link_stays_a_link(cli: Cli, home: Path) -> None:
    (home / "dotfiles.json").write_text("{}")
    (home / ".claude/settings.json").symlink_to(home / "dotfiles.json")
    init(cli, home, "--yes")
    assert (home / ".claude/settings.json").is_symlink()
    assert LINE in (home / "dotfiles.json").read_text()


def test_what_is_not_understood_is_left_as_it_is(cli: Cli, home: Path) -> None:
    (home / ".claude/settings.json").write_text("// mine\n{}")
    done = init(cli, home, "--yes")
    assert (done.code, "by hand" in done.err) == (1, True)
    assert (home / ".claude/settings.json").read_text() == "// mine\n{}"


def test_without_a_terminal_nothing_is_written_unasked(cli: Cli, home: Path) -> None:
    done = init(cli, home)
    assert (done.code, "--yes" in done.err) == (2, True)
    assert not (home / ".claude/settings.json").exists()


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False), ("", False)])
def test_a_person_is_asked_before_a_file_is_written(cli: Cli, home: Path, answer: str, written: bool) -> None:
    import pexpect

    words = cli.command("init", "claude-code")
    environment = cli.environment(HOME=str(home), PATH=os.environ["PATH"])
    with pexpect.spawn(words[0], words[1:], env=environment, encoding="utf-8", timeout=30) as child:
        child.expect_exact("? [y/N] ")
        child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == (0 if written else 1)
    assert (home / ".claude/settings.json").exists() is written


def test_what_was_written_while_it_asked_stays(cli: Cli, home: Path) -> None:
    import pexpect

    file = home / ".claude/settings.json"
    words = cli.command("init", "claude-code")
    environment = cli.environment(HOME=str(home), PATH=os.environ["PATH"])
    with pexpect.spawn(words[0], words[1:], env=environment, encoding="utf-8", timeout=30) as child:
        child.expect_exact("? [y/N] ")
        file.write_text('{"model": "x"}')
        child.sendline("y")
        child.expect_exact("give the command again")
        child.expect(pexpect.EOF)
        child.close()
    assert (child.exitstatus, file.read_text()) == (1, '{"model": "x"}')


def test_a_plugin_is_written_and_removed_again(cli: Cli, home: Path) -> None:
    plugin = home / ".config/opencode/plugin/signoff.js"
    assert init(cli, home, "opencode", "--yes").code == 0
    written = plugin.read_text("utf-8")
    done = init(cli, home, "opencode", "--undo", "--yes")
    assert (done.code, plugin.exists()) == (0, False)
    assert plugin.with_name("signoff.js.before-signoff").read_text("utf-8") == written
