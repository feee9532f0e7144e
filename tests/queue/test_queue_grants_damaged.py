"""A grant or agent that cannot be read covers nothing, is said to be damaged, and breaks nothing else."""

from __future__ import annotations

import json

import pytest
from queue_samples import approve, call

from signoff.queue import Grant, GrantPattern
from signoff.queue.grant_pattern import AnyValue
from signoff.queue.keys.identity import signer_for

SOUND = {
    "session": "s-41",
    "agent_name": "refactor",
    "tool_name": "write_file",
    "payload": {"path": "notes.txt"},
    "payload_key": '{"path":"notes.txt"}',
    "origin_request": "",
    "created_by": "anna",
}
WIDE = GrantPattern("write_file", (("path", AnyValue()),))
NO_TEXT = json.dumps({key: value for key, value in SOUND.items() if key != "tool_name"})


def signed(info):
    """The columns' JSON of a grant that a reviewer gave."""
    grant = Grant(id="stored", created_at=1, uses=0, last_used_at=None, revoked_at=None, **info)
    return {**info, "seal": signer_for().grant(grant).seal.to_json()}


@pytest.fixture
def store(review):
    """Put a row into ``grants``, as a program could that does not use this library."""

    def insert(info, *, key=SOUND["payload_key"], kind="exact", tool="write_file", session="s-41"):
        with review._engine.write() as transaction:
            transaction.run(
                "INSERT INTO grants (id, session, tool, kind, payload_key, info, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                "stored",
                session,
                tool,
                kind,
                key,
                info if isinstance(info, str) else json.dumps(info),
                1,
            )

    return insert


DAMAGED = {
    "no JSON": {"info": "nonsense"},
    "no object": {"info": "[]"},
    "a field is missing": {"info": NO_TEXT},
    "a seal that is no object": {"info": {**SOUND, "seal": 5}},
    "a seal of other letters": {"info": {**SOUND, "seal": {"key": "x", "signature": "y"}}},
    "a field of a wrong type": {"info": {**SOUND, "created_by": 5}},
    "another session in the column": {"info": {**SOUND, "session": "s-42"}},
    "another tool in the column": {"info": {**SOUND, "tool_name": "delete_file"}},
    "another payload in the column": {"info": {**SOUND, "payload": {"path": "other.txt"}}},
    "another key in the column": {"info": {**SOUND, "payload_key": '{"path":"other.txt"}'}},
    "a payload that is no object": {"info": {**SOUND, "payload": [1], "payload_key": "[1]"}, "key": "[1]"},
    "a pattern that is no JSON": {"info": {**SOUND, "payload_key": "x"}, "key": "x", "kind": "pattern"},
    "a pattern that is none": {"info": {**SOUND, "payload_key": "{}"}, "key": "{}", "kind": "pattern"},
    "a pattern of another tool": {
        "info": {**SOUND, "payload_key": GrantPattern("t", WIDE.entries).key},
        "key": GrantPattern("t", WIDE.entries).key,
        "kind": "pattern",
    },
    "a pattern that is spelled differently": {
        "info": {**SOUND, "payload_key": json.dumps(WIDE.to_json())},
        "key": json.dumps(WIDE.to_json()),
        "kind": "pattern",
    },
}


@pytest.fixture(params=DAMAGED.values(), ids=DAMAGED.keys())
def damaged(request, store):
    """A damaged grant of the session for the tool."""
    store(**request.param)


def test_a_sound_row_is_a_grant(agent, store):
    store(signed(SOUND))
    assert agent.use_grant(call()).id == "stored"


@pytest.mark.usefixtures("damaged")
def test_a_damaged_grant_covers_nothing(agent, review):
    (odd,) = review.grants()
    assert not odd.covers("write_file", {"path": "notes.txt"})
    assert not agent.has_grant(call())
    assert agent.use_grant(call()) is None


@pytest.mark.usefixtures("damaged")
def test_a_damaged_grant_is_listed_as_damaged_among_the_others(agent, review):
    sound = agent.add_grant(call(content="x", tool_name="other"), by="callback")
    odd, other = review.grants()
    assert (odd.id, other) == ("stored", sound)
    assert "is damaged" in odd.damage
    assert odd.words() == "nothing: its record is damaged"
    assert [grant.id for grant in agent.grants()] == ["stored", sound.id]


@pytest.mark.usefixtures("damaged")
def test_a_damaged_grant_can_be_revoked(review):
    assert review.revoke("stored")
    assert review.grants() == ()


@pytest.mark.usefixtures("damaged")
def test_a_damaged_grant_is_not_in_the_way_of_a_sound_one(agent, review):
    assert approve(review, agent.submit(call()), remember=True).accepted
    assert agent.use_grant(call("k2")) is not None


@pytest.mark.usefixtures("damaged")
def test_a_damaged_grant_is_not_in_the_way_of_a_sound_pattern(agent, review):
    posted = agent.submit(call())
    wide = review.add_pattern(WIDE, session="s-41", origin=posted.id)
    assert agent.use_grant(call("k2")).id == wide.id


@pytest.mark.parametrize("info", ["nonsense", "[]", "{}", '{"name":5,"session":"s","cwd":"/","via":"x"}'])
def test_a_damaged_agent_is_listed_as_damaged_among_the_others(agent, review, info):
    with review._engine.write() as transaction:
        transaction.run(
            "INSERT INTO agents (id, info, session, pid, host, boot, started_at, ended_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "stored",
            info,
            "s-42",
            1,
            "ada",
            "",
            1,
            2,
        )
    odd, sound = review.agents()
    assert (odd.id, odd.name, odd.session) == ("stored", "(damaged record)", "s-42")
    assert "is damaged" in odd.damage
    assert (sound.name, sound.damage) == ("refactor", None)
