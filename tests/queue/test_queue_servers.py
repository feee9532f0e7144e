"""The server is part of what a call is: what is stored, signed, remembered and found says which one it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from queue_samples import approve, call, target

from signoff.queue import Decision, GrantPattern, HistoryFilter
from signoff.queue.codec import submission_to_text
from signoff.queue.grant_pattern import AnyValue
from signoff.queue.keys.signatures import content_hash, grant_statement

SERVERS = [None, "staging", "production", "staging\nproduction"]


@pytest.mark.parametrize("kind", ["exact", "pattern"])
@pytest.mark.parametrize("definition", [None, "d1"])
@pytest.mark.parametrize("server", SERVERS)
def test_a_grant_covers_calls_of_its_server_only(agent, review, server, definition, kind):
    posted = agent.submit(call(server=server, definition=definition))
    if kind == "exact":
        approve(review, posted, remember=True)
    else:
        pattern = GrantPattern("write_file", (("path", AnyValue()),), server)
        review.add_pattern(pattern, session=posted.asked_by.session, origin=posted.id)
    covered = [other for other in SERVERS if agent.use_grant(call("k2", server=other, definition=definition))]
    assert covered == [server]
    assert [grant.damage for grant in review.grants()] == [None]


def test_a_pattern_for_another_server_is_not_granted_for_a_call(agent, review):
    posted = agent.submit(call(server="staging"))
    pattern = GrantPattern("write_file", (("path", AnyValue()),), "production")
    with pytest.raises(Exception, match="does not cover"):
        review.add_pattern(pattern, session=posted.asked_by.session, origin=posted.id)


def test_remembering_releases_calls_of_the_same_server_only(agent, review):
    posted = [agent.submit(call(key, server=server)) for key, server in (("a", "s"), ("b", "s"), ("c", "p"))]
    first, *others = map(target, posted)
    verdicts = review.remember_and_release(first, others, Decision(approved=True, remember=True))
    assert [verdict.accepted for verdict in verdicts] == [True, True, False]


def test_a_preview_counts_calls_of_the_same_server_only(agent, review):
    for key, server in (("a", "staging"), ("b", "production")):
        approve(review, agent.submit(call(key, server=server)))
    found = review.preview(GrantPattern("write_file", (("path", AnyValue()),), "staging"))
    assert [record.server for record in found.matched] == ["staging"]


def test_the_history_keeps_the_server_and_its_chain_covers_it(agent, review):
    approve(review, agent.submit(call(server="staging")))
    [record] = review.history(HistoryFilter(text="staging"))
    assert record.server == "staging"
    assert review.verify() is None


def test_what_a_reviewer_signs_names_the_server(agent, review):
    approve(review, agent.submit(call(server="staging")), remember=True)
    [grant] = review.grants()
    assert grant_statement(grant) != grant_statement(replace(grant, server="production"))
    assert content_hash(call(server="staging")) != content_hash(call(server="production"))


def test_what_a_grant_covers_is_said_with_the_server(agent, review):
    approve(review, agent.submit(call(server="staging")), remember=True)
    assert '"write_file" of the server "staging"' in review.grants()[0].words()


def test_a_call_without_a_server_is_stored_and_signed_as_before():
    assert "server" not in submission_to_text(call())
