"""Whose notices are held back: HIGH risk never, nobody for longer than a quarter of an hour; a file remembers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import stored
from screen_bench import SMALL, agent, command, post, screen

from signoff.queue import Risk
from signoff.text.time import local_time
from signoff_tui.notify.mutes import MUTE_US, AgentName, MuteFile, Mutes
from signoff_tui.notify.service import Clocks, Muting

NOW = 1_700_000_000_000_000
NAMES = st.tuples(st.sampled_from(["docs", "tests"]), st.sampled_from(["s-1", "s-2"]))
MUTES = st.builds(
    Mutes,
    st.none() | st.integers(NOW - MUTE_US, NOW + 3 * MUTE_US),
    st.dictionaries(NAMES, st.integers(NOW - MUTE_US, NOW + 3 * MUTE_US)),
)


@pytest.fixture
def kept(tmp_path: Path) -> MuteFile:
    return MuteFile("/queues/one", tmp_path / "mutes")


@given(MUTES, st.integers(0, 2 * MUTE_US))
def test_high_risk_is_never_silenced(mutes: Mutes, passed: int) -> None:
    assert not mutes.at(NOW + passed).silences(stored("a", risk=Risk.HIGH))


@given(MUTES)
def test_nothing_is_muted_for_longer_than_it_may_be(mutes: Mutes) -> None:
    assert not mutes.at(NOW).at(NOW + MUTE_US)


@given(MUTES, st.none() | NAMES)
def test_muting_twice_leaves_it_as_it_was(mutes: Mutes, agent: AgentName | None) -> None:
    others = {name: until for name, until in mutes.agents.items() if name != agent}
    without = Mutes(None if agent is None else mutes.everything, others)
    assert without.turned(agent, NOW).turned(agent, NOW) == without


@given(MUTES)
def test_the_first_end_is_when_something_changes(mutes: Mutes) -> None:
    held = mutes.at(NOW)
    if (end := held.next_end()) is None:
        assert not held
    else:
        assert held.at(end - 1) == held != held.at(end)


def test_an_agent_of_the_same_name_in_another_session_is_heard() -> None:
    request = stored("a")
    mutes = Mutes().turned((request.asked_by.name, request.asked_by.session), NOW)
    assert mutes.silences(request)
    assert not mutes.silences(replace(request, asked_by=replace(request.asked_by, session="another")))


@given(MUTES)
def test_what_is_kept_comes_back(tmp_path_factory: pytest.TempPathFactory, mutes: Mutes) -> None:
    folder = tmp_path_factory.mktemp("mutes")
    MuteFile("one", folder).save(mutes)
    assert MuteFile("one", folder).load() == mutes
    assert MuteFile("two", folder).load() == Mutes()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"everything": true, "agents": []}',
        '{"everything": 1.5, "agents": []}',
        '{"everything": null, "agents": 3}',
        '{"everything": null, "agents": [["docs", "s-1"]]}',
        '{"everything": null, "agents": [["docs", "s-1", true]]}',
        '{"everything": null, "agents": [["docs", 1, 1]]}',
        '{"everything": null, "agents": [], "more": 1}',
        '{"everything": null, "agents": ["' + "a" * 1_000_000 + '"]}',
    ],
)
def test_where_the_file_cannot_be_read_nothing_is_muted(kept: MuteFile, tmp_path: Path, text: str) -> None:
    kept.save(Mutes(NOW))
    (file,) = (tmp_path / "mutes").iterdir()
    file.write_text(text)
    assert kept.load() == Mutes()


def test_nobody_else_can_read_it_and_where_it_cannot_be_kept_that_is_told(kept: MuteFile, tmp_path: Path) -> None:
    assert kept.save(Mutes(NOW))
    (file,) = (tmp_path / "mutes").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert not MuteFile("one", blocked).save(Mutes(NOW))


def test_a_file_that_never_begins_mutes_nobody(kept: MuteFile, tmp_path: Path) -> None:
    kept.save(Mutes(NOW))
    (file,) = (tmp_path / "mutes").iterdir()
    file.unlink()
    os.mkfifo(file)
    assert kept.load() == Mutes()


# -- on the screen -------------------------------------------------------------------------------------------


class NoAlarm:
    def stop(self) -> None:
        """Nothing rings."""


def _no_alarm(_seconds: float, _ring: Callable[[], None]) -> NoAlarm:
    return NoAlarm()


class Clock:
    """Times that people read; they pass when the test says so."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.mark.parametrize("size", [SMALL, (50, 10)], ids=["small", "narrow"])
