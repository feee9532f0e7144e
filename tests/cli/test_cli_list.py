from __future__ import annotations

from cli_bench import Cli, agent_on, call, command, high, post, write

from signoff.queue import AgentQueue


def test_without_a_queue_it_says_where_it_looked_and_how_one_begins(cli: Cli) -> None:
    done = cli.run("list")
    assert done.code == 5
    assert done.out == ""
    assert str(cli.place) in done.err
    assert "when an agent asks for the first time" in done.err
    assert not cli.place.exists()


def test_the_option_names_another_queue_than_the_environment(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    elsewhere = cli.inside("list", SIGNOFF_QUEUE="/nowhere/at/all")
    assert elsewhere.code == 5
    before_the_verb = cli.inside("--queue", str(cli.place), "list", SIGNOFF_QUEUE="/nowhere/at/all")
    assert before_the_verb.out.startswith("1 waiting")
    behind_the_verb = cli.inside("list", "--queue", str(cli.place), SIGNOFF_QUEUE="/nowhere/at/all")
    assert behind_the_verb.out == before_the_verb.out


def test_an_empty_queue_is_no_error(cli: Cli, agent: AgentQueue) -> None:
    done = cli.inside("list")
    assert (done.code, done.out, done.err) == (0, "nothing is waiting\n", "")


def test_each_request_has_a_line_with_id_risk_kind_agent_and_what(cli: Cli, agent: AgentQueue) -> None:
    risky = post(agent, high(cli.folder))
    plain = post(agent, write(cli.folder / "new.txt", "hello\n"))
    summary, first, second = cli.run("list").out.splitlines()
    assert summary == "2 waiting, 1 HIGH, 0 groups"
    assert first.split()[:3] == [risky.id[:8], "HIGH", "command"]
    assert first.endswith("refactor  shell: rm -rf build")
    assert second.startswith(plain.id[:8])
    assert "new file" in second


def test_what_a_call_does_is_listed_and_not_what_its_agent_says_of_it(cli: Cli, agent: AgentQueue) -> None:
    post(agent, command("rm -rf build", cli.folder).model_copy(update={"description": "List files"}))
    out = cli.run("list").out
    assert "rm -rf build" in out
    assert "List files" not in out


def test_a_group_stands_together_and_is_counted(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call(group_id="save", group_size=3))
    post(agent, call(description="Alone"))
    post(agent, call(group_id="save", group_size=3))
    lines = cli.inside("list").out.splitlines()
    assert lines[0] == "3 waiting, 1 group"
    heading = lines.index("group save: 2 requests, 3 announced")
    assert [line.startswith("  ") for line in lines[heading + 1 :]] == [True, True, False]


def test_equal_group_names_of_two_sessions_are_two_groups(cli: Cli, agent: AgentQueue) -> None:
    with agent_on(cli, "other", "s-2") as other:
        post(agent, call(group_id="save"))
        post(other, call(group_id="save"))
        assert cli.inside("list").out.startswith("2 waiting, 2 groups")


def test_a_shortened_description_says_how_much_is_missing(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call(description="x" * 130))
    assert cli.inside("list").out.endswith("x" * 100 + " (+30 characters)\n")


def test_json_gives_all_facts_of_each_request(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command("make", cli.folder, group_id="build", expires_in=500))
    (facts,) = cli.inside("list", "--json").json
    assert facts == {
        "id": request.id,
        "revision": 1,
        "digest": request.submission.digest,
        "state": "pending",
        "state_note": None,
        "risk": request.submission.risk,
        "risk_reasons": list(request.submission.risk_reasons),
        "kind": "command",
        "tool": "shell",
        "server": None,
        "description": "Run make",
        "agent": "refactor",
        "session": "s-1",
        "pid": request.asked_by.pid,
        "host": request.asked_by.host,
        "via": "python",
        "caller": "",
        "program": "pytest",
        "cwd": str(cli.folder),
        "group": "build",
        "batch": None,
        "why": "",
        "created_at": facts["created_at"],
        "expires_at": facts["expires_at"],
        "decided_at": None,
        "waiting_seconds": facts["waiting_seconds"],
        "decision": None,
    }
    assert facts["created_at"].endswith("Z")
    assert facts["expires_at"] > facts["created_at"]
