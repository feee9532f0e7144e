"""What else the first line of the screen says where there is room for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from screen_bench import HELD, LARGE, agent, command, post, screen

from signoff.queue import AgentQueue
from signoff_tui.header import Standing, Surroundings, first_line
from signoff_tui.screens.review.status import Where, clock_is_shown, status_line, too_small_lines
from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Line, chunk

NOW = 1_000_000_000
COUNTS = Counts(waiting=16, high=2, oldest_at=NOW - 30_000_000, agents=3)
FULL = Where(
    "Inbox", held=4, names="refactor 12  docs-bot 3", surroundings=Surroundings(remembered=4, rule_files=2)
)

LEFT = "signoff Inbox 16 waiting (4 of them held) 2 HIGH oldest waits 00:30"


def text(line: Line) -> str:
    return " ".join(piece.text.text.strip() for piece in (*line.left, *line.right))


@pytest.fixture(autouse=True)
def _in_one_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (50, "signoff 16 waiting 2 HIGH 00:30 queue ok"),
        (80, "signoff Inbox 16 waiting 2 HIGH oldest waits 00:30 3 agents queue ok"),
        (100, "signoff Inbox 16 waiting (4 of them held) 2 HIGH oldest 00:30 memory 4 queue ok"),
        (120, f"{LEFT} 3 agents memory 4 rules 2 files queue ok"),
        (160, f"{LEFT} refactor 12  docs-bot 3 memory 4 rules 2 files queue ok 00:16"),
    ],
)
def test_a_wider_screen_says_more(width: int, words: str) -> None:
    assert text(status_line(FULL, COUNTS, NOW, width)) == words


@pytest.mark.parametrize("width", range(30, 220, 7))
def test_high_and_read_only_are_said_at_any_width(width: int) -> None:
    where = Where("Inbox", connected=False, modes=("READ ONLY",), held=4, names="x 16")
    line = status_line(where, COUNTS, NOW, width)
    assert {"2 HIGH", "READ ONLY", "QUEUE LOST"} <= {
        piece.text.text.strip() for piece in (*line.left, *line.right)
    }


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (90, "signoff Session memory 16 waiting 2 HIGH 4 active, 1 revoked fixed order queue ok"),
        (80, "signoff Session memory 16 waiting 2 HIGH 4 active, 1 revoked queue ok"),
        (66, "signoff Session memory 16 waiting 2 HIGH 4 active queue ok"),
        (50, "signoff Memory 16 waiting 2 HIGH 4 active"),
        (40, "Memory 16 waiting 2 HIGH 4 active"),
        (20, "2 HIGH 4 active"),
    ],
)
def test_other_screens_say_it_in_the_same_order(width: int, words: str) -> None:
    facts = [(chunk(" 4 active, 1 revoked ", keep=True),), (chunk(" 4 active ", keep=True),)]
    order = (chunk(" fixed order ", keep=True),)
    line = first_line(["Session memory", "Memory"], Standing(16, 2), width, facts, extra=order)
    assert text(line) == words
    lost = first_line(["Memory"], Standing(16, 2, connected=False), width, [()])
    assert {"2 HIGH", "QUEUE LOST"} <= {piece.text.text.strip() for piece in (*lost.left, *lost.right)}


@pytest.mark.parametrize(("seconds", "token"), [(59, "bar"), (61, "bar-strong")])
def test_the_age_of_the_oldest_stands_out_after_a_minute(seconds: int, token: str) -> None:
    line = status_line(FULL, Counts(1, 0, NOW - seconds * 1_000_000, 1), NOW, 80)
    assert next(piece.token for piece in line.left if "oldest" in piece.text.text) == token


def test_what_the_line_has_no_room_for_goes_in_a_fixed_order() -> None:
    marks, gone = {"00:16", "docs-bot", "agents", "rules", "memory", "held)", "signoff"}, []
    for length in range(1, 200):
        line = text(status_line(replace(FULL, title="x" * length), COUNTS, NOW, 200)).split()
        lost = {mark for mark in marks if mark not in line and (mark != "agents" or "docs-bot" in gone)}
        gone += [mark for mark in ("00:16", "docs-bot", "agents", "rules", "memory", "held)") if mark in lost]
        marks -= lost
    assert gone == ["00:16", "docs-bot", "agents", "rules", "memory", "held)"]
    assert marks == {"signoff"}


def test_an_empty_inbox_has_no_clock_that_would_have_to_be_drawn() -> None:
    assert not clock_is_shown(Counts(0, 0, None, 0), 200)
    assert clock_is_shown(COUNTS, 160)
    assert not clock_is_shown(COUNTS, 159)


async def test_a_very_wide_screen_names_who_waits(asking: AgentQueue, place: Path, workdir: Path) -> None:
    with agent(place, "docs\x1b[2J" + "x" * 90, session="s-2", cwd=workdir) as other:
        post(other, command("ls", workdir))
        post(asking, command("ls a", workdir))
        post(asking, command("ls b", workdir))
        async with screen(place, size=(160, 40), waiting=3) as seen:
            await seen.until(lambda: "tester 2" in seen.frame[0] and "docs^[[2Jxxxxx" in seen.frame[0])


async def test_a_wide_screen_says_how_much_is_held(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.until(lambda: "1 waiting (all held) " in seen.frame[0])


@pytest.mark.parametrize(
    ("size", "most"), [((38, 9), 3), ((39, 30), 4), ((30, 5), 1), ((12, 3), 1), ((200, 8), 2)]
)
def test_a_pane_that_is_too_small_says_how_large_it_has_to_be(size: tuple[int, int], most: int) -> None:
    lines = too_small_lines(*size)
    assert "40x10" in " ".join(map(text, lines))
    assert len(lines) <= most
    assert all(row.width <= size[0] for row in lines)
