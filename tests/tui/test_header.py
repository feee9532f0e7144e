"""The first row: what waits is said at any width, and less besides where there is less room."""

from __future__ import annotations

import pytest

from signoff_tui.header import TABS, FirstRow, status_line, too_small_lines
from signoff_tui.state.tally import Counts
from signoff_tui.text.lines import Line

NOW = 1_000_000_000
COUNTS = Counts(waiting=16, high=2, oldest_at=NOW - 30_000_000, agents=3)


def text(line: Line) -> str:
    return " ".join(piece.text.text.strip() for piece in (*line.left, *line.right) if piece.text.text.strip())


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (40, "Inbox 16 waiting 2 HIGH 0:30"),
        (50, "signoff Inbox 16 waiting 2 HIGH oldest 0:30"),
        (80, "signoff Inbox 16 waiting 2 HIGH oldest 0:30 3 agents"),
        (120, "signoff Inbox Agents History Rules 16 waiting 2 HIGH oldest 0:30 3 agents"),
    ],
)
def test_a_wider_screen_says_more(width: int, words: str) -> None:
    assert text(status_line("Inbox", FirstRow(COUNTS), NOW, width)) == words


@pytest.mark.parametrize("width", range(40, 220, 7))
def test_what_waits_and_what_is_out_of_order_is_said_at_any_width(width: int) -> None:
    line = status_line("Inbox", FirstRow(COUNTS, ("READ ONLY",), "muted until 14:15"), NOW, width)
    assert {"16 waiting", "2 HIGH", "READ ONLY"} <= {
        piece.text.text.strip() for piece in (*line.left, *line.right)
    }
    assert line.width <= width


@pytest.mark.parametrize("tab", TABS)
def test_the_tab_that_has_the_screen_stands_out(tab: str) -> None:
    line = status_line(tab, FirstRow(COUNTS), NOW, 120)
    strong = [piece.text.text.strip() for piece in line.left if piece.token == "bar-strong"]
    assert [each for each in strong if each in TABS] == [tab]


def test_nothing_is_said_of_a_queue_that_is_well() -> None:
    assert "queue" not in text(status_line("Inbox", FirstRow(COUNTS), NOW, 200))


@pytest.mark.parametrize(("seconds", "token"), [(59, "bar"), (61, "bar-strong")])
def test_the_age_of_the_oldest_stands_out_after_a_minute(seconds: int, token: str) -> None:
    line = status_line("Inbox", FirstRow(Counts(1, 0, NOW - seconds * 1_000_000, 1)), NOW, 80)
    assert next(piece.token for piece in line.left if "oldest" in piece.text.text) == token


@pytest.mark.parametrize(("size", "most"), [((38, 9), 2), ((30, 5), 2), ((20, 5), 4), ((200, 8), 1)])
def test_a_pane_that_is_too_small_says_how_large_it_has_to_be(size: tuple[int, int], most: int) -> None:
    lines = too_small_lines(COUNTS, size[0])
    assert "40x10" in " ".join(map(text, lines))
    assert len(lines) <= most
    assert all(row.width <= size[0] for row in lines)
