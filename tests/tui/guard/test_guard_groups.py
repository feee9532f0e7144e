"""What a decision about a group covers, and what it never covers."""

from __future__ import annotations

import pytest
from guard_bench import MOMENT, Bench, permit_of, reason
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.guard import (
    Act,
    Cause,
    Decide,
    NeedsGroupBar,
    Omission,
    OpenEditor,
    OpenSheet,
    Reason,
    Ref,
    TargetFacts,
    eligible,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_group_approval_names_the_ready_members_and_no_others(bench: Bench) -> None:
    bench.request("ready")
    bench.request("unseen", coverage=0.99)
    bench.request("high", risk="HIGH")
    bench.request("later")
    bench.alter("later", later=True)
    bench.request("gone")
    bench.alter("gone", closed="withdrawn")
    bench.armed("unseen", group="g")
    permit = permit_of(bench.agree("Y"))

    assert (permit.act, permit.refs) == (Act.APPROVE_GROUP, (bench.known["ready"].ref,))


def test_the_sheet_for_a_group_names_its_members_as_they_are_listed(bench: Bench) -> None:
    bench.request("unseen", coverage=0.5)
    listed = tuple(bench.request(name) for name in ("c", "a", "b"))
    bench.armed("unseen", group="g")

    sheet = bench.press("Y").verdict
    assert isinstance(sheet, OpenSheet)
    assert sheet.offer.refs == listed


def test_a_message_for_a_group_is_for_its_members_as_they_are_listed(bench: Bench) -> None:
    listed = tuple(bench.request(name) for name in ("c", "a", "b"))
    bench.armed("c", group="g")

    box = bench.press("N").verdict
    assert isinstance(box, OpenEditor)
    assert box.offer.refs == listed


def test_a_member_added_between_paint_and_press_is_not_approved(bench: Bench) -> None:
    """UT-10: the member arrives 1 ms before `Y` and is known to the screen, but was not named."""
    bench.armed("a", "b", group="g")
    late = bench.request("late")
    bench.pass_time(MOMENT)
    permit = permit_of(bench.press("Y"))

    assert late not in permit.refs
    assert len(permit.refs) == 2


def test_a_member_with_nothing_to_approve_is_left_out(bench: Bench) -> None:
    """Such as one whose edit is not shown yet: it would run as it was asked."""
    bench.request("a")
    bench.request("b")
    bench.alter("b", nothing="your edit is not shown yet")
    members = eligible(bench.known.values())

    assert members.ready == (bench.known["a"].ref,)
    assert [item.reason for item in members.left_out] == [Omission.ALTERED]


def test_a_late_member_is_listed_as_new(bench: Bench) -> None:
    named = frozenset({bench.request("a")})
    late = bench.request("late")
    who = eligible(bench.known.values(), named)

    assert [(member.ref, member.reason) for member in who.left_out] == [(late, Omission.NEW)]


def test_a_member_that_became_ready_after_the_bar_was_painted_is_not_approved(bench: Bench) -> None:
    bench.request("b", coverage=0.5)
    bench.armed("a", "b", group="g")
    bench.alter("b", coverage=1.0)

    assert permit_of(bench.agree("Y")).refs == (bench.known["a"].ref,)


def test_a_member_that_changed_after_the_bar_was_painted_is_not_approved(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.request("b", revision=2)

    assert permit_of(bench.agree("Y")).refs == (bench.known["a"].ref,)


def test_a_held_member_is_not_approved_again(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.press("y")
    bench.pass_time(1.0)

    assert permit_of(bench.press("Y")).refs == (bench.known["b"].ref,)


def test_the_bar_names_no_member_that_is_held(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.press("y")

    assert bench.guard.eligible(bench.known.values()).ready == (bench.known["b"].ref,)


def test_a_group_without_ready_members_says_who_is_left_out(bench: Bench) -> None:
    bench.request("a", coverage=0.5)
    bench.request("b", risk="HIGH")
    bench.armed("a", "b", group="g")
    verdict = bench.press("Y").verdict

    assert isinstance(verdict, NeedsGroupBar)
    assert [member.reason for member in verdict.left_out] == [Omission.UNSEEN, Omission.HIGH]


@pytest.mark.parametrize("key", ["y", "n", "x"])
def test_on_a_heading_lower_case_does_nothing(bench: Bench, key: str) -> None:
    bench.request("a")
    bench.show_group()
    bench.paint()
    bench.pass_time(10)

    assert reason(bench.press(key)) is Reason.CAPITALS


def test_on_a_heading_allowing_is_about_the_members_that_were_read(bench: Bench) -> None:
    ready = bench.request("a")
    bench.request("b", coverage=0.5)
    bench.show_group()
    bench.paint()
    bench.pass_time(10)
    verdict = bench.press("s").verdict

    assert isinstance(verdict, OpenSheet)
    assert (verdict.offer.act, verdict.offer.refs) == (Act.REMEMBER, (ready,))


def test_a_group_that_was_read_is_approved_by_one_key(bench: Bench) -> None:
    bench.armed("a", "b", group="g")

    assert len(permit_of(bench.press("Y")).refs) == 2


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"coverage": 0.5}, Omission.UNSEEN),
        ({"risk": "HIGH"}, Omission.HIGH),
        ({"later": True}, Omission.LATER),
    ],
    ids=["unread", "HIGH", "put off"],
)
def test_where_a_group_approval_leaves_one_out_a_sheet_says_so_first(
    bench: Bench, values: dict[str, object], why: Omission
) -> None:
    bench.request("b")
    bench.alter("b", **values)
    bench.armed("a", group="g")
    verdict = bench.press("Y").verdict

    assert isinstance(verdict, OpenSheet)
    assert verdict.offer.act is Act.APPROVE_GROUP
    assert [(member.ref.id, member.reason) for member in verdict.offer.left_out] == [("b", why)]


