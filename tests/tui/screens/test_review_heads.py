"""What stands around the content: each fact once, on as few lines as there is room for."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_samples import START, news, stored
from screen_bench import LARGE, SMALL, Screen, call, command, lines, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import KeyMap
from signoff_tui.layout import Layout
from signoff_tui.screens.review.heads import request_head
from signoff_tui.screens.review.rows import RowStyle
from signoff_tui.state.session import ReviewSession
from signoff_tui.text.look import UNICODE

NARROW = (50, 20)


def content(seen: Screen) -> list[str]:
    """The rows of the content, without the list beside it."""
    return [row.rpartition("│")[2].rstrip() for row in seen.frame[1:]]


async def test_a_narrow_head_says_what_changes_and_below_it_who_asks_and_how_much_was_read(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "src/application/orders_api.py", lines(60)))
    async with screen(place, size=NARROW, waiting=1) as seen:
        await seen.opens(request)
        await seen.shows(" % read")
        what, who, first = content(seen)[:3]
        assert what == " A src/application/orders_api.py  +60"
        assert who.startswith(" tester  ")
        assert who.endswith(" % read")
        assert first.split() == ["1", "line", "1"]


async def test_the_head_of_a_read_member_is_one_line_below_that_of_its_group(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    names = ("Makefile", "b")
    for name in names:
        (workdir / name).write_text("one\n")
    requests = [post(asking, write(workdir / name, "two\n", group_id="save")) for name in names]
    async with screen(place, size=LARGE, waiting=2) as seen:
        await seen.goes_to_group()
        await seen.reads_group()
        await seen.until(lambda: seen.is_read(seen.entry(requests[0])))
        await seen.until(lambda: content(seen)[1].endswith(" read"))
        head, member, blank, heading = content(seen)[:4]
        assert "save" in head
        assert member.startswith(" M Makefile  +1 -1  file 1 of 2  med risk: ")
        assert (blank, heading) == ("", " @@ 1")


@pytest.mark.parametrize(("seconds", "token"), [(300.0, "warn"), (86_000.0, "muted")])
def test_a_deadline_stands_out_once_it_is_near(seconds: float, token: str) -> None:
    desk = ReviewSession(GuardSettings(), KeyMap(), lambda: 0.0, "you")
    desk.apply(news(stored("a", expires_at=START + round(seconds * 1e6))))
    style = RowStyle(UNICODE, START, lambda _: "")
    told = request_head(desk, desk.inbox.entry("a"), style, 120, Layout(120, 40))
    [deadline] = [piece for line in told for piece in line.left if "expires" in piece.text.text]
    assert deadline.token == token


@pytest.mark.parametrize("size", [SMALL, NARROW])
async def test_the_first_hunk_follows_the_head(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    (workdir / "a.txt").write_text(lines(60))
    request = post(asking, write(workdir / "a.txt", lines(60).replace("line 30\n", "new\n")))
    async with screen(place, size=size, waiting=1) as seen:
        await seen.opens(request)
        await seen.until(lambda: content(seen)[2] == " @@ 27 line 26  (26 unchanged lines)")


@pytest.mark.parametrize(
    ("before", "rows", "said"),
    [
        ("", 60, "42 lines below"),
        ("x\n" * 60, 60, "103 changed lines below"),
        ("x\n", 1, ""),
    ],
)
async def test_the_foot_counts_the_lines_that_are_still_to_be_read(
    asking: AgentQueue, place: Path, workdir: Path, before: str, rows: int, said: str
) -> None:
    if before:
        (workdir / "a.txt").write_text(before)
    request = post(asking, write(workdir / "a.txt", lines(rows)))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await seen.opens(request)
        await seen.until(lambda: "line 1" in seen.text or "- x" in seen.text)
        await seen.until(lambda: content(seen)[-3].strip() == said)


async def test_a_refused_hunk_is_struck_through_below_its_word(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text(lines(40))
    new = lines(40).replace("line 3\n", "three\n").replace("line 30\n", "thirty\n")
    request = post(asking, write(workdir / "a.txt", new, honors=frozenset({"partial"})))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.opens(request)
        await seen.shows(">@@ 1")
        await seen.press("minus")
        await seen.shows(">refused  @@ 1", "+ three", "+ thirty")

        def is_struck(words: str) -> bool:
            return any(
                words in part.text and part.style is not None and bool(part.style.strike)
                for row in seen.rows
                for part in row
            )

        shown = ("three", "line 4", "thirty", "line 31")
        assert [is_struck(words) for words in shown] == [True, True, False, False]


async def test_a_long_array_is_opened_by_right_and_by_reading_on(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(payload={"ids": list(range(21)), "to": "staging"}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.opens(request)
        await seen.shows("(21 items folded)")
        await seen.press("v", "right")
        await seen.shows("all 3 levels of the arguments are open", "- 20")
        await seen.press("left")
        await seen.shows("2 of 3 levels", "(21 items folded)")
        await seen.press("right")
        await seen.until(lambda: seen.is_read(seen.entry(request)), "all items")


async def test_what_is_folded_in_an_array_is_unread_and_opened_by_reading_on(
    asking: AgentQueue, place: Path
) -> None:
    request = post(asking, call(payload={"ids": list(range(21))}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.opens(request)
        await seen.shows("(21 items folded)")
        entry = seen.entry(request)
        await seen.until(lambda: seen.has_settled(entry), "settled lines")
        assert not seen.is_read(entry)
        await seen.press("space")
        await seen.until(lambda: seen.is_read(entry), "all items")


async def test_bytes_are_shown_where_sixteen_of_them_fit_a_row(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.bin", bytes(range(64))))
    async with screen(place, size=(100, 40), waiting=1) as seen:
        await seen.opens(request)
        await seen.shows("application/octet-stream, new, 64 bytes")
        await seen.shows_no("00000030")
        await seen.press("v")
        await seen.shows("00000030  30 31 32")
        await seen.press("v")
        await seen.shows_no("00000030")


async def test_of_a_command_of_one_part_nothing_is_said_twice(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("rm gone", workdir))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows("gone: nothing is there")
        assert seen.text.count("rm gone") == 2  # what the request is, and the command in full
