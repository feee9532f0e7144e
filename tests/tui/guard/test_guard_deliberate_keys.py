"""Keys that revoke or trust at once: pressed on purpose, or typed."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from guard_bench import MOMENT

from signoff_tui.guard import Cause, DeliberateKeys, GuardSettings, Ignored, KeyMeanings, Reason
from signoff_tui.input.keymap import KeyMap

LEADER = ","


@dataclass
class Bench:
    """The rules screen: what was painted at 0, and keys at given times."""

    keys: KeyMeanings = field(default_factory=lambda: KeyMap().guard_keys("rules"))
    settings: GuardSettings = field(default_factory=GuardSettings)

    def __post_init__(self) -> None:
        self.deliberate = DeliberateKeys(self.settings, self.keys)
        self.deliberate.painted("list", 0.0)

    def press(self, key: str, at: float, *, late: float = 0.0) -> None:
        self.deliberate.press(key, at, at + late)

    def takes(self, key: str, at: float, *, late: float = 0.0) -> Ignored | None:
        self.press(key, at, late=late)
        return self.deliberate.take(key, "list", Cause.MOVED)


def reason(ignored: Ignored | None) -> Reason | None:
    return None if ignored is None else ignored.reason


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_key_counts_250_ms_after_the_paint(bench: Bench) -> None:
    assert reason(bench.takes("x", 0.25 - MOMENT)) is Reason.TOO_EARLY
    assert bench.takes("x", 1.0) is None


def test_a_slow_line_paints_later() -> None:
    slow = Bench(settings=GuardSettings(link_delay=0.5))
    assert reason(slow.takes("x", 0.75 - MOMENT)) is Reason.TOO_EARLY
    assert slow.takes("x", 1.5) is None


@pytest.mark.parametrize("how", ["gone", "forget_all"])
def test_what_is_not_painted_takes_no_key(bench: Bench, how: str) -> None:
    if how == "gone":
        bench.deliberate.gone("list")
    else:
        bench.deliberate.forget_all()
    assert not bench.deliberate.is_painted("list")
    assert reason(bench.takes("x", 9.0)) is Reason.TOO_EARLY


def test_of_a_word_at_most_the_first_letter_acts(bench: Bench) -> None:
    taken = [bench.takes(key, 5.0 + 0.1 * at) for at, key in enumerate("xerox")]
    assert [ignored is None for ignored in taken] == [True, False, False, False, False]


def test_a_held_key_acts_once(bench: Bench) -> None:
    assert bench.takes("x", 5.0) is None
    for at in (5.1, 5.2, 5.3):
        bench.press("x", at)
    assert reason(bench.deliberate.take("x", "list", Cause.MOVED)) is Reason.TOO_EARLY


def test_a_key_that_waited_in_a_busy_program_does_not_count(bench: Bench) -> None:
    assert reason(bench.takes("x", 5.0, late=0.3)) is Reason.TOO_EARLY


def test_an_act_that_was_chosen_by_its_name_wants_its_key(bench: Bench) -> None:
    bench.press("enter", 5.0)
    assert bench.deliberate.take("x", "list", Cause.MOVED) == Ignored(Reason.NOTHING, "press x itself")
