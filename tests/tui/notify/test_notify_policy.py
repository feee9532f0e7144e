"""When a person who looks elsewhere is called, and what is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff_tui.notify.policy import Notice, Notices, NoticeSettings, WaitingCounts, title_words

SETTINGS = NoticeSettings()
SOON = SETTINGS.gather + 0.001


@dataclass
class Watch:
    """Time, and everything that was told. It asks when it was told to, as the screen does."""

    now: float = 1_000.0
    told: list[tuple[float, Notice]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.notices = Notices(SETTINGS, self.now)
        self.waiting = WaitingCounts()
        self.notices.changed(self.now, self.waiting)

    def passes(self, seconds: float) -> None:
        """Let time pass, and ask whenever something may be due."""
        end = self.now + seconds
        while (moment := self.notices.next_at(self.now)) is not None and moment <= end:
            assert moment >= self.now
            self.now = moment
            asked_again = len(self.told)
            self.ask()
            following = self.notices.next_at(self.now)
            assert following is None or following > self.now or len(self.told) > asked_again
        self.now = end

    def ask(self) -> None:
        """Ask whether something is due."""
        if (notice := self.notices.due(self.now)) is not None:
            self.told.append((self.now, notice))

    def asks(self, count: int = 1, *, high: int = 0, agent: str = "refactor") -> None:
        """Requests arrive."""
        self.waiting = WaitingCounts(
            count=self.waiting.count + count,
            high=self.waiting.high + high,
            highest="HIGH" if self.waiting.high + high else "low",
            oldest_since=self.now if self.waiting.oldest_since is None else self.waiting.oldest_since,
            agents=tuple(sorted({*self.waiting.agents, agent})),
        )
        self.notices.changed(self.now, self.waiting, new_high=high > 0)
        self.ask()

    def empties(self) -> None:
        """Nothing waits any more."""
        self.waiting = WaitingCounts()
        self.notices.changed(self.now, self.waiting)
        self.ask()

    def looks(self, focused: bool) -> None:
        """The terminal tells its focus."""
        self.notices.focus(self.now, focused=focused)
        self.ask()

    def presses(self) -> None:
        """A key."""
        self.notices.present(self.now)
        self.ask()

    def ends(self, *agents: str) -> None:
        """Agents end while they wait."""
        self.notices.changed(self.now, self.waiting, gone=agents)
        self.ask()

    def loses(self) -> None:
        """The queue cannot be reached."""
        self.notices.lost(self.now)
        self.ask()

    @property
    def words(self) -> list[str]:
        """What was told."""
        return [notice.words.text for _, notice in self.told]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def away() -> Watch:
    """Nobody looks, and the terminal said so."""
    watch = Watch()
    watch.looks(False)
    return watch


# -- what is told --------------------------------------------------------------------------------------------


def test_the_first_request_rings(away: Watch) -> None:
    away.asks()
    away.passes(SOON)
    assert [(notice.words.text, notice.bell) for _, notice in away.told] == [("1 waiting, from refactor", True)]


def test_the_rest_of_a_burst_is_counted_too(away: Watch) -> None:
    away.asks()
    away.passes(0.2)
    away.asks(15, agent="docs-bot")
    away.passes(1)
    assert away.words == ["16 waiting, from 2 agents"]


def test_further_requests_are_not_told(away: Watch) -> None:
    away.asks()
    away.passes(SOON)
    away.asks(20)
    away.passes(100)
    assert len(away.told) == 1


def test_high_is_told_at_once_after_another_notice(away: Watch) -> None:
    away.asks()
    away.passes(SOON)
    away.asks(high=1)
    away.passes(SOON)
    assert away.words[1:] == ["2 waiting, 1 HIGH, from refactor"]


def test_a_flood_of_high_is_merged(away: Watch) -> None:
    for _ in range(100):
        away.asks(high=1)
        away.passes(0.04)
    away.passes(5)
    assert away.words == ["13 waiting, 13 HIGH, from refactor", "100 waiting, 100 HIGH, from refactor"]


def test_high_that_was_decided_before_its_notice_is_not_told(away: Watch) -> None:
    away.asks(high=1)
    away.empties()
    away.passes(100)
    assert away.told == []


def test_the_oldest_is_reminded_of_twice(away: Watch) -> None:
    away.asks()
    away.passes(3_600)
    assert away.words[1:] == [
        "1 waiting, from refactor, oldest 2 min",
        "1 waiting, from refactor, oldest 10 min",
    ]


def test_reminders_begin_anew_when_nothing_had_to_wait(away: Watch) -> None:
    away.asks()
    away.passes(150)
    away.empties()
    away.asks()
    away.passes(150)
    assert [text for text in away.words if "oldest" in text] == ["1 waiting, from refactor, oldest 2 min"] * 2


def test_an_agent_that_ended_is_told(away: Watch) -> None:
    away.ends("refactor")
    assert away.words == ["nothing waiting, refactor ended without an answer"]


def test_a_queue_that_is_lost_for_long_is_told_once(away: Watch) -> None:
    away.asks(2, high=1)
    away.passes(60)
    away.loses()
    away.passes(5)
    away.loses()
    away.passes(4)
    assert len(away.told) == 1
    away.passes(3_600)
    assert away.words[1:] == ["queue lost, last known 2 waiting, 1 HIGH, from refactor"]


def test_a_queue_that_comes_back_soon_is_not_told(away: Watch) -> None:
    away.loses()
    away.passes(9)
    away.notices.found()
    away.passes(100)
    assert away.told == []


def test_risk_below_high_is_named(away: Watch) -> None:
    away.notices.changed(away.now, WaitingCounts(1, 0, "med", away.now, ("a",)))
    away.passes(SOON)
    assert away.words == ["1 waiting, highest risk med, from a"]


def test_what_waited_when_the_screen_was_opened_is_not_told() -> None:
    watch = Watch()
    watch.notices = Notices(SETTINGS, watch.now)
    watch.looks(False)
    watch.notices.changed(watch.now, WaitingCounts(3, 1, "HIGH", watch.now, ("a",)), new_high=True)
    watch.passes(60)
    assert watch.told == []


@pytest.mark.parametrize(
    ("waiting", "connected", "title"),
    [
        (WaitingCounts(), True, "signoff: nothing waiting"),
        (WaitingCounts(16, 2, "HIGH"), True, "signoff: 16 waiting, 2 HIGH"),
        (WaitingCounts(16), False, "signoff: queue lost"),
    ],
)
def test_the_title_counts(waiting: WaitingCounts, connected: bool, title: str) -> None:
    assert title_words(waiting, connected=connected).text == title


# -- who looks -----------------------------------------------------------------------------------------------


def test_who_looks_is_told_nothing_then_or_later(away: Watch) -> None:
    away.looks(True)
    away.asks(high=1)
    away.passes(10)
    away.looks(False)
    away.passes(100)
    assert away.told == []


def test_a_reminder_is_still_due_after_somebody_looked(away: Watch) -> None:
    away.asks()
    away.passes(10)
    away.looks(True)
    away.passes(200)
    away.looks(False)
    away.passes(600)
    assert away.words[1:] == ["1 waiting, from refactor, oldest 10 min"]


def test_without_focus_reports_a_key_means_that_somebody_looks(watch: Watch) -> None:
    watch.passes(200)
    watch.presses()
    watch.asks(high=1)
    watch.passes(30)
    watch.presses()
    watch.passes(89)
    assert watch.told == []


def test_without_focus_reports_high_is_told_a_minute_after_the_last_key(watch: Watch) -> None:
    watch.passes(10)
    watch.presses()
    pressed = watch.now
    watch.passes(5)
    watch.asks(high=1)
    watch.passes(100)
    assert [(at, notice.words.text) for at, notice in watch.told] == [
        (pressed + 60, "1 waiting, 1 HIGH, from refactor")
    ]


def test_a_key_in_a_terminal_that_reported_no_focus_means_focus(away: Watch) -> None:
    away.presses()
    away.asks(high=1)
    away.passes(3_600)
    assert away.told == []


# -- whatever happens ----------------------------------------------------------------------------------------

EVENTS: Sequence[Callable[[Watch], None]] = (
    lambda watch: watch.asks(),
    lambda watch: watch.asks(1_000, agent="\x1b]0;x\x07"),
    lambda watch: watch.asks(high=1),
    lambda watch: watch.empties(),
    lambda watch: watch.looks(True),
    lambda watch: watch.looks(False),
    lambda watch: watch.presses(),
    lambda watch: watch.ends("docs\x1b-bot", "z" * 99),
    lambda watch: watch.loses(),
    lambda watch: watch.notices.found(),
)
STORIES = st.lists(
    st.tuples(st.sampled_from(range(len(EVENTS))), st.sampled_from([0.0, 0.01, 0.3, 1.0, 4.0, 12.0, 40.0, 130.0])),
    max_size=60,
)


def lived(story: Sequence[tuple[int, float]]) -> Watch:
    watch = Watch()
    watch.looks(False)
    for event, pause in story:
        EVENTS[event](watch)
        watch.passes(pause)
    watch.passes(100)
    return watch


def test_high_that_is_told_with_a_reminder_rings_all_the_same(away: Watch) -> None:
    away.asks()
    away.passes(119.9)
    away.asks(high=1)
    away.passes(0.2)
    notice = away.told[-1][1]
    assert "oldest 2 min" in notice.words.text
    assert "1 HIGH" in notice.words.text
    assert notice.bell


@given(STORIES)
@example([(0, 0.01), (2, 1.0), (2, 0.0)])  # HIGH comes while the first request is about to be told
def test_no_half_minute_holds_more_notices_than_it_may(story: Sequence[tuple[int, float]]) -> None:
    told = lived(story).told
    urgent = [at for at, notice in told if "HIGH" in notice.words.text and notice.bell]
    for start, _ in told:
        within = [at for at, _ in told if start <= at < start + SETTINGS.every]
        others = [at for at in within if at not in urgent]
        assert len(within) <= SETTINGS.every / SETTINGS.every_high + 1
        assert len(others) <= 1
        assert not others or not [at for at in within if at < others[0]]
    for one, next_one in pairwise(urgent):
        assert next_one - one >= SETTINGS.every_high - 1e-6


@given(STORIES)
def test_high_is_told_within_a_second_or_merged_into_what_was_just_told(
    story: Sequence[tuple[int, float]],
) -> None:
    watch = Watch()
    watch.looks(False)
    away = True
    for event, pause in [*story, (2, 0.0)]:
        EVENTS[event](watch)
        away = {4: False, 5: True, 6: False}.get(event, away)
        if event != 2 or not away:
            watch.passes(pause)
            continue
        asked_at = watch.now
        before = [at for at, notice in watch.told if notice.bell and "HIGH" in notice.words.text]
        latest = max(asked_at + 1, max(before, default=asked_at - 5) + SETTINGS.every_high)
        watch.passes(max(pause, 5.001))
        assert any(asked_at < at <= latest + 1e-6 and "HIGH" in notice.words.text for at, notice in watch.told)


@given(STORIES)
def test_who_looks_is_never_called(story: Sequence[tuple[int, float]]) -> None:
    watch = Watch()
    watch.looks(True)
    for event, pause in story:
        if event != 5:
            EVENTS[event](watch)
        watch.passes(pause)
    assert watch.told == []


def test_a_burst_of_a_thousand_is_one_notice(away: Watch) -> None:
    for _ in range(1_000):
        away.asks()
        away.passes(0.02)
    assert len(away.told) == 1
