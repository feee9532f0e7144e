"""Approvals of something else than was asked: only where the agent can run that, for once, and to the byte."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from queue_samples import approve, call, decide, target

from signoff.history_export import record_facts
from signoff.queue import Decision, Instead, RequestState, Risk, StoredRequest, VerdictKind
from signoff.queue.codec import decision_from_text, decision_to_text
from signoff.queue.keys.identity import signer_for
from signoff.queue.sql import requests

PATH = "/work/notes.txt"
SNAPSHOT = {"version": 1, "steps": [{"kind": "file", "path": PATH}]}
PART = Instead.of_contents({PATH: b"half\r\n\xff"}, refused=("notes.txt line 2",), summary="1 of 2 hunks")
EDITED = Instead(arguments={"path": "other.txt", "n": [1, 1.0]}, summary="changed arguments")
PLAIN: dict[str, Any] = {"snapshot": None}
RUN = {"kind": "command", "command": "rm -rf build", "cwd": "/work", "env": {}, "real_cwd": "/work"}
COMMAND: dict[str, Any] = {
    "arguments": {"command": "rm -rf build", "timeout": 5},
    "snapshot": {"version": 1, "steps": [RUN]},
}


def other_command(command: Any = "rm -rf gen", **more: Any) -> Instead:
    return Instead(arguments={"command": command, "timeout": 5, **more}, summary="edited command")


def changeable(key: str = "k1", **fields: Any) -> Any:
    """A call whose agent can run something else."""
    supports = frozenset({"note", "session", "partial", "edit"})
    return call(key, **{"supports": supports, "snapshot": SNAPSHOT, **fields})


@pytest.mark.parametrize(
    ("instead", "fields"),
    [(PART, {}), (EDITED, PLAIN), (other_command(), COMMAND)],
    ids=["part", "call", "command"],
)
def test_the_agent_is_handed_exactly_what_was_approved(agent, review, instead, fields):
    posted = agent.submit(changeable(**fields))
    verdict = approve(review, posted, instead=instead)
    outcome = agent.wait(posted.id)
    assert (verdict.accepted, outcome.approved) == (True, True)
    assert outcome.decision.instead == instead
    assert outcome.decision.instead.content(PATH) == instead.content(PATH)


def test_what_runs_instead_is_in_the_history_and_in_its_chain(agent, review):
    approve(review, agent.submit(changeable()), instead=PART)
    (record,) = review.history()
    assert record.decision.instead == PART
    assert review.blob(PART.contents[PATH]) == b"half\r\n\xff"
    assert review.check_history().fault is None


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "contents the agent cannot write": ({"supports": frozenset({"note", "edit"})}, {"instead": PART}),
    "arguments the agent cannot run": ({"supports": frozenset({"note", "partial"})}, {"instead": EDITED}),
    "an agent that says nothing of it": ({"supports": frozenset({"note", "session"})}, {"instead": PART}),
    "a file that was not asked about": ({}, {"instead": Instead.of_contents({"/work/other": b""})}),
    "a call that writes no file": ({"snapshot": None}, {"instead": PART}),
    "a file that is written twice": (
        {"snapshot": {"version": 1, "steps": SNAPSHOT["steps"] * 2}},
        {"instead": PART},
    ),
    "contents that were not handed in": ({}, {"instead": replace(PART, blobs={})}),
    "contents that are not those named": (
        {},
        {"instead": replace(PART, blobs=dict.fromkeys(PART.contents.values(), b"other"))},
    ),
    "arguments that are not JSON": (PLAIN, {"instead": Instead(arguments={"x": {1, 2}})}),
    "other arguments of a call that writes a file": ({}, {"instead": EDITED}),
    "another argument than the command": (COMMAND, {"instead": other_command(timeout=6)}),
    "a number of another type beside the command": (COMMAND, {"instead": other_command(timeout=5.0)}),
    "an argument more than the command": (COMMAND, {"instead": other_command(shell="zsh")}),
    "no command": (COMMAND, {"instead": other_command(" ")}),
    "a command that is no text": (COMMAND, {"instead": other_command(["rm"])}),
    "the command of a call that also does something else": (
        {**COMMAND, "snapshot": {"version": 1, "steps": [RUN, *SNAPSHOT["steps"]]}},
        {"instead": other_command()},
    ),
    "a command that is two arguments": (
        {**COMMAND, "arguments": {"command": "rm -rf build", "timeout": 5, "again": "rm -rf build"}},
        {"instead": other_command(again="rm -rf build")},
    ),
    "something to be remembered": ({}, {"instead": PART, "remember": True}),
    "a no": ({}, {"instead": PART, "approved": False}),
}


@pytest.mark.parametrize("why", sorted(REFUSED))
def test_what_cannot_be_honored_is_not_taken(agent, review, why):
    fields, answer = REFUSED[why]
    posted = agent.submit(changeable(**fields))
    assert decide(review, posted, Decision(**{"approved": True, **answer})).kind is VerdictKind.REFUSED
    assert (review.get(posted.id).pending, review.grants()) == (True, ())


def test_several_are_never_approved_as_something_else(agent, review):
    posted = [agent.submit(changeable(f"k{n}")) for n in range(2)]
    verdicts = review.decide_many([target(each) for each in posted], Decision(approved=True, instead=PART))
    assert {verdict.kind for verdict in verdicts} == {VerdictKind.REFUSED}


def test_it_is_never_part_of_an_approval_that_releases_others(agent, review):
    first, second = (agent.submit(changeable(f"k{n}")) for n in range(2))
    decision = Decision(approved=True, instead=PART, remember=True)
    verdicts = review.remember_and_release(target(first), [target(second)], decision)
    assert {verdict.kind for verdict in verdicts} == {VerdictKind.REFUSED}


def test_high_risk_may_be_approved_as_something_else_alone(agent, review):
    assert approve(review, agent.submit(changeable(risk=Risk.HIGH)), instead=PART).accepted


def test_a_reader_that_does_not_know_the_field_cannot_take_it_for_a_plain_yes():
    """An older release makes a `Decision` of all the fields that it finds, and fails on one it does not know."""
    text = decision_to_text(Decision(approved=True, instead=EDITED))
    assert decision_from_text(text).instead == EDITED
    with pytest.raises(ValueError, match="digest"):
        decision_from_text(text.replace("other.txt", "a-file.txt"))
    assert "instead" not in decision_to_text(Decision(approved=True))


def test_an_agent_that_cannot_run_it_does_not_believe_it_either(agent, review):
    """A reviewer's program that does not ask what the agent supports: signed, and yet not run as asked."""
    posted = agent.submit(call())
    with review._engine.write() as transaction:
        decision = Decision(approved=True, by="anna", instead=PART)
        requests.decide(transaction, posted, signer_for().decision(posted, decision))
    outcome = agent.wait(posted.id)
    assert (outcome.approved, outcome.request.state) == (False, RequestState.SUPERSEDED)
    assert "cannot carry out" in outcome.doubt


