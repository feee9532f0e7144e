"""Pattern grants: explicit, wider, previewed, and never wider than they say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from queue_children import child, line_of, tell
from queue_samples import approve, call, reject

from signoff.canonical import canonical
from signoff.queue import (
    Decision,
    DecisionSource,
    GrantKind,
    GrantPattern,
    GrantRefusedError,
    RequestState,
    Risk,
    UnknownRequestError,
)
from signoff.queue.grant_pattern import AnyValue, Under

BELOW_DOCS = GrantPattern("write_file", (("path", Under("docs")),))
ANYWHERE = GrantPattern("write_file", (("path", AnyValue()),))


def write(path, key=None, **fields):
    """A call that asks to write this file."""
    payload = {"path": path}
    return call(key or f"write {path}", payload=payload, payload_key=canonical(payload), **fields)


@pytest.fixture
def origin(agent):
    """A request that waits."""
    return agent.submit(write("docs/a.md"))


@pytest.fixture
def wide(review, origin):
    """A grant for all files below docs."""
    return review.add_pattern(BELOW_DOCS, session="s-41", origin=origin.id)


# -- giving -------------------------------------------------------------------------------------------------


def test_a_pattern_grant_is_on_record_with_who_gave_it_and_for_which_request(review, origin, wide):
    assert review.grants() == (wide,)
    assert (wide.kind, wide.pattern, wide.session) == (GrantKind.PATTERN, BELOW_DOCS, "s-41")
    assert (wide.created_by, wide.origin_request, wide.payload) == ("anna", origin.id, {"path": "docs/a.md"})
    assert wide.words() == BELOW_DOCS.words()


def test_the_same_pattern_twice_is_one_grant(review, origin, wide):
    assert review.add_pattern(BELOW_DOCS, session="s-41", origin=origin.id) == wide
    assert review.grants() == (wide,)


def test_giving_a_pattern_decides_nothing(review, origin, wide):
    assert review.pending() == (origin,)


def test_an_ordinary_approval_never_makes_a_pattern(agent, review):
    approve(review, agent.submit(write("docs/a.md")), remember=True)
    assert [grant.kind for grant in review.grants()] == [GrantKind.EXACT]


def test_a_pattern_for_an_unknown_request_is_an_error(review):
    with pytest.raises(UnknownRequestError):
        review.add_pattern(BELOW_DOCS, session="s-41", origin="nothing")


@pytest.mark.parametrize(
    ("submission", "why"),
    [
        (write("docs/a.md", risk=Risk.HIGH), "HIGH risk"),
        (write("docs/a.md", supports=frozenset({"note"})), "its agent keeps none"),
        (write("src/a.py"), "does not cover the request"),
        (write("docs/a.md", tool_name="delete_file"), "does not cover the request"),
    ],
)
def test_a_request_that_is_no_reason_for_the_pattern_is_refused(agent, review, submission, why):
    posted = agent.submit(submission)
    with pytest.raises(GrantRefusedError, match=why):
        review.add_pattern(BELOW_DOCS, session="s-41", origin=posted.id)
    assert review.grants() == ()


def test_a_pattern_is_for_the_session_of_its_request(review, origin):
    with pytest.raises(GrantRefusedError, match="another session"):
        review.add_pattern(BELOW_DOCS, session="s-42", origin=origin.id)


def test_a_no_is_no_reason_for_a_pattern(review, origin):
    reject(review, origin)
    with pytest.raises(GrantRefusedError, match="was rejected"):
        review.add_pattern(BELOW_DOCS, session="s-41", origin=origin.id)


# -- using --------------------------------------------------------------------------------------------------


def test_a_pattern_answers_what_it_covers_and_counts(agent, wide):
    assert agent.has_grant(write("docs/b/c.md"))
    used = agent.use_grant(write("docs/b/c.md"))
    assert (used.id, used.uses, used.pattern) == (wide.id, 1, BELOW_DOCS)


@pytest.mark.parametrize("path", ["docs", "src/a.py", "docs/../src/a.py", "/docs/a.md", "docs2/a.md"])
def test_a_pattern_answers_nothing_else(agent, wide, path):
    assert agent.use_grant(write(path)) is None


def test_a_pattern_does_not_reach_another_session_or_tool(agent, open_agent, wide):
    assert open_agent("refactor", "s-42").use_grant(write("docs/a.md")) is None
    assert agent.use_grant(write("docs/a.md", tool_name="delete_file")) is None


def test_a_payload_with_an_entry_more_is_not_covered(agent, wide):
    payload = {"path": "docs/a.md", "mode": "w"}
    assert agent.use_grant(call(payload=payload, payload_key=canonical(payload))) is None


@pytest.mark.parametrize("fields", [{"risk": Risk.HIGH}, {"supports": frozenset({"note"})}])
def test_a_pattern_never_answers_what_must_not_be_remembered(agent, wide, fields):
    assert agent.use_grant(write("docs/b.md", **fields)) is None


def test_each_use_is_on_record_with_the_pattern_that_did_it(agent, review, wide):
    agent.use_grant(write("docs/b.md"))
    line = review.history()[0]
    assert (line.state, line.decision) == (
        RequestState.APPROVED,
        Decision(approved=True, source=DecisionSource.GRANT, by=wide.id),
    )


def test_the_exact_grant_answers_before_a_pattern(agent, review, wide):
    exact = agent.add_grant(write("docs/b.md"), by="callback")
    assert agent.use_grant(write("docs/b.md")).id == exact.id


def test_the_older_of_two_patterns_answers(agent, review, origin, wide):
    wider = review.add_pattern(ANYWHERE, session="s-41", origin=origin.id)
    assert agent.use_grant(write("docs/b.md")).id == wide.id
    assert agent.use_grant(write("src/b.py")).id == wider.id


def test_an_exact_grant_that_is_spelled_like_a_pattern_is_none(agent):
    spelled = replace(write("x"), payload=BELOW_DOCS.to_json(), payload_key=BELOW_DOCS.key)
    agent.add_grant(spelled, by="callback")
    assert agent.use_grant(write("docs/a.md")) is None


# -- revoking -----------------------------------------------------------------------------------------------


def test_a_revoked_pattern_answers_nobody_and_says_who_revoked_it(agent, review, wide):
    assert review.revoke(wide.id)
    assert agent.use_grant(write("docs/a.md")) is None
    (revoked,) = review.grants(include_revoked=True)
    assert revoked.revoked_by == "anna"


@pytest.mark.parametrize(("session", "left"), [("s-41", ["s-42"]), (None, [])])
def test_all_grants_of_a_session_or_of_all_are_revoked_at_once(open_agent, review, wide, session, left):
    open_agent("other", "s-42").add_grant(call(), by="callback")
    assert review.revoke_all(session) == 2 - len(left)
    assert [grant.session for grant in review.grants()] == left


def test_a_running_process_sees_giving_and_revoking_before_its_next_call(opener, review):
    with child("use_grants", opener.place, "s-41", "docs/b.md") as process:
        request = review.get(line_of(process))
        answers = []
        for act in (
            lambda: None,
            lambda: review.add_pattern(BELOW_DOCS, session="s-41", origin=request.id),
            review.revoke_all,
        ):
            act()
            tell(process)
            answers.append(line_of(process))
    assert answers == ["ask", "go", "ask"]


# -- preview ------------------------------------------------------------------------------------------------


def test_a_preview_counts_and_names_what_would_have_matched(agent, review):
    approve(review, agent.submit(write("docs/a.md")))
    reject(review, agent.submit(write("docs/b.md")))
    approve(review, agent.submit(write("src/c.py")))
    found = review.preview(BELOW_DOCS)
    assert (found.looked_at, found.still_asked, found.unreadable, found.waiting) == (3, 0, 0, ())
    assert [(each.state, each.arguments) for each in found.matched] == [
        (each.state, each.arguments) for each in review.history()[1:]
    ]


def test_a_preview_names_the_requests_that_wait(agent, review):
    inside = agent.submit(write("docs/a.md"))
    agent.submit(write("src/a.py"))
    agent.submit(write("docs/b.md", risk=Risk.HIGH))
    assert review.preview(BELOW_DOCS).waiting == (inside,)


def test_a_preview_tells_apart_what_matches_and_is_asked_all_the_same(agent, review):
    approve(review, agent.submit(write("docs/a.md", risk=Risk.HIGH)))
    found = review.preview(BELOW_DOCS)
    assert (found.matched, found.still_asked) == ((), 1)


def test_a_preview_looks_at_the_last_calls_only(agent, review):
    for n in range(5):
        approve(review, agent.submit(write(f"docs/{n}")))
    found = review.preview(BELOW_DOCS, last=3)
    assert (found.looked_at, len(found.matched)) == (3, 3)
    assert review.preview(BELOW_DOCS, last=0).looked_at == 0


def test_a_preview_can_be_limited_to_a_session(agent, open_agent, review):
    other = open_agent("other", "s-42")
    approve(review, other.submit(write("docs/a.md")))
    other.submit(write("docs/b.md"))
    found = review.preview(BELOW_DOCS, session="s-41")
    assert (found.looked_at, found.waiting) == (0, ())


def test_calls_answered_by_a_grant_count_in_a_preview(agent, review, wide):
    agent.use_grant(write("docs/b.md"))
    assert review.preview(ANYWHERE).looked_at == 1


def test_a_call_that_was_approved_and_then_superseded_counts_once_in_a_preview(agent, review):
    posted = agent.submit(write("docs/a.md"))
    approve(review, posted)
    agent.amend(posted.id, write("docs/a.md", content="newer"))
    found = review.preview(BELOW_DOCS)
    assert (found.looked_at, len(found.matched), len(found.waiting)) == (1, 1, 1)


def test_a_preview_changes_nothing(agent, review, origin):
    cursor = review.changes(0).cursor
    review.preview(BELOW_DOCS)
    assert (review.changes(0).cursor, review.grants(), review.history()) == (cursor, (), ())
