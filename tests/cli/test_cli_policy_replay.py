from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from cli_bench import HOSTILE, Cli, agent_on, call, command, post, write

from signoff.queue import AgentQueue, Decision, DecisionSource
from signoff.submission import plain_submission

SETTINGS = "shell: {rules: [{pattern: git status, approval: false}, {pattern: rm, allowed: false}]}\n"


def asked(cli: Cli, agent: AgentQueue, request: Any, *, approved: bool = True) -> str:
    """Let a call be asked about and decided; its id."""
    posted = post(agent, request)
    with cli.review() as review:
        review.decide(posted.id, 1, posted.submission.digest, Decision(approved=approved))
    return posted.id


def answered(agent: AgentQueue, request: Any, source: DecisionSource, *, approved: bool = True) -> None:
    """Record a call that was answered without a person."""
    submission = plain_submission(request, None, cwd=agent.agent.cwd)
    agent.record(submission, Decision(approved=approved, source=source, by="g"))


def replay(cli: Cli, *options: str, settings: str = SETTINGS) -> Any:
    (cli.folder / "signoff.yaml").write_text(settings)
    done = cli.inside("policy", "replay", "signoff.yaml", "--json", *options)
    assert (done.code, done.err) == (0, "")
    return done.json


def counted(cli: Cli, *options: str, settings: str = SETTINGS) -> dict[str, int]:
    """The counts that are not 0."""
    counts = replay(cli, *options, settings=settings)["counts"]
    return {name: count for name, count in counts.items() if count}


def test_what_was_asked_and_would_run_or_be_blocked_is_told(cli: Cli, agent: AgentQueue) -> None:
    runs = asked(cli, agent, command("git status", cli.folder))
    blocked = asked(cli, agent, command("rm x", cli.folder))
    asked(cli, agent, command("ls", cli.folder), approved=False)
    found = replay(cli)
    assert [(change["id"], change["was"], change["verdict"], change["rule"]) for change in found["changes"]] == [
        (blocked, "asked", "block", "rm"),
        (runs, "asked", "allow", "git status"),
    ]
    assert found["counts"]["same"] == 1


@pytest.mark.parametrize("source", [DecisionSource.GRANT, DecisionSource.RULE, DecisionSource.MODE])
@pytest.mark.parametrize(
    ("text", "approved", "name"),
    [
        ("ls", True, "passed_asks"),
        ("rm x", True, "passed_blocked"),
        ("git status", True, "same"),
        ("ls", False, "stopped_asks"),
        ("git status", False, "stopped_runs"),
        ("rm x", False, "same"),
    ],
)
def test_what_was_answered_without_a_person_is_told_if_it_would_end_otherwise(
    cli: Cli, agent: AgentQueue, source: DecisionSource, text: str, approved: bool, name: str
) -> None:
    answered(agent, command(text, cli.folder), source, approved=approved)
    assert counted(cli) == {"calls": 1, name: 1}


def test_a_request_that_nobody_decided_was_asked(cli: Cli, agent: AgentQueue) -> None:
    agent.withdraw(post(agent, command("git status", cli.folder)).id, "changed its mind")
    assert counted(cli) == {"calls": 1, "asked_runs": 1}


def test_people_read_counts_and_calls(cli: Cli, agent: AgentQueue) -> None:
    ident = asked(cli, agent, command("git status", cli.folder))
    (cli.folder / "signoff.yaml").write_text(SETTINGS)
    lines = cli.inside("policy", "replay", "signoff.yaml").out.splitlines()
    assert lines[:3] == ["1 calls: 0 as before, 0 unknown", "", "1 asked, would now run without a question:"]
    assert lines[3].endswith(f"{ident[:8]}  refactor  shell: git status")
    assert lines[4] == '    approved; now rule "git status"'


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ([], 3),
        (["--last", "2"], 2),
        (["--tool", "shell"], 2),
        (["--agent", "docs-bot"], 1),
        (["--since", "1h"], 3),
        (["--since", "2999-01-01"], 0),
        (["--tool", "shell", "--last", "1"], 1),
    ],
)
def test_the_history_can_be_narrowed(cli: Cli, agent: AgentQueue, options: list[str], count: int) -> None:
    asked(cli, agent, command("git status", cli.folder))
    asked(cli, agent, command("ls", cli.folder))
    with agent_on(cli, "docs-bot", "s-2") as other:
        asked(cli, other, call())
    assert replay(cli, *options)["counts"]["calls"] == count


