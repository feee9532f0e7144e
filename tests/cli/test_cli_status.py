from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading

import pexpect
import pytest
from cli_bench import PATIENCE, Cli, agent_on, at_a_terminal, call, high, post

from signoff.cli.status import StatusCall, parse_plain_call
from signoff.queue import AgentMode, AgentQueue
from system_bench import eventually

NO_MODES = {"approve_all": 0, "strict": 0}


def test_without_a_queue_it_says_so_and_ends_with_30(cli: Cli) -> None:
    done = cli.run("status")
    assert (done.code, done.out) == (30, "not connected\n")
    assert str(cli.place) in done.err
    assert cli.inside("status", "--json").json == {"connected": False}


def test_nothing_waiting_ends_with_0(cli: Cli, agent: AgentQueue) -> None:
    done = cli.run("status")
    assert (done.code, done.out, done.err) == (0, "0 waiting no screen\n", "")


def test_waiting_requests_end_with_10(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    done = cli.run("status")
    assert done.code == 10
    assert re.fullmatch(r"1 waiting \d+:\d\d no screen\n", done.out)


def test_high_risk_ends_with_20(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    post(agent, high(cli.folder))
    done = cli.run("status")
    assert done.code == 20
    assert re.fullmatch(r"2 waiting 1 HIGH \d+:\d\d no screen\n", done.out)


def test_tmux_gets_style_codes(cli: Cli, agent: AgentQueue) -> None:
    post(agent, high(cli.folder))
    done = cli.inside("status", "--format", "tmux")
    assert done.code == 20
    plain = re.sub(r"#\[[a-z,=]*\]", "", done.out)
    assert plain != done.out
    assert re.fullmatch(r"1 waiting 1 HIGH \d+:\d\d no screen\n", plain)


def test_an_agent_that_asks_nobody_is_told_in_a_word(cli: Cli, agent: AgentQueue) -> None:
    agent.announce_mode(AgentMode.STRICT)
    assert cli.inside("status").out == "0 waiting no screen MODE strict\n"
    with agent_on(cli, '"mode":"strict"') as other:
        other.announce_mode(AgentMode.APPROVE_ALL)
        assert cli.inside("status").out == "0 waiting no screen MODE approve_all\n"
        assert cli.inside("status", "--format", "tmux").out.endswith("#[fg=red,bold]MODE approve_all#[default]\n")
        assert {"approve_all": 1, "strict": 1}.items() <= cli.inside("status", "--json").json.items()
        other.announce_mode(AgentMode.INTERACTIVE)
        assert {"approve_all": 0, "strict": 1}.items() <= cli.inside("status", "--json").json.items()


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"], ["--format=json"]])
def test_json_gives_all_counts(cli: Cli, agent: AgentQueue, words: list[str]) -> None:
    post(agent, high(cli.folder))
    counts = cli.inside("status", *words).json
    assert counts.pop("oldest_seconds") >= 0
    assert abs(counts.pop("clock_ahead_seconds")) < 1
    expected = {
        "connected": True,
        "waiting": 1,
        "high": 1,
        "agents": 1,
        "grants": 0,
        "screen_open": False,
        "history_loss": "",
    }
    assert counts == {**expected, **NO_MODES}


@pytest.mark.parametrize("words", [[], ["--plain"]])
def test_an_open_screen_is_told_and_one_that_was_killed_is_not(
    cli: Cli, agent: AgentQueue, words: list[str]
) -> None:
    screen = at_a_terminal(cli, *words)
    drain = threading.Thread(target=lambda: screen.expect(pexpect.EOF))  # it stops where nobody reads
    drain.start()
    eventually(lambda: cli.inside("status").out == "0 waiting screen open\n")
    assert cli.inside("status", "--json").json["screen_open"] is True
    screen.kill(signal.SIGKILL)
    drain.join(PATIENCE)
    assert cli.inside("status").out == "0 waiting no screen\n"


def test_it_loads_no_models_no_command_line_library_and_no_screen(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    script = """
import sys
from signoff.cli.main import main
try:
    main(["status", "--json"])
except SystemExit as end:
    code = end.code
import json
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=cli.environment(), timeout=PATIENCE, check=True
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 10
    assert not {"pydantic", "pydantic_core", "textual", "rich", "click", "asyncio", "signoff_tui"} & set(modules)
    # Each of these takes longer to load than the queue needs to count.
    assert not {"dataclasses", "inspect", "hashlib", "random"} & set(modules)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["status"], StatusCall(None, "plain")),
        (["--queue", "work", "status"], StatusCall("work", "plain")),
        (["--queue=work", "status", "--json"], StatusCall("work", "json")),
        (["status", "--format", "tmux", "--queue", "work"], StatusCall("work", "tmux")),
    ],
)
def test_well_formed_calls_take_the_short_way(words: list[str], expected: StatusCall) -> None:
    assert parse_plain_call(words) == expected


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["list"],
        ["status", "--help"],
        ["status", "extra"],
        ["status", "status"],
        ["status", "--format"],
        ["status", "--format", "html"],
        ["status", "--json", "--format", "tmux"],
        ["--format", "json", "status"],
        ["--queue", "status"],
        ["--queue=", "status"],
    ],
)
def test_everything_else_is_left_to_the_full_parser(words: list[str]) -> None:
    assert parse_plain_call(words) is None


def test_a_mistake_ends_with_2(cli: Cli) -> None:
    done = cli.run("status", "--format", "html")
    assert (done.code, done.out) == (2, "")
    assert "'html' is not one of 'plain', 'tmux', 'json'" in done.err
