from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from cli_bench import HOSTILE, Cli, agent_on, at_a_terminal, call, command, exit_status, high, post, write

from signoff import ApprovalRequest
from signoff.queue import AgentQueue, Decision, Grant, GrantKind, StoredRequest
from signoff.submission import plain_submission, submission_with_snapshot


def edit(path: str, **options: Any) -> ApprovalRequest:
    """A call that names a file and how it is opened."""
    return call("edit", f"Edit {path}", payload={"path": path, "mode": "w"}, **options)


def grants_of(cli: Cli) -> tuple[Grant, ...]:
    with cli.review() as review:
        return review.grants()


def decide(cli: Cli, request: StoredRequest, *, approved: bool, remember: bool = False) -> None:
    with cli.review() as review:
        decision = Decision(approved=approved, remember=remember)
        assert review.decide(request.id, request.revision, request.submission.digest, decision).accepted


def answered(agent: AgentQueue, request: ApprovalRequest) -> bool:
    """Whether a grant answers the call."""
    return agent.use_grant(plain_submission(request, None, cwd=agent.agent.cwd)) is not None


@pytest.fixture
def granted(cli: Cli, agent: AgentQueue) -> Grant:
    """An exact grant."""
    decide(cli, post(agent, edit("docs/a.md")), approved=True, remember=True)
    (grant,) = grants_of(cli)
    return grant


# -- listing ----------------------------------------------------------------------------------------------


def test_no_grant_is_said_in_words_and_in_json(cli: Cli, agent: AgentQueue) -> None:
    assert cli.run("grants").out == "0 grants in force\n"
    assert cli.inside("grants", "--json").json == []


def test_a_grant_is_listed_with_what_it_covers_origin_uses_and_since(
    cli: Cli, agent: AgentQueue, granted: Grant
) -> None:
    answered(agent, edit("docs/a.md"))
    lines = cli.inside("grants").out.splitlines()
    assert lines[:4] == [
        "1 grant in force",
        "",
        f"{granted.id[:8]}  exact    session s-1  refactor",
        f"  covers  {granted.words()}",
    ]
    assert re.fullmatch(rf"  since   \S+ \S+ by \S+, for request {granted.origin_request[:8]}", lines[4])
    assert re.fullmatch(r"  uses    1, last \S+ \S+", lines[5])


def test_json_has_all_of_a_grant(cli: Cli, agent: AgentQueue, granted: Grant) -> None:
    (facts,) = cli.inside("grants", "--json").json
    assert facts["id"] == granted.id
    assert facts["kind"] == "exact"
    assert facts["payload"] == {"path": "docs/a.md", "mode": "w"}
    assert facts["covers"] == granted.words()
    assert facts["origin"] == granted.origin_request
    assert (facts["session"], facts["tool"], facts["uses"]) == ("s-1", "edit", 0)
    assert (facts["pattern"], facts["damage"], facts["last_used_at"]) == (None, None, None)


def test_hostile_text_in_a_grant_is_inert(cli: Cli) -> None:
    with agent_on(cli, name=HOSTILE, session=HOSTILE) as agent:
        decide(cli, post(agent, call(HOSTILE, payload={HOSTILE: HOSTILE})), approved=True, remember=True)
        for words in (["grants"], ["grants", "--json"], ["grants", "revoke", "--session", HOSTILE]):
            done = cli.inside(*words)
            assert done.code == 0
            assert not set(done.out) & set("\x1b\x9b\x7f\r\u202e\u200b\u2028")


def test_a_damaged_grant_is_listed_as_damaged_and_hides_no_other(
    cli: Cli, agent: AgentQueue, granted: Grant
) -> None:
    with closing(sqlite3.connect(cli.place / "queue.db")) as file, file:
        file.execute(
            "INSERT INTO grants (id, session, tool, payload_key, info, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            ("damaged", "s-1", "edit", "{}", "nonsense", 1),
        )
    listed = cli.inside("grants").out
    assert granted.words() in listed
    assert "covers  nothing: its record is damaged" in listed
    assert [facts["damage"] is None for facts in cli.inside("grants", "--json").json] == [True, False]


# -- revoking ---------------------------------------------------------------------------------------------


def test_revoking_takes_effect_before_the_next_call(cli: Cli, agent: AgentQueue, granted: Grant) -> None:
    assert answered(agent, edit("docs/a.md"))
    done = cli.run("grants", "revoke", granted.id[:8])
    assert (done.code, done.err) == (0, "")
    assert done.out == f"revoked {granted.id[:8]}: it covered {granted.words()}\n"
    assert not answered(agent, edit("docs/a.md"))


