"""Secrets on the command line: marks everywhere, the whole text for the person who asks for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cli_bench import Cli, call, command, post, seen

from redaction_corpus import GITHUB
from signoff import ApprovalContext, ApprovalMemory, ApprovalPresentation
from signoff.approval_rules import ApprovalNeeds
from signoff.cli.exit_codes import ExitCode
from signoff.config import build, parse_config
from signoff.present.document.masking import mark
from signoff.queue import AgentQueue, Decision
from signoff.submission import plain_submission

MARK = mark(len(GITHUB))


@pytest.fixture
def decided(cli: Cli, agent: AgentQueue) -> str:
    """The id of a decided request with a token in each of its texts."""
    request = post(agent, call(payload={"text": GITHUB, "password": "x"}, description=f"Use {GITHUB}", why=GITHUB))
    with cli.review() as queue:
        queue.decide(request.id, 1, request.submission.digest, Decision(approved=True))
    return request.id


@pytest.mark.parametrize(
    "words",
    [
        ["show", "ID"],
        ["show", "ID", "--json"],
        ["history"],
        ["history", "--json"],
        ["history", "export"],
        ["history", "export", "--format", "csv"],
    ],
    ids=" ".join,
)
def test_a_token_is_a_mark_until_the_person_asks(words: list[str], cli: Cli, decided: str) -> None:
    words = [decided if word == "ID" else word for word in words]
    hidden, whole = cli.inside(*words), cli.inside(*words, "--reveal")
    assert GITHUB not in hidden.out
    assert MARK in hidden.out
    assert GITHUB in whole.out
    assert "[secret" not in whole.out


def test_a_secret_in_a_tree_that_the_tool_sent_is_a_mark(cli: Cli, agent: AgentQueue) -> None:
    tree = ApprovalPresentation(type="structured", content='{"password": "open sesame"}')
    request = post(agent, call(presentation=tree))
    assert "open sesame" not in cli.inside("show", request.id, "--json").out
    done = cli.inside("approve", request.id, "--seen", seen(cli, request), "--session")
    assert done.code == ExitCode.REFUSED


@pytest.mark.parametrize("words", [["list"], ["list", "--json"]], ids=" ".join)
def test_the_list_shows_marks(words: list[str], cli: Cli, agent: AgentQueue) -> None:
    post(agent, command(f"echo {GITHUB} | sh", cli.folder))
    shown = cli.inside(*words).out
    assert GITHUB not in shown
    assert MARK in shown


def test_what_comes_next_shows_marks(cli: Cli, agent: AgentQueue) -> None:
    plain = plain_submission(call(), None, cwd=str(cli.folder))
    following = ({"tool": "t", "arguments": {"token": "abcd"}},)
    request = agent.submit(replace(plain, batch_id="b", batch_position=0, batch_remaining=following))
    shown = cli.inside("show", request.id).out
    assert "abcd" not in shown
    assert mark(4) in shown


def test_the_name_of_a_secret_hides_no_part_of_a_command(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command("PASSWORD='rm -rf ~' sh -c \"$PASSWORD\"", cli.folder))
    assert "  | $ PASSWORD='rm -rf ~' sh -c \"$PASSWORD\"" in cli.inside("show", request.id).out


def test_a_request_that_hides_a_value_is_not_approved_for_the_session(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call(payload={"token": "abcd"}))
    ended = cli.inside("approve", request.id[:8], "--seen", seen(cli, request), "--session")
    assert ended.code == ExitCode.REFUSED
    assert "never remembered" in ended.err
    assert "abcd" not in ended.out + ended.err
    with cli.review() as queue:
        assert queue.get(request.id).pending


def test_a_request_that_hides_a_value_is_approved_once(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call(payload={"token": "abcd"}))
    assert cli.inside("approve", request.id[:8], "--seen", seen(cli, request)).code == 0


SETTINGS = """\
tools:
  - server_name: bank
    requires_approval: {always: true}
    redaction: {arguments: [iban, command]}
"""


@pytest.fixture
def paid(cli: Cli, agent: AgentQueue) -> str:
    """The id of a decided request of an agent whose settings mask an argument."""
    policy = build(parse_config(SETTINGS), cli.folder).call_policy
    context = ApprovalContext(tool_name="pay", args={"iban": "DE02-1203", "command": "transfer"})
    needs = ApprovalNeeds({}, "none", policy=policy, server="bank")
    asked = needs.request_for(context, None, None, ApprovalMemory())
    assert asked is not None
    request = post(agent, asked)
    with cli.review() as queue:
        queue.decide(request.id, 1, request.submission.digest, Decision(approved=True))
    return request.id


@pytest.mark.parametrize(
    "words",
    [["show", "ID"], ["show", "ID", "--json"], ["history", "--json"], ["history", "export"]],
    ids=" ".join,
)
def test_settings_add_to_what_is_a_mark_and_never_hide_a_command(words: list[str], cli: Cli, paid: str) -> None:
    words = [paid if word == "ID" else word for word in words]
    hidden, whole = cli.inside(*words), cli.inside(*words, "--reveal")
    assert "DE02-1203" not in hidden.out
    assert mark(9) in hidden.out
    assert "transfer" in hidden.out
    assert "DE02-1203" in whole.out


@pytest.mark.parametrize("words", [["history"], ["history", "export", "--format", "csv"]], ids=" ".join)
def test_lines_of_the_history_do_not_tell_what_settings_mask(words: list[str], cli: Cli, paid: str) -> None:
    del paid
    assert "DE02-1203" not in cli.inside(*words).out


def test_the_history_is_whole_with_names_that_are_masked(cli: Cli, paid: str) -> None:
    del paid
    with cli.review() as queue:
        assert queue.check_history().fault is None
