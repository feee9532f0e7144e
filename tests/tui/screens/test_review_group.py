"""Reading and deciding about a group: exactly the members that were listed and shown are decided together."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, Screen, command, lines, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest

GROUP = {"group_id": "save project"}
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


def files(asking: AgentQueue, workdir: Path, *names: str, length: int = 1) -> list[StoredRequest]:
    return [post(asking, write(workdir / name, lines(length, name), **GROUP)) for name in names]


def states(looking: ReviewQueue, requests: list[StoredRequest]) -> list[str]:
    return [looking.get(request.id).state.value for request in requests]


async def on_heading(seen: Screen) -> None:
    """Go to the heading, and wait until capitals act on the group."""
    await seen.goes_to_group()
    await seen.group_armed()


# -- reading -------------------------------------------------------------------------------------------------


async def test_the_heading_shows_the_first_unread_file_at_once_and_it_counts(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.shows("save project  2 files", "A a.txt  +60", "a.txt 1")
        await seen.until(lambda: (coverage := seen.desk.coverage(seen.entry(requests[0]))) and coverage.shown)


async def test_small_files_share_a_page_and_all_of_them_count(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", "c.txt")
    async with screen(place, size=LARGE, waiting=3) as seen:
        await seen.goes_to_group()
        await seen.shows("a.txt 1", "b.txt 1", "c.txt 1")
        await seen.until(lambda: all(seen.is_read(seen.entry(request)) for request in requests))
        await seen.shows("read 3 of 3", "Y approve 3 ")


@SIZES
async def test_space_reads_on_from_file_to_file_and_the_cursor_follows(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, size=size, waiting=2) as seen:
        await seen.goes_to_group()
        names, visited = {request.id: name for request, name in zip(requests, "ab", strict=True)}, []
        if size == SMALL:
            await seen.press("space")
        while not all(seen.is_read(seen.entry(request)) for request in requests):
            await seen.page_settled()
            await seen.press("space")
            visited.append(names.get(seen.focus or "", "heading"))
        assert list(dict.fromkeys(visited)) in (["a", "b"], ["heading", "a", "b"])
        assert visited == sorted(visited, key=["heading", "a", "b"].index)
        await seen.press("space")
        await seen.shows("all 2 read: Y approves them")


async def test_the_row_above_the_keys_names_the_group_of_the_focused_file(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first, _ = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, waiting=2) as seen:
        await seen.reads(first)
        await seen.until(lambda: seen.special.strip() == "save project: Y approve 1 of 2  N reject 2")


async def test_a_request_opens_at_its_first_unread_line(asking: AgentQueue, place: Path, workdir: Path) -> None:
    (first,) = files(asking, workdir, "a.txt", length=60)
    other = post(asking, command("ls", workdir))
    async with screen(place, size=SMALL, waiting=2) as seen:
        await seen.opens(first)
        await seen.shows("a.txt 2")
        await seen.page_settled()
        await seen.opens(other)
        await seen.shows_no("a.txt 2")
        await seen.opens(first)
        await seen.shows("a.txt 19")
        assert "a.txt 18" not in seen.text


async def test_members_have_the_order_of_their_paths(asking: AgentQueue, place: Path, workdir: Path) -> None:
    requests = files(asking, workdir, "f10.txt", "f9.txt", "f2.txt")
    async with screen(place, waiting=3) as seen:
        rows = [row.key.id for row in seen.desk.inbox.rows() if row.key.kind == "request"]
        assert rows == [request.id for request in reversed(requests)]


# -- approving -----------------------------------------------------------------------------------------------


@SIZES
async def test_one_key_approves_a_group_that_was_read(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", "c.txt")
    async with screen(place, size=size, waiting=3) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.group_armed()
        await seen.decides("Y")
        await seen.until(lambda: states(looking, requests) == ["approved"] * 3)


@SIZES
async def test_what_was_not_read_is_listed_as_left_out_and_stays_waiting(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, size=size, waiting=2) as seen:
        await seen.reads(requests[0])
        await seen.group_armed()
        await seen.decides("Y")
        await seen.shows("Approve exactly: a.txt", "not: b.txt ", "y approve this 1", "Esc back")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.until(lambda: states(looking, requests) == ["approved", "pending"])


@pytest.mark.parametrize("key", ["Y", "enter", "space", "escape"])
async def test_the_sheet_is_confirmed_by_y_alone(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, key: str
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, settings=HELD, size=LARGE, waiting=2) as seen:
        await seen.reads(requests[0])
        await seen.group_armed()
        await seen.decides("Y")
        await seen.shows("Approve exactly")
        await seen.sheet_armed()
        await seen.press(key)
        assert not len(seen.desk.guard.holds)
    assert states(looking, requests) == ["pending"] * 2


async def test_a_high_member_is_never_part_of_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    (low,) = files(asking, workdir, "a.txt")
    high = post(asking, command("rm -rf build", workdir, **GROUP))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.group_armed()
        await seen.decides("Y")
        await seen.shows("Approve exactly: a.txt", "not: rm -rf build HIGH")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.until(lambda: states(looking, [low, high]) == ["approved", "pending"])


async def test_a_member_that_joins_under_the_open_sheet_is_not_part_of_it(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, size=LARGE, settings=HELD, waiting=2) as seen:
        await seen.reads(requests[0])
        await seen.group_armed()
        await seen.decides("Y")
        await seen.shows("Approve exactly: a.txt")
        await seen.sheet_armed()
        late = files(asking, workdir, "late.txt")
        await seen.shows("late.txt")
        await seen.press("y")
        (held,) = seen.desk.guard.holds
        assert [ref.id for ref in held.refs] == [requests[0].id]
        assert states(looking, late) == ["pending"]


async def test_who_joins_later_waits_and_is_marked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt")
    async with screen(place, size=LARGE, settings=HELD, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.group_armed()
        await seen.decides("Y")
        files(asking, workdir, "late.txt")
        await seen.shows("late.txt")
        (held,) = seen.desk.guard.holds
        assert {ref.id for ref in held.refs} == {request.id for request in requests}


async def test_nothing_read_approves_nothing_and_says_what_to_do(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", length=60)
    async with screen(place, waiting=2) as seen:
        await on_heading(seen)
        await seen.decides("Y")
        await seen.shows("Y approves nothing yet: read a file first")
        await seen.press("j")
        await seen.shows_no("Y approves nothing yet")
    assert states(looking, requests) == ["pending"] * 2


# -- the other keys ------------------------------------------------------------------------------------------


async def test_capitals_on_a_request_outside_of_groups_say_so(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.decides("Y")
        await seen.shows("Y works on a group, this is a single request")


@pytest.mark.parametrize(
    ("key", "words"),
    [("y", "y works on one request, Y on the group"), ("n", "open it (Enter) to reject it, or N rejects all 2")],
)
async def test_small_letters_on_a_heading_do_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, key: str, words: str
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await on_heading(seen)
        await seen.press(key)
        await seen.shows(words)
    assert states(looking, requests) == ["pending"] * 2


async def test_one_message_rejects_the_waiting_rest(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt", "c.txt")
    async with screen(place, size=LARGE, waiting=3) as seen:
        await seen.reads(requests[1])
        await seen.press("y")
        await seen.until(lambda: states(looking, requests)[1] == "approved")
        await seen.group_armed()
        await seen.press("N")
        await seen.shows("Reject 2 of save project; the agent goes on")
        await seen.types("smaller steps")
        await seen.press("enter")
        await seen.until(lambda: states(looking, requests) == ["rejected", "approved", "rejected"])
    decisions = [looking.get(request.id).decision for request in requests]
    assert [decision and decision.note for decision in decisions] == ["smaller steps", None, "smaller steps"]


async def test_a_group_that_ended_becomes_one_row_and_then_leaves(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, "a.txt", "b.txt")
    others = [post(asking, command(text, workdir)) for text in ("ls", "pwd")]
    async with screen(place, size=LARGE, waiting=4) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.group_armed()
        await seen.decides("Y")
        await seen.until(lambda: states(looking, requests) == ["approved"] * 2)
        await seen.shows("2 of 2 approved")
        await seen.goes_to(others[1])
        await seen.press("k", "j")
        await seen.shows_no("save project")


async def test_who_joins_late_is_marked_and_the_heading_says_so(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    files(asking, workdir, "a.txt", "b.txt")
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.goes_to_group()
        (late,) = files(asking, workdir, "aa.txt", length=60)
        await seen.shows("save project  3 files", "+ new since you looked", "+  A aa.txt")
        assert [row.key.id for row in seen.desk.inbox.rows()].index(late.id) == 2  # between the others
        await seen.goes_to(late)
        await seen.shows_no("new since you looked")


async def test_a_capital_on_files_that_cannot_be_shown_in_full_says_which_keys_approve_one(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for name in ("a.png", "b.png"):
        post(asking, write(workdir / name, b"\x89PNG\r\n\x1a\n\0\0" + name.encode(), **GROUP))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await on_heading(seen)
        await seen.shows("in part")
        await seen.until(lambda: "new" not in "".join(row[:40] for row in seen.frame[1:4]), "both on the screen")
        await seen.group_armed()
        await seen.decides("Y")
        await seen.shows("binary: not shown in full; y, then ! approves")
