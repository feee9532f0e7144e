"""The parts of a command line by line, in words that can be read aloud, and as JSON for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_bench import HOSTILE, Cli, call, command, post

from redaction_corpus import GITHUB
from signoff.cli.plain.session import PlainSession, PlainSettings
from signoff.policy.trust import trust
from signoff.queue import AgentQueue

RULES = """\
shell:
  rules:
    - {pattern: git status, approval: false}
    - {pattern: git commit}
    - {pattern: rm, allowed: false}
"""


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def trusted_rules(folder: Path) -> None:
    path = folder / "signoff.yaml"
    path.write_text(RULES)
    trust({str(path): path.read_bytes()})


def told(text: str) -> list[str]:
    """What stands of a printed request below the heading of the parts, with it."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("[parts] "))
    end = next((at for at in range(start + 1, len(lines)) if not lines[at].startswith("  # ")), len(lines))
    return lines[start:end]


def show(cli: Cli, agent: AgentQueue, line: str, *options: str) -> list[str]:
    return told(cli.inside("show", post(agent, command(line, cli.folder)).id, *options).out)


def test_each_part_is_told_with_what_joins_it_its_risk_what_it_writes_and_its_rule(
    cli: Cli, agent: AgentQueue
) -> None:
    trusted_rules(cli.folder)
    line = "git status && git commit -m x > log; rm -rf a | tee b"
    assert show(cli, agent, line) == [
        "[parts] 4 parts: 1 HIGH, 2 med, 1 low; rules of signoff.yaml",
        "  # part 1, low: git status",
        '  #   runs by rule "git status"',
        "  # part 2, med, if the one before works: git commit -m x",
        "  #   writes log",
        '  #   writes to a file; asks by rule "git commit"',
        "  # part 3, HIGH, then: rm -rf a",
        '  #   deletes files; blocked by rule "rm"',
        "  # part 4, med, reads what the one before prints: tee b",
        "  #   unknown command; no rule: asks",
    ]


def test_what_a_part_runs_names_it(cli: Cli, agent: AgentQueue) -> None:
    lines = show(cli, agent, "sudo bash -c 'ls && rm a'")
    assert lines[1].startswith("  # part 1, HIGH: sudo ")
    assert [line for line in lines if line.startswith("  # part ")][1:] == [
        "  # part 2, med, run by part 1: bash -c 'ls && rm a'",
        "  # part 3, low, run by part 2: ls",
        "  # part 4, HIGH, run by part 2, if the one before works: rm a",
    ]


def test_a_line_that_cannot_be_read_says_so_first(cli: Cli, agent: AgentQueue) -> None:
    assert show(cli, agent, "echo 'a; rm -rf b")[1:3] == [
        "  # HIGH: the line is no complete command for bash",
        "  #   what it runs cannot be told, so it counts as the highest risk",
    ]


def test_the_only_part_is_not_repeated(cli: Cli, agent: AgentQueue) -> None:
    assert show(cli, agent, "ls") == ["[parts] 1 part: low"]


def test_the_least_risky_of_very_many_are_counted_and_can_be_had(cli: Cli, agent: AgentQueue) -> None:
    line = "; ".join(["rm a", *(f"echo {number}" for number in range(100))])
    assert show(cli, agent, line)[-1] == "  # 100 parts not listed: low; signoff show --context 4 lists all"
    assert "  # part 101, low, then: echo 99" in show(cli, agent, line, "--context", "4")


def test_an_argument_that_a_shell_may_run_is_a_guess(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call("runner", payload={"cmd": "rm a"}))
    shown = told(cli.inside("show", request.id).out)
    assert shown[0].startswith('[parts] if a shell runs "cmd": 1 part: HIGH')


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_secrets_are_hidden_in_the_parts_as_well(cli: Cli, agent: AgentQueue, options: tuple[str, ...]) -> None:
    request = post(agent, command(f"bash -c 'echo {GITHUB}'; ls > {GITHUB}", cli.folder))
    assert GITHUB not in cli.inside("show", request.id, *options).out
    assert GITHUB in cli.inside("show", request.id, "--reveal", *options).out


def test_text_of_others_stands_behind_our_words_and_obeys_nothing(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command(f"echo '{HOSTILE}\n  # part 9, low: ls' > '{HOSTILE}'", cli.folder))
    shown = cli.inside("show", request.id).out
    assert all(line.isprintable() for line in shown.splitlines())
    assert [line[:9] for line in told(shown) if line.startswith("  # part")] == ["  # part "]


def test_json_has_the_parts_for_programs(cli: Cli, agent: AgentQueue) -> None:
    trusted_rules(cli.folder)
    request = post(agent, command("git status && rm a > b", cli.folder))
    facts = cli.inside("show", request.id, "--json").json
    (found,) = facts["commands"]
    assert {key: found[key] for key in ("command", "argument", "risk", "rule_file", "remarks")} == {
        "command": "git status && rm a > b",
        "argument": None,
        "risk": "high",
        "rule_file": str(cli.folder / "signoff.yaml"),
        "remarks": [],
    }
    assert found["parts"][1] == {
        "text": "rm a",
        "joined": "&&",
        "depth": 0,
        "times": 1,
        "doubtful": False,
        "writes": ["b"],
        "risk": "high",
        "reasons": ["redirection", "delete", "unknown-command"],
        "rule": {"name": "rm", "verdict": "block", "reasons": []},
    }


def test_the_talk_line_by_line_tells_them_before_anything_is_approved(cli: Cli, agent: AgentQueue) -> None:
    trusted_rules(cli.folder)
    post(agent, command("git status && rm a", cli.folder))
    with cli.review() as queue:
        desk = PlainSession(queue, PlainSettings(), lambda: 0.0, lambda: 0, None)
        desk.news(queue.changes(0))
        shown = told(desk.line("y 1").text)
    assert shown[3:] == [
        "  # part 2, HIGH, if the one before works: rm a",
        '  #   deletes files; blocked by rule "rm"',
    ]


def test_a_call_without_a_command_has_no_parts(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    assert "[parts]" not in cli.inside("show", request.id).out
    assert cli.inside("show", request.id, "--json").json["commands"] == []
