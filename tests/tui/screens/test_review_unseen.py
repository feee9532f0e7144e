"""Approving what was not on the screen: possible, deliberate, and recorded as such."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, call, command, lines, post, screen, write

from signoff.queue import AgentQueue, RequestState, ReviewQueue, StoredRequest
from signoff_tui import context
from signoff_tui.state.documents import Content


async def wants_to_approve_unread(seen: Screen, request: StoredRequest) -> None:
    await seen.goes_to(request)
    await seen.armed()
    await seen.press("y")
    await seen.shows("! approve unread (", "Esc back")


async def test_y_does_not_approve_what_was_not_shown(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await wants_to_approve_unread(seen, request)
        await seen.press("y", "y")
        await seen.shows("! approve unread (0 % shown)")
    assert looking.get(request.id).pending


async def test_the_deliberate_key_approves_and_the_share_is_recorded(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(100)))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.press("enter")
        entry = seen.entry(request)
        await seen.until(lambda: (coverage := seen.desk.coverage(entry)) and coverage.shown)
        await seen.armed()
        await seen.press("y")
        share = seen.desk.share(entry)
        await seen.shows(f"! approve unread ({int(share * 100)} % shown)", "Space read on")
        await seen.offer_armed()
        await seen.press("!")
        await seen.until(lambda: not looking.get(request.id).pending)
    stored = looking.get(request.id)
    assert stored.state is RequestState.APPROVED
    assert stored.decision is not None
    assert (stored.decision.deliberate, stored.decision.shown) == (True, share)
    assert 0 < share < 1


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_where_the_preview_fails_the_arguments_are_there_and_count_as_nothing_shown(
    asking: AgentQueue,
    looking: ReviewQueue,
    place: Path,
    workdir: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
) -> None:
    def fails(*_: object, **__: object) -> Content:
        raise ValueError("decode error line 4")

    monkeypatch.setattr(context, "make_content", fails)
    request = post(asking, call(payload={"title": "Crash on save", "password": "hunter2"}))
    async with screen(place, size=size, waiting=1) as seen:
        await seen.goes_to(request)
        if size == SMALL:
            await seen.press("enter")
        await seen.shows(
            "it cannot be shown (decode error line 4): its arguments as sent follow", '"Crash on save"'
        )
        assert "hunter2" not in seen.text
        await wants_to_approve_unread(seen, request)
        await seen.press("y")
        await seen.shows("! approve unread (cannot be shown)")
    assert looking.get(request.id).pending


async def test_the_deliberate_key_does_nothing_where_it_is_not_offered(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.armed()
        await seen.press("!")
        await seen.shows("press y first; ! then approves unread")
    assert looking.get(request.id).pending


async def test_showing_the_rest_takes_the_offer_away_and_y_works(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await wants_to_approve_unread(seen, request)
        await seen.press("space")
        await seen.until(lambda: seen.is_read(seen.entry(request)))
        await seen.shows_no("approve unread")
        await seen.armed()
        await seen.press("y")
        await seen.shows("approved by you")


async def test_the_offer_ends_when_the_cursor_moves_on(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first, second = (post(asking, command(f"ls {name}", workdir)) for name in "ab")
    async with screen(place, waiting=2) as seen:
        await wants_to_approve_unread(seen, first)
        await seen.press("j")
        await seen.shows_no("approve unread")
        await seen.armed()
        await seen.press("!")
        await seen.shows("press y first; ! then approves unread")
    assert [looking.get(request.id).pending for request in (first, second)] == [True, True]


async def test_escape_takes_the_offer_away(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await wants_to_approve_unread(seen, request)
        await seen.press("escape")
        await seen.shows_no("approve unread")


async def test_content_that_cannot_be_shown_is_approved_by_its_facts_only(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "logo.png", b"\x89PNG\r\n\x1a\n\x00\x00"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.shows("image/png, new, 10 bytes")
        entry = seen.entry(request)
        await seen.until(lambda: (coverage := seen.desk.coverage(entry)) and not coverage.missing)
        await seen.armed()
        await seen.press("y")
        await seen.shows("! approve unread (binary: not shown in full)")
    assert looking.get(request.id).pending
