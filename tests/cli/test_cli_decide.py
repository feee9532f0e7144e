from __future__ import annotations

from pathlib import Path

import pytest
from cli_bench import Cli, at_a_terminal, call, command, exit_status, high, post, seen, write

from signoff import ApprovalRequest
from signoff.queue import AgentQueue, Decision, RequestState, StoredRequest
from signoff.submission import plain_submission


def state_of(cli: Cli, request: StoredRequest) -> RequestState:
    with cli.review() as review:
        return review.get(request.id).state


def decision_on(cli: Cli, request: StoredRequest) -> Decision:
    with cli.review() as review:
        decision = review.get(request.id).decision
    assert decision is not None
    return decision


def amend(agent: AgentQueue, request: StoredRequest, other: ApprovalRequest) -> None:
    agent.amend(request.id, plain_submission(other, None, cwd=agent.agent.cwd))


# -- approve with --seen ----------------------------------------------------------------------------------


def test_what_show_prints_approves(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    offered = cli.run("show", request.id[:8]).out.splitlines()[-1]
    done = cli.run(*offered.removeprefix("approve with: signoff ").split(), "--note", "fine")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"approved: {request.id[:8]}  refactor  create_issue: Create an issue\n"
    decision = decision_on(cli, request)
    assert (decision.approved, decision.note, decision.remember) == (True, "fine", False)


def test_another_digest_than_the_stored_one_ends_with_8(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    done = cli.inside("approve", request.id[:8], "--seen", "1:000000000000")
    assert (done.code, done.out) == (8, "")
    assert "nothing was decided: --seen does not match" in done.err
    assert state_of(cli, request) is RequestState.PENDING


def test_a_request_that_changed_after_it_was_read_is_not_approved(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    token = seen(cli, request)
    amend(agent, request, call(payload={"title": "Something else"}))
    done = cli.run("approve", request.id[:8], "--seen", token)
    assert done.code == 8
    assert "you have read revision 1, it is now at revision 2" in done.err
    assert state_of(cli, request) is RequestState.PENDING


def test_an_equal_digest_in_another_revision_does_not_count_as_read(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    token = seen(cli, request)
    amend(agent, request, call(description="Other words for the same call"))
    assert cli.inside("approve", request.id[:8], "--seen", token).code == 8


@pytest.mark.parametrize("token", ["", "1:", "1:abc", "0:0123456789ab", "0123456789ab", "1:0123456789ag"])
def test_a_malformed_seen_ends_with_2(cli: Cli, agent: AgentQueue, token: str) -> None:
    request = post(agent, call())
    done = cli.inside("approve", request.id, "--seen", token)
    assert done.code == 2
    assert "--seen takes what `signoff show` prints" in done.err


def test_without_a_terminal_and_without_seen_nothing_is_approved(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    done = cli.run("approve", request.id[:8], stdin=request.id[:8].encode() + b"\n")
    assert (done.code, done.out) == (2, "")
    assert "add --seen with what `signoff show` prints" in done.err
    assert state_of(cli, request) is RequestState.PENDING


def test_a_decided_request_ends_with_7_and_says_who_won(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    token = seen(cli, request)
    with cli.review() as review:
        review.decide(request.id, 1, request.submission.digest, Decision(approved=False))
    done = cli.run("approve", request.id[:8], "--seen", token)
    assert (done.code, done.out) == (7, "")
    assert done.err.startswith("signoff: nothing was decided: rejected by anna ")


def test_high_risk_is_approved_once(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, high(cli.folder))
    assert cli.inside("approve", request.id[:8], "--seen", seen(cli, request)).code == 0


def test_high_risk_is_never_remembered_and_ends_with_9(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, high(cli.folder))
    done = cli.run("approve", request.id[:8], "--seen", seen(cli, request), "--session")
    assert done.code == 9
    assert "an approval of HIGH risk is never remembered; nothing was decided" in done.err
    assert state_of(cli, request) is RequestState.PENDING


def test_session_remembers_and_says_what_it_covers(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call(payload={"title": "Crash"}))
    done = cli.inside("approve", request.id[:8], "--seen", seen(cli, request), "--session")
    assert 'every later call of create_issue in session s-1 with exactly {"title":"Crash"}' in done.out
    (grant,) = agent.grants()
    assert (grant.tool_name, grant.payload) == ("create_issue", {"title": "Crash"})


@pytest.mark.parametrize("payload", [{}, {"sandbox": "docs"}, {"path": "other"}])
def test_a_reach_that_fixes_no_argument_takes_a_second_word(
    cli: Cli, agent: AgentQueue, payload: dict[str, str]
) -> None:
    request = post(agent, call("write", payload=payload, arguments={"path": "a.txt"}))
    words = ("approve", request.id[:8], "--seen", seen(cli, request), "--session")
    refused = cli.inside(*words)
    assert (refused.code, refused.out) == (9, "")
    assert "WHATEVER ITS ARGUMENTS ARE" in refused.err
    assert "add --wide" in refused.err
    assert state_of(cli, request) is RequestState.PENDING
    agreed = cli.inside(*words, "--wide")
    assert agreed.code == 0
    assert "WHATEVER ITS ARGUMENTS ARE" in agreed.out
    (grant,) = agent.grants()
    assert grant.payload == payload


def test_a_reach_that_leaves_some_arguments_free_names_them(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call("write", payload={"path": "a"}, arguments={"path": "a", "content": "x"}))
    done = cli.inside("approve", request.id[:8], "--seen", seen(cli, request), "--session")
    assert done.code == 0
    assert 'whatever the other arguments are: "content"' in done.out


def test_a_wide_reach_without_a_session_ends_with_2(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    done = cli.inside("approve", request.id[:8], "--seen", seen(cli, request), "--wide")
    assert done.code == 2
    assert state_of(cli, request) is RequestState.PENDING


def test_content_that_cannot_be_shown_takes_a_second_act(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, write(cli.folder / "logo.png", b"\x89PNG\r\n\x1a\n\0\0"))
    token = seen(cli, request)
    refused = cli.inside("approve", request.id[:8], "--seen", token)
    assert refused.code == 9
    assert "add --incomplete" in refused.err
    assert cli.inside("approve", request.id[:8], "--seen", token, "--incomplete").code == 0
    assert decision_on(cli, request).deliberate is True


def test_incomplete_is_not_recorded_where_everything_could_be_shown(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    cli.inside("approve", request.id[:8], "--seen", seen(cli, request), "--incomplete")
    assert decision_on(cli, request).deliberate is False


def test_json_gives_the_verdict(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    words = ("approve", request.id[:8], "--seen", seen(cli, request), "--json")
    assert cli.inside(*words).json == {
        "accepted": True,
        "verdict": "accepted",
        "message": "approved",
        "id": request.id,
        "revision": 1,
    }
    again = cli.inside(*words)
    assert (again.code, again.json["accepted"], again.json["verdict"]) == (7, False, "too late")


# -- approve at a terminal --------------------------------------------------------------------------------


def test_at_a_terminal_the_request_is_shown_and_the_typed_id_approves(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, command("make install", cli.folder))
    terminal = at_a_terminal(cli, "approve", request.id[:8])
    terminal.expect_exact("$ make install")
    terminal.expect_exact("anything else leaves it waiting: ")
    terminal.sendline(request.id[:8])
    assert exit_status(terminal) == 0
    assert decision_on(cli, request).shown == 1.0


@pytest.mark.parametrize("typed", ["", "y", "yes", "1a2b3c4d"])
def test_at_a_terminal_nothing_but_the_id_approves(cli: Cli, agent: AgentQueue, typed: str) -> None:
    request = post(agent, call())
    terminal = at_a_terminal(cli, "approve", request.id[:8])
    terminal.expect_exact("anything else leaves it waiting: ")
    terminal.sendline(typed)
    assert exit_status(terminal) == 1
    assert state_of(cli, request) is RequestState.PENDING


def test_an_interrupted_question_decides_nothing(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    terminal = at_a_terminal(cli, "approve", request.id[:8])
    terminal.expect_exact("anything else leaves it waiting: ")
    terminal.sendintr()
    assert exit_status(terminal) == 130
    assert state_of(cli, request) is RequestState.PENDING


def test_what_changes_while_the_question_stands_is_not_approved(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    terminal = at_a_terminal(cli, "approve", request.id[:8])
    terminal.expect_exact("anything else leaves it waiting: ")
    amend(agent, request, call(payload={"title": "Something else"}))
    terminal.sendline(request.id[:8])
    assert exit_status(terminal) == 8
    assert state_of(cli, request) is RequestState.PENDING


# -- reject -----------------------------------------------------------------------------------------------


def test_a_rejection_carries_the_note_and_is_soft(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    done = cli.run("reject", request.id[:8], "--note", "keep the old name")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"rejected: {request.id[:8]}  refactor  create_issue: Create an issue\n"
    decision = decision_on(cli, request)
    assert (decision.approved, decision.note, decision.hard) == (False, "keep the old name", False)


def test_a_hard_rejection_is_hard(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    assert cli.inside("reject", request.id[:8], "--hard").code == 0
    assert decision_on(cli, request).hard is True


def test_rejecting_what_ended_ends_with_7(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, call())
    agent.withdraw(request.id, "plan changed")
    done = cli.inside("reject", request.id[:8])
    assert done.code == 7
    assert "withdrawn" in done.err


# -- which request ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["approve", "reject"])
@pytest.mark.parametrize("ident", ["", "1", "1a2b3c4"])
def test_deciding_takes_at_least_eight_characters_of_the_id(cli: Cli, verb: str, ident: str) -> None:
    done = cli.inside(verb, ident)
    assert done.code == 2
    assert "give at least 8 characters of the id" in done.err


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_deciding_on_an_unknown_id_ends_with_6(cli: Cli, agent: AgentQueue, verb: str) -> None:
    post(agent, call())
    assert cli.inside(verb, "zzzzzzzz").code == 6


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_deciding_without_a_queue_ends_with_5(cli: Cli, verb: str) -> None:
    assert cli.inside(verb, "zzzzzzzz").code == 5
    assert not Path(cli.place).exists()