async def test_m_mutes_and_says_until_when_and_a_restart_remembers(
    place: Path, workdir: Path, kept: MuteFile, size: tuple[int, int]
) -> None:
    clock, until = Clock(), local_time(NOW + MUTE_US, "minute")
    with agent(place, "docs", cwd=workdir) as docs:
        post(docs, command("ls", workdir))
        async with screen(place, size=size, wall_clock=clock, mute_file=kept, waiting=1) as seen:
            await seen.press("m")
            await seen.shows(f"all muted until {until}; HIGH still calls")
            assert "muted" in seen.frame[0]
            assert until in seen.frame[0]
            assert "ls" in seen.text
        clock.now += 60_000_000
        async with screen(place, size=size, wall_clock=clock, mute_file=kept, waiting=1) as seen:
            assert until in seen.frame[0]
            await seen.press("m")
            await seen.shows("not muted any more")
            assert "muted" not in seen.frame[0]


async def test_what_another_screen_mutes_is_muted_here_and_heard_again_with_it(
    place: Path, kept: MuteFile
) -> None:
    until = local_time(NOW + MUTE_US, "minute")
    async with screen(place, wall_clock=Clock(), mute_file=kept) as seen:
        await seen.shows("nothing waiting")
        await seen.until(lambda: seen.app._following._watch._looks is not None, "files to be watched")
        kept.save(Mutes().turned(None, NOW))
        await seen.shows(f"muted until {until}")
        kept.save(Mutes())
        await seen.until(lambda: "muted" not in seen.text, "it to be heard again")


@pytest.mark.parametrize("lost", [False, True], ids=["kept", "not kept"])
def test_what_could_not_be_kept_is_not_forgotten_for_it(kept: MuteFile, lost: bool) -> None:
    if lost:
        kept.path.parent.write_text("in the way")
    muting = Muting(Clocks(lambda: 0.0, lambda: NOW, _no_alarm), lambda: None, kept)
    muting.turn(None)
    muting.look()
    assert muting.now.everything == NOW + MUTE_US


@pytest.mark.parametrize("size", [SMALL, (50, 40), (200, 50)], ids=["small", "narrow", "wide"])
async def test_m_on_the_agents_mutes_the_one_under_the_cursor(
    place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    clock, until = Clock(), local_time(NOW + MUTE_US, "minute")
    with agent(place, "docs", cwd=workdir) as docs, agent(place, "tests", cwd=workdir):
        post(docs, command("ls", workdir))
        async with screen(place, size=size, wall_clock=clock, waiting=1) as seen:
            await seen.press("2")
            await seen.shows("tests")
            await seen.press("m")
            await seen.shows("waiting for you", f"docs muted until {until}; HIGH still calls")
            assert " muted " in next(line for line in seen.frame if "waiting for you" in line)
            await seen.press("1")
            await seen.until(lambda: "1 agent muted" in seen.frame[0] and until in seen.frame[0], "that")
            await seen.press("2")
            await seen.shows("tests")
            await seen.press("m")
            await seen.shows("docs not muted any more")


@pytest.mark.parametrize(("key", "title"), [("3", "History"), ("4", "Rules")])
async def test_m_mutes_everything_on_the_other_screens(place: Path, key: str, title: str) -> None:
    clock, until = Clock(), local_time(NOW + MUTE_US, "minute")
    async with screen(place, wall_clock=clock) as seen:
        await seen.press(key)
        await seen.shows(title)
        await seen.press("m")
        await seen.shows(f"all muted until {until}; HIGH still calls")
        assert re.search(rf" muted (until )?{until} ", seen.frame[0])