def test_revoking_twice_ends_with_0_and_says_so(cli: Cli, agent: AgentQueue, granted: Grant) -> None:
    cli.inside("grants", "revoke", granted.id)
    done = cli.inside("grants", "revoke", granted.id)
    assert (done.code, done.out) == (0, "")
    assert "was revoked before" in done.err


@pytest.mark.parametrize(("words", "left"), [(["--session", "s-1"], ["s-2"]), (["--all"], [])])
def test_all_grants_of_a_session_or_of_all_are_revoked(
    cli: Cli, agent: AgentQueue, granted: Grant, words: list[str], left: list[str]
) -> None:
    with agent_on(cli, session="s-2") as other:
        other.add_grant(plain_submission(call(), None, cwd="/"), by="callback")
        done = cli.inside("grants", "revoke", *words)
    assert done.code == 0
    assert done.out.startswith(f"revoked {2 - len(left)} grant")
    assert [grant.session for grant in grants_of(cli)] == left


@pytest.mark.parametrize("words", [[], ["1a2b", "--all"], ["--all", "--session", "s-1"]])
def test_revoking_without_saying_what_ends_with_2(
    cli: Cli, agent: AgentQueue, granted: Grant, words: list[str]
) -> None:
    done = cli.inside("grants", "revoke", *words)
    assert done.code == 2
    assert "say which grants" in done.err
    assert grants_of(cli) == (granted,)


@pytest.mark.parametrize("beginning", ["zzzz", "", "%"])
def test_a_grant_that_is_not_there_ends_with_6(
    cli: Cli, agent: AgentQueue, granted: Grant, beginning: str
) -> None:
    assert cli.inside("grants", "revoke", beginning).code == 6
    assert grants_of(cli) == (granted,)


# -- widening ---------------------------------------------------------------------------------------------


def test_widening_first_says_what_it_covers_and_would_have_matched(cli: Cli, agent: AgentQueue) -> None:
    decide(cli, post(agent, edit("docs/old.md")), approved=False)
    decide(cli, post(agent, edit("src/a.py")), approved=True)
    request = post(agent, edit("docs/a.md"))
    done = cli.run("grants", "widen", request.id[:8], "--under", "path=docs", "--yes")
    assert done.code == 0
    said = done.err.splitlines()
    assert said[0] == "in session s-1"
    assert said[1].startswith(
        'covers every call of "edit" whose payload has exactly these entries: "mode" is exactly'
    )
    assert '"path" is spelled as any path below "docs/"' in said[1]
    assert said[2] == "asks still HIGH risk, what leads elsewhere, and what hides a secret"
    assert said[3] == "would have matched 1 of the last 2 calls of the session:"
    assert re.fullmatch(r"  \S+ \S+  \w{8}  rejected    edit: Edit docs/old.md", said[4])
    assert said[5:] == [
        "1 waiting request matches, and stays undecided:",
        f"  {request.id[:8]}  edit: Edit docs/a.md",
    ]


def test_a_preview_says_what_it_could_not_compare_and_what_would_still_be_asked(
    cli: Cli, agent: AgentQueue
) -> None:
    old, risky = post(agent, edit("docs/a.md")), post(agent, high(cli.folder))
    for request in (old, risky):
        decide(cli, request, approved=False)
    with closing(sqlite3.connect(cli.place / "queue.db")) as file, file:
        file.execute("DROP TRIGGER requests_content_stays")
        file.execute("UPDATE requests SET submission = 'nonsense' WHERE id = ?", (old.id,))
    request = post(agent, command("ls", cli.folder))
    said = cli.inside("grants", "widen", request.id[:8], "--any", "command", "--wide", "--yes").err
    assert "would have matched 0 of the last 2 calls of the session\n" in said
    assert "1 more match and would still be asked\n" in said
    assert "1 call could not be compared: the record is damaged\n" in said


def test_widening_grants_what_was_said_and_decides_nothing(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, edit("docs/a.md"))
    done = cli.inside("grants", "widen", request.id[:8], "--under", "path=docs/", "--yes")
    (grant,) = grants_of(cli)
    assert (grant.kind, grant.origin_request) == (GrantKind.PATTERN, request.id)
    assert done.out.startswith(f"granted {grant.id[:8]}: {grant.words()}\n")
    assert answered(agent, edit("docs/b/c.md"))
    assert not answered(agent, edit("src/a.py"))
    with cli.review() as review:
        assert review.get(request.id).pending


