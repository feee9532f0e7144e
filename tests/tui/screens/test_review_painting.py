"""Only what reached the terminal counts as painted: the guard arms by it, the coverage counts by it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from screen_bench import LARGE, Screen, command, lines, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue
from signoff_tui.guard import Frame
from signoff_tui.widgets.lines_view import LinesView
from signoff_tui.widgets.row_list import RowList


def watch_paints(seen: Screen, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the focused row of the picture on the terminal whenever the guard is told of a paint."""
    named: list[str] = []
    painted = seen.desk.guard.painted

    def told(frame: Frame, at: float) -> None:
        named.append(seen.line("▌"))
        assert time.monotonic() >= at
        painted(frame, at)

    monkeypatch.setattr(seen.desk.guard, "painted", told)
    return named


async def test_a_target_counts_as_painted_when_the_picture_that_names_it_was_written(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(4)]
    async with screen(place, size=LARGE, waiting=4) as seen:
        await seen.armed()
        named = watch_paints(seen, monkeypatch)
        for number in (1, 2, 3):
            await seen.goes_to(requests[number])
            await seen.armed()
            assert f"ls {number} " in named[-1]


async def test_nothing_is_armed_while_no_picture_is_written(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (post(asking, command(f"ls {name}", workdir)) for name in "ab")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.reads(first)
        monkeypatch.setattr(seen.app, "post_display_hook", lambda: None)
        await seen.press("j", "y")
        await seen.shows("the screen is catching up")
    assert [looking.get(request.id).pending for request in (first, second)] == [True, True]


async def test_nothing_counts_as_shown_while_no_picture_is_written(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (post(asking, command(f"ls {name}", workdir)) for name in "ab")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.reads(first)
        monkeypatch.setattr(seen.app, "post_display_hook", lambda: None)
        await seen.press("j")
        await seen.shows("$ ls b", "@ cwd: ")
        await seen.rests()
        assert seen.desk.share(seen.entry(second)) == 0.0


async def test_lines_are_drawn_only_when_a_picture_is_composed(place: Path) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        view = seen.app.screen.query_one("#keys", LinesView)
        view.draw_again()
        assert not view.drawn
        await seen.until(lambda: view.drawn)


@pytest.mark.parametrize(("key", "back"), [("question_mark", "escape"), ("h", "escape")], ids=["help", "history"])
async def test_what_lay_under_another_screen_is_armed_anew(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, key: str, back: str
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        before = seen.armed_at
        await seen.press(key)
        await seen.until(lambda: seen.app.screen is not seen.app.review)
        await seen.press("y", back)
        await seen.armed_anew(before)
        assert len(seen.desk.guard.holds) == 0
    assert looking.get(request.id).pending


async def test_what_is_covered_by_another_screen_is_not_counted_until_it_is_back(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(200)))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        entry = seen.entry(request)
        await seen.until(lambda: seen.desk.coverages.settles_at is None and seen.desk.share(entry) > 0)
        before = seen.desk.share(entry)
        await seen.press("space", "question_mark")
        await seen.until(lambda: seen.app.screen is not seen.app.review)
        await seen.rests()
        covered = seen.desk.share(entry)
        await seen.press("escape")
        await seen.until(lambda: seen.desk.share(entry) > max(before, covered - 0.001))


async def test_another_theme_arms_anew(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        before = seen.armed_at
        seen.app.use_theme("signoff-light")
        await seen.armed_anew(before)


async def test_drawing_anew_arms_anew(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        before = seen.armed_at
        await seen.press("ctrl+l")
        await seen.armed_anew(before)


async def test_another_screen_has_the_keys_alone(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("question_mark")
        await seen.until(lambda: seen.app.screen is not seen.app.review)
        assert seen.status == "text"
        await seen.press("escape")
        await seen.armed()


async def test_a_picture_that_is_painted_before_the_list_is_told_shows_no_row_that_went(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(3)]
    async with screen(place, size=LARGE, waiting=3) as seen:
        for request in requests[1:]:
            asking.withdraw(request.id, "not needed")
        await seen.until(lambda: seen.entry(requests[2]).closed)
        listing = seen.app.screen.query_one("#rows", RowList)
        seen.desk.fold()  # as a key that moves does
        listing.resized()  # so that every row is made anew
        rows = [listing.render_line(y).text for y in range(3)]
        assert "ls 0" in rows[0]
        assert (rows[1].strip(), rows[2].strip()) == ("", "")
