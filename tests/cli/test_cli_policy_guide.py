"""What the guide shows of `signoff policy` is what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_bench import Cli, Ended, call, post

import signoff
from signoff import Command
from signoff.queue import AgentQueue, Decision

GUIDE = Path(signoff.__file__).parents[2] / "docs" / "command-line.md"
PART = (
    GUIDE.read_text(encoding="utf-8")
    .partition("## `signoff policy check FILE`")[2]
    .partition("## `signoff demo`")[0]
)
BLOCKS = re.findall(r"^```console\n(.*?)^```", PART, re.MULTILINE | re.DOTALL)

_CHANGING = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [0-9a-z]{8}")


def shown(command: str) -> str:
    """What the guide shows below a command."""
    for block in BLOCKS:
        _, found, after = f"\n{block}".partition(f"\n$ {command}\n")
        if found:
            return str(after.partition("\n$ ")[0])
    raise AssertionError(f"the guide does not show {command}")


def alike(text: str) -> str:
    """A text without what differs each time."""
    return _CHANGING.sub("WHEN  ID", text)


@pytest.fixture
def guide(cli: Cli) -> Cli:
    """A directory with the settings of the guide."""
    (settings,) = re.findall(r"^```yaml\n(.*?)^```", PART, re.MULTILINE | re.DOTALL)
    (cli.folder / "signoff.yaml").write_text(settings)
    (cli.folder / "notes").mkdir()
    return cli


def decide(cli: Cli, agent: AgentQueue, command: str, *, approved: bool = True) -> None:
    effects = (Command(command, str(cli.folder)),)
    posted = post(agent, call("run_command", "Run", payload={"command": command}, effects=effects))
    with cli.review() as review:
        review.decide(posted.id, 1, posted.submission.digest, Decision(approved=approved))


def well(done: Ended) -> str:
    assert (done.code, done.err) == (0, "")
    return done.out


def test_check_prints_each_piece_that_the_guide_shows(guide: Cli) -> None:
    out = well(guide.inside("policy", "check", "signoff.yaml"))
    pieces = [piece.strip("\n") for piece in shown("signoff policy check signoff.yaml").split("…")]
    assert [piece for piece in pieces if piece not in out] == []


def test_explain_prints_what_the_guide_shows(guide: Cli) -> None:
    command = "git status > out.txt; sudo rm -rf build"
    out = well(guide.inside("policy", "explain", "signoff.yaml", "--", command))
    assert out == shown(f'signoff policy explain signoff.yaml -- "{command}"')


def test_test_prints_what_the_guide_shows(guide: Cli) -> None:
    calls = shown("cat calls.jsonl").encode() + b"\n"
    done = guide.inside("policy", "test", "signoff.yaml", stdin=calls)
    assert (done.code, done.out) == (2, shown("signoff policy test signoff.yaml < calls.jsonl"))


def test_replay_prints_what_the_guide_shows(guide: Cli, agent: AgentQueue) -> None:
    for command in ("ls", "make"):
        decide(guide, agent, command)
    decide(guide, agent, "rm -rf build", approved=False)
    for command in ("git status", "git status -s"):
        decide(guide, agent, command)
    out = well(guide.inside("policy", "replay", "signoff.yaml", "--since", "7d"))
    assert alike(out) == alike(shown("signoff policy replay signoff.yaml --since 7d"))


def test_suggest_prints_what_the_guide_shows(guide: Cli, agent: AgentQueue) -> None:
    for command in ("git status", "git status -s", "git status --short"):
        decide(guide, agent, command)
    assert alike(well(guide.inside("policy", "suggest"))) == alike(shown("signoff policy suggest"))
