"""Filtering remembered approvals: the language of inbox and history; nothing is revoked that is not listed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, agent, command, post, screen

from signoff.queue import AgentQueue, Decision, Grant, ReviewQueue
from signoff_tui.guard import Cause
from signoff_tui.screens.memory.screen import MemoryScreen


@pytest.fixture
def grants(asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path) -> Iterator[list[Grant]]:
    with agent(place, "docs-bot", session="s-2", cwd=workdir) as other:
        for who, text in ((asking, "ls one"), (asking, "ls two"), (other, "make docs")):
            posted = post(who, command(text, workdir))
            looking.decide(
                posted.id, 1, posted.submission.digest, Decision(approved=True, remember=True, shown=1.0)
            )
        yield list(looking.grants())


def memory(seen: Screen) -> MemoryScreen:
    assert isinstance(seen.app.screen, MemoryScreen)
    return seen.app.screen


def listed(seen: Screen) -> list[str]:
    return [entry.grant.id for entry in memory(seen)._listing.entries]


async def armed(seen: Screen, what: str = "list") -> None:
    deliberate = memory(seen)._asking.deliberate
    await seen.until(lambda: deliberate.armed_at(what, Cause.MOVED) < seen.app.review.desk.guard._clock())


@pytest.mark.parametrize("size", [SMALL, LARGE, (50, 40)], ids=["small", "large", "narrow"])
async def test_a_filter_is_applied_while_it_is_typed_and_says_what_it_hides(
    place: Path, grants: list[Grant], size: tuple[int, int]
) -> None:
    async with screen(place, size=size) as seen:
        await seen.press("4")
        await seen.shows("3 active", "/ filter")
        await seen.press("G", "slash")
        await seen.types("agent:xR!")
        await seen.press(*["backspace"] * 3)
        await seen.types("docs-bot")
        await seen.until(lambda: listed(seen) == [grants[2].id])
        await seen.press("enter")
        await seen.shows("2 in force not listed", "[\\]", "3 active")
        await seen.press("slash")
        await seen.types(" agnet:x")
        await seen.shows("'agnet' is not a field")
        await seen.press("escape", "backslash")
        await seen.until(lambda: listed(seen) == [grant.id for grant in grants])
        assert len(memory(seen)._in_force) == 3


async def test_the_focused_row_stays_until_the_cursor_leaves_it(place: Path, grants: list[Grant]) -> None:
    async with screen(place) as seen:
        await seen.press("4")
        await seen.shows("3 active")
        await seen.press("slash")
        await seen.types("agent:docs-bot")
        await seen.press("enter")
        await seen.until(lambda: listed(seen) == [grants[0].id, grants[2].id])
        await seen.press("j")
        await seen.until(lambda: listed(seen) == [grants[2].id])
        assert memory(seen)._focused is memory(seen)._listing.entries[0]


async def test_revoke_all_revokes_what_is_listed_and_nothing_that_is_hidden(
    place: Path, looking: ReviewQueue, grants: list[Grant]
) -> None:
    async with screen(place) as seen:
        await seen.press("4")
        await seen.shows("3 active")
        await seen.press("f")
        await seen.shows("1 last hour of this agent", "Esc back")
        await seen.press("1")
        await seen.shows("1 in force not listed, by filter  agent:=tester since:1h")
        await armed(seen)
        await seen.press("R")
        await seen.shows("Revoke the 2 LISTED?", "revoke the listed 2")
        await armed(seen, "all")
        await seen.press("!")
        await seen.shows("2 revoked")
    assert [grant.id for grant in looking.grants()] == [grants[2].id]


async def test_while_something_is_asked_no_filter_changes_the_list(place: Path, grants: list[Grant]) -> None:
    async with screen(place) as seen:
        await seen.press("4")
        await seen.shows("3 active")
        await armed(seen)
        await seen.press("R")
        await seen.shows("Revoke ALL 3?")
        await seen.press("slash", "f", "backslash")
        await seen.shows("Revoke ALL 3?")
        assert not memory(seen).bar.is_open
        assert len(listed(seen)) == 3
