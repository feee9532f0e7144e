"""The decision guard: what a key decides about one request, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from guard_bench import Bench, permit_of, reason
from msgspec.structs import replace

from signoff_tui.guard import (
    Act,
    GuardSettings,
    Held,
    NeedsUnseenBar,
    NotDecisive,
    OpenEditor,
    Permit,
    PermitError,
    Reason,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


# Switches


SWITCHES: list[tuple[Callable[[Bench], object], Reason]] = [
    (lambda bench: bench.guard.set_read_only(True), Reason.READ_ONLY),
    (lambda bench: bench.guard.resized(too_small=True), Reason.TOO_SMALL),
    (lambda bench: bench.guard.set_connected(False), Reason.DISCONNECTED),
]


@pytest.mark.parametrize("key", list("yYnNsx"))
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

    assert permit == Permit(Act.APPROVE, (bench.known["a"].ref,), "y", bench.now, 1.0)


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

    assert bench.press(key).verdict == NeedsUnseenBar(bench.known["a"].ref, 0.61, remembers=key == "s")
    assert bench.sent() == []


@pytest.mark.parametrize("key", ["y", "s"])
def test_what_was_shown_while_the_key_waited_was_not_shown_when_it_was_pressed(bench: Bench, key: str) -> None:
    bench.armed("a")
    pressed = bench.now
    bench.alter("a", shown_from=pressed + 0.1)
    bench.pass_time(0.2)

    assert reason(bench.press(key, pressed)) is Reason.TOO_EARLY
    bench.pass_time(1.0)
    assert bench.accepts(key)


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
    until = bench.now + 3.0

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
    guard.set_read_only(True)
    assert guard.status(bench.now).word == "read only"


def test_a_heading_shows_the_arming_of_its_set(bench: Bench) -> None:
    bench.request("a")
    bench.show_group()
    bench.paint(5.0)

    assert bench.guard.status(5.1).word == "arming 0.2s"
    assert bench.guard.status(6.0).word == "armed"
