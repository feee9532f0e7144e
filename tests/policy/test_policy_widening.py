"""Wider and narrower remembered approvals: each offer covers what it says, and never less or more than that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.policy.grant_scope import narrower, wider
from signoff.queue import GrantPattern
from signoff.queue.grant_coverage import Breadth, reach_of_pattern
from signoff.queue.grant_pattern import AnyValue, OneOf, Under

PARTS = st.sampled_from(["a", "b", "docs", "..", "x y", ""])
VALUES = st.one_of(
    st.lists(PARTS, min_size=1, max_size=5).map("/".join),
    st.integers(0, 3),
    st.booleans(),
    st.none(),
    st.just([1]),
)
PAYLOADS = st.dictionaries(st.sampled_from(["path", "mode", "n"]), VALUES, max_size=3)


@st.composite
def patterns_with_payloads(draw: st.DrawFn) -> tuple[GrantPattern, dict[str, object]]:
    """A pattern, and the payload of the call that it was given for."""
    payload = draw(PAYLOADS)
    pattern = GrantPattern.exactly("write_file", payload)
    for _ in range(draw(st.integers(0, 3))):
        offers = wider(pattern)
        if offers:
            pattern = draw(st.sampled_from(offers))
    return pattern, payload


@given(patterns_with_payloads(), PAYLOADS)
def test_a_wider_one_covers_all_that_was_covered(
    given_for: tuple[GrantPattern, dict[str, object]], other: dict[str, object]
) -> None:
    pattern, payload = given_for
    for offer in wider(pattern):
        assert offer.matches("write_file", payload)
        assert offer != pattern
        assert offer.matches("write_file", other) or not pattern.matches("write_file", other)


@given(patterns_with_payloads(), PAYLOADS)
def test_a_narrower_one_covers_its_call_and_nothing_new(
    given_for: tuple[GrantPattern, dict[str, object]], other: dict[str, object]
) -> None:
    pattern, payload = given_for
    for offer in narrower(pattern, payload):
        assert offer.matches("write_file", payload)
        assert offer != pattern
        assert pattern.matches("write_file", other) or not offer.matches("write_file", other)


@given(PAYLOADS)
def test_nothing_is_narrower_than_one_call(payload: dict[str, object]) -> None:
    assert narrower(GrantPattern.exactly("write_file", payload), payload) == ()


def test_the_nearest_directory_is_offered_first() -> None:
    pattern = GrantPattern.exactly("write_file", {"path": "docs/guide/a.md"})
    places = [offer.entries[0][1] for offer in wider(pattern)]
    assert places == [Under("docs/guide"), Under("docs"), AnyValue()]


def test_no_directory_is_offered_for_a_path_that_may_lead_elsewhere() -> None:
    pattern = GrantPattern.exactly("write_file", {"path": "docs/../../etc/passwd"})
    assert [offer.entries[0][1] for offer in wider(pattern)] == [AnyValue()]


def test_a_choice_of_values_can_be_narrowed_to_the_one_that_was_asked_for() -> None:
    payload = {"mode": "w"}
    pattern = GrantPattern.exactly("write_file", payload).widened("mode", OneOf.of("w", "a"))
    assert narrower(pattern, payload) == (GrantPattern.exactly("write_file", payload),)


@pytest.mark.parametrize(
    ("matchers", "breadth"),
    [
        ({}, Breadth.EXACT),
        ({"path": Under("docs")}, Breadth.PATTERN),
        ({"path": AnyValue()}, Breadth.PATTERN),
        ({"path": AnyValue(), "mode": AnyValue()}, Breadth.EVERYTHING),
    ],
    ids=["exact", "below", "one free", "all free"],
)
def test_how_wide_a_pattern_is(matchers: dict[str, AnyValue | Under], breadth: Breadth) -> None:
    payload = {"path": "docs/a.md", "mode": "w"}
    pattern = GrantPattern.exactly("write_file", payload)
    for key, matcher in matchers.items():
        pattern = pattern.widened(key, matcher)
    assert reach_of_pattern(pattern, payload, payload).breadth is breadth


def test_a_pattern_that_leaves_only_a_container_fixed_is_wide() -> None:
    payload = {"sandbox": "docs", "path": "a.md"}
    pattern = GrantPattern.exactly("write_file", payload).widened("path", AnyValue())
    assert reach_of_pattern(pattern, payload, {"path": "a.md", "content": "x"}).breadth is Breadth.WIDE


def test_a_directory_that_a_path_leads_out_of_is_no_narrower_reach() -> None:
    payload = {"path": "a/a/.."}
    given = GrantPattern("write_file", (("path", AnyValue()),))
    assert narrower(given, payload) == (GrantPattern.exactly("write_file", payload),)
