from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_bench import HOSTILE, Cli, agent_on, call, command, post

from signoff.config import parse_config
from signoff.config.verdicts import SettingsVerdicts
from signoff.policy.verdict import Level
from signoff.queue import AgentQueue, Decision, DecisionSource


def decided(cli: Cli, agent: AgentQueue, *texts: str, approved: bool = True, **decision: Any) -> list[str]:
    """Commands that were asked about and decided; their ids."""
    ids = []
    with cli.review() as review:
        for text in texts:
            posted = post(agent, command(text, cli.folder))
            ids.append(posted.id)
            answer = Decision(approved=approved, **decision)
            review.decide(posted.id, 1, posted.submission.digest, answer)
    return ids


def patterns(cli: Cli) -> list[str]:
    done = cli.inside("policy", "suggest", "--json")
    assert (done.code, done.err) == (0, "")
    return [suggestion["pattern"] for suggestion in done.json]


THREE = ("git status", "git status -s", "git status --short")


def test_a_rule_is_suggested_for_what_was_approved_three_times(cli: Cli, agent: AgentQueue) -> None:
    ids = decided(cli, agent, *THREE)
    (found,) = cli.inside("policy", "suggest", "--json").json
    assert found["pattern"] == "git status"
    assert [(each["id"], each["command"]) for each in found["requests"]] == list(zip(ids, THREE, strict=True))


def test_the_yaml_can_be_pasted_and_answers_the_requests_that_it_names(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, *THREE, *["pytest -q tests"] * 3)
    text = cli.inside("policy", "suggest").out
    found = SettingsVerdicts(parse_config(text), cli.folder)
    assert [rule.pattern for rule in found.config.shell.rules] == ["git status", "pytest -q tests"]  # type: ignore[union-attr]
    for command_line in (*THREE, "pytest -q tests"):
        assert f"  {command_line}\n" in text
        assert found.command(command_line).level is Level.ALLOW


def test_a_rule_is_as_long_as_the_words_that_all_have_in_common(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, "git diff --stat a", "git diff --stat b", "git diff --stat c")
    assert patterns(cli) == ["git diff --stat"]


def test_what_would_have_answered_most_comes_first(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, *["git diff x"] * 3, *["git log x"] * 4)
    assert patterns(cli) == ["git log x", "git diff x"]


NEVER = {
    "twice is not enough": ["git status"] * 2,
    "a program alone may be called with anything": ["ls"] * 3,
    "a program with options only": ["ls -la"] * 3,
    "other words each time": ["git add a", "git rm b", "git mv c d"],
    "a shell": ["bash x.sh"] * 3,
    "an interpreter": ["python3 -m build"] * 3,
    "a package manager": ["npm run build"] * 3,
    "a program that runs its arguments": ["timeout 5 git status"] * 3,
    "a container": ["docker run alpine"] * 3,
    "an unknown program with other words each time": [
        "frobnicate build a",
        "frobnicate build b",
        "frobnicate build c",
    ],
    "a side door": ["git grep -O x"] * 3,
    "several commands": ["git status; git log"] * 3,
    "a file that is written": ["git status > x"] * 3,
    "what another command prints": ["git show $(cat x)"] * 3,
    "a variable": ["git show $X"] * 3,
    "high risk": ["rm -rf build"] * 3,
}


@pytest.mark.parametrize("case", NEVER)
def test_no_rule_is_suggested_for(cli: Cli, agent: AgentQueue, case: str) -> None:
    decided(cli, agent, *NEVER[case])
    assert patterns(cli) == []


def test_a_secret_is_no_part_of_a_rule(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, *["git fetch origin ghp_" + "a1B2" * 9] * 3)
    assert patterns(cli) == ["git fetch origin"]


@pytest.mark.parametrize(
    "rejected", ["git status", "git status -s", "echo; git status", "sudo git status", "/usr/bin/git status"]
)
def test_what_was_rejected_once_is_never_suggested(cli: Cli, agent: AgentQueue, rejected: str) -> None:
    decided(cli, agent, *THREE)
    decided(cli, agent, rejected, approved=False)
    assert patterns(cli) == []


def test_a_rejection_of_something_else_does_not_count(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, *THREE)
    decided(cli, agent, "git stash", approved=False)
    assert patterns(cli) == ["git status"]


def test_a_rule_that_would_answer_a_call_of_high_risk_is_not_suggested(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, *THREE)
    decided(cli, agent, "git status; rm -rf build")
    assert patterns(cli) == []


@pytest.mark.parametrize("source", [DecisionSource.CALLBACK, DecisionSource.MODE, DecisionSource.GRANT])
def test_only_approvals_of_a_person_count(cli: Cli, agent: AgentQueue, source: DecisionSource) -> None:
    for text in THREE:
        submission = post(agent, command(text, cli.folder)).submission
        agent.record(submission, Decision(approved=True, source=source, by="x"))
    assert patterns(cli) == []


def test_a_command_of_another_tool_does_not_count(cli: Cli, agent: AgentQueue) -> None:
    for _ in range(3):
        posted = post(agent, call("deploy", payload={"command": "git status"}))
        with cli.review() as review:
            review.decide(posted.id, 1, posted.submission.digest, Decision(approved=True))
    assert patterns(cli) == []


def test_nothing_is_written(cli: Cli, agent: AgentQueue) -> None:
    decided(cli, agent, *THREE)
    before = files_of(cli.folder)
    cli.inside("policy", "suggest")
    assert files_of(cli.folder) == before


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_having_nothing_to_suggest_is_said_beside_the_output(cli: Cli, agent: AgentQueue) -> None:
    done = cli.inside("policy", "suggest")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("signoff: nothing to suggest: ")


def test_a_hostile_command_stays_a_comment(cli: Cli) -> None:
    text = f"git status '{HOSTILE}'".replace("\x1b", "x")
    with agent_on(cli, HOSTILE, HOSTILE) as agent:
        decided(cli, agent, *["git status -s"] * 3, text)
    out = cli.inside("policy", "suggest").out
    assert all(char.isprintable() for char in out.replace("\n", ""))
    assert yaml.safe_load(out) == {"shell_rules": [{"pattern": "git status -s", "approval": False}]}
