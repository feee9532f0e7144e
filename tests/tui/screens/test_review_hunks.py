"""Approving some hunks of a diff: what is ticked is named, armed for, held and sent, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, Screen, lines, post, screen, write

from signoff.queue import AgentQueue, RequestState, ReviewQueue, StoredRequest

PARTIAL = frozenset({"partial"})
OLD = lines(60)
HUNKS = {3: "THREE", 30: "THIRTY", 58: "FIFTY-EIGHT"}


def with_hunks(*numbers: int) -> str:
    new = OLD
    for number in numbers:
        new = new.replace(f"line {number}\n", f"{HUNKS[number]}\n")
    return new


def three_hunks(queue: AgentQueue, workdir: Path) -> StoredRequest:
    (workdir / "a.txt").write_text(OLD)
    return post(queue, write(workdir / "a.txt", with_hunks(*HUNKS), honors=PARTIAL))


async def opens(seen: Screen, request: StoredRequest) -> None:
    await seen.goes_to(request)
    if not seen.app.review.content_visible:
        await seen.press("enter")
    await seen.shows(">@@")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_the_ticked_hunks_are_what_is_named_held_and_sent(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    request = three_hunks(asking, workdir)
    async with screen(place, settings=HELD, size=size, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("]", "minus")
        await seen.shows("refused  @@", "hunk 2 refused: 2 of 3 hunks would be written")
        await seen.reads(request)
        before = seen.armed_at
        await seen.press("]", "]", "]", "minus")  # the last one: another thing to approve, armed for anew
        await seen.shows("hunk 3 refused: 1 of 3 hunks would be written")
        await seen.armed_anew(before)
        await seen.shows("y approve 1 of 3")
        await seen.press("s")
        await seen.shows("what you changed is approved once")
        await seen.press("y")
        await seen.shows("approved 1 of 3 hunks: a.txt, sends")
        await seen.press("u")
        await seen.armed()
        if not seen.app.review.content_visible:
            await seen.press("enter")
        await seen.press("]", "]", "]", "minus")
        await seen.shows("hunk 3 approved again: 2 of 3 hunks would be written")
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved 2 of 3 hunks: a.txt, sends")
        await seen.press("1", "q")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.until(lambda: looking.get(request.id).decision, "the decision")
    decision = looking.get(request.id).decision
    assert decision is not None
    assert decision.instead is not None
    assert decision.instead.refused == ("a.txt line 30",)
    (sha256,) = decision.instead.contents.values()
    assert looking.blob(sha256).decode() == with_hunks(3, 58)
    assert decision.shown == 1.0


async def test_one_press_points_at_the_next_hunk_and_refuses_that_one(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = three_hunks(asking, workdir)
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        await seen.shows(">@@ 1")
        await seen.press("]")
        await seen.shows(">@@ 27", "hunk 2 of 3: - refuse it")
        await seen.press("[")
        await seen.shows(">@@ 1", "hunk 1 of 3: - refuse it")
        await seen.press("[")
        await seen.shows("no hunk above")
        await seen.press("]", "minus")
        await seen.shows("hunk 2 refused: 2 of 3 hunks would be written")


async def test_keys_that_can_scroll_nothing_leave_the_hunk_that_is_pointed_at(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = three_hunks(asking, workdir)
    async with screen(place, size=(200, 50), waiting=1) as seen:
        await opens(seen, request)
        await seen.press("v", "]", "]")
        await seen.shows(">@@ 55", "@@ 1", "hunk 3 of 3: - refuse it")
        await seen.press("j", "j", "k", "G", "g")
        await seen.rests()
        await seen.shows(">@@ 55", "hunk 3 of 3: - refuse it")


async def test_the_last_hunk_is_brought_up_if_it_is_pointed_at_where_it_only_begins(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text(OLD)
    new = with_hunks(3).replace("line 30\n", lines(90, "new"))
    request = post(asking, write(workdir / "a.txt", new, honors=PARTIAL))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("j", "j", "j", "j", "j", "j")
        await seen.shows(">@@ 27")
        await seen.shows_no("new 20")
        await seen.press("]")
        await seen.shows(">@@ 27", "new 12")
        await seen.press("]")
        await seen.shows("no hunk below")


async def test_a_hunk_whose_heading_is_not_on_the_screen_is_never_refused(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text(OLD)
    new = with_hunks(3).replace("line 30\n", lines(90, "new"))
    request = post(asking, write(workdir / "a.txt", new, honors=PARTIAL))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.shows(">@@ 1")
        await seen.press("space")
        await seen.shows_no("@@")
        await seen.shows("new 30")
        await seen.press("minus")
        await seen.shows("hunk 2 is above: ] or [ points at one")
        assert seen.desk.changes.of(seen.entry(request)) is None
        await seen.press("[")
        await seen.shows("hunk 2 of 2: - refuse it")
        await seen.press("minus")
        await seen.shows("hunk 2 refused: 1 of 2 hunks would be written")


async def test_a_refused_hunk_need_not_be_seen_and_with_none_left_there_is_nothing_to_approve(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = three_hunks(asking, workdir)
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        entry = seen.entry(request)
        await seen.until(lambda: seen.has_settled(entry), "settled lines")
        await seen.until(lambda: (coverage := seen.desk.coverage(entry)) and coverage.shown >= 2, "the first hunk")
        assert not seen.is_read(entry)
        await seen.press("]", "minus", "]", "minus")
        assert seen.is_read(entry)
        await seen.press("[", "[", "minus")
        await seen.shows("all hunks are refused, so there is nothing to approve: reject it instead")
        await seen.armed()
        await seen.press("y")
        await seen.shows("nothing is left to approve: reject it instead")
        assert looking.get(request.id).pending


async def test_where_the_agent_can_only_run_all_of_it_nothing_can_be_refused(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text(OLD)
    request = post(asking, write(workdir / "a.txt", with_hunks(*HUNKS)))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("minus")
        await seen.shows("- does nothing: the agent can only run all of it, or nothing")
        assert ">@@" not in seen.text
        await seen.press("y")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")
    assert looking.get(request.id).decision.instead is None  # type: ignore[union-attr]


async def test_a_group_is_approved_without_what_was_changed(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        (workdir / name).write_text(OLD)
    group = {"honors": PARTIAL, "group_id": "save"}
    changed, other = (
        post(asking, write(workdir / name, with_hunks(*HUNKS), **group)) for name in ("a.txt", "b.txt")
    )
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.reads(other)
        await seen.reads(changed)
        await seen.press("minus")
        await seen.shows("2 of 3 hunks would be written")
        await seen.goes_to_group()
        await seen.shows("Y approve 1 of 2")
        await seen.group_armed()
        await seen.press("Y")
        await seen.shows("Approve exactly: b.txt", "not: a.txt changed by you")
        await seen.sheet_armed()
        await seen.press("y")
        await seen.until(lambda: looking.get(other.id).state is RequestState.APPROVED, "the approval")
    assert looking.get(changed.id).pending
    assert looking.get(other.id).decision.instead is None  # type: ignore[union-attr]
