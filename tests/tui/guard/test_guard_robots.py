"""What the guard is for, measured with robots: no misfire, no stray decision, and little in the way.

The world of the robots is in `guard_sim`. A misfire is a decision on anything that was not on the
target line, the bar or the sheet of the last frame written at least 200 ms before the press.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import guard_sim
import pytest
from guard_desk import Desk
from guard_robots import WORDS, Careless, Reviewer
from guard_sim import Load, World

from signoff_tui.guard import DecisionGuard, GuardSettings

SEEDS = range(1, 21)


def busy(arrivals: float) -> Load:
    """A stream of requests, of which one in five that end or change is the one being looked at."""
    return Load(arrivals=arrivals, endings=1.0, amendments=0.5, stalls=0.3, aim=0.2)


@pytest.mark.parametrize("arrivals", [5, 20])
def test_no_decision_is_about_anything_the_user_had_not_seen(arrivals: float) -> None:
    """UT-01: both robots, 20 seeds, 10,000 key presses in all."""
    pressed = decided = 0
    for seed in SEEDS:
        for robot, seconds in ((Careless, 60.0), (Reviewer, 120.0)):
            world = World(seed, busy(arrivals))
            user = robot(world)
            world.run(seconds)
            assert world.misfires == []
            pressed += user.pressed
            decided += len(world.made)

    assert pressed >= 5_000
    assert decided >= 500


def test_the_robots_do_misfire_on_a_screen_without_arming(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it not so, the test above would show nothing."""

    class Unarmed(DecisionGuard[str]):
        def _mistimed(self, *_: object) -> None:
            return None

    monkeypatch.setattr(guard_sim, "DecisionGuard", Unarmed)
    worlds = [World(seed, busy(5)) for seed in SEEDS]
    for world in worlds:
        Careless(world)
        world.run(60.0)

    assert sum(len(world.misfires) for world in worlds) > 10


def test_nothing_but_the_revision_on_screen_is_ever_approved() -> None:
    """UT-19 under load: requests are amended under their ids all the time."""
    load = Load(arrivals=5, endings=0.2, amendments=3.0, stalls=0.3, aim=0.5)
    approved = 0
    for seed in SEEDS:
        world = World(seed, load)
        Careless(world)
        world.run(60.0)
        seen = {ref for picture in world.pictures for ref in (picture.focus, *picture.ready)}
        assert set(world.approved) <= seen
        assert world.misfires == []
        approved += len(world.approved)

    assert approved > 0


@pytest.mark.parametrize("gap", [0.005, 0.02, 0.1])
def test_keys_queued_while_the_program_was_blocked_decide_nothing(gap: float) -> None:
    """UT-04: twenty `y` during a stall of two seconds."""
    for seed in SEEDS:
        world = World(seed, Load(arrivals=0, endings=0, amendments=0))
        world.run(5.0)
        world.stall(5.0, 2.0)
        for number in range(20):
            world.key(5.01 + number * gap, "y")
        world.run(20.0)
        assert world.sent == []


def test_a_reviewer_is_seldom_held_up() -> None:
    """UT-06: of the first presses after reading for 0.6 s or more, 98 % are accepted."""
    accepted, pressed = first_presses(Load(arrivals=5, endings=1.0, amendments=0.0), stray=0.0)

    assert pressed > 500
    assert accepted / pressed >= 0.98


def test_a_reviewer_in_a_storm_is_held_up_a_little() -> None:
    """UT-06 with four times the stream, a stall every seven seconds, and stray words."""
    load = Load(arrivals=20, endings=1.0, amendments=0.0, stalls=0.15)
    accepted, pressed = first_presses(load, stray=0.1)

    assert pressed > 500
    assert accepted / pressed >= 0.85


def first_presses(load: Load, stray: float) -> tuple[int, int]:
    """Accepted and all first presses of a reviewer."""
    counts = []
    for seed in SEEDS:
        world = World(seed, load)
        user = Reviewer(world, stray)
        world.run(60.0)
        counts.append(user.accepted)
        assert user.strays == []
    return sum(accepted for accepted, _ in counts), sum(pressed for _, pressed in counts)


# Words meant for another window


def typed_words(
    count: int, slowest: float, fastest: float, settings: GuardSettings | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Type words at a screen that shows a waiting request, and say what each of them sent.

    Half are ended by Enter; they begin at any moment after the request was painted, in either kind
    of session sheet, and letters follow each other at an uneven pace.
    """
    dice = random.Random(7)
    for _ in range(count):
        text = dice.choice((*WORDS, "y\n", "n\n", "y\n", "n\n"))
        if not text.endswith("\n") and dice.random() < 0.5:
            text += "\n"
        desk = Desk(settings or GuardSettings(), frame=dice.uniform(0.004, 0.06), wide=dice.random() < 0.2)
        desk.wait(dice.uniform(0.0, 2.0))
        for key in text:
            desk.strike("enter" if key == "\n" else key, dice.uniform(fastest, slowest))
        desk.wait(10.0)
        yield text, [held.payload for held in desk.sent]


def test_words_typed_into_the_wrong_window_send_nothing() -> None:
    """UT-02: 5,000 words at 60 to 160 ms per letter. A lone `y` is what approving looks like."""
    strays = [text for text, sent in typed_words(5_000, slowest=0.16, fastest=0.06) if sent]

    assert set(strays) <= {"y"}


def test_words_typed_slowly_send_next_to_nothing() -> None:
    """UT-02: the same at 160 to 250 ms per letter."""
    strays = [text for text, sent in typed_words(2_000, slowest=0.25, fastest=0.16) if sent]

    assert len([text for text in strays if text != "y"]) <= 10


def test_words_do_decide_on_a_screen_that_does_not_know_typing() -> None:
    """Were it not so, the two tests above would show nothing."""
    unaware = GuardSettings(typing_lock=False)
    strays = [text for text, sent in typed_words(500, 0.16, 0.06, unaware) if sent and text != "y"]

    assert len(strays) > 50
