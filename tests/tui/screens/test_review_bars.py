"""The two rows at the bottom: six keys that keep their places, and what is special now."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import HELD, LARGE, SMALL, Screen, command, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.text.bars import SHARES, Key, keys_row
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow
from signoff_tui.text.lines import Line

KEYS = tuple(
    Key(key, words)
    for key, words in zip("ynsr/?", ("approve", "reject", "allow…", "on", "filter", "keys"), strict=True)
)
WIDTHS = (40, 50, 80, 100, 120, 200)


def text(row: Line) -> str:
    return "".join(piece.text.text for piece in row.left)


def starts(width: int) -> list[int]:
    return [max(round(share * width), 1) for share in SHARES]


def live_keys(seen: Screen) -> str:
    """The keys of the bottom row that do something now."""
    row = next(line for line in seen.app.review.query("#keys").results()).lines[-1]  # type: ignore[attr-defined]
    return " ".join(piece.text.text for piece in row.left if piece.token == "key")


@pytest.mark.parametrize("width", WIDTHS)
def test_every_key_stands_at_its_share_of_the_width(width: int) -> None:
    row = text(keys_row(KEYS, width))
    assert [row[start] for start in starts(width)] == [key.shown for key in KEYS]
    assert len(row) == width


@pytest.mark.parametrize("width", WIDTHS)
def test_other_words_move_no_key(width: int) -> None:
    longer = (Key("Y", "approve 3 of 10 that were read"), *KEYS[1:])
    row = text(keys_row(longer, width))
    assert [row[start] for start in starts(width)] == ["Y", *(key.shown for key in KEYS[1:])]


@pytest.mark.parametrize("width", range(40, 130, 3))
def test_no_word_is_cut(width: int) -> None:
    words = {word for key in KEYS for word in (key.shown, *key.words.split(), key.words.removesuffix("…"))}
    assert {*text(keys_row(KEYS, width)).split()} <= words


@pytest.mark.parametrize("size", [SMALL, LARGE, (200, 50), (50, 20)], ids=["small", "large", "wide", "narrow"])
async def test_keys_keep_their_places_whatever_is_in_focus(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    post(asking, command("ls", workdir))
    post(asking, command("rm -rf build", workdir))
    post(asking, write(workdir / "long.txt", "line\n" * 400))
    for name in ("a.txt", "b.txt"):
        post(asking, write(workdir / name, "x\n", group_id="g"))
    async with screen(place, size=size, waiting=5) as seen:
        for _ in range(6):
            shown = [seen.keys[start] for start in starts(size[0])]
            group = seen.desk.inbox.cursor is not None and seen.desk.inbox.cursor.kind == "group"
            assert shown == [*("YN" if group else "yn"), "s", "S", "/", "?"]
            await seen.press("j")


async def test_a_key_that_does_nothing_now_does_not_stand_out(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", "line\n" * 400))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.armed()
        await seen.until(lambda: live_keys(seen) == "n Space / ?")
        await seen.reads(request)
        await seen.until(lambda: live_keys(seen) == "y n s / ?")


async def test_a_high_request_that_was_read_can_be_approved_but_not_allowed(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("rm -rf build", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.until(lambda: live_keys(seen) == "y n / ?")


async def test_what_is_held_is_counted_down_with_the_key_that_takes_it_back(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, command("pytest -q", workdir))
    async with screen(place, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.until(
            lambda: "approved pytest -q, sends in " in seen.special and seen.special.endswith("u undo ")
        )


async def test_a_message_stays_until_the_next_key(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.press("ctrl+c")
        await seen.until(lambda: seen.special.strip() == "q quits; Ctrl+C decides nothing")
        await seen.press("j")
        await seen.until(lambda: not seen.special.strip())


async def test_a_long_message_loses_its_end(asking: AgentQueue, place: Path, workdir: Path) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        seen.app.review.say("one two three " * 20)
        await seen.until(lambda: seen.special.startswith(" one two three one"))


@pytest.mark.parametrize(("slot", "action"), [(3, "read on"), (4, "filter"), (5, "help")])
async def test_a_click_on_a_key_that_decides_nothing_does_it(
    asking: AgentQueue, place: Path, workdir: Path, slot: int, action: str
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await seen.armed()
        await seen.pilot.click(offset=(starts(80)[slot], 23))
        done = {"read on": "@ cwd: ", "filter": "Enter", "help": "keys for"}
        await seen.shows(done[action])


@pytest.mark.parametrize("slot", [0, 1, 2])
async def test_no_click_decides(asking: AgentQueue, place: Path, workdir: Path, slot: int) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows("read│")
        before = seen.text
        await seen.pilot.click(offset=(starts(120)[slot], 39))
        assert not len(seen.desk.guard.holds)
        assert seen.app.review.bar is None
        assert seen.text == before


# -- the keys of sheets --------------------------------------------------------------------------------------


def test_a_label_that_is_too_long_for_its_row_gives_way_between_words() -> None:
    (row,) = flow([KeyHint("Y", "approve 12 ready: settings.py  cache.py"), KeyHint("?", "help")], BarRoom(40, 1))
    assert text(row) == " Y approve 12 ready: ...  ? help  "


def test_keys_take_no_more_rows_than_they_need() -> None:
    assert len(flow([KeyHint("t", "text as shown"), KeyHint("Esc", "back")], BarRoom(40, 10))) == 1


@pytest.mark.parametrize("key", ["c", "q"])
async def test_a_question_leaves_the_content_its_room(
    asking: AgentQueue, place: Path, workdir: Path, key: str
) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        before = seen.app.review.document.size.height
        await seen.press(key)
        await seen.shows("Esc ")
        assert before - seen.app.review.document.size.height <= 2


@pytest.mark.parametrize(("width", "named"), [(50, True), (80, False)])
async def test_where_rows_have_no_room_for_the_agent_the_row_above_the_keys_names_it(
    asking: AgentQueue, place: Path, workdir: Path, width: int, named: bool
) -> None:
    post(asking, command("ls", workdir))
    async with screen(place, size=(width, 20), waiting=1) as seen:
        assert ("tester" in seen.special) is named