# -- what cannot be told ---------------------------------------------------------------------------------


def test_a_tool_that_may_be_of_a_server_with_other_rules_is_unknown(cli: Cli, agent: AgentQueue) -> None:
    asked(cli, agent, call("create_issue"))
    settings = "tool_servers: [{server_name: tracker, denylist: ['create_.*']}]"
    assert counted(cli, settings=settings) == {"calls": 1, "unknown": 1}


def test_a_tool_that_is_judged_alike_wherever_it_is_of_is_known(cli: Cli, agent: AgentQueue) -> None:
    asked(cli, agent, call("create_issue"))
    settings = "unknown: ask\ntool_servers: [{server_name: tracker, denylist: ['delete_.*']}]"
    assert counted(cli, settings=settings) == {"calls": 1, "same": 1}


@pytest.mark.parametrize(
    ("path", "name"), [("notes/a.txt", "unknown"), ("{folder}/notes/a.txt", "same"), ("/etc/x", "asked_blocked")]
)
def test_a_relative_path_of_another_directory_is_unknown(
    cli: Cli, agent: AgentQueue, path: str, name: str
) -> None:
    path = path.format(folder=cli.folder / "inner")
    inner = cli.folder / "inner"
    (inner / "notes").mkdir(parents=True)
    asked(cli, agent, write(cli.folder / "x", "x", arguments={"path": path, "content": "x"}))
    (inner / "signoff.yaml").write_text("sandbox: {paths: {notes: {root: notes, mode: rw}}}")
    counts = cli.inside("policy", "replay", "inner/signoff.yaml", "--json").json["counts"]
    assert (counts["calls"], counts[name]) == (1, 1)


def test_why_it_is_unknown_is_told_to_people(cli: Cli, agent: AgentQueue) -> None:
    asked(cli, agent, call("create_issue"))
    (cli.folder / "signoff.yaml").write_text("tool_servers: [{server_name: t, denylist: ['.*']}]")
    out = cli.inside("policy", "replay", "signoff.yaml").out
    assert out.splitlines()[-2:] == [
        "1 unknown:",
        "  1: the history does not say which server the tool is of",
    ]


def test_a_record_that_cannot_be_read_is_unknown(cli: Cli, agent: AgentQueue) -> None:
    asked(cli, agent, command("git status", cli.folder))
    with closing(sqlite3.connect(next(cli.place.glob("*.db")))) as file, file:
        for (trigger,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            file.execute(f"DROP TRIGGER {trigger}")
        file.execute("UPDATE requests SET submission = '[]'")
    assert counted(cli) == {"calls": 1, "unknown": 1}


def test_a_record_that_says_what_was_deleted_is_no_call(cli: Cli) -> None:
    with agent_on(cli) as agent:
        for _ in range(2):
            asked(cli, agent, command("git status", cli.folder))
    assert cli.inside("history", "prune", "--keep", "1", "--yes").code == 0
    assert counted(cli) == {"calls": 1, "asked_runs": 1}


# -- what is printed -------------------------------------------------------------------------------------

SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_secrets_are_hidden_unless_they_are_asked_for(cli: Cli, agent: AgentQueue, options: list[str]) -> None:
    asked(cli, agent, command(f"rm {SECRET}", cli.folder))
    (cli.folder / "signoff.yaml").write_text(SETTINGS)
    assert SECRET not in cli.inside("policy", "replay", "signoff.yaml", *options).out
    assert SECRET in cli.inside("policy", "replay", "signoff.yaml", "--reveal", *options).out


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_in_the_history_can_act_on_the_terminal(cli: Cli, options: list[str]) -> None:
    with agent_on(cli, HOSTILE, HOSTILE) as agent:
        asked(cli, agent, call("run_command", HOSTILE, payload={"command": f"rm {HOSTILE}"}))
    (cli.folder / "signoff.yaml").write_text(SETTINGS)
    done = cli.inside("policy", "replay", "signoff.yaml", *options)
    assert done.code == 0
    assert "[2J" in done.out
    assert all(char.isprintable() for char in done.out.replace("\n", ""))
    assert "\nfake line" not in done.out


def test_without_a_queue_it_ends_with_5(cli: Cli) -> None:
    (cli.folder / "signoff.yaml").write_text(SETTINGS)
    assert cli.inside("policy", "replay", "signoff.yaml").code == 5
