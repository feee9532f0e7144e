"""The list of what waits: what it says, and that nothing moves by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from screen_bench import (
    HELD,
    LARGE,
    SMALL,
    Cable,
    Screen,
    agent,
    call,
    command,
    lines,
    post,
    screen,
    write,
)
from textual.events import MouseMove, MouseScrollDown

from signoff import ApprovalRequest
from signoff.queue import PLACE_VARIABLE, AgentQueue, ReviewQueue
from signoff.queue.records import ChangeSet
from signoff_tui.app import SignoffApp
from signoff_tui.state.inbox import RowKey

NARROW = (50, 40)


def high(workdir: Path) -> ApprovalRequest:
    return command("rm -rf build", workdir)


# -- what it says --------------------------------------------------------------------------------------------


async def test_an_empty_inbox_says_that_nothing_waits_and_how_to_begin(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PLACE_VARIABLE, raising=False)
    async with screen(place) as seen:
        await seen.shows("nothing waiting", "No agent is waiting.", "signoff ask --tool", "? keys")


async def test_nothing_is_said_of_what_waits_before_the_queue_has_answered(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    answers = asyncio.Event()

    class Slow(Cable):
        async def watch(self, cursor: int = 0) -> AsyncIterator[ChangeSet]:
            await answers.wait()
            async for found in super().watch(cursor):
                yield found

    app = SignoffApp(cast(ReviewQueue, Slow(place)), theme="signoff-dark")
    async with app.run_test(size=SMALL) as pilot:
        seen = Screen(app, pilot)
        await seen.press("j", "y")
        await pilot.resize_terminal(*LARGE)
        assert "waiting" not in seen.text
        answers.set()
        await seen.shows("1 waiting")


async def test_a_command_that_would_ask_in_another_queue_is_not_proposed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLACE_VARIABLE, "/srv/other")
    async with screen(place) as seen:
        await seen.shows("No agent is waiting.")
        assert "signoff ask" not in seen.text


@pytest.mark.parametrize("size", [SMALL, LARGE, NARROW], ids=["small", "large", "narrow"])
async def test_the_status_line_counts_what_waits_and_what_is_high(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    post(asking, command("ls", workdir))
    post(asking, high(workdir))
    async with screen(place, size=size, waiting=2) as seen:
        await seen.until(lambda: "2 waiting" in seen.frame[0] and "1 HIGH" in seen.frame[0])


async def test_a_row_says_risk_kind_what_reason_agent_and_how_much_was_read(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, high(workdir))
    async with screen(place, waiting=1) as seen:
        row = ["▌HIGH", "$", "rm", "-rf", "build", "deletes", "files", "tester", "new"]
        await seen.until(lambda: seen.line("$ rm -rf build").split() == row)


@pytest.mark.parametrize("size", [SMALL, NARROW], ids=["small", "narrow"])
async def test_a_request_has_one_row_at_every_width(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    post(asking, command("ls", workdir))
    post(asking, command("pwd", workdir))
    async with screen(place, size=size, waiting=2) as seen:
        assert seen.frame.index(seen.line("$ ls")) + 1 == seen.frame.index(seen.line("$ pwd"))


async def test_the_end_of_a_file_name_stays_visible(asking: AgentQueue, place: Path, workdir: Path) -> None:
    folder = workdir / "packages/some-package/src/some_package/components"
    folder.mkdir(parents=True)
    post(asking, write(folder / "button_models.py", "x\n"))
    for size in (SMALL, LARGE, NARROW):
        async with screen(place, size=size, waiting=1) as seen:
            await seen.shows("models.py")


async def test_a_request_of_a_group_stands_below_its_heading(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        post(asking, write(workdir / name, "x\n", group_id="save project", group_size=4))
    async with screen(place, waiting=2) as seen:
        await seen.shows("save project", "2 so far", "a.txt", "b.txt")
        heading, first = (seen.frame.index(seen.line(word)) for word in ("save project", "a.txt"))
        assert first == heading + 1


async def test_the_row_above_the_keys_says_what_comes_next_in_the_turn(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    following = [{"tool": "shell", "arguments": {"command": text}} for text in ("npm test", "git push")]
    post(asking, command("ls", workdir), batch_id="b-1", batch_position=0, batch_remaining=following)
    async with screen(place, waiting=1) as seen:
        await seen.until(lambda: seen.special.strip() == "next in this turn: shell npm test and 1 more")


async def test_a_large_screen_shows_the_content_beside_the_list(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, write(workdir / "a.txt", "hello there\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows("A a.txt", "hello there")


async def test_a_small_screen_shows_the_content_when_it_is_opened(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, write(workdir / "a.txt", "hello there\n"))
    async with screen(place, waiting=1) as seen:
        await seen.armed()
        assert "hello there" not in seen.text
        await seen.press("enter")
        await seen.shows("hello there")
        await seen.press("escape")
        await seen.shows_no("hello there")


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_a_scroll_bar_covers_no_word(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    for number in range(60):
        post(asking, command(f"ls {number}", workdir))
    async with screen(place, size=size, waiting=60) as seen:
        await seen.until(lambda: seen.line("$ ls 9").split("│")[0].rstrip("▁▂▃▄▅▆▇█ ").endswith("new"))


# -- nothing moves by itself ---------------------------------------------------------------------------------


async def test_arrivals_do_not_move_the_cursor_nor_its_row(asking: AgentQueue, place: Path, workdir: Path) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(20)]
    async with screen(place, waiting=20) as seen:
        await seen.goes_to(requests[15])
        before = seen.frame.index(seen.line("ls 15"))
        for number in range(20, 60):
            post(asking, command(f"ls {number}", workdir))
        await seen.until(lambda: len(list(seen.desk.inbox.entries())) == 60)
        await seen.shows("60 waiting")
        assert seen.focus == requests[15].id
        assert seen.frame.index(seen.line("ls 15")) == before


async def test_a_member_that_joins_a_group_above_does_not_move_the_focused_row(place: Path, workdir: Path) -> None:
    with (
        agent(place, "refactor", session="s-1", cwd=workdir) as one,
        agent(place, "docs", session="s-2", cwd=workdir) as two,
    ):
        post(one, write(workdir / "a.txt", "x\n", group_id="g"))
        requests = [post(two, command(f"ls {number}", workdir)) for number in range(14)]
        async with screen(place, waiting=15) as seen:
            await seen.goes_to(requests[12])
            before = seen.frame.index(seen.line("ls 12"))
            for number in range(5):
                post(one, write(workdir / f"b{number}.txt", "x\n", group_id="g"))
            await seen.shows("20 waiting")
            assert seen.frame.index(seen.line("ls 12")) == before


async def test_the_first_arrival_in_an_empty_inbox_becomes_the_target(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    async with screen(place) as seen:
        await seen.shows("nothing waiting")
        post(asking, command("ls", workdir))
        await seen.shows("1 waiting", "▌     $ ls")


async def test_coming_back_from_a_request_leads_to_the_same_row(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(30)]
    async with screen(place, waiting=30) as seen:
        await seen.goes_to(requests[20])
        before = seen.frame.index(seen.line("ls 20"))
        await seen.press("enter")
        await seen.until(lambda: seen.app.review.reading)
        await seen.press("escape")
        await seen.shows("$ ls 19")
        assert seen.focus == requests[20].id
        assert seen.frame.index(seen.line("ls 20")) == before


# -- going about ---------------------------------------------------------------------------------------------


async def test_space_opens_the_next_request_that_was_not_shown(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first, second = post(asking, command("ls", workdir)), post(asking, command("pwd", workdir))
    async with screen(place, waiting=2) as seen:
        await seen.reads(first)
        await seen.press("space")
        await seen.until(lambda: seen.focus == second.id)
        await seen.shows("@ cwd: ", "$ pwd")


async def test_space_says_when_everything_was_shown(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("space")
        await seen.shows("everything that waits was read")


async def test_j_and_k_move_lines_in_an_open_request(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, write(workdir / "a.txt", lines(60)))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.press("enter")
        await seen.shows("line 1")
        top = seen.frame.index(seen.line("line 1"))
        await seen.press("j", "j")
        await seen.until(lambda: "line 3" in seen.frame[top])


async def test_the_brackets_go_from_hunk_to_hunk(asking: AgentQueue, place: Path, workdir: Path) -> None:
    before = lines(200)
    (workdir / "a.txt").write_text(before)
    after = before.replace("line 20\n", "LINE 20\n").replace("line 180\n", "LINE 180\n")
    request = post(asking, write(workdir / "a.txt", after))
    async with screen(place, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.press("enter")
        await seen.shows("LINE 20")
        await seen.press("]", "]")
        await seen.shows("LINE 180")
        await seen.press("]", "]")
        await seen.shows("no hunk below")


async def test_more_context_keeps_the_reader_at_the_same_change(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    before = lines(200)
    (workdir / "a.txt").write_text(before)
    after = before.replace("line 20\n", "LINE 20\n").replace("line 180\n", "LINE 180\n")
    request = post(asking, write(workdir / "a.txt", after))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("v", "}", "}", "}", "}")
        await seen.shows("48 unchanged lines around changes", "LINE 20")
        await seen.press("G")
        await seen.shows("LINE 180", "line 200")
        shares = seen.desk.share(seen.entry(request))
        await seen.press("{")
        await seen.shows("24 unchanged lines around changes", "LINE 180")
        assert seen.desk.share(seen.entry(request)) == shares == 1.0


async def test_what_is_snoozed_is_put_below_the_list_and_comes_back(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    second = post(asking, command("pwd", workdir))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to(first)
        await seen.press("z")
        await seen.shows("snoozed: the agent waits on; z there takes it back", "later")
        assert [row.key.id for row in seen.desk.inbox.rows()] == [second.id, first.id]
        assert seen.focus == second.id
        await seen.goes_to(first)
        await seen.press("z")
        await seen.until(lambda: not seen.entry(first).later)


@pytest.mark.parametrize("key", ["v", "enter"])
async def test_the_content_takes_the_whole_screen_and_gives_it_back(
    asking: AgentQueue, place: Path, workdir: Path, key: str
) -> None:
    first, _ = (post(asking, command(text, workdir)) for text in ("ls", "pwd"))
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to(first)
        await seen.press(key)
        await seen.shows_no("$ pwd")
        await seen.shows("@ cwd: ", "$ ls")
        await seen.press("escape")
        await seen.shows("$ pwd")


# -- the mouse -----------------------------------------------------------------------------------------------


async def test_a_click_moves_to_a_row_and_a_double_click_opens_it(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [post(asking, command(f"ls {number}", workdir)) for number in range(3)]
    async with screen(place, waiting=3) as seen:
        await seen.armed()
        row = seen.frame.index(seen.line("ls 2"))
        await seen.pilot.click(offset=(20, row))
        await seen.until(lambda: seen.focus == requests[2].id)
        monkeypatch.setattr(type(seen.app), "CLICK_CHAIN_TIME_THRESHOLD", 60)  # whatever else the machine does
        await seen.pilot.click(offset=(20, row), times=2)
        await seen.until(lambda: seen.app.review.reading)


async def test_the_wheel_scrolls_the_content_and_moves_no_cursor(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", lines(200)))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.shows(" lines below")
        before = seen.line(" lines below")
        wheel = MouseScrollDown(None, 90, 15, 0, 1, 0, False, False, False, screen_x=90, screen_y=15)
        seen.app.post_message(wheel)
        await seen.until(lambda: " lines below" in seen.text and seen.line(" lines below") != before)
        assert seen.focus == request.id


async def test_a_click_does_not_leave_an_open_text_box(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first, second = post(asking, command("ls", workdir)), post(asking, command("pwd", workdir))
    async with screen(place, settings=HELD, size=LARGE, waiting=2) as seen:
        await seen.goes_to(first)
        await seen.armed()
        await seen.press("n")
        await seen.shows("Tell it what to do instead")
        await seen.pilot.click(offset=(20, seen.frame.index(seen.line("$ pwd"))))
        await seen.types("use yarn")
        await seen.shows("Tell it what to do instead", "use yarn")
        assert seen.focus == first.id
        assert seen.entry(second).waiting


async def test_the_wall_clock_only_changes_what_is_read(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call())
    async with screen(place, waiting=1, wall_clock=lambda: request.created_at + 134_000_000) as seen:
        await seen.shows("oldest 2:10")


async def test_a_group_can_be_folded_and_unfolded(asking: AgentQueue, place: Path, workdir: Path) -> None:
    for name in ("a.txt", "b.txt"):
        post(asking, write(workdir / name, "x\n", group_id="g"))
    async with screen(place, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.press("left")
        await seen.shows_no("a.txt")
        await seen.press("right")
        await seen.shows("a.txt")


async def test_moving_between_requests_skips_headings_and_what_ended(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    first = post(asking, command("ls", workdir))
    ended = post(asking, command("pwd", workdir))
    member = post(asking, write(workdir / "a.txt", "x\n", group_id="g"))
    post(asking, write(workdir / "b.txt", "x\n", group_id="g"))
    async with screen(place, waiting=4) as seen:
        asking.withdraw(ended.id, "not needed")
        await seen.shows("withdrawn")
        await seen.goes_to_row(RowKey("request", first.id))
        await seen.press("J")
        await seen.until(lambda: seen.focus == member.id)
        await seen.press("K")
        await seen.until(lambda: seen.focus == first.id)


async def test_a_drag_over_a_text_says_how_to_select_it(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.opens(request)
        await seen.pilot._post_mouse_events([MouseMove], "#document", button=0)
        assert "select" not in seen.special
        await seen.pilot._post_mouse_events([MouseMove], "#document", button=1)
        assert "hold Shift" in seen.special


async def test_a_letter_of_another_alphabet_says_that_keys_are_latin(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("н")
        assert "keys are Latin letters" in seen.special