def test_a_link_below_the_directory_is_asked_about_all_the_same(cli: Cli, agent: AgentQueue) -> None:
    docs = cli.folder / "docs"
    docs.mkdir()
    (docs / "out").symlink_to(cli.folder)
    request = post(agent, write(docs / "a.md", "new"))
    assert cli.inside("grants", "widen", request.id[:8], "--under", f"path={docs}", "--yes").code == 0
    plain, led_out = (
        submission_with_snapshot(asked, plain_submission(asked, None, cwd=agent.agent.cwd))[0]
        for asked in (write(docs / "b.md", "new"), write(docs / "out" / "b.md", "new"))
    )
    assert agent.use_grant(plain) is not None
    assert agent.use_grant(led_out) is None


def test_widening_one_of_keeps_the_value_of_the_request(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, edit("docs/a.md"))
    words = ("--one-of", 'mode="a"', "--one-of", "mode=null", "--yes", "--json")
    done = cli.inside("grants", "widen", request.id[:8], *words)
    assert done.json["pattern"]["payload"]["mode"] == {"one_of": ["a", "w", None]}


def test_widening_any_frees_one_entry(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, edit("docs/a.md"))
    assert cli.inside("grants", "widen", request.id[:8], "--any", "path", "--yes").code == 0
    assert answered(agent, edit("anywhere"))


def test_a_grant_that_limits_nothing_takes_a_second_word(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, edit("docs/a.md"))
    words = ("grants", "widen", request.id[:8], "--any", "path", "--any", "mode", "--yes")
    refused = cli.inside(*words)
    assert (refused.code, refused.out) == (9, "")
    assert "add --wide" in refused.err
    assert grants_of(cli) == ()
    assert cli.inside(*words, "--wide").code == 0


def test_high_risk_is_never_widened(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, high(cli.folder))
    done = cli.inside("grants", "widen", request.id[:8], "--any", "command", "--yes")
    assert (done.code, grants_of(cli)) == (9, ())
    assert "nothing was granted: an approval of HIGH risk is never remembered" in done.err


def test_a_rejected_request_is_never_widened(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, edit("docs/a.md"))
    decide(cli, request, approved=False)
    assert cli.inside("grants", "widen", request.id[:8], "--any", "path", "--yes").code == 9
    assert grants_of(cli) == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say what to widen"),
        (["--any", "size"], "the payload has no entry"),
        (["--any", "path", "--under", "path=docs"], "is widened twice"),
        (["--under", "path"], "write KEY=VALUE"),
        (["--under", "path=.."], "is not a directory"),
        (["--under", "path=/"], "is not a directory"),
        (["--under", "path=src"], "the request itself would not be covered"),
        (["--one-of", "mode=x"], "not JSON"),
        (["--one-of", "size=1"], "the payload has no entry"),
    ],
)
def test_what_makes_no_sense_ends_with_2_and_grants_nothing(
    cli: Cli, agent: AgentQueue, words: list[str], said: str
) -> None:
    request = post(agent, edit("docs/a.md"))
    done = cli.inside("grants", "widen", request.id[:8], *words, "--yes")
    assert done.code == 2
    assert said in done.err
    assert grants_of(cli) == ()


def test_without_a_terminal_and_without_yes_nothing_is_granted(cli: Cli, agent: AgentQueue) -> None:
    request = post(agent, edit("docs/a.md"))
    words = ("grants", "widen", request.id[:8], "--any", "path")
    done = cli.run(*words, stdin=request.id[:8].encode() + b"\n")
    assert (done.code, done.out, grants_of(cli)) == (2, "", ())
    assert "would have matched 0 of the last 0 calls" in done.err
    assert "add --yes" in done.err


@pytest.mark.parametrize(("right", "code", "number"), [(True, 0, 1), (False, 1, 0)])
def test_at_a_terminal_the_id_has_to_be_typed(
    cli: Cli, agent: AgentQueue, right: bool, code: int, number: int
) -> None:
    request = post(agent, edit("docs/a.md"))
    terminal = at_a_terminal(cli, "grants", "widen", request.id[:8], "--any", "path")
    terminal.expect_exact("anything else grants nothing: ")
    terminal.sendline(request.id[:8] if right else "y")
    assert exit_status(terminal) == code
    assert len(grants_of(cli)) == number


def test_an_unknown_request_ends_with_6(cli: Cli, agent: AgentQueue) -> None:
    assert cli.inside("grants", "widen", "zzzzzzzz", "--any", "path", "--yes").code == 6
