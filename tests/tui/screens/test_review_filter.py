"""Filtering and sorting the inbox with keys: nothing is decided by it, no danger is hidden silently."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from screen_bench import HELD, LARGE, Screen, agent, command, ids, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue

GROUP = {"group_id": "save project"}


def listed(seen: Screen) -> list[str]:
    return [row.key.id for row in seen.desk.inbox.rows() if row.key.kind == "request"]


async def test_a_filter_is_applied_while_it_is_typed_kept_by_enter_and_cleared(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        danger = post(release, command("rm -rf build", workdir))
        async with screen(place, waiting=2) as seen:
            await seen.armed()
            await seen.press("slash")
            await seen.until(lambda: seen.app.review.filter_bar.is_open)
            await seen.types("agent:yes")
            await seen.press("backspace", "backspace", "backspace")
            await seen.types("tester")
            await seen.shows("1 of 2 match  agent:tester")
            assert [listed(seen), seen.status] == [ids([first, danger]), "text"]
            await seen.shows("not in filter")
            await seen.press("enter")
            await seen.armed()
            await seen.shows("2 waiting", "1 HIGH")  # the counts on top know no filter
            await seen.press("escape")
            await seen.until(lambda: listed(seen) == ids([first, danger]))
            await seen.shows_no("of 2 match")
            assert [looking.get(it.id).pending for it in (first, danger)] == [True, True]


async def test_a_group_act_under_a_filter_covers_what_is_listed_and_says_what_is_hidden(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, write(workdir / name, name, **GROUP)) for name in ("a.txt", "b.txt", "c.md", "d.md")]
    async with screen(place, size=LARGE, waiting=4) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.goes_to_group()
        await seen.press("slash")
        await seen.until(lambda: seen.app.review.filter_bar.is_open)
        await seen.types("path:*.txt")
        await seen.press("enter")
        await seen.shows("2 of 4", "2 of 4 match", "Y approve 2 of 4")
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: [looking.get(it.id).state.value for it in requests[:2]] == ["approved"] * 2)
    assert looking.get(requests[2].id).state.value == "pending"


async def test_one_key_goes_through_the_orders_and_sorts_what_arrived_since(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    low, high = (post(asking, command(text, workdir)) for text in ("ls", "rm -rf build"))
    async with screen(place, settings=HELD, waiting=2) as seen:
        await seen.press("o")
        await seen.shows("sorted by risk")
        assert listed(seen) == ids([high, low])
        new = post(asking, command("rm -rf dist", workdir))
        await seen.shows("+$ rm -rf dist")
        assert listed(seen) == ids([high, low, new])
        assert seen.focus == low.id
        await seen.press("o")
        await seen.shows("sorted by risk")
        assert listed(seen) == ids([high, new, low])
        await seen.press("o")
        await seen.shows("sorted by agent")


async def test_a_filter_that_was_typed_into_the_wrong_window_is_undone(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        other = post(release, command("pwd", workdir))
        careful = replace(HELD, typing_lock=True, burst_window=5.0)
        async with screen(place, settings=careful, waiting=2) as seen:
            await seen.armed()
            await seen.rests()
            await seen.types("all")
            await seen.shows("looked like typing")
            assert listed(seen) == ids([first, other])


async def test_enter_applies_what_was_typed_however_fast_it_came(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    with agent(place, "release", session="s-42", cwd=workdir) as release:
        post(release, command("git status", workdir))
        async with screen(place, waiting=2) as seen:
            await seen.armed()
            seen.sends("/agent:testerr\x7f\r")
            await seen.until(lambda: not seen.app.review.filter_bar.is_open and listed(seen) == ids([first]))
            assert seen.app.review.filtering.filter.query.text == "agent:tester"


async def test_high_that_does_not_match_keeps_the_last_rows_of_a_list_that_scrolls(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(40)]
    danger = post(asking, command("rm -rf build", workdir))
    async with screen(place, waiting=41) as seen:
        await seen.press("slash")
        await seen.types("cmd:ls")
        await seen.press("enter")
        await seen.shows("40 of 41 match")
        await seen.goes_to(requests[0])
        last = seen.frame.index(seen.line("of 41 match")) - 1
        assert "rm -rf build" in seen.frame[last]
        assert "not in filter" in seen.frame[last]
        await seen.press("G")
        assert seen.focus == danger.id
        assert seen.frame[last].startswith("▌HIGH $ rm -rf build")
        await seen.armed()
        await seen.press("k")
        assert seen.focus == requests[-1].id
        assert "rm -rf build" in seen.frame[last]


async def test_high_that_does_not_match_stands_right_after_the_matches_where_there_is_room(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for text in ("rm -rf build", "ls", "pwd"):
        post(asking, command(text, workdir))
    async with screen(place, waiting=3) as seen:
        await seen.press("slash")
        await seen.types("cmd:ls")
        await seen.press("enter")
        await seen.shows("1 of 3 match")
        assert [row[8:].split()[0] for row in seen.frame[1:3]] == ["ls", "rm"]


async def test_what_is_not_in_the_filter_says_so_in_full_however_long_its_name_is(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for text in (f"rm -rf {'x' * 60}", "ls"):
        post(asking, command(text, workdir))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.press("slash")
        await seen.types("cmd:ls")
        await seen.press("enter")
        await seen.until(lambda: "not in filter" in seen.line("HIGH $ rm")[:40])
