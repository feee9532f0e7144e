"""A person who looks elsewhere learns from bell, notice and title what waits, and nothing of the requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from model_samples import stored
from screen_bench import Cable, agent, call, post, screen
from textual.events import AppBlur, AppFocus

from signoff.queue import QueueUnavailableError, RequestState, Risk, StoredRequest
from signoff.queue.records import Change, ChangeSet
from signoff.queue.wording import agent_is_gone, agent_is_lost
from signoff_tui.notify.mutes import MuteFile
from signoff_tui.notify.policy import NoticeSettings
from signoff_tui.notify.service import Beside, Clocks, Muting
from signoff_tui.terminal.sequences import (
    BellSound,
    DesktopNotice,
    Saying,
    TerminalKind,
    Title,
    written,
)

SECRET = "deploy-to-the-moon"


@dataclass
class _Alarm:
    at: float
    call: Callable[[], None]
    stopped: bool = False

    def stop(self) -> None:
        self.stopped = True


class Room:
    """A screen without a screen: a terminal that is listened to, and time that passes when it is told to."""

    def __init__(
        self, channel: str = "osc9", terminal_kind: TerminalKind = "terminal", mute_file: MuteFile | None = None
    ) -> None:
        self.now = 1_000.0
        self.alarms: list[_Alarm] = []
        self.said: list[tuple[float, Saying]] = []
        self._cursor = 0
        settings = NoticeSettings(channel=channel)  # type: ignore[arg-type]
        clocks = Clocks(lambda: self.now, lambda: int(self.now * 1e6), self._set_alarm)
        self._terminal_kind: TerminalKind = terminal_kind
        self.muting = Muting(clocks, self._mutes_changed, mute_file)
        self.beside = Beside(
            settings,
            terminal_kind,
            lambda saying: self.said.append((self.now, saying)),
            clocks,
            lambda: self.muting.now,
        )
        self.muting.start()
        self.hears()
        self.beside.focus(focused=False)

    def hears(self, *requests: StoredRequest) -> None:
        """The queue tells of requests."""
        self._cursor += 1
        self.beside.take(ChangeSet(tuple(map(Change, requests)), self._cursor))

    def passes(self, seconds: float) -> None:
        """Let time pass; alarms ring."""
        end = self.now + seconds
        while due := [alarm for alarm in self.alarms if not alarm.stopped and alarm.at <= end]:
            alarm = min(due, key=lambda one: one.at)
            self.alarms.remove(alarm)
            self.now = alarm.at
            alarm.call()
        self.now = end

    def asked(self, name: str, risk: Risk = Risk.LOW) -> StoredRequest:
        """A request that waits since now, and says a secret everywhere."""
        request = stored(name, description=SECRET, tool_name=SECRET, cwd=f"/{SECRET}", why=SECRET, risk=risk)
        return replace(request, created_at=int(self.now * 1e6))

    @property
    def notices(self) -> list[str]:
        return [saying.words.text for _, saying in self.said if isinstance(saying, DesktopNotice)]

    @property
    def bells(self) -> list[float]:
        return [at for at, saying in self.said if isinstance(saying, BellSound)]

    @property
    def titles(self) -> list[str]:
        return [saying.words.text for _, saying in self.said if isinstance(saying, Title)]

    @property
    def written(self) -> str:
        return "".join(written(saying, self._terminal_kind) for _, saying in self.said)

    def _mutes_changed(self) -> None:
        self.beside.mutes_changed()

    def _set_alarm(self, seconds: float, call: Callable[[], None]) -> _Alarm:
        alarm = _Alarm(self.now + seconds, call)
        self.alarms.append(alarm)
        return alarm


def ended(request: StoredRequest, note: str) -> StoredRequest:
    return replace(request, state=RequestState.WITHDRAWN, state_note=note)


# -- without a screen ----------------------------------------------------------------------------------------


def test_a_burst_of_a_thousand_rings_once_in_half_a_minute() -> None:
    room = Room()
    for number in range(1_000):
        room.hears(room.asked(f"r{number}"))
        room.passes(0.025)
    assert len(room.bells) == len(room.notices) == 1


def test_high_in_the_midst_of_a_burst_rings_within_a_second() -> None:
    room = Room()
    for number in range(200):
        room.hears(room.asked(f"r{number}"))
        room.passes(0.02)
    asked_at = room.now
    room.hears(room.asked("danger", Risk.HIGH))
    room.passes(1)
    assert asked_at < room.bells[-1] <= asked_at + 1
    assert "201 waiting, 1 HIGH" in room.notices[-1]


def test_no_byte_tells_anything_of_a_request() -> None:
    room = Room()
    requests = [room.asked("a"), room.asked("b", Risk.HIGH)]
    room.hears(*requests)
    room.passes(700)
    room.hears(*(ended(request, agent_is_gone(request.asked_by.pid)) for request in requests))
    room.passes(60)
    assert len(room.notices) == 4
    assert SECRET not in room.written


def test_a_request_that_becomes_high_is_told() -> None:
    room = Room()
    request = room.asked("a")
    room.hears(request)
    room.passes(5)
    room.hears(replace(request, revision=2, submission=replace(request.submission, risk=Risk.HIGH)))
    room.passes(1)
    assert "1 waiting, 1 HIGH" in room.notices[-1]


def test_an_agent_that_died_is_told_and_one_that_changed_its_mind_is_not() -> None:
    room = Room()
    dead, alive = room.asked("dead"), room.asked("alive")
    room.hears(dead, alive)
    room.passes(40)
    room.hears(ended(alive, "changed my mind"))
    room.passes(1)
    assert len(room.notices) == 1
    room.hears(ended(dead, agent_is_gone(dead.asked_by.pid)))
    assert room.notices[1:] == ["nothing waiting, refactor ended without an answer"]


def test_an_agent_that_lost_its_connection_is_not_said_to_have_ended() -> None:
    room = Room()
    away = room.asked("away")
    room.hears(away)
    room.passes(40)
    room.hears(ended(away, agent_is_lost(300_000_000)))
    assert room.notices[1:] == ["nothing waiting, refactor lost the connection"]


def test_a_queue_that_stays_lost_is_told_and_stands_in_the_title() -> None:
    room = Room()
    for _ in range(15):
        room.beside.take(QueueUnavailableError(SECRET))
        room.passes(1)
    assert room.notices == ["queue lost, last known nothing waiting"]
    assert room.titles[-1] == "signoff: queue lost"


def test_the_title_changes_when_the_counts_do() -> None:
    room = Room()
    request = room.asked("a", Risk.HIGH)
    room.hears(request)
    room.hears(request)
    room.hears(ended(request, "done"))
    assert room.titles == ["signoff: nothing waiting", "signoff: 1 waiting, 1 HIGH", "signoff: nothing waiting"]


@pytest.mark.parametrize(
    ("channel", "terminal_kind", "notices", "bells"),
    [
        ("bell", "terminal", 0, 3),
        ("osc777", "terminal", 3, 1),
        ("osc777", "tmux", 3, 3),
        ("osc777", "screen", 3, 3),
        ("off", "tmux", 0, 0),
    ],
)
def test_reminders_ring_only_where_nothing_else_arrives_for_certain(
    channel: str, terminal_kind: TerminalKind, notices: int, bells: int
) -> None:
    room = Room(channel, terminal_kind)
    room.hears(room.asked("a"))
    room.passes(3_600)
    assert (len(room.notices), len(room.bells)) == (notices, bells)


def test_when_nothing_waits_no_alarm_is_set() -> None:
    room = Room()
    request = room.asked("a")
    room.hears(request)
    room.passes(3_600)
    room.hears(ended(request, "done"))
    room.passes(3_600)
    assert [alarm for alarm in room.alarms if not alarm.stopped] == []


def test_at_most_one_alarm_is_set() -> None:
    room = Room()
    for number in range(20):
        room.hears(room.asked(f"r{number}", Risk.HIGH if number % 3 else Risk.LOW))
        room.beside.present()
        room.beside.focus(focused=False)
        assert sum(not alarm.stopped for alarm in room.alarms) <= 1


# -- muted ---------------------------------------------------------------------------------------------------

QUARTER = 15 * 60


def agents_of(request: StoredRequest) -> tuple[str, str]:
    return request.asked_by.name, request.asked_by.session


def test_nothing_rings_while_everything_is_muted_and_the_title_counts_on() -> None:
    room = Room("bell")
    room.muting.turn()
    for number in range(20):
        room.hears(room.asked(f"r{number}"))
        room.passes(40)
    assert room.bells == []
    assert room.titles[-1] == "signoff: 20 waiting"


def test_high_calls_although_everything_is_muted_and_says_how_much_is() -> None:
    room = Room()
    room.muting.turn()
    room.hears(room.asked("a"), room.asked("b"))
    room.passes(60)
    room.hears(room.asked("danger", Risk.HIGH))
    room.passes(1)
    assert room.notices == ["1 waiting, 1 HIGH, from refactor, 2 more muted"]


def test_a_muted_request_that_becomes_high_calls() -> None:
    room = Room()
    room.muting.turn()
    request = room.asked("a")
    room.hears(request)
    room.passes(60)
    room.hears(replace(request, revision=2, submission=replace(request.submission, risk=Risk.HIGH)))
    room.passes(1)
    assert room.notices == ["1 waiting, 1 HIGH, from refactor"]


def test_a_lost_queue_calls_although_everything_is_muted() -> None:
    room = Room()
    room.muting.turn()
    room.beside.take(QueueUnavailableError("gone"))
    room.passes(60)
    assert room.notices == ["queue lost, last known nothing waiting"]


def test_what_still_waits_calls_once_when_the_mute_ends() -> None:
    room = Room()
    room.muting.turn()
    room.hears(room.asked("a"), room.asked("b"))
    room.passes(QUARTER - 1)
    assert room.notices == []
    room.passes(3)
    assert room.notices == ["2 waiting, from refactor, oldest 15 min"]


def test_what_was_answered_meanwhile_does_not_call_when_the_mute_ends() -> None:
    room = Room()
    room.muting.turn()
    request = room.asked("a")
    room.hears(request)
    room.hears(ended(request, "done"))
    room.passes(QUARTER * 2)
    assert room.notices == []
    assert [alarm for alarm in room.alarms if not alarm.stopped] == []


def test_who_unmutes_is_called_again() -> None:
    room = Room()
    room.muting.turn()
    room.muting.turn()
    room.hears(room.asked("a"))
    room.passes(1)
    assert len(room.notices) == 1


def test_a_muted_agent_calls_nobody_and_another_one_does() -> None:
    room = Room()
    docs = room.asked("a")
    tests = replace(docs, id="b", asked_by=replace(docs.asked_by, name="tests"))
    room.muting.turn(agents_of(docs))
    room.hears(docs)
    room.passes(1)
    assert room.notices == []
    room.hears(tests)
    room.passes(1)
    assert room.notices == ["1 waiting, from tests, 1 more muted"]


def test_a_muted_agent_that_dies_calls_nobody() -> None:
    room = Room()
    request = room.asked("a")
    room.muting.turn(agents_of(request))
    room.hears(request)
    room.hears(ended(request, agent_is_gone(request.asked_by.pid)))
    room.passes(QUARTER * 2)
    assert room.notices == []


def test_one_alarm_is_set_for_all_mutes() -> None:
    room = Room()
    for number in range(5):
        room.muting.turn((f"agent {number}", "s-1"))
        room.passes(60)
    assert sum(not alarm.stopped for alarm in room.alarms) == 1


def test_a_restart_goes_on_with_what_is_muted(tmp_path: Path) -> None:
    Room(mute_file=MuteFile("one", tmp_path)).muting.turn()
    room = Room(mute_file=MuteFile("one", tmp_path))
    room.hears(room.asked("a"))
    room.passes(QUARTER - 1)
    assert room.notices == []
    room.passes(3)
    assert len(room.notices) == 1


# -- with the screen -----------------------------------------------------------------------------------------


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[Saying]:
    """What the screen says to its terminal."""
    said: list[Saying] = []
    monkeypatch.setattr("signoff_tui.app.SignoffApp.speak", lambda _, saying: said.append(saying))
    return said


async def test_the_title_says_what_waits_when_the_screen_opens(
    place: Path, workdir: Path, heard: list[Saying]
) -> None:
    with agent(place, cwd=workdir) as queue:
        post(queue, call())
        async with screen(place, waiting=1):
            assert [saying.words.text for saying in heard if isinstance(saying, Title)] == ["signoff: 1 waiting"]


async def test_a_request_rings_when_the_terminal_has_no_focus(
    place: Path, workdir: Path, heard: list[Saying]
) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        seen.app.post_message(AppBlur())
        with agent(place, cwd=workdir) as queue:
            post(queue, call())
            await seen.until(lambda: BellSound() in heard, "a bell")


@pytest.mark.parametrize("comes_back", [AppFocus, None], ids=["focus", "key"])
async def test_who_came_back_hears_nothing(
    place: Path, workdir: Path, heard: list[Saying], comes_back: type[AppFocus] | None
) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        seen.app.post_message(AppBlur())
        if comes_back is None:
            await seen.press("j")
        else:
            seen.app.post_message(comes_back())
            await seen.pilot.pause()
        with agent(place, cwd=workdir) as queue:
            post(queue, call())
            await seen.shows("1 waiting")
            assert seen.app._beside._notices.next_at(float("inf")) is None
    assert BellSound() not in heard


async def test_a_lost_queue_stands_in_the_title(place: Path, heard: list[Saying]) -> None:
    cable = Cable(place)
    async with screen(place, queue=cable) as seen:  # type: ignore[arg-type]
        await seen.shows("nothing waiting")
        cable.pulled = True
        await seen.until(lambda: heard[-1:] != [] and "lost" in written(heard[-1]), "the title")
