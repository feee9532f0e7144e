"""Deciding about a group: exactly the members that were named, were shown, and may be decided together."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, Screen, command, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest

GROUP = {"group_id": "save project"}


def files(asking: AgentQueue, workdir: Path, *names: str) -> list[StoredRequest]:
    return [post(asking, write(workdir / name, f"{name}\n", **GROUP)) for name in names]


def states(looking: ReviewQueue, requests: list[StoredRequest]) -> list[str]:
    return [looking.get(request.id).state.value for request in requests]


async def read_all(seen: Screen, *requests: StoredRequest) -> None:
    for request in requests:
        if not seen.app.review.two_panes:
            await seen.press("1")
        await seen.reads(request)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_one_key_approves_all_that_were_shown(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", "c.txt")
    async with screen(place, size=size, waiting=3) as seen:
        await read_all(seen, *requests)
        await seen.shows("[Y] approve all 3")
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: states(looking, requests) == ["approved"] * 3)
        if size == LARGE:
            await seen.goes_to_group()
            await seen.shows("nothing listed of the group waits to be decided")
            await seen.shows_no("covers nothing yet")


async def test_what_was_not_shown_stays_waiting(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", "c.txt")
    async with screen(place, size=LARGE, waiting=3) as seen:
        await read_all(seen, *requests[:2])
        await seen.shows("[Y] approve the 2 ready of 3: a.txt  b.txt")
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: states(looking, requests) == ["approved", "approved", "pending"])


async def test_a_high_member_is_never_part_of_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    (low,) = files(asking, workdir, "a.txt")
    high = post(asking, command("rm -rf build", workdir, **GROUP))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await read_all(seen, high, low)
        await seen.shows("[Y] approve the 1 ready of 2: a.txt")
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: states(looking, [low, high]) == ["approved", "pending"])


async def test_a_member_that_joined_after_the_bar_was_painted_is_not_part_of_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt")
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await read_all(seen, *requests)
        await seen.group_armed()
        await seen.press("Y")
        late = files(asking, workdir, "late.txt")
        await seen.shows("late.txt")
        (held,) = seen.desk.guard.holds
        assert [ref.id for ref in held.refs] == [requests[0].id]
        assert states(looking, late) == ["pending"]


async def test_the_overview_names_exactly_who_is_covered_and_who_is_not(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt")
    post(asking, command("rm -rf build", workdir, **GROUP))
    async with screen(place, size=LARGE, waiting=3) as seen:
        await read_all(seen, requests[0])
        await seen.goes_to_group()
        await seen.shows("[Y] approves exactly 1: a.txt", "left out: b.txt 0%  rm -rf build HIGH")
        await seen.shows("1 HIGH: decide one by one")


async def test_a_small_screen_opens_the_group_as_a_list_of_its_own(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt")
    async with screen(place, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.press("enter")
        await seen.shows("decision", "G save project", "(Y) covers nothing yet: read first")
        await seen.until(lambda: seen.focus == requests[0].id)
        await seen.press("j", "enter")
        await seen.shows("Request 2/2", "b.txt")
        await seen.press("escape")
        await seen.shows("decision")
        await seen.press("escape")
        await seen.shows("Inbox")


async def test_the_group_view_ends_when_the_cursor_leaves_the_group(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    files(asking, workdir, "a.txt")
    other = post(asking, command("ls", workdir))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.press("enter")
        await seen.shows("decision")
        await seen.press("J")
        await seen.until(lambda: seen.focus == other.id)
        await seen.shows("Inbox")
        await seen.shows_no("decision")


async def test_capitals_on_a_request_outside_of_groups_say_so(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("Y")
        await seen.shows("Y acts on groups, this is a single request")


async def test_lower_case_on_a_heading_does_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt")
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(requests[0])
        await seen.goes_to_group()
        await seen.armed()
        await seen.press("y")
        await seen.shows("y acts on one request, capitals act on groups")
    assert states(looking, requests) == ["pending"]


async def test_a_group_of_which_nothing_is_ready_says_why(asking: AgentQueue, place: Path, workdir: Path) -> None:
    files(asking, workdir, "a.txt", "b.txt")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.group_armed()
        await seen.shows("to be read next: N a.txt", "1   a.txt", "Space opens it: only there it counts")
        await seen.press("Y")
        await seen.shows(
            "no request of the group is ready", "left out: a.txt 0%  b.txt 0%", "[Space] read next unseen"
        )
        await seen.press("space")
        await seen.shows_no("to be read next")


async def test_the_reasons_go_away_when_the_cursor_moves_on(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    files(asking, workdir, "a.txt")
    other = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.group_armed()
        await seen.press("Y")
        await seen.shows("no request of the group is ready")
        await seen.goes_to(other)
        await seen.shows_no("no request of the group is ready")


async def test_one_feedback_rejects_the_waiting_rest(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", "c.txt")
    async with screen(place, size=LARGE, waiting=3) as seen:
        await seen.reads(requests[1])
        await seen.press("y")
        await seen.until(lambda: states(looking, requests)[1] == "approved")
        await seen.group_armed()
        await seen.press("N")
        await seen.shows("Reject 2 requests; the agent goes on")
        await seen.types("smaller steps")
        await seen.press("enter")
        await seen.until(lambda: states(looking, requests) == ["rejected", "approved", "rejected"])
    decisions = [looking.get(request.id).decision for request in requests]
    assert [decision and decision.note for decision in decisions] == ["smaller steps", None, "smaller steps"]


async def test_the_group_says_how_much_of_it_was_decided(asking: AgentQueue, place: Path, workdir: Path) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.reads(requests[0])
        await seen.press("y")
        await seen.shows("approved by you")
        await seen.goes_to_group()
        await seen.shows("1 of 2 waiting", "1 approved   1 waiting")
