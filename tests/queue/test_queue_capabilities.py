"""What an agent's connection cannot do: decide, see what others ask, or use what was remembered for them."""

from __future__ import annotations

import pytest
from queue_samples import approve, call

from signoff.queue import UnknownRequestError

DECIDING = (
    "pending", "upcoming", "get", "find", "blob", "changes", "watch", "decide", "decide_many", "revoke",
    "revoke_all", "preview", "add_pattern", "history", "export", "verify", "check_history", "prune", "agents",
)  # fmt: skip


@pytest.mark.parametrize("name", DECIDING)
def test_an_agent_has_no_means_of_a_reviewer(agent, review, name):
    assert not hasattr(agent, name)
    assert hasattr(review, name)


@pytest.mark.parametrize(
    "act",
    [
        lambda other, request: other.wait(request.id),
        lambda other, request: other.withdraw(request.id, "no"),
        lambda other, request: other.amend(request.id, call("k1")),
        lambda other, request: other.give_up(request.id, 1, "no"),
    ],
    ids=["wait", "withdraw", "amend", "give_up"],
)
def test_a_request_of_another_session_is_unknown_to_an_agent(open_agent, agent, act):
    request = agent.submit(call("k1"))
    with pytest.raises(UnknownRequestError, match="this session never posted"):
        act(open_agent("other", "s-42"), request)


def test_grants_of_another_session_are_not_listed_or_cleared(open_agent, agent, review):
    approve(review, agent.submit(call("origin")), remember=True)
    other = open_agent("other", "s-42")
    assert other.grants() == ()
    assert other.clear_grants(by="other") == 0
    assert len(agent.grants()) == 1


def test_the_same_key_in_another_session_is_another_request(open_agent, agent):
    assert open_agent("other", "s-42").submit(call("k1")).id != agent.submit(call("k1")).id
