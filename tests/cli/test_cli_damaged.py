"""One odd value in the queue's file is said to be damage, and hides nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from cli_bench import Cli, call, post

from signoff.queue import AgentQueue, StoredRequest


def damage(cli: Cli, request: StoredRequest, field: str, value: object) -> None:
    """Put an odd value into the queue's file, as an agent could that does not use this library."""
    with closing(sqlite3.connect(next(cli.place.glob("*.db")))) as file, file:
        file.execute("DROP TRIGGER IF EXISTS requests_content_stays")
        (text,) = file.execute("SELECT submission FROM requests WHERE id = ?", (request.id,)).fetchone()
        odd = json.dumps({**json.loads(text), field: value})
        file.execute("UPDATE requests SET submission = ? WHERE id = ?", (odd, request.id))


ODD = [
    ("tool_name", ["x"]),
    ("description", 5),
    ("group_id", 7),
    ("cwd", None),
    ("why", {"a": 1}),
    ("risk_reasons", [1, 2]),
    ("risk", "none"),
    ("arguments", [1]),
    ("payload", [1]),
    ("presentation", [1]),
    ("presentation", {"type": 5, "content": [1], "language": 7, "metadata": {"truncated_lines": 10**4000}}),
    ("snapshot", []),
    ("snapshot", {"steps": "x"}),
    ("batch_position", "x"),
    ("batch_remaining", ["x", 5, None]),
    ("expires_at", 10**18),
    ("expires_at", "soon"),
]


@pytest.mark.parametrize(("field", "value"), ODD, ids=lambda part: str(part)[:40])
def test_an_odd_value_hides_no_other_request(cli: Cli, agent: AgentQueue, field: str, value: object) -> None:
    odd, sound = post(agent, call()), post(agent, call(description="Another"))
    damage(cli, odd, field, value)
    for words in (("list",), ("list", "--json")):
        listed = cli.inside(*words)
        assert listed.code == 0
        assert sound.id[:8] in listed.out


@pytest.mark.parametrize(("field", "value"), ODD, ids=lambda part: str(part)[:40])
def test_an_odd_value_is_shown_or_said_to_be_damage(
    cli: Cli, agent: AgentQueue, field: str, value: object
) -> None:
    odd = post(agent, call())
    damage(cli, odd, field, value)
    for words in (("show", odd.id), ("show", odd.id, "--json")):
        shown = cli.inside(*words)
        assert shown.code == 0 or (shown.code == 5 and "damaged" in shown.err)


@pytest.mark.parametrize(("field", "value"), ODD, ids=lambda part: str(part)[:40])
def test_an_odd_value_hides_no_other_record_of_the_history(
    cli: Cli, agent: AgentQueue, field: str, value: object
) -> None:
    sound, odd = post(agent, call()), post(agent, call())
    agent.withdraw(sound.id, "plan changed")
    damage(cli, odd, field, value)
    assert cli.inside("list").code == 0
    agent.close()
    for words in (("history",), ("history", "--json")):
        listed = cli.inside(*words)
        assert listed.code == 0
        assert odd.id[:8] in listed.out
        assert sound.id[:8] in listed.out