def test_exports_say_what_ran_instead_without_its_secrets(agent, review):
    secret = Instead(arguments={"path": "a", "password": "hunter2hunter2"}, summary="changed arguments")
    approve(review, agent.submit(changeable(**PLAIN)), instead=secret)
    (record,) = review.history()
    facts = record_facts(record)["decision"]["instead"]
    assert (facts["summary"], facts["digest"]) == ("changed arguments", secret.digest)
    assert facts["arguments"]["path"] == "a"
    assert "hunter2" not in str(facts)


class TestWithoutTheQueue:
    """A program that writes to the database itself; one engine is enough, what reads it is the same."""

    pytestmark = pytest.mark.engines("sqlite")

    @pytest.fixture
    def rewrite(self, opener, agent, review):
        """Approve a part, change its row, and say what the agent is told."""

        def rewritten(statement: str) -> StoredRequest:
            posted = agent.submit(changeable())
            approve(review, posted, instead=PART)
            with closing(sqlite3.connect(Path(opener.place, "queue.db"))) as raw:
                for (trigger,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                    raw.execute(f"DROP TRIGGER {trigger}")
                raw.execute(statement)
                raw.commit()
            return agent.wait(posted.id)

        return rewritten

    def test_the_signature_covers_what_runs_instead(self, rewrite):
        plain = "UPDATE requests SET decision = json_remove(decision, '$.instead')"
        outcome = rewrite(plain)
        assert (outcome.approved, outcome.request.state) == (False, RequestState.SUPERSEDED)

    def test_a_content_that_is_gone_is_not_run_as_asked(self, rewrite):
        outcome = rewrite("DELETE FROM blobs")
        assert not outcome.approved
        assert "cannot be read" in outcome.doubt