def test_the_sheet_of_a_group_is_confirmed_by_another_key_than_its_own(bench: Bench) -> None:
    bench.request("b", coverage=0.5)
    bench.armed("a", group="g")
    bench.press("Y")
    bench.guard.sheet_opened(confirm="y")
    bench.paint()

    assert reason(bench.press("Y", bench.now + 1)) is Reason.SHEET


def test_a_changed_set_is_armed_anew_and_leaves_the_request_armed(bench: Bench) -> None:
    bench.request("b", coverage=0.5)
    bench.armed("a", "b", group="g")
    bench.alter("b", coverage=1.0)
    bench.show("a", group="g")
    bench.paint()

    assert reason(bench.press("Y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.25)


def test_moving_inside_a_group_leaves_its_set_armed(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.show("b", group="g")
    bench.paint()

    assert bench.accepts("Y")


def test_a_new_member_leaves_the_ready_set_armed(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.request("new", coverage=0.0)
    bench.show("a", Cause.CHANGED, group="g")
    bench.paint()

    assert bench.accepts("Y")


def test_rejecting_the_rest_names_who_waits_and_not_who_came_later(bench: Bench) -> None:
    bench.request("unseen", coverage=0.0)
    bench.request("high", risk="HIGH")
    bench.armed("a", "unseen", "high", group="g")
    bench.request("late")
    bench.alter("a", closed="expired")
    verdict = bench.press("N").verdict

    assert isinstance(verdict, OpenEditor)
    assert {ref.id for ref in verdict.offer.refs} == {"unseen", "high"}


def test_a_rejection_of_the_rest_leaves_out_who_was_named_a_moment_ago(bench: Bench) -> None:
    bench.request("a", coverage=0.0)
    bench.armed("a", group="g")
    bench.request("new", coverage=0.0)
    bench.show("a", Cause.CHANGED, group="g")
    bench.paint()
    verdict = bench.press("N", bench.now + 0.25 - MOMENT).verdict

    assert isinstance(verdict, OpenEditor)
    assert [ref.id for ref in verdict.offer.refs] == ["a"]
    assert [member.ref.id for member in verdict.offer.left_out] == ["new"]


def test_a_rejection_of_the_rest_covers_who_was_named_for_long_enough(bench: Bench) -> None:
    bench.request("a", coverage=0.0)
    bench.armed("a", group="g")
    bench.request("new", coverage=0.0)
    bench.show("a", Cause.CHANGED, group="g")
    bench.paint()
    verdict = bench.press("N", bench.now + 0.25 + MOMENT).verdict

    assert isinstance(verdict, OpenEditor)
    assert [ref.id for ref in verdict.offer.refs] == ["a", "new"]


def test_a_member_is_named_by_the_frame_that_shows_it_not_by_an_earlier_one(bench: Bench) -> None:
    bench.request("a", coverage=0.0)
    bench.armed("a", group="g")
    bench.guard.restart()
    frame = bench.guard.pending
    assert frame is not None
    bench.request("new", coverage=0.0)
    bench.show("a", Cause.CHANGED, group="g")
    bench.guard.painted(frame, bench.now)
    verdict = bench.press("N", bench.now + 5).verdict

    assert isinstance(verdict, OpenEditor)
    assert [ref.id for ref in verdict.offer.refs] == ["a"]


def test_a_member_that_came_back_is_named_anew(bench: Bench) -> None:
    bench.request("a", coverage=0.0)
    bench.request("b", coverage=0.0)
    bench.armed("a", group="g")
    for closed in ("held", ""):
        bench.alter("b", closed=closed)
        bench.show("a", Cause.CHANGED, group="g")
    bench.paint()
    verdict = bench.press("N", bench.now + 0.25 - MOMENT).verdict

    assert isinstance(verdict, OpenEditor)
    assert [ref.id for ref in verdict.offer.refs] == ["a"]


def test_a_member_that_does_not_wait_or_changed_cannot_be_rejected(bench: Bench) -> None:
    named = frozenset({bench.request("a"), bench.request("b"), bench.request("c", coverage=0.0)})
    bench.alter("a", closed="expired")
    bench.request("b", revision=2)

    assert {ref.id for ref in eligible(bench.known.values(), named).waiting} == {"c"}


@pytest.mark.parametrize("key", ["y", "Y"])
def test_a_tagged_set_is_approved_by_the_rules_of_a_group(bench: Bench, key: str) -> None:
    ready = bench.request("a")
    bench.request("b", risk="HIGH")
    bench.request("c", coverage=0.1)
    bench.show_tagged()
    bench.paint()
    bench.pass_time(1)
    permit = permit_of(bench.agree(key))

    assert (permit.act, permit.refs) == (Act.APPROVE_GROUP, (ready,))


facts = st.builds(
    TargetFacts,
    st.builds(Ref, st.sampled_from("abcdefgh"), st.integers(1, 3)),
    st.sampled_from(["low", "med", "HIGH", "?"]),
    st.sampled_from([0.0, 0.5, 0.999, 1.0, float("nan")]),
    st.sampled_from(["", "expired"]),
    st.booleans(),
)
groups = st.lists(facts, unique_by=lambda member: member.ref.id, max_size=8)


@given(painted=groups, now=groups, key=st.sampled_from(["Y", ";y", "s"]))
def test_high_is_never_part_of_a_group_act(painted: list[TargetFacts], now: list[TargetFacts], key: str) -> None:
    """UT-11, and the rest of the rule of eligibility: only what was named and is ready now."""
    bench = Bench()
    bench.known = {member.ref.id: member for member in painted}
    shown = bench.show_tagged() if key == ";y" else bench.show_group()
    bench.paint()
    bench.pass_time(10)
    bench.known = {member.ref.id: member for member in now}
    reaction = bench.agree(key[-1])

    covered = set(permit_of(reaction).refs) if isinstance(reaction.verdict, Decide) else set()
    assert covered == {
        member.ref
        for member in now
        if member.ref in shown.ready
        and member.risk in ("low", "med")
        and member.coverage == 1.0
        and not member.closed
        and not member.later
    }


@given(groups)
def test_every_member_is_ready_or_left_out_with_a_reason(members: list[TargetFacts]) -> None:
    who = eligible(members)

    assert {*who.ready, *(member.ref for member in who.left_out)} == {member.ref for member in members}
    assert len(who.ready) + len(who.left_out) == len(members)
