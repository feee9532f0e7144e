"""Reading a request: looking for words, wrapping and cutting, and what that means for what counts as shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from screen_bench import LARGE, QUICK, SMALL, Screen, call, command, lines, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


async def opens(seen: Screen, request: StoredRequest) -> None:
    await seen.goes_to(request)
    if not seen.app.review.content_visible:
        await seen.press("enter")
    await seen.until(lambda: seen.app.review.document.owner is not None, "content")


async def finds(seen: Screen, words: str) -> None:
    await seen.press("ctrl+f")
    await seen.types(words)
    await seen.press("enter")


@SIZES
async def test_words_are_found_where_they_stand(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(500)))
    async with screen(place, size=size, waiting=1) as seen:
        await opens(seen, request)
        await finds(seen, "line 321")
        await seen.shows("321 + line 321" if "+ line" in seen.text else "line 321")


async def test_enter_goes_on_to_the_next_and_up_back(asking: AgentQueue, place: Path, workdir: Path) -> None:
    text = lines(99) + "needle of line 100\n" + lines(99) + "needle of line 200\n"
    request = post(asking, write(workdir / "a.txt", text))
    async with screen(place, waiting=1) as seen:
        await opens(seen, request)
        await finds(seen, "needle")
        await seen.shows("line 100")
        await seen.press("enter")
        await seen.shows("line 200")
        await seen.press("up")
        await seen.shows("line 100")


async def test_what_is_nowhere_is_said(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, write(workdir / "a.txt", lines(5)))
    async with screen(place, waiting=1) as seen:
        await opens(seen, request)
        await finds(seen, "absent")
        await seen.shows("not in what is shown")


async def test_words_that_are_looked_for_decide_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("echo yYnN", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await finds(seen, "yYnNxX!")
        await seen.press("escape")
        await seen.shows(" y approve")
        assert looking.get(request.id).pending


async def test_a_line_that_is_cut_does_not_count_as_shown(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command(f"echo {'x' * 300}", workdir))
    async with screen(place, waiting=1) as seen:
        seen.chooses("wrap")
        await seen.shows("long lines are cut")
        await opens(seen, request)
        entry = seen.entry(request)
        await seen.until(lambda: seen.has_settled(entry), "settled lines")
        assert not seen.is_read(entry)
        seen.chooses("wrap")
        await seen.until(lambda: seen.is_read(entry), "the whole line")


async def test_the_foot_says_what_is_left_below(asking: AgentQueue, place: Path, workdir: Path) -> None:
    (workdir / "a.txt").write_text(lines(200))
    changed = lines(200).replace("line 20\n", lines(30, "new")).replace("line 150\n", "more\n")
    request = post(asking, write(workdir / "a.txt", changed))
    async with screen(place, waiting=1) as seen:
        await opens(seen, request)
        await seen.shows(" changed lines below, 1 hunk")
        await seen.press("right_square_bracket")
        await seen.shows_no(" below")


@pytest.mark.parametrize(
    ("size", "keys"), [((200, 50), ""), ((120, 40), "vd")], ids=["of itself", "on the whole screen if wanted"]
)
async def test_before_and_after_stand_beside_each_other_where_there_is_room(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int], keys: str
) -> None:
    (workdir / "a.txt").write_text("one\ntwo\nthree\n")
    request = post(asking, write(workdir / "a.txt", "one\n2\nthree\n"))
    async with screen(place, size=size, waiting=1) as seen:
        await opens(seen, request)
        await seen.press(*keys)
        await seen.until(lambda: "+ 2" in seen.text and "+ 2" in seen.line("- two"), "two columns")
        entry = seen.entry(request)
        await seen.until(lambda: seen.is_read(entry), "both columns shown")


async def test_a_narrow_screen_shows_one_column_whatever_is_wanted(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text("one\n")
    request = post(asking, write(workdir / "a.txt", "2\n"))
    async with screen(place, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("d")
        await seen.shows("where there is room")
        assert "+ 2" not in seen.line("- one")


async def test_levels_of_arguments_are_closed_and_what_was_not_seen_opens_them(
    asking: AgentQueue, place: Path
) -> None:
    post(asking, call(payload={"a": {"b": {"c": 1}}, "d": 2}))
    async with screen(place, size=LARGE, settings=replace(QUICK, dwell=30.0), waiting=1) as seen:
        await seen.press("v")
        await seen.shows("c: 1")
        await seen.press("left")
        await seen.shows("2 of 3 levels of the arguments are open", "(1 row folded)")
        await seen.press("left")
        await seen.shows("1 of 3 levels", "(2 rows folded)")
        await seen.press("right", "right")
        await seen.shows("all 3 levels", "c: 1")
        await seen.press("left", "space")
        await seen.shows("c: 1")
