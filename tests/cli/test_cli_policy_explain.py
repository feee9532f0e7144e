from __future__ import annotations

import pytest
from cli_bench import HOSTILE, Cli

SETTINGS = "shell: {rules: [{pattern: git status, approval: false}, {pattern: rm, allowed: false}]}"


@pytest.fixture(autouse=True)
def settings(cli: Cli) -> None:
    (cli.folder / "signoff.yaml").write_text(SETTINGS)


def explained(cli: Cli, *words: str) -> list[str]:
    done = cli.inside("policy", "explain", "signoff.yaml", "--", *words)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def test_each_part_is_told_with_its_verdict_and_its_rule_then_the_whole(cli: Cli) -> None:
    assert explained(cli, "git status; rm -rf build") == [
        "command  git status; rm -rf build",
        "",
        "runs     git status    git status",
        "blocked  rm -rf build  rm",
        "",
        'the whole command: blocked, rule "rm"',
    ]


def test_what_is_asked_about_whatever_the_rules_say_is_told(cli: Cli) -> None:
    assert explained(cli, "git status > x") == [
        "command  git status > x",
        "",
        "runs     git status  git status",
        "asks     the command writes to a file",
        "",
        "the whole command: asks, writes to a file",
    ]


def test_the_reasons_of_a_part_stand_below_it(cli: Cli) -> None:
    lines = explained(cli, "$X a")
    assert lines[2:4] == [
        "asks     … a  default",
        "         ! runs a program whose name is filled in by the shell",
    ]


def test_several_words_are_a_command_of_just_these_words(cli: Cli) -> None:
    assert explained(cli, "git", "status", "; rm x")[0] == "command  git status '; rm x'"
    assert explained(cli, "git", "status", "; rm x")[-1] == 'the whole command: runs, rule "git status"'


def test_what_is_no_command_is_told_all_the_same(cli: Cli) -> None:
    assert explained(cli, "")[-1] == "the whole command: asks, holds no command"


def test_options_behind_the_dashes_belong_to_the_command(cli: Cli) -> None:
    assert explained(cli, "git", "status", "--json")[0] == "command  git status --json"


def test_the_same_is_json_for_programs(cli: Cli) -> None:
    done = cli.inside("policy", "explain", "signoff.yaml", "--json", "--", "git status > x")
    assert done.json == {
        "command": "git status > x",
        "verdict": "ask",
        "rule": "",
        "reasons": ["writes to a file"],
        "parts": [{"text": "git status", "verdict": "allow", "rule": "git status", "reasons": []}],
    }


def test_without_a_command_it_is_wrong_use(cli: Cli) -> None:
    done = cli.inside("policy", "explain", "signoff.yaml")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_in_a_command_can_act_on_the_terminal(cli: Cli, options: list[str]) -> None:
    done = cli.inside("policy", "explain", "signoff.yaml", *options, "--", f"rm {HOSTILE}")
    assert done.code == 0
    assert "fake line" in done.out
    assert all(char.isprintable() for char in done.out.replace("\n", ""))
    assert "\nfake line" not in done.out
