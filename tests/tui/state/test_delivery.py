"""An answer that no agent has taken is told once that took long enough to wonder, and only while it lasts."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import START, stored
from screen_bench import SMALL, command, post, screen

from signoff.queue import AgentQueue, Decision, RequestState
from signoff.queue.clock import now_us
from signoff_tui.screens.review.clock import next_moment
from signoff_tui.state.delivery import SOON, is_unconfirmed, until_unconfirmed

YES = Decision(approved=True, by="you")
SENT = replace(stored("a", state=RequestState.APPROVED, decision=YES), decided_at=START)
SECOND = 1_000_000


def test_an_answer_of_yours_is_told_after_five_seconds() -> None:
    assert not is_unconfirmed(SENT, "you", START + 4_999_999)
    assert is_unconfirmed(SENT, "you", START + 5_000_000)
    assert is_unconfirmed(SENT, "you", START + 47_000_000)


@pytest.mark.parametrize(
    "other",
    [
        {"delivered_at": START + SECOND},
        {"decision": Decision(approved=True, by="anna")},
        {"decision": None},
        {"decided_at": None},
    ],
    ids=["taken", "of another reviewer", "not decided", "waiting"],
)
def test_nothing_else_is_told(other: dict[str, object]) -> None:
    request = replace(SENT, **other)  # type: ignore[arg-type]
    assert not is_unconfirmed(request, "you", START + 60 * SECOND)
    assert until_unconfirmed(request, "you", START + SECOND) is None


@given(st.integers(-10, 4))
def test_it_is_told_exactly_when_it_was_said_that_it_would(seconds: int) -> None:
    now = START + seconds * SECOND
    wait = until_unconfirmed(SENT, "you", now)
    assert wait is not None
    later = now + round(wait * SECOND)
    assert not is_unconfirmed(SENT, "you", later - SECOND // 10)
    assert is_unconfirmed(SENT, "you", later)


def test_nothing_is_drawn_anew_once_it_is_told() -> None:
    assert until_unconfirmed(SENT, "you", START + 5 * SECOND) is None


async def test_the_row_says_that_the_agent_has_not_confirmed_until_it_has(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    ahead = 0
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, size=SMALL, waiting=1, wall_clock=lambda: now_us() + ahead) as seen:
        await seen.reads(request)
        await seen.press("y", "escape")
        await seen.shows("approved by you")
        now = time.monotonic()
        moment = next_moment(seen.desk, seen.app.review.timed, now, seen.app.review.office.now())
        assert moment - now <= SOON
        ahead = 47 * SECOND
        seen.app.review.redraw()
        await seen.shows("sent, agent has not confirmed")
        asking.wait(request.id)
        await seen.shows_no("has not confirmed")
        assert "approved by you" in seen.text
