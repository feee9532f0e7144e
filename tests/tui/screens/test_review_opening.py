"""How the screen is opened: for looking only, and over what somebody is typing into."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from screen_bench import LARGE, QUICK, Screen, command, post, screen
from test_review_quitting import ended

from signoff.queue import AgentQueue, StoredRequest
from signoff_tui import context
from signoff_tui.screens.review import contents
from signoff_tui.state import documents
from signoff_tui.state.documents import Content, make_content


def question_armed_at(seen: Screen) -> float:
    """From when on the keys of the open question act."""
    sheet = seen.desk.guard._sheet
    return math.inf if sheet is None or sheet.arming.armed_at is None else sheet.arming.armed_at


async def test_a_screen_for_looking_decides_nothing(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, read_only=True, waiting=1) as seen:
        await seen.reads_if_possible(request)
        await seen.press("y")
        await seen.shows("READ ONLY", "y does nothing: read only")
        assert not seen.entry(request).held


async def test_what_waits_when_the_screen_opens_is_armed_as_an_arrival(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    slow = replace(QUICK, arm_arrived=30)
    async with screen(place, size=LARGE, settings=slow, waiting=1) as seen:
        await seen.until(lambda: seen.is_read(seen.entry(request)))
        assert seen.armed_at is not None
        assert seen.armed_at > time.monotonic() + 10


async def test_a_screen_for_looking_can_be_left(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, read_only=True, waiting=1) as seen:
        await seen.press("q")
        await seen.shows("1 keeps waiting.")
        await seen.until(lambda: question_armed_at(seen) < time.monotonic(), "an armed question")
        await seen.press("y")
        await ended(seen)


async def test_a_screen_that_lists_more_than_is_kept_comes_to_rest(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def counted(request: StoredRequest, *rest: Any, **more: Any) -> Content:
        made.append(request.id)
        return make_content(request, *rest, **more)

    monkeypatch.setattr(context, "make_content", counted)
    for module in (documents, contents):
        monkeypatch.setattr(module, "KEPT", 3)
    for number in range(6):
        post(asking, command(f"echo {number}", workdir))
    async with screen(place, size=LARGE, waiting=6) as seen:
        await seen.until(lambda: len(made) >= 2)
        for _ in range(3):
            await seen.pilot.pause()
            seen.app.review.redraw()
        assert len(made) == len(set(made))
