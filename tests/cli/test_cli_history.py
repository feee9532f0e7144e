from __future__ import annotations

import pytest
from cli_bench import Cli, agent_on, call, post

from signoff.queue import AgentQueue, Decision


@pytest.fixture
def decided(cli: Cli, agent: AgentQueue) -> list[str]:
    """Ids, oldest first: approved, rejected with a note, withdrawn; the last is of another agent and tool."""
    first, second = post(agent, call()), post(agent, call())
    with agent_on(cli, "docs-bot", "s-2") as other:
        third = post(other, call("publish", "Publish the docs"))
        other.withdraw(third.id, "plan changed")
    with cli.review() as review:
        review.decide(first.id, 1, first.submission.digest, Decision(approved=True))
        review.decide(second.id, 1, second.submission.digest, Decision(approved=False, note="no"))
    return [third.id, first.id, second.id]


def ids(cli: Cli, *words: str) -> list[str]:
    return [record["id"] for record in cli.inside("history", "--json", *words).json]


def test_the_newest_comes_first_with_who_decided_and_the_note(cli: Cli, decided: list[str]) -> None:
    lines = cli.run("history").out.splitlines()
    assert f"  {decided[2][:8]}  rejected    by reviewer anna  refactor  create_issue: Create an issue" in lines[0]
    assert lines[1] == "    no"
    assert "approved" in lines[2]
    assert "withdrawn   undecided  docs-bot  publish: Publish the docs" in lines[3]
    assert lines[4] == "    plan changed"


def test_filters_narrow_and_combine(cli: Cli, decided: list[str]) -> None:
    third, first, second = decided
    assert ids(cli) == [second, first, third]
    assert ids(cli, "--agent", "docs-bot") == [third]
    assert ids(cli, "--session", "s-1") == [second, first]
    assert ids(cli, "--tool", "publish") == [third]
    assert ids(cli, "--state", "approved") == [first]
    assert ids(cli, "--state", "approved", "--tool", "publish") == []
    assert ids(cli, "--state", "approved", "--state", "withdrawn") == [first, third]
    assert ids(cli, "--by", "anna") == [second, first]
    assert ids(cli, "--text", "docs publ") == [third]
    assert ids(cli, "--text", "issue", "--state", "rejected") == [second]
    assert ids(cli, "--until", "1h") == []
    assert ids(cli, "--since", "1h") == [second, first, third]
    assert ids(cli, "--since", "2999-01-01") == []


def test_a_limit_that_leaves_something_out_says_so(cli: Cli, decided: list[str]) -> None:
    done = cli.inside("history", "--limit", "2", "--json")
    assert [record["id"] for record in done.json] == [decided[2], decided[1]]
    assert "there is more: these are the newest 2" in done.err
    assert cli.inside("history", "--limit", "3").err == ""


def test_a_list_goes_on_from_where_it_ended(cli: Cli, decided: list[str]) -> None:
    assert "or go on with --before 2" in cli.inside("history", "--limit", "2").err
    assert ids(cli, "--before", "2") == [decided[0]]


def test_json_gives_all_facts_of_a_record(cli: Cli, decided: list[str]) -> None:
    record = cli.inside("history", "--json", "--state", "rejected").json[0]
    assert record["decision"] == {
        "approved": False,
        "source": "reviewer",
        "by": "anna",
        "note": "no",
        "mode": "soft",
        "remember": "none",
        "shown": None,
        "deliberate": False,
        "instead": None,
    }
    assert set(record) == {
        "seq", "at", "id", "revision", "state", "reason", "decision", "agent", "session", "tool", "server",
        "description", "arguments", "group", "batch", "risk", "sandbox", "took_seconds", "digest", "hash",
    }  # fmt: skip


@pytest.mark.parametrize("since", ["", "tomorrow", "1y", "1e3h", "-1h"])
def test_a_time_that_is_none_ends_with_2(cli: Cli, agent: AgentQueue, since: str) -> None:
    done = cli.inside("history", "--since", since)
    assert done.code == 2
    assert "write 90s, 30m, 1h, 2d, 1w or an ISO 8601 time" in done.err


@pytest.mark.parametrize("words", [("--limit", "0"), ("--limit", "many"), ("--state", "pending"), ("--text", "?")])
def test_a_filter_that_makes_no_sense_ends_with_2(cli: Cli, agent: AgentQueue, words: tuple[str, str]) -> None:
    assert cli.inside("history", *words).code == 2


def test_without_a_queue_it_ends_with_5(cli: Cli) -> None:
    assert cli.inside("history").code == 5
