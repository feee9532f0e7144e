"""Reading a group on one page with keys, and deciding about what was read."""

from __future__ import annotations

from pathlib import Path

from screen_bench import HELD, LARGE, SMALL, command, lines, post, screen, write

from signoff.queue import AgentQueue, ReviewQueue, StoredRequest

GROUP = {"group_id": "save project"}


def files(asking: AgentQueue, workdir: Path, *lengths: int) -> list[StoredRequest]:
    return [
        post(asking, write(workdir / f"{name}.txt", lines(length), **GROUP))
        for name, length in zip("abcdefgh", lengths, strict=False)
    ]


async def test_each_member_counts_by_its_own_lines_and_one_key_approves_what_was_read(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, 2, 60, 3)
    danger = post(asking, command("rm -rf build", workdir, **GROUP))
    async with screen(place, size=SMALL, waiting=4) as seen:
        await seen.goes_to_group()
        await seen.press("V")
        await seen.page_settled()
        await seen.shows("1/4  N write_file  a.txt", "[Y] approve the 1 ready: a.txt", "1 HIGH  1 of 4 ready")
        assert [seen.is_read(seen.entry(request)) for request in requests] == [True, False, False]
        await seen.press("V")
        await seen.shows("decision")
        await seen.press("V")
        await seen.reads_page()
        assert seen.is_read(seen.entry(danger))
        await seen.shows("4/4  $ shell  rm -rf build", "HIGH: decide it alone", "all shown")
        await seen.press("y")
        await seen.shows("y acts on one request, capitals act on groups")
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: [looking.get(it.id).state.value for it in requests] == ["approved"] * 3)
        await seen.shows("decision")  # back from the page: the keys act on another row now
    assert looking.get(danger.id).pending


async def test_one_moves_by_member_opens_one_and_goes_back(asking: AgentQueue, place: Path, workdir: Path) -> None:
    requests = files(asking, workdir, 30, 30, 30)
    async with screen(place, size=LARGE, settings=HELD, waiting=3) as seen:
        await seen.goes_to(requests[1])
        await seen.press("V")
        await seen.page_settled()
        await seen.shows("Group page", "TARGET group save project")
        await seen.until(lambda: "2/3  N write_file  b.txt" in seen.text)
        await seen.press("J", "J")
        await seen.shows("3/3  N write_file  c.txt")
        await seen.press("g", "J")
        await seen.shows("── 2/3 ──")
        await seen.press("G")
        await seen.page_settled()
        await seen.shows("unread above: Space", "[Space] page, next unseen")
        await seen.press("g", "J")
        await seen.shows("── 2/3 ──")
        await seen.press("enter")
        await seen.until(lambda: seen.focus == requests[1].id)
        await seen.shows("Request 2/3")
        await seen.press("escape", "V", "escape")
        await seen.shows("Inbox")


async def test_who_joins_while_one_reads_is_at_the_end_and_no_part_of_the_approval(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    requests = files(asking, workdir, 2, 2)
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.press("V")
        await seen.reads_page()
        late = post(asking, write(workdir / "late.txt", lines(90), **GROUP))
        await seen.shows("3/3  N write_file  late.txt", "[Y] approves exactly 2: a.txt  b.txt")
        await seen.group_armed()
        await seen.press("Y")
        await seen.until(lambda: [looking.get(it.id).state.value for it in requests] == ["approved"] * 2)
    assert looking.get(late.id).pending


async def test_what_the_reviewer_changed_is_shown_as_it_was_asked_and_left_to_be_decided_alone(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "z.txt").write_text(lines(60))
    new = lines(60).replace("line 3\n", "THREE\n").replace("line 50\n", "FIFTY\n")
    changed = post(asking, write(workdir / "z.txt", new, honors=frozenset({"partial"}), **GROUP))
    files(asking, workdir, 1, 2)
    async with screen(place, size=LARGE, waiting=3) as seen:
        await seen.goes_to(changed)
        await seen.shows("[*] @@")
        await seen.press("minus")
        await seen.shows("1 of 2 hunks would be written")
        await seen.press("V")
        await seen.shows("you refused parts of it: decide it alone", "z.txt changed by you")
        assert "[*] @@" not in seen.text
