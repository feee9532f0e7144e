"""Keys while something else is open: the bar that offers `!`, sheets, editors."""

from __future__ import annotations

import pytest
from guard_bench import MOMENT, Bench, permit_of, reason

from signoff_tui.guard import (
    Act,
    Answered,
    DecisionGuard,
    EditorText,
    Ignored,
    NotDecisive,
    OpenEditor,
    OpenSheet,
    PermitError,
    Reason,
    Ref,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


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
    assert (permit.act, permit.shown) == (Act.APPROVE_UNSEEN, 0.61)


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
    assert (permit.act, permit.refs) == (Act.REMEMBER, (bench.known["a"].ref,))


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
    bench.pass_time(5.0)
    bench.guard.sheet_closed()
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert permit_of(bench.press("y", bench.now + 0.5)).act is Act.APPROVE


def test_a_screen_cannot_open_a_sheet_that_no_key_asked_for(bench: Bench) -> None:
    bench.armed("a")

    with pytest.raises(PermitError):
        bench.guard.sheet_opened(confirm="y")


def agent_armed(bench: Bench) -> tuple[Ref, ...]:
    """An agent with two requests has the focus, and a third request is of somebody else."""
    refs = tuple(bench.request(id_, risk="HIGH", coverage=0.0) for id_ in "ab")
    bench.request("c")
    bench.show_agent("agent", "a", "b")
    bench.paint()
    bench.pass_time(10.0)
    return refs


def test_stopping_an_agent_asks_about_all_that_it_waits_for_and_nothing_else(bench: Bench) -> None:
    refs = agent_armed(bench)
    verdict = bench.press("x").verdict
    assert isinstance(verdict, OpenSheet)
    assert (verdict.offer.act, verdict.offer.refs) == (Act.STOP_ALL, refs)


def test_a_stop_reaches_what_its_sheet_lists_and_still_waits(bench: Bench) -> None:
    refs = agent_armed(bench)
    bench.press("x")
    bench.guard.sheet_opened(confirm="!")
    bench.paint()
    bench.alter("a", closed="expired")
    bench.request("d")
    bench.show_agent("agent", "b", "d")
    bench.paint()
    permit = permit_of(bench.press("!", bench.now + 1))
    assert (permit.act, permit.refs) == (Act.STOP_ALL, refs[1:])


@pytest.mark.parametrize("key", "yYnNs")
def test_nothing_else_is_decided_about_an_agent(bench: Bench, key: str) -> None:
    agent_armed(bench)
    assert isinstance(bench.press(key).verdict, Ignored)
    assert not len(bench.guard.holds)


def test_an_agent_that_waits_for_nothing_cannot_be_stopped(bench: Bench) -> None:
    bench.show_agent("agent")
    bench.paint()
    bench.pass_time(10.0)
    assert reason(bench.press("x")) is Reason.CLOSED


def test_an_agent_that_cannot_be_stopped_is_not_asked_to_stop(bench: Bench) -> None:
    agent_armed(bench)
    bench.alter("a", stoppable=False)
    assert reason(bench.press("x")) is Reason.NOTHING


def test_nor_is_one_request_of_it_stopped(bench: Bench) -> None:
    bench.request("a")
    bench.alter("a", stoppable=False)
    bench.armed("a")
    assert reason(bench.press("x")) is Reason.NOTHING
    assert isinstance(bench.press("n", bench.now + 10).verdict, OpenEditor)


def test_a_stop_counts_only_after_its_agent_was_on_screen_for_a_moment(bench: Bench) -> None:
    agent_armed(bench)
    bench.show_agent("another", "c")
    assert reason(bench.press("x")) is Reason.CATCHING_UP
    bench.paint()
    assert reason(bench.press("x", bench.now + 0.2)) is Reason.TOO_EARLY


def test_guards_that_share_their_holds_take_back_what_the_other_one_held(bench: Bench) -> None:
    bench.armed("a")
    bench.press("y")
    other: DecisionGuard[str] = DecisionGuard(
        bench.settings, bench.keys, bench.look_up, lambda: bench.now, bench.guard.holds
    )
    held = other.holds.take_back_last()
    assert held is not None
    assert bench.sent() == []


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

    assert all(bench.press(key).verdict == EditorText() for key in "yYnNsSx! q")


def test_the_editor_has_the_keys_before_the_screen_has_drawn_it(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.press("n", bench.now)

    assert bench.guard.press("y", bench.now).verdict == EditorText()


def test_enter_in_an_editor_sends_the_rejection(bench: Bench) -> None:
    bench.armed("a")
    bench.press("n")
    permit = permit_of(bench.press("enter", bench.now + 0.5 + MOMENT))

    assert (permit.act, permit.refs) == (Act.REJECT, (bench.known["a"].ref,))


def test_stopping_an_agent_is_held_longer(bench: Bench) -> None:
    bench.armed("a")
    bench.press("x")
    permit = permit_of(bench.press("enter", bench.now + 1))

    assert (permit.act) == (Act.STOP)


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


def test_what_was_shown_of_a_set_is_what_was_shown_of_its_least_read_member(bench: Bench) -> None:
    bench.request("b", coverage=0.3)
    bench.armed("a", "b", group="g")
    bench.press("N")

    assert permit_of(bench.press("enter", bench.now + 1)).shown == 0.3


def test_a_new_layout_while_writing_does_not_make_an_editor_hasty(bench: Bench) -> None:
    bench.armed("a")
    bench.press("n")
    bench.press("k", bench.now + 1)
    bench.guard.resized(too_small=False)
    bench.paint()
    bench.press("o")

    assert bench.accepts("enter", bench.now + 0.1)


def test_enter_at_once_after_text_is_a_line_of_a_paste_and_sends_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.press("n")
    pasted_at = bench.now + 1
    pasted = [bench.press(key, pasted_at).verdict for key in ("l", "s", "enter", "enter", "y", "enter")]

    assert pasted == [EditorText()] * 6
    assert bench.accepts("enter", pasted_at + bench.settings.paste_gap + MOMENT)


def test_a_text_box_that_decides_nothing_keeps_enter(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.editor_opened()

    assert bench.press("enter").verdict == EditorText()
    assert bench.sent() == []


def test_enter_takes_over_an_edit_at_leisure_and_decides_nothing(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.edit_opened()
    bench.paint()

    assert bench.press("y", bench.now + 1).verdict == EditorText()
    assert bench.press("enter", bench.now + 1).verdict == Answered("enter")
    assert bench.sent() == []


def test_an_edit_that_was_opened_and_accepted_in_haste_wants_enter_twice(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.edit_opened()
    bench.paint()

    assert reason(bench.press("enter", bench.now + 0.1)) is Reason.ENTER_AGAIN
    assert bench.press("enter", bench.now + 0.5).verdict == Answered("enter")


def test_enter_at_once_after_text_is_a_line_of_the_edit(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.edit_opened()
    bench.paint()
    pasted_at = bench.now + 1

    assert [bench.press(key, pasted_at).verdict for key in ("l", "enter")] == [EditorText()] * 2


def test_enter_in_a_suggestion_rejects_exactly_its_request(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.suggestion_opened(bench.known["a"].ref, "E")
    bench.paint()
    permit = permit_of(bench.press("enter", bench.now + 1))

    assert (permit.act, permit.refs) == (Act.REJECT, (bench.known["a"].ref,))


def test_a_suggestion_about_a_request_that_changed_is_not_sent(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.suggestion_opened(bench.known["a"].ref, "E")
    bench.paint()
    bench.request("a", revision=2)

    assert reason(bench.press("enter", bench.now + 1)) is Reason.ENDED


def test_a_closed_editor_arms_its_target_anew(bench: Bench) -> None:
    bench.armed("a")
    bench.guard.editor_opened()
    bench.guard.editor_closed()
    bench.paint()

    assert reason(bench.press("y", bench.now + 0.25 - MOMENT)) is Reason.TOO_EARLY
