"""The action bar: where there is room, each key keeps its place, and those that do nothing are dim in theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from screen_bench import Screen, command, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.text.key_hints import BarRoom, KeyHint, flow, flow_sections
from signoff_tui.text.lines import Line

KEYS = ("y", "Space", "n", "s", "x", "z", "t", "/", "o", "h", "q", "?")
ONE = ("y", "Space", "n", "s", "x")


def places(seen: Screen) -> Mapping[str, tuple[int, int]]:
    """Row and column of each key on the bar, whether it works or not."""
    bar = seen.frame.index(seen.line("TARGET"))
    rows = enumerate(seen.frame[bar + 1 :])
    return {
        found[1]: (row, found.start()) for row, text in rows for found in re.finditer(r"[\[(](\S+?)[\])] ", text)
    }


@pytest.mark.parametrize("size", [(120, 40), (200, 50)], ids=["large", "wide"])
async def test_keys_keep_their_places_whatever_is_in_focus(
    asking: AgentQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    requests = [
        post(asking, command("ls", workdir)),
        post(asking, command("rm -rf build", workdir)),
        post(asking, write(workdir / "long.txt", "line\n" * 400)),
        post(asking, write(workdir / "a.txt", "x\n", group_id="g")),
        post(asking, write(workdir / "b.txt", "x\n", group_id="g")),
    ]
    async with screen(place, size=size, waiting=5) as seen:
        await seen.reads(requests[0])
        shown = [places(seen)]
        for words in ("never for HIGH", "lines not shown yet", "capitals act on groups", "approve the"):
            await seen.press("j")
            await seen.shows(words)
            await seen.shows("[armed]")
            shown.append(places(seen))
        asking.withdraw(requests[0].id, "not needed")
        await seen.press("g")
        await seen.shows(
            "it does not wait any more", "(n) reject: it ended", "session: it ended", "stop: it ended"
        )
        shown.append(places(seen))
    # On the heading of a group the capital that stops stands where the small one does.
    first, *others, ended = ([each.get(key, each.get(key.upper())) for key in KEYS] for each in shown)
    assert None not in first
    assert all(each == first for each in others)
    assert ended[: len(ONE)] == first[: len(ONE)]


async def test_no_key_of_a_group_gives_way_to_long_names(asking: AgentQueue, place: Path, workdir: Path) -> None:
    requests = [
        post(asking, write(workdir / f"{number}-{'name' * 2}.txt", "x\n", group_id="g")) for number in range(3)
    ]
    async with screen(place, size=(120, 40), waiting=3) as seen:
        for request in requests:
            await seen.reads(request)
        await seen.goes_to_group()
        await seen.shows("[Y] approve all 3: ", "more", "[N] reject all 3", "[V] all on one page")


async def test_a_narrow_bar_says_where_the_other_screens_are_and_that_z_takes_back(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    requests = [post(asking, command(f"ls {name}", workdir)) for name in "ab"]
    async with screen(place, size=(80, 24), waiting=2) as seen:
        await seen.goes_to(requests[0])
        await seen.shows("[z] later", "[2/4/5] agents, memory, rules")
        await seen.press("z")
        await seen.shows("[z] not later")


def texts(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(piece.fitted("") for piece in line.left).rstrip() for line in lines]


def test_a_section_begins_a_row_and_a_label_that_changes_moves_nothing() -> None:
    def drawn(label: str) -> list[str]:
        first = [KeyHint("y", label, live=False, slot=20), KeyHint("n", "no")]
        return texts(flow_sections([(first, 1), ([KeyHint("?", "help")], 1)], 40))

    assert drawn("approve") == [" (y) approve         [n] no", " [?] help"]
    assert drawn("not seen") == [" (y) not seen        [n] no", " [?] help"]


def test_what_has_no_room_in_its_section_is_left_out_and_the_last_hint_never_is() -> None:
    many = [KeyHint(str(number), "does this") for number in range(9)]
    drawn = texts(flow_sections([(many, 1), ([*many, KeyHint("?", "help")], 1)], 40))
    assert drawn == [" [0] does this  [1] does this", " [0] does this  [?] help"]


def test_a_label_that_is_too_long_for_its_row_gives_way_between_words() -> None:
    (row,) = flow([KeyHint("Y", "approve 12 ready: settings.py  cache.py"), KeyHint("?", "help")], BarRoom(40, 1))
    assert "".join(piece.text.text for piece in row.left) == " [Y] approve 12 ready: ...  [?] help  "
