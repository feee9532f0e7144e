"""The decision guard: when a key decides, about what, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from guard_bench import KEYS, MOMENT, Bench, reason
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.guard import (
    Act,
    Answered,
    Cause,
    Decide,
    DecisionGuard,
    EditorText,
    Facts,
    GuardSettings,
    Held,
    NeedsGroupBar,
    NeedsUnseenBar,
    NotDecisive,
    Omission,
    OpenEditor,
    OpenSheet,
    Permit,
    PermitError,
    Reaction,
    Reason,
    Ref,
    Revoke,
    Target,
    eligible,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def permit_of(reaction: Reaction) -> Permit:
    assert isinstance(reaction.verdict, Decide)
    return reaction.verdict.permit


# Settings


def with_time(name: str, seconds: float) -> GuardSettings:
    times: dict[str, Any] = {name: seconds}
    return GuardSettings(**times)


@pytest.mark.parametrize("name", ["arm_moved", "arm_advanced", "arm_high", "arm_sheet", "arm_focus"])
def test_no_arming_time_may_be_under_150_ms(name: str) -> None:
    with pytest.raises(ValueError, match=rf"guard\.{name} is 0\.149"):
        with_time(name, 0.149).validate()


@pytest.mark.parametrize("name", ["hold_one", "hold_many"])
def test_a_hold_is_off_or_long_enough_for_the_typing_window(name: str) -> None:
    with_time(name, 0.0).validate()
    with_time(name, 0.8).validate()
    with pytest.raises(ValueError, match=rf"guard\.{name}"):
        with_time(name, 0.79).validate()


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_time_that_is_no_time_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"guard\.link_delay"):
        GuardSettings(link_delay=value).validate()


def test_a_guard_is_not_made_with_settings_that_are_refused() -> None:
    with pytest.raises(ValueError, match=r"guard\.arm_moved"):
        DecisionGuard[str](GuardSettings(arm_moved=0.0), KEYS, lambda _: None, lambda: 0.0)


def test_settings_say_when_a_protection_is_off() -> None:
    assert not GuardSettings().reduced
    assert GuardSettings(hold_one=0).reduced
    assert GuardSettings(require_seen=False).reduced


# Arming: press time against paint time


@pytest.mark.parametrize(
    ("cause", "wait"),
    [
        (Cause.MOVED, 0.25),
        (Cause.ADVANCED, 0.4),
        (Cause.ARRIVED, 1.0),
        (Cause.CHANGED, 1.0),
    ],
)
def test_a_target_is_armed_so_long_after_its_paint(bench: Bench, cause: Cause, wait: float) -> None:
    bench.request("a")
    bench.show("a", cause)
    bench.paint(5.0)

    assert reason(bench.press("y", 5.0 + wait - MOMENT)) is Reason.TOO_EARLY
    bench.pass_time(1.0)
    assert bench.accepts("y")


@pytest.mark.parametrize("wait", [0.25, 0.4, 1.0])
def test_a_key_at_the_end_of_the_wait_counts(bench: Bench, wait: float) -> None:
    bench.request("a")
    cause = {0.25: Cause.MOVED, 0.4: Cause.ADVANCED, 1.0: Cause.ARRIVED}[wait]
    bench.show("a", cause)
    bench.paint(5.0)

    assert bench.accepts("y", 5.0 + wait + MOMENT)


def test_a_high_target_takes_800_ms_whatever_brought_it(bench: Bench) -> None:
    bench.request("a", risk="HIGH")
    bench.show("a", Cause.MOVED)
    bench.paint(5.0)

    assert reason(bench.press("y", 5.8 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", 6.0)


def test_a_slow_line_adds_to_every_wait() -> None:
    bench = Bench(GuardSettings(link_delay=0.5))
    bench.request("a")
    bench.show("a")
    bench.paint(5.0)

    assert reason(bench.press("y", 5.75 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", 5.95)


def test_focus_wants_500_ms_more(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.focus_in(bench.now)

    assert reason(bench.press("y", bench.now + 0.5 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_moving_on_does_not_shorten_the_wait_after_focus(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.guard.focus_in(bench.now)
    bench.show("b")
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.5 - MOMENT)) is Reason.TOO_EARLY


def test_what_was_not_painted_is_not_armed_however_long_ago_it_was_shown(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")

    assert reason(bench.press("y", 60.0)) is Reason.CATCHING_UP


def test_the_paint_of_an_earlier_target_arms_nothing(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.guard.changed()
    frame = bench.guard.pending
    assert frame is not None
    bench.show("b")
    bench.guard.painted(frame, bench.now)

    assert reason(bench.press("y", bench.now + 10)) is Reason.CATCHING_UP


def test_a_later_frame_also_shows_what_was_pending_before(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")
    bench.guard.restart()
    bench.paint(5.0)

    assert bench.accepts("y", 5.3)


def test_the_first_paint_counts_not_the_last(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")
    frame = bench.guard.pending
    assert frame is not None
    bench.guard.painted(frame, 5.0)
    bench.guard.painted(frame, 5.2)

    assert bench.accepts("y", 5.26)


def test_showing_the_same_again_does_not_disturb_the_arming(bench: Bench) -> None:
    bench.armed("a")
    bench.show("a", Cause.CHANGED)

    assert bench.guard.pending is None
    assert bench.accepts("y")


def test_another_revision_under_the_same_id_is_armed_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.request("a", revision=2)
    bench.show("a", Cause.CHANGED)
    bench.paint()

    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY


def test_another_risk_is_armed_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", risk="med")
    bench.show("a", Cause.CHANGED)

    assert bench.guard.pending is not None


def test_a_change_under_the_same_name_takes_a_second_after_its_paint(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.changed()

    assert reason(bench.press("y")) is Reason.CATCHING_UP
    bench.pass_time(1.0)
    bench.paint()
    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY


def test_other_contents_under_the_same_id_take_a_second_whatever_the_screen_calls_it(bench: Bench) -> None:
    bench.armed("a")
    bench.request("a", revision=2)
    bench.show("a", Cause.MOVED)
    bench.paint()

    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY


def test_going_away_and_back_takes_only_the_time_of_a_move(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.show("b")
    bench.show("a")
    bench.paint()

    assert bench.accepts("y", bench.now + 0.25 + MOMENT)


def test_saying_the_same_of_a_switch_again_disturbs_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.set_connected(True)
    bench.guard.set_read_only(False)
    bench.guard.set_locked(False)

    assert bench.guard.pending is None
    assert bench.accepts("y")


def test_after_a_decision_the_next_target_has_advanced_whatever_the_screen_says(bench: Bench) -> None:
    bench.armed("a", "b")
    bench.press("y")
    bench.show("b", Cause.MOVED)
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.4 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_only_the_next_target_has_advanced(bench: Bench) -> None:
    bench.armed("a", "b", "c")
    bench.press("y")
    bench.show("b")
    bench.paint()
    bench.pass_time(1.0)
    bench.show("c")
    bench.paint()

    assert bench.accepts("y", bench.now + 0.25 + MOMENT)


@pytest.mark.parametrize("again", ["restart", "resized", "focus"])
def test_resize_theme_and_focus_never_decide(bench: Bench, again: str) -> None:
    bench.armed("a")
    match again:
        case "restart":
            bench.guard.restart()
        case "resized":
            bench.guard.resized(too_small=False)
        case _:
            bench.guard.focus_in(bench.now)

    assert not bench.accepts("y")
    assert bench.sent() == []


def test_a_restarted_target_is_armed_after_its_paint_by_its_own_cause(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.restart()
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_reconnecting_arms_anew_and_decides_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.set_connected(False)
    bench.guard.set_connected(True)
    bench.paint()

    assert reason(bench.press("y", bench.now + 1.0 - MOMENT)) is Reason.TOO_EARLY
    assert bench.sent() == []


# Keys that come too soon after others, or too late


def test_a_decision_key_within_150_ms_of_another_is_dropped_and_starts_arming_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", closed="for the moment")
    bench.press("y")
    bench.alter("a", closed="")

    assert reason(bench.press("y", bench.now + 0.15 - MOMENT)) is Reason.TOO_EARLY
    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.2)


def test_a_decision_key_within_250_ms_of_any_other_key_is_dropped(bench: Bench) -> None:
    bench.armed("a")
    bench.press("v")

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.5)


def test_a_key_that_waited_in_a_blocked_program_is_dropped(bench: Bench) -> None:
    bench.armed("a")
    pressed_at = bench.now
    bench.pass_time(0.25 + MOMENT)

    assert reason(bench.press("y", pressed_at)) is Reason.LATE


def test_nothing_pressed_before_a_late_key_was_handled_counts(bench: Bench) -> None:
    bench.armed("a")
    start = bench.now
    bench.pass_time(0.5)
    bench.press("y", start)

    assert reason(bench.press("y", start + 0.45)) is Reason.TOO_EARLY
    assert bench.accepts("y", bench.now + 0.25 + MOMENT)


def test_a_time_stamp_from_the_future_is_taken_as_now(bench: Bench) -> None:
    bench.request("a")
    bench.show("a")
    bench.paint(5.0)
    reaction = bench.guard.press("y", 60.0)

    assert reason(reaction) is Reason.TOO_EARLY


# Switches


SWITCHES: list[tuple[Callable[[Bench], object], Reason]] = [
    (lambda bench: bench.guard.set_read_only(True), Reason.READ_ONLY),
    (lambda bench: bench.guard.set_locked(True), Reason.LOCKED),
    (lambda bench: bench.guard.resized(too_small=True), Reason.TOO_SMALL),
    (lambda bench: bench.guard.set_connected(False), Reason.DISCONNECTED),
]


@pytest.mark.parametrize("key", list("yYnNsSxX"))
@pytest.mark.parametrize(("switch", "expected"), SWITCHES)
def test_no_decision_key_counts_while_one_switch_is_off(
    bench: Bench, switch: Callable[[Bench], object], expected: Reason, key: str
) -> None:
    bench.armed("a", group="g")
    switch(bench)
    bench.paint()
    bench.pass_time(10.0)

    assert reason(bench.press(key)) is expected


@pytest.mark.parametrize(("switch", "expected"), SWITCHES)
def test_an_editor_and_a_sheet_send_nothing_while_one_switch_is_off(
    bench: Bench, switch: Callable[[Bench], object], expected: Reason
) -> None:
    bench.armed("a", "b")
    bench.press("s")
    bench.guard.sheet_opened(confirm="y")
    switch(bench)
    bench.paint()
    assert reason(bench.press("y", bench.now + 5)) is expected
    bench = Bench()
    bench.armed("a")
    bench.press("n")
    switch(bench)
    bench.paint()
    assert reason(bench.press("enter", bench.now + 5)) is expected


def test_ordinary_keys_work_with_every_switch_off(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.set_read_only(True)

    assert bench.press("j").verdict == NotDecisive()


def test_with_nothing_shown_a_decision_key_says_so(bench: Bench) -> None:
    assert reason(bench.press("y")) is Reason.NOTHING


# One request


def test_approving_names_exactly_the_painted_revision(bench: Bench) -> None:
    bench.armed("a")
    permit = permit_of(bench.press("y"))

    assert permit == Permit(Act.APPROVE, (bench.known["a"].ref,), "y", bench.now, 1.0, many=False)


def test_a_request_that_does_not_wait_says_why(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", closed="expired 10 s ago")
    reaction = bench.press("y")

    assert reason(reaction) is Reason.CLOSED
    assert "expired 10 s ago" in str(reaction.verdict)


def test_a_request_that_is_gone_cannot_be_decided(bench: Bench) -> None:
    bench.armed("a")
    bench.known.clear()

    assert reason(bench.press("y")) is Reason.CLOSED


def test_a_held_request_does_not_wait(bench: Bench) -> None:
    bench.armed("a")
    bench.press("y")
    bench.pass_time(1.0)

    assert reason(bench.press("y")) is Reason.HELD


def test_contents_swapped_a_moment_before_the_key_are_not_approved(bench: Bench) -> None:
    """The screen knows of the swap, but has not said so to the guard yet."""
    bench.armed("a")
    bench.request("a", revision=2)

    assert reason(bench.press("y")) is Reason.CATCHING_UP


def test_contents_swapped_under_the_same_revision_are_not_approved(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", ref=replace(bench.known["a"].ref, digest="other"))

    assert reason(bench.press("y")) is Reason.CATCHING_UP


def test_a_risk_that_rose_a_moment_before_the_key_is_not_approved(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", risk="HIGH")

    assert reason(bench.press("y")) is Reason.CATCHING_UP


@pytest.mark.parametrize("key", ["y", "s"])
def test_what_was_not_fully_shown_is_not_approved(bench: Bench, key: str) -> None:
    bench.armed("a")
    bench.alter("a", coverage=0.61)

    assert bench.press(key).verdict == NeedsUnseenBar(bench.known["a"].ref, 0.61)
    assert bench.sent() == []


def test_without_require_seen_y_approves_unread_and_s_still_does_not() -> None:
    bench = Bench(GuardSettings(require_seen=False))
    bench.armed("a", "b")
    bench.alter("a", coverage=0.2)

    assert isinstance(bench.press("s").verdict, NeedsUnseenBar)
    bench.pass_time(1.0)
    assert permit_of(bench.press("y")).shown == 0.2


def test_a_share_that_is_no_number_counts_as_unseen(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", coverage=float("nan"))

    assert isinstance(bench.press("y").verdict, NeedsUnseenBar)


def test_capital_keys_do_nothing_without_a_group(bench: Bench) -> None:
    bench.armed("a")

    assert reason(bench.press("Y")) is Reason.NO_GROUP


def test_rejecting_does_not_want_everything_shown(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", coverage=0.0)
    verdict = bench.press("n").verdict

    assert isinstance(verdict, OpenEditor)
    assert verdict.offer.act is Act.REJECT


def test_high_is_never_remembered(bench: Bench) -> None:
    bench.request("a", risk="HIGH")
    bench.armed("a")

    assert reason(bench.press("s")) is Reason.HIGH


def test_a_risk_that_nobody_heard_of_is_treated_as_high(bench: Bench) -> None:
    bench.request("a", risk="unknown")  # type: ignore[arg-type]
    bench.armed("a")

    assert permit_of(bench.press("y")).many


# The bar that offers !


def unseen_bar(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", coverage=0.61)
    bench.press("y")
    bench.paint()


def test_the_deliberate_key_is_nothing_where_it_is_not_offered(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", coverage=0.61)

    assert reason(bench.press("!")) is Reason.NOT_OFFERED


def test_the_bar_takes_the_deliberate_key_400_ms_after_its_paint(bench: Bench) -> None:
    unseen_bar(bench)

    assert reason(bench.press("!", bench.now + 0.4 - MOMENT)) is Reason.TOO_EARLY
    assert bench.guard.offers_unseen
    permit = permit_of(bench.press("!", bench.now + 0.2))
    assert not bench.guard.offers_unseen
    assert (permit.act, permit.shown, permit.many) == (Act.APPROVE_UNSEEN, 0.61, True)


def test_an_unpainted_bar_takes_no_key(bench: Bench) -> None:
    bench.armed("a")
    bench.alter("a", coverage=0.61)
    bench.press("y")

    assert reason(bench.press("!", bench.now + 5)) is Reason.CATCHING_UP


@pytest.mark.parametrize("how", ["moved", "changed", "closed"])
def test_the_offer_ends_with_what_it_was_about(bench: Bench, how: str) -> None:
    unseen_bar(bench)
    bench.request("b")
    match how:
        case "moved":
            bench.show("b")
        case "changed":
            bench.guard.changed()
        case _:
            bench.guard.bar_closed()
    bench.paint()

    assert reason(bench.press("!", bench.now + 5)) is Reason.NOT_OFFERED


def test_the_deliberate_key_does_not_approve_other_contents(bench: Bench) -> None:
    unseen_bar(bench)
    bench.request("a", coverage=0.0, revision=2)

    assert reason(bench.press("!", bench.now + 1)) is Reason.CATCHING_UP


def test_asking_again_does_not_put_the_deliberate_key_off(bench: Bench) -> None:
    unseen_bar(bench)
    bench.press("y", bench.now + 0.2)

    assert bench.accepts("!", bench.now + 0.25 + MOMENT)


# Groups


def test_a_group_approval_names_the_ready_members_and_no_others(bench: Bench) -> None:
    bench.request("ready")
    bench.request("unseen", coverage=0.99)
    bench.request("high", risk="HIGH")
    bench.request("later")
    bench.alter("later", later=True)
    bench.request("gone")
    bench.alter("gone", closed="withdrawn")
    bench.armed("unseen", group="g")
    permit = permit_of(bench.press("Y"))

    assert (permit.act, permit.refs) == (Act.APPROVE_GROUP, (bench.known["ready"].ref,))
    assert permit.many


def test_a_member_added_between_paint_and_press_is_not_approved(bench: Bench) -> None:
    """UT-10: the member arrives 1 ms before `Y` and is known to the screen, but was not named."""
    bench.armed("a", "b", group="g")
    late = bench.request("late")
    bench.pass_time(MOMENT)
    permit = permit_of(bench.press("Y"))

    assert late not in permit.refs
    assert len(permit.refs) == 2


def test_a_late_member_is_listed_as_new(bench: Bench) -> None:
    named = frozenset({bench.request("a")})
    late = bench.request("late")
    who = eligible(bench.known.values(), named)

    assert [(member.ref, member.reason) for member in who.left_out] == [(late, Omission.NEW)]


def test_a_member_that_became_ready_after_the_bar_was_painted_is_not_approved(bench: Bench) -> None:
    bench.request("b", coverage=0.5)
    bench.armed("a", "b", group="g")
    bench.alter("b", coverage=1.0)

    assert permit_of(bench.press("Y")).refs == (bench.known["a"].ref,)


def test_a_member_that_changed_after_the_bar_was_painted_is_not_approved(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.request("b", revision=2)

    assert permit_of(bench.press("Y")).refs == (bench.known["a"].ref,)


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


@pytest.mark.parametrize("key", ["y", "n", "s", "x"])
def test_on_a_heading_lower_case_does_nothing(bench: Bench, key: str) -> None:
    bench.request("a")
    bench.show_group()
    bench.paint()
    bench.pass_time(10)

    assert reason(bench.press(key)) is Reason.CAPITALS


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


@pytest.mark.parametrize("key", ["y", "Y"])
def test_a_tagged_set_is_approved_by_the_rules_of_a_group(bench: Bench, key: str) -> None:
    ready = bench.request("a")
    bench.request("b", risk="HIGH")
    bench.request("c", coverage=0.1)
    bench.show_tagged()
    bench.paint()
    bench.pass_time(1)
    permit = permit_of(bench.press(key))

    assert (permit.act, permit.refs, permit.many) == (Act.APPROVE_GROUP, (ready,), True)


facts = st.builds(
    Facts,
    st.builds(Ref, st.sampled_from("abcdefgh"), st.integers(1, 3)),
    st.sampled_from(["low", "med", "HIGH", "?"]),
    st.sampled_from([0.0, 0.5, 0.999, 1.0, float("nan")]),
    st.sampled_from(["", "expired"]),
    st.booleans(),
)
groups = st.lists(facts, unique_by=lambda member: member.ref.id, max_size=8)


@given(painted=groups, now=groups, key=st.sampled_from(["Y", ";y", "S"]))
def test_high_is_never_part_of_a_group_act(painted: list[Facts], now: list[Facts], key: str) -> None:
    """UT-11, and the rest of the rule of eligibility: only what was named and is ready now."""
    bench = Bench()
    bench.known = {member.ref.id: member for member in painted}
    shown = bench.show_tagged() if key == ";y" else bench.show_group()
    bench.paint()
    bench.pass_time(10)
    bench.known = {member.ref.id: member for member in now}
    reaction = bench.press(key[-1])
    if isinstance(reaction.verdict, OpenSheet):
        bench.guard.sheet_opened(confirm="y")
        bench.paint()
        reaction = bench.press("y", bench.now + 1)

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
def test_every_member_is_ready_or_left_out_with_a_reason(members: list[Facts]) -> None:
    who = eligible(members)

    assert {*who.ready, *(member.ref for member in who.left_out)} == {member.ref for member in members}
    assert len(who.ready) + len(who.left_out) == len(members)


# Sheets


def session_sheet(bench: Bench, confirm: str = "y") -> None:
    bench.armed("a")
    bench.press("s")
    bench.guard.sheet_opened(confirm=confirm)
    bench.paint()


def test_a_sheet_takes_its_key_400_ms_after_its_paint(bench: Bench) -> None:
    session_sheet(bench)

    assert reason(bench.press("y", bench.now + 0.4 - MOMENT)) is Reason.TOO_EARLY
    permit = permit_of(bench.press("y", bench.now + 0.2))
    assert (permit.act, permit.refs, permit.many) == (Act.REMEMBER, (bench.known["a"].ref,), True)


def test_an_unpainted_sheet_takes_no_key(bench: Bench) -> None:
    bench.armed("a")
    bench.press("s")
    bench.guard.sheet_opened(confirm="y")

    assert reason(bench.press("y", bench.now + 5)) is Reason.CATCHING_UP


def test_a_sheet_that_the_screen_has_not_opened_yet_takes_no_key(bench: Bench) -> None:
    bench.armed("a")
    bench.press("s")

    assert reason(bench.press("y", bench.now + 5)) is Reason.SHEET


def test_in_a_wide_sheet_the_habit_does_not_help(bench: Bench) -> None:
    session_sheet(bench, confirm="!")

    assert reason(bench.press("y", bench.now + 1)) is Reason.SHEET
    assert bench.accepts("!", bench.now + 1)


def test_enter_confirms_no_sheet(bench: Bench) -> None:
    session_sheet(bench)

    assert reason(bench.press("enter", bench.now + 1)) is Reason.SHEET
    assert bench.sent() == []


def test_another_letter_in_a_sheet_starts_its_wait_anew(bench: Bench) -> None:
    session_sheet(bench)
    bench.press("k", bench.now + 1)

    assert reason(bench.press("y", bench.now + 0.4 - MOMENT)) is Reason.TOO_EARLY


def test_a_sheet_that_says_something_else_starts_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.press("s")
    bench.guard.sheet_opened(confirm="y", extra=frozenset("e"))
    bench.paint()
    bench.pass_time(5)
    assert bench.press("e").verdict == NotDecisive()
    bench.guard.sheet_changed()

    assert reason(bench.press("y", bench.now + 5)) is Reason.CATCHING_UP


def test_a_request_that_ended_under_a_sheet_is_not_remembered(bench: Bench) -> None:
    session_sheet(bench)
    bench.alter("a", closed="withdrawn")

    assert reason(bench.press("y", bench.now + 1)) is Reason.ENDED


def test_a_request_that_changed_under_a_sheet_is_not_remembered(bench: Bench) -> None:
    session_sheet(bench)
    bench.request("a", revision=2)

    assert reason(bench.press("y", bench.now + 1)) is Reason.ENDED


def test_a_request_that_was_put_off_can_be_remembered(bench: Bench) -> None:
    bench.request("a")
    bench.alter("a", later=True)
    session_sheet(bench)

    assert bench.accepts("y", bench.now + 1)


def test_a_closed_sheet_takes_no_key_and_its_target_is_armed_anew(bench: Bench) -> None:
    session_sheet(bench)
    bench.guard.sheet_closed()
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert permit_of(bench.press("y", bench.now + 0.5)).act is Act.APPROVE


def test_a_screen_cannot_open_a_sheet_that_no_key_asked_for(bench: Bench) -> None:
    bench.armed("a")

    with pytest.raises(PermitError):
        bench.guard.sheet_opened(confirm="y")


def test_stopping_everything_names_what_its_sheet_lists(bench: Bench) -> None:
    bench.armed("a", "b", "c")
    bench.press("X")
    listed = tuple(bench.known[id_].ref for id_ in "ab")
    bench.guard.sheet_opened(confirm="!", refs=listed)
    bench.paint()
    bench.alter("a", closed="expired")
    permit = permit_of(bench.press("!", bench.now + 1))

    assert (permit.act, permit.refs, permit.many) == (Act.STOP_ALL, listed[1:], True)


def test_an_agent_can_only_be_stopped(bench: Bench) -> None:
    bench.guard.show(Target.agent("refactor"), Cause.MOVED)
    bench.paint()
    bench.pass_time(1)

    assert reason(bench.press("y")) is Reason.NOTHING
    assert isinstance(bench.press("X", bench.now + 1).verdict, OpenSheet)


def test_a_remembered_approval_can_only_be_revoked(bench: Bench) -> None:
    grant = Ref("grant", 1)
    bench.guard.show(Target.grant(grant), Cause.MOVED)
    bench.paint()

    assert reason(bench.press("x", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert reason(bench.press("y", bench.now + 1)) is Reason.NOTHING
    assert bench.press("x", bench.now + 1).verdict == Revoke(grant)


def test_a_question_takes_its_keys_after_its_wait_also_without_a_queue(bench: Bench) -> None:
    bench.guard.set_connected(False)
    bench.guard.question_opened(frozenset("yu"))
    bench.paint(5.0)

    assert reason(bench.press("y", 5.4 - MOMENT)) is Reason.TOO_EARLY
    assert reason(bench.press("n", 6.0)) is Reason.SHEET
    assert bench.press("u", 7.0).verdict == Answered("u")
    assert bench.press("j", 8.0).verdict == NotDecisive()


# Editors


def test_every_key_in_an_editor_belongs_to_it(bench: Bench) -> None:
    bench.armed("a")
    bench.press("n")

    assert all(bench.press(key).verdict == EditorText() for key in "yYnNsSxX! q")


def test_the_editor_has_the_keys_before_the_screen_has_drawn_it(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.press("n", bench.now)

    assert bench.guard.press("y", bench.now).verdict == EditorText()


def test_enter_in_an_editor_sends_the_rejection(bench: Bench) -> None:
    bench.armed("a")
    bench.press("n")
    permit = permit_of(bench.press("enter", bench.now + 0.5 + MOMENT))

    assert (permit.act, permit.refs, permit.many) == (Act.REJECT, (bench.known["a"].ref,), False)


def test_stopping_an_agent_is_held_longer(bench: Bench) -> None:
    bench.armed("a")
    bench.press("x")
    permit = permit_of(bench.press("enter", bench.now + 1))

    assert (permit.act, permit.many) == (Act.STOP, True)


def test_a_stop_can_be_softened_while_it_is_written(bench: Bench) -> None:
    bench.armed("a")
    bench.press("x")
    bench.guard.editor_softened()

    assert permit_of(bench.press("enter", bench.now + 1)).act is Act.REJECT


def test_a_rejection_whose_request_ended_is_not_sent(bench: Bench) -> None:
    bench.armed("a")
    bench.press("n")
    bench.alter("a", closed="expired")

    assert reason(bench.press("enter", bench.now + 1)) is Reason.ENDED
    assert bench.press("y").verdict == EditorText()


def test_a_rejection_of_a_group_goes_to_those_that_still_wait(bench: Bench) -> None:
    bench.armed("a", "b", group="g")
    bench.press("N")
    bench.alter("a", closed="expired")
    permit = permit_of(bench.press("enter", bench.now + 1))

    assert permit.refs == (bench.known["b"].ref,)
    assert permit.many


def test_a_text_box_that_decides_nothing_keeps_enter(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.editor_opened()

    assert bench.press("enter").verdict == EditorText()
    assert bench.sent() == []


def test_a_closed_editor_arms_its_target_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.editor_opened()
    bench.guard.editor_closed()
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY


# Permits


def test_a_permit_is_good_for_one_hold(bench: Bench) -> None:
    bench.armed("a")
    permit = permit_of(bench.guard.press("y", bench.now))
    bench.guard.hold(permit, "yes")

    with pytest.raises(PermitError):
        bench.guard.hold(permit, "yes")


def test_a_permit_is_void_after_the_next_key(bench: Bench) -> None:
    bench.armed("a")
    permit = permit_of(bench.guard.press("y", bench.now))
    bench.guard.press("j", bench.now)

    with pytest.raises(PermitError):
        bench.guard.hold(permit, "yes")


def test_a_permit_that_the_guard_did_not_make_is_refused(bench: Bench) -> None:
    bench.armed("a")
    permit = permit_of(bench.guard.press("y", bench.now))

    with pytest.raises(PermitError):
        bench.guard.hold(replace(permit), "yes")


def test_what_is_sent_is_what_was_permitted(bench: Bench) -> None:
    bench.armed("a")
    permit = permit_of(bench.press("y"))
    until = bench.now + 1.2

    assert bench.sent() == [Held(permit, "y", until)]


# The word on the target line


def test_the_status_word_follows_the_arming(bench: Bench) -> None:
    status = bench.guard.status
    bench.request("a", risk="HIGH")
    bench.show("a")
    assert status(0.0).word == "arming"
    bench.paint(5.0)
    assert (status(5.0).word, status(5.0).changes_at) == ("arming 0.8s", 5.8)
    assert status(5.79).word == "arming 0.1s"
    assert status(5.81).word == "armed"


def test_the_status_word_says_who_has_the_keys_and_what_stands_against_them(bench: Bench) -> None:
    guard = bench.guard
    assert guard.status(bench.now).word == ""
    bench.armed("a", "b", "c")
    bench.press("n")
    assert guard.status(bench.now).word == "feedback"
    guard.editor_closed()
    bench.paint()
    bench.press("s", bench.now + 1)
    assert guard.status(bench.now).word == "sheet"
    guard.sheet_closed()
    bench.paint()
    bench.press("y", bench.now + 1)
    assert guard.status(bench.now).word == "held"
    bench.sent()
    bench.alter("a", closed="approved")
    assert guard.status(bench.now).word == "closed"
    guard.set_locked(True)
    assert guard.status(bench.now).word == "locked"
    guard.set_read_only(True)
    assert guard.status(bench.now).word == "read only"


def test_a_heading_shows_the_arming_of_its_set(bench: Bench) -> None:
    bench.request("a")
    bench.show_group()
    bench.paint(5.0)

    assert bench.guard.status(5.1).word == "arming 0.2s"
    assert bench.guard.status(6.0).word == "armed"
